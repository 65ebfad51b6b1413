#include "tests/brute/call_log.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "tests/brute/walker.h"
#include "tests/brute/world.h"

namespace cml::brute {
namespace {

using namespace model;  // NOLINT: the calls are all about the model

struct LoggedCall {
  int thread = 0;
  FunctionId method;
  Words arguments;
  std::optional<Words> result;  // none: it has not returned
  std::size_t begins = 0;
  std::size_t ends = SIZE_MAX;
};

std::vector<LoggedCall> calls_of(const CallLog& log) {
  std::vector<LoggedCall> calls;
  std::map<int, std::pair<std::size_t, int>> open;  // by thread, with the depth of nested calls
  for (std::size_t i = 0; i < log.events.size(); ++i) {
    const CallEvent& event = log.events[i];
    const auto found = open.find(event.thread);
    if (!event.is_return && found != open.end()) {
      ++found->second.second;
    } else if (!event.is_return) {
      open[event.thread] = {calls.size(), 0};
      calls.push_back({event.thread, event.method, event.words, {}, i, SIZE_MAX});
    } else if (found->second.second > 0) {
      --found->second.second;
    } else {
      calls[found->second.first].result = event.words;
      calls[found->second.first].ends = i;
      open.erase(found);
    }
  }
  return calls;
}

std::string text(const Words& words) {
  std::string out;
  for (const std::int32_t word : words)
    out += std::to_string(word) + ",";
  return out;
}

/// An object of the specification, alone in its world.
struct Specified {
  World world;
  std::int32_t self = 0;
};

class Orders {
 public:
  Orders(const Model& model, const Kinds& kinds, std::size_t max_stack, const CallLog& log)
      : model_(model), kinds_(kinds), max_stack_(max_stack), log_(log), calls_(calls_of(log)) {}

  std::set<std::string> run() {
    each_way(
        [this](Walker& walker, Specified& object) {
          object.self = walker.make_alone(log_.property->specification, log_.constructed_with);
          return Words{};
        },
        {World(model_, kinds_), 0},
        [this](const Specified& object, const Words&) {
          try_all(object, std::vector<std::optional<Words>>(calls_.size()));
        });
    return std::move(found_);
  }

 private:
  /// All ways in which it can choose, where it is neither blocked nor fails.
  template <class Work, class Then>
  void each_way(Work work, const Specified& before, Then then) {
    std::optional<std::vector<unsigned>> script{std::in_place};
    while (script) {
      Specified object = before;
      Oracle oracle(*script);
      Oracle* here = &oracle;
      std::set<std::string> covered;
      Walker walker(model_, object.world, here, covered, max_stack_);
      walker.number = -1;
      bool is_done = false;
      Words result;
      try {
        result = work(walker, object);
        is_done = true;
      } catch (const Stop&) {
      } catch (const Disabled&) {
      } catch (const Diverges&) {
        throw Unsupported{};
      }
      if (is_done) then(object, result);
      script = oracle.next();
    }
  }

  std::string describe(const Specified& object, const std::vector<std::optional<Words>>& done,
                       bool only_open) const {
    std::string out;
    for (const auto& [leaf, words] : object.world.variables)
      if (leaf.heap == object.self) out += text(words);
    std::map<int, std::string> by_thread;  // the state does not say whose call began first
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const std::string what = done[i] ? "did " + text(*done[i]) : "-";
      if (!only_open) {
        out += "|" + what;
      } else if (!calls_[i].result) {
        by_thread[calls_[i].thread] =
            std::to_string(calls_[i].method.index) + "(" + text(calls_[i].arguments) + ")" + what;
      }
    }
    for (const auto& [thread, what] : by_thread)
      out += "|" + std::to_string(thread) + ":" + what;
    return out;
  }

  void try_all(const Specified& object, const std::vector<std::optional<Words>>& done) {
    if (!seen_.insert(describe(object, done, false)).second) return;
    bool all_returned = true;
    for (std::size_t i = 0; i < calls_.size(); ++i)
      all_returned = all_returned && (done[i] || !calls_[i].result);
    if (all_returned) found_.insert(describe(object, done, true));
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (done[i] || !may_be_next(i, done)) continue;
      const LoggedCall& call = calls_[i];
      each_way(
          [&call](Walker& walker, const Specified& at) {
            return walker.call_alone(call.method, at.self, call.arguments);
          },
          object,
          [&](const Specified& after, const Words& result) {
            if (call.result && *call.result != result) return;
            std::vector<std::optional<Words>> then = done;
            then[i] = result;
            try_all(after, then);
          });
    }
  }

  [[nodiscard]] bool may_be_next(std::size_t next,
                                 const std::vector<std::optional<Words>>& done) const {
    for (std::size_t i = 0; i < calls_.size(); ++i)
      if (!done[i] && calls_[i].ends < calls_[next].begins) return false;
    return true;
  }

  const Model& model_;
  const Kinds& kinds_;
  std::size_t max_stack_;
  const CallLog& log_;
  std::vector<LoggedCall> calls_;
  std::set<std::string> seen_;
  std::set<std::string> found_;
};

std::string text_of(const CallLog& log, const Model& model) {
  std::string out = std::to_string(log.property - model.implementations.data()) + ":" +
                    text(log.constructed_with);
  for (const CallEvent& event : log.events) {
    out += "|" + std::to_string(event.thread) + (event.is_return ? "r" : "c") +
           std::to_string(event.method.index) + ":" + text(event.words);
  }
  return out;
}

}  // namespace

const std::set<std::string>& Explanations::of(const CallLog& log, const Model& model,
                                              const Kinds& kinds, std::size_t max_stack) {
  const std::string key = text_of(log, model);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_.emplace(key, Orders(model, kinds, max_stack, log).run()).first->second;
}

const Implementation* recorded_by(const Model& model, FunctionId function) {
  for (const Implementation& property : model.implementations)
    for (const Implementation::Method& method : property.methods)
      if (method.of == function) return &property;
  return nullptr;
}

FunctionId specified_by(const Implementation& property, FunctionId function) {
  const auto found = std::ranges::find(property.methods, function, &Implementation::Method::of);
  return found->specification;
}

}  // namespace cml::brute
