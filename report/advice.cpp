// By the kind; of stuck threads, by what they wait at.
#include "report/advice.h"

#include <algorithm>
#include <string>

namespace cml::report {
namespace {

using checker::ThreadStatus;
using checker::Violation;
using checker::ViolationKind;

/// Whether a thread that is stuck waits at an operation with these words.
bool waits_at(const Violation& violation, std::string_view words) {
  return std::any_of(violation.threads.begin(), violation.threads.end(),
                     [words](const ThreadStatus& thread) {
                       return thread.is_stuck && thread.blocked_on &&
                              thread.blocked_on->find(words) != std::string::npos;
                     });
}

/// Whether several threads wait to be notified, and the last notify woke one of them alone.
bool notifies_one_of_several(const Violation& violation) {
  std::size_t waiting = 0;
  bool is_of_one = false;
  for (const ThreadStatus& thread : violation.threads) {
    const bool waits = thread.is_stuck && thread.blocked_on &&
                       thread.blocked_on->find(".wait()") != std::string::npos;
    if (!waits) continue;
    ++waiting;
    is_of_one = is_of_one || std::ranges::any_of(thread.notes, [](const std::string& note) {
                  return note.starts_with("the last notify ");
                });
  }
  return waiting > 1 && is_of_one;
}

/// Whether a thread waits for a lock of one that has ended or stopped.
bool waits_for_the_gone(const Violation& violation) {
  return std::any_of(violation.threads.begin(), violation.threads.end(),
                     [](const ThreadStatus& thread) {
                       const bool is_gone = thread.state == "ended" || thread.state == "stopped";
                       return is_gone && !thread.holds.empty();
                     });
}

/// Whether all who could notify those who wait have ended, or are past that.
bool nobody_will_notify(const Violation& violation) {
  return std::all_of(
      violation.threads.begin(), violation.threads.end(), [](const ThreadStatus& thread) {
        const bool is_waiting = thread.is_stuck && thread.blocked_on &&
                                thread.blocked_on->find(".wait()") != std::string::npos;
        return !is_waiting ||
               std::all_of(thread.wakers.begin(), thread.wakers.end(),
                           [](const checker::Waker& waker) {
                             return waker.why_not != "waits itself" && waker.why_not != "goes on";
                           });
      });
}

std::string_view advice_for_stuck(const Violation& violation) {
  if (waits_at(violation, ".acquire()") && waits_for_the_gone(violation))
    return "release the lock on every way out, as `with` does";
  // From the rarest cause to the most general one.
  if (std::any_of(violation.threads.begin(), violation.threads.end(),
                  [](const ThreadStatus& thread) { return thread.waits_for == thread.thread; }))
    return waits_at(violation, ".acquireWrite()")
               ? "give up reading before you write, or hold it for writing from the beginning"
               : "take a mutex once, where the call begins, or declare a `lock`, which its owner "
                 "may "
                 "take again";
  if (waits_at(violation, ".wait()") && nobody_will_notify(violation))
    return "nobody is left who notifies: let that be done on every way, before a thread ends, or "
           "let there be as many as those who wait need";
  if (notifies_one_of_several(violation))
    return "several threads wait there, perhaps for different things, and `notify` wakes one of "
           "them: wake all with `notifyAll`, or have a `condition` for each thing";
  if (waits_at(violation, ".wait()"))
    return "notify whenever what is waited for may have become true, and look at it before "
           "waiting: "
           "`m.wait() until …`";
  if (waits_at(violation, ".recv()") || waits_at(violation, ".send(") ||
      waits_at(violation, "select {"))
    return "let as much be sent as is received, the last message included: an end can be a "
           "message, "
           "too, or a `close()`; a channel with more capacity only delays it";
  if (waits_at(violation, ".down()"))
    return "let every `down` be followed by an `up`, on every way, and let those who need several "
           "semaphores take them in one order";
  if (waits_at(violation, "join ")) return "join a thread only when nothing that it needs is held";
  if (waits_at(violation, "await"))
    return "let somebody still make the condition true when the thread comes to wait for it";
  if (waits_at(violation, ".acquire()") && !violation.cycle.empty())
    return "take the locks in one order everywhere";
  return "find what these threads wait for: no other thread will ever do it";
}

std::string_view advice_for_execution(const Violation& violation) {
  if (!violation.execution) return "let the threads take turns";
  if (violation.execution->ends)
    return "let somebody still do what the property waits for before no thread can move any more";
  switch (violation.execution->fairness) {
    case Fairness::None:
      return "if threads that can go on do so in the end, say so: `under weak fairness`";
    case Fairness::Weak:
      return "let the threads take turns, or wait for what nobody can take away again; if those "
             "that can go on again and again do so, say so: `under strong fairness`";
    case Fairness::Strong:
      break;
  }
  return "let the threads take turns; who turns in a loop can always go on, so fairness does not "
         "help it to come through";
}

std::string_view advice_for_assertion(const Violation& violation) {
  if (violation.message.starts_with("the invariant"))
    return "it must hold after each step: let one `atomic` block change what belongs together, or "
           "let the invariant say when it counts";
  if (violation.trace.empty() && !violation.is_trace_lost)
    return "nothing has happened before it: look at the initial values, and at the assertion "
           "itself";
  const bool is_alone = std::all_of(violation.trace.begin(), violation.trace.end(),
                                    [&violation](const checker::TraceStep& step) {
                                      return step.thread == violation.trace.front().thread;
                                    });
  if (is_alone && !violation.is_trace_lost)
    return violation.thread
               ? "no other thread has moved before it: let the thread wait for what it relies on, "
                 "or look at what it does itself"
               : "one thread alone leads to it: look at what it does, or at the assertion itself";
  return "look at the last context switch before the assertion: what changed behind the thread's "
         "back?";
}

}  // namespace

std::string_view advice(const Violation& violation) {
  switch (violation.kind) {
    case ViolationKind::Deadlock:
    case ViolationKind::PartialDeadlock:
      return advice_for_stuck(violation);
    case ViolationKind::LockDiscipline:
      if (violation.race == checker::RaceBehind::None)
        return "hold one lock at every access; if what orders them is meant, write `discipline "
               "races;`";
      return "hold one lock at every access, or declare the object `atomic` if the race is meant";
    case ViolationKind::DataRace:
      return "let something order them (a lock, a semaphore, a channel, `join`), or declare the "
             "object `atomic`";
    case ViolationKind::Assertion:
      return advice_for_assertion(violation);
    case ViolationKind::IllegalMonitor:
      return "acquire the lock first, or use `with`";
    case ViolationKind::Range:
    case ViolationKind::Overflow:
    case ViolationKind::DivisionByZero:
    case ViolationKind::Index:
    case ViolationKind::Null:
      return "check the value before it is used, or widen the range that it is declared with";
    case ViolationKind::Divergence:
      if (!violation.thread)
        return "let the loop come to an end: nobody changes anything while an invariant or a "
               "`finally` is evaluated";
      return "wait with `await`, a condition (`m.wait() until …`) or a semaphore instead of "
             "turning";
    case ViolationKind::Livelock:
      return "let somebody change what the thread looks at, let it give up, or declare it a "
             "`daemon`";
    case ViolationKind::Liveness:
      return advice_for_execution(violation);
    case ViolationKind::Linearizability:
      return "find where the call takes effect, in one step between its beginning and its end, and "
             "what others can do before and behind it";
    case ViolationKind::SemaphoreMax:
      return "give back once what was taken once; raise `max` only if there is more to give";
    case ViolationKind::ClosedChannel:
      return "let the thread that sends close the channel, once, when the last value was sent";
    case ViolationKind::Guard:
      return "hold the declared lock at this access, or declare the lock that is held";
    case ViolationKind::InitOrder:
      return "let the declared thread go first, for example behind a semaphore";
    case ViolationKind::StackOverflow:
      return "bound the recursion, or raise --max-stack";
    case ViolationKind::Unshared:
    case ViolationKind::FalseCommute:
      return "drop the promise, or make it true";
  }
  return "";
}

}  // namespace cml::report
