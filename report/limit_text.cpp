#include "report/limit_text.h"

namespace cml::report {

std::string_view limit_text(std::string_view limit, const checker::Statistics& stats) {
  if (limit == "max-depth" && stats.is_cyclic)
    return "the model is cyclic: an execution comes back to a state that it has been in, and a "
           "search without a store goes round for ever. Use `--store stateful` (the default), or "
           "let the threads end after a bounded number of rounds";
  if (limit == "max-depth")
    return "an execution has more transitions. Allow more with `--max-depth`";
  if (stats.is_cyclic && (limit == "max-states" || limit == "max-time" || limit == "max-memory"))
    return "the model is cyclic, so a search without a store never comes to an end. Use `--store "
           "stateful` (the default)";
  if (limit == "max-states")
    return "there are more states. Allow more with `--max-states`, or make the model smaller: "
           "narrower ranges, shorter channels, smaller families";
  if (limit == "max-memory")
    return "the states need more memory. Allow more with `--max-memory`, or make the model "
           "smaller: narrower ranges, shorter channels, smaller families";
  if (limit == "max-time") return "allow more with `--max-time`, or make the model smaller";
  if (limit == "max-invisible")
    return "so many steps in a row without a visible operation, and no state came twice. If they "
           "come to an end, allow more with `--max-invisible`; else bound what is counted";
  if (limit == "choices")
    return "more ways to go on than can be explored (1,048,576). Give `choose` a narrower range, "
           "or let a block decide less";
  if (limit == "lock-depth")
    return "a thread has taken a lock again and again without giving it back (255 times is the "
           "most). Release it as often as it is acquired";
  if (limit == "semaphore-value")
    return "a semaphore counts further than it can hold. Give it a `max`, or let `down` follow "
           "`up`";
  if (limit == "max-threads")
    return "more spawned threads are alive, or referred to by a handle, than are allowed at a "
           "time. Allow more with `--max-threads`, or let them be joined";
  if (limit == "thread-places")
    return "threads are spawned in so many ways, or passed so many different locks, that there is "
           "no room for all of them. Let fewer kinds of threads spawn others";
  if (limit == "max-heap")
    return "more objects of a class can be reached than there is room for. Allow more with "
           "`--max-heap`, or let go of those that are not needed any more";
  if (limit == "max-stack")
    return "functions call themselves more deeply than there is room for. Allow more with "
           "`--max-stack`";
  if (limit == "property-size")
    return "the formula of a property has too many temporal operators. Make several properties of "
           "it";
  if (limit == "histories")
    return "the calls of an object that have not returned can have taken effect in too many ways "
           "(100,000). Let fewer calls overlap, or let the specification choose among less";
  return "";
}

}  // namespace cml::report
