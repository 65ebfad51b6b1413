#include "ir/exec/histories.h"

#include <algorithm>
#include <set>

#include "support/mutation.h"

namespace cml::ir {
namespace {

constexpr std::uint64_t kNodeOfMap = 4 * sizeof(void*);  // beside what is in it

template <class T>
std::uint64_t bytes(const std::vector<T>& items) {
  return items.capacity() * sizeof(T);
}

}  // namespace

std::uint32_t Histories::number(const Words& words) {
  const auto [known, is_new] =
      word_numbers_.try_emplace(words, static_cast<std::uint32_t>(words_.size()));
  if (is_new) {
    words_.push_back(words);
    bytes_ += kNodeOfMap + 2 * (sizeof words + bytes(words));
  }
  return known->second;
}

std::uint32_t Histories::state_number(OfSpecification& of, const Words& values) {
  const auto [known, is_new] =
      of.state_numbers.try_emplace(values, static_cast<std::uint32_t>(of.states.size()));
  if (is_new) {
    of.states.push_back(values);
    bytes_ += kNodeOfMap + 2 * (sizeof values + bytes(values));
  }
  return known->second;
}

History Histories::number(Set set) {
  const auto [known, is_new] =
      numbers_.try_emplace(std::move(set), static_cast<History>(sets_.size()));
  if (is_new) {
    const Set& is = known->first;
    sets_.push_back(&is);
    bytes_ += kNodeOfMap + sizeof is + sizeof &is + bytes(is.pending) + bytes(is.configurations);
    for (const Configuration& configuration : is.configurations)
      bytes_ += bytes(configuration.results);
  }
  return known->second;
}

void Histories::remember(const Event& event, History after) {
  after_.emplace(event, after);
  bytes_ += kNodeOfMap + sizeof event + sizeof after;
}

// A call that fails in the specification, or is blocked, cannot take effect there.
const std::vector<Histories::Effect>* Histories::effects(FreeCalls& calls, const System& system,
                                                         std::uint32_t specification,
                                                         std::uint32_t state, const Pending& call) {
  OfSpecification& of = of_[specification];
  const std::array<std::uint32_t, 3> key{state, call.method, call.arguments};
  if (const auto known = of.effects.find(key); known != of.effects.end()) return &known->second;
  const CallCode& code = system.specifications[specification].methods[call.method];
  const Words values = of.states[state];
  const FreeCalls::Outcomes outcomes = calls.run(code, values, words_[call.arguments]);
  if (outcomes.limit) {
    limit_ = *outcomes.limit;
    return nullptr;
  }
  std::vector<Effect> result;
  for (const FreeCalls::Outcome& outcome : outcomes.all)
    if (outcome.result.kind == FreeCalls::Result::Kind::Returns)
      result.push_back({static_cast<std::int32_t>(number(outcome.result.words)),
                        state_number(of, outcome.after)});
  bytes_ += kNodeOfMap + sizeof key + sizeof result + bytes(result);
  return &of.effects.emplace(key, std::move(result)).first->second;
}

bool Histories::close(FreeCalls& calls, const System& system, Set& set) {
  std::vector<Configuration>& all = set.configurations;
  std::set<Configuration> seen(all.begin(), all.end());
  for (std::size_t next = 0; next < all.size(); ++next) {
    for (std::size_t i = 0; i < set.pending.size(); ++i) {
      if (all[next].results[i] != kNotYet || CML_MUTATION("pending-calls-take-no-effect")) continue;
      const auto* effects =
          this->effects(calls, system, set.specification, all[next].state, set.pending[i]);
      if (effects == nullptr) return false;
      for (const Effect& effect : *effects) {
        Configuration after = all[next];
        after.state = effect.state;
        after.results[i] = effect.result;
        if (seen.insert(after).second) all.push_back(std::move(after));
      }
      if (all.size() > kMostConfigurations) {
        limit_ = LimitKind::Histories;
        return false;
      }
    }
  }
  all.assign(seen.begin(), seen.end());
  return true;
}

std::optional<History> Histories::construct(FreeCalls& calls, const System& system,
                                            std::uint32_t specification, const Words& arguments) {
  const Event event{0, 0, specification, 0, number(arguments)};
  if (const auto known = after_.find(event); known != after_.end()) return known->second;
  const FreeCalls::Outcomes outcomes = calls.run(system.specifications[specification].constructor,
                                                 calls.initial_values(), arguments);
  if (outcomes.limit) {
    limit_ = *outcomes.limit;
    return std::nullopt;
  }
  Set set;
  set.specification = specification;
  for (const FreeCalls::Outcome& outcome : outcomes.all)
    if (outcome.result.kind == FreeCalls::Result::Kind::Returns)
      set.configurations.push_back({state_number(of_[specification], outcome.after), {}});
  std::sort(set.configurations.begin(), set.configurations.end());
  const auto last = std::unique(set.configurations.begin(), set.configurations.end());
  set.configurations.erase(last, set.configurations.end());
  const History result = number(std::move(set));
  remember(event, result);
  return result;
}

std::optional<History> Histories::invoke(FreeCalls& calls, const System& system, History before,
                                         std::uint32_t thread, std::uint32_t method,
                                         const Words& arguments) {
  if (before <= kNotLinearizable) return before;
  const Event event{static_cast<std::uint32_t>(before), 1, thread, method, number(arguments)};
  if (const auto known = after_.find(event); known != after_.end()) return known->second;
  Set set = *sets_[static_cast<std::size_t>(before)];
  const auto at = std::ranges::lower_bound(set.pending, thread, {}, &Pending::thread);
  if (at != set.pending.end() && at->thread == thread) {
    ++at->depth;
  } else {
    const std::ptrdiff_t position = at - set.pending.begin();
    set.pending.insert(at, {thread, 1, method, event[4]});
    for (Configuration& configuration : set.configurations)
      configuration.results.insert(configuration.results.begin() + position, kNotYet);
    if (!close(calls, system, set)) return std::nullopt;
  }
  const History result = number(std::move(set));
  remember(event, result);
  return result;
}

History Histories::respond(History before, std::uint32_t thread, const Words& results) {
  if (before <= kNotLinearizable) return before;
  const Event event{static_cast<std::uint32_t>(before), 2, thread, 0, number(results)};
  if (const auto known = after_.find(event); known != after_.end()) return known->second;
  Set set = *sets_[static_cast<std::size_t>(before)];
  const auto at = std::ranges::lower_bound(set.pending, thread, {}, &Pending::thread);
  if (at == set.pending.end() || at->thread != thread) return before;  // not recorded: see invoke
  History result = kNotLinearizable;
  if (at->depth > 1) {
    --at->depth;
    result = number(std::move(set));
  } else {
    const std::ptrdiff_t position = at - set.pending.begin();
    const auto returned = static_cast<std::int32_t>(event[4]);
    set.pending.erase(at);
    std::erase_if(set.configurations, [&](const Configuration& configuration) {
      return configuration.results[static_cast<std::size_t>(position)] != returned &&
             !CML_MUTATION("responses-explain-everything");
    });
    for (Configuration& configuration : set.configurations)
      configuration.results.erase(configuration.results.begin() + position);
    std::sort(set.configurations.begin(), set.configurations.end());
    const auto last = std::unique(set.configurations.begin(), set.configurations.end());
    set.configurations.erase(last, set.configurations.end());
    if (!set.configurations.empty()) result = number(std::move(set));
  }
  remember(event, result);
  return result;
}

std::vector<Words> Histories::possible_results(History history, std::uint32_t thread) const {
  std::vector<Words> results;
  if (history <= kNotLinearizable) return results;
  const Set& set = *sets_[static_cast<std::size_t>(history)];
  const auto at = std::ranges::lower_bound(set.pending, thread, {}, &Pending::thread);
  if (at == set.pending.end() || at->thread != thread) return results;
  const auto position = static_cast<std::size_t>(at - set.pending.begin());
  for (const Configuration& configuration : set.configurations)
    if (const std::int32_t result = configuration.results[position]; result != kNotYet)
      results.push_back(words_[static_cast<std::size_t>(result)]);
  std::sort(results.begin(), results.end());
  results.erase(std::unique(results.begin(), results.end()), results.end());
  return results;
}

}  // namespace cml::ir
