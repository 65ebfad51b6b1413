#include "checker/reduction/dynamic/sleep_sequences.h"

#include <algorithm>

#include "support/mutation.h"

namespace cml::checker {
namespace {

enum class Effect : std::uint8_t { None, Wakes, Executes };

/// Of an action on a sequence that sleeps; `at` is the step that it executes.
Effect effect(std::span<const SequenceStep> sequence, const SequenceStep& executed,
              ConflictTable& conflicts, std::size_t& at) {
  const auto own = std::ranges::find(sequence, executed.action.thread,
                                     [](const SequenceStep& step) { return step.action.thread; });
  at = static_cast<std::size_t>(own - sequence.begin());
  for (std::size_t i = 0; i < at; ++i)
    if (!executed.summary.valid() || conflicts.conflict(sequence[i].summary, executed.summary))
      return Effect::Wakes;
  if (own == sequence.end()) return Effect::None;
  // Where any choice is asked for, one that sleeps is not all.
  const bool is_it = own->any_choice || (!executed.any_choice && own->action == executed.action);
  return is_it ? Effect::Executes : Effect::Wakes;
}

}  // namespace

bool begins(std::span<const SequenceStep> first, std::span<const SequenceStep> sequence,
            ConflictTable& conflicts) {
  Sequence left(first.begin(), first.end());
  for (const SequenceStep& step : sequence) {
    std::size_t at = 0;
    const Effect what = effect(left, step, conflicts, at);
    if (what == Effect::Wakes) return false;
    if (what == Effect::None) continue;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
    if (left.empty()) return true;
  }
  return false;
}

void SleepSequences::resize(Depth states) {
  if (first_.size() > states) {
    ranges_.resize(first_[states].range);
    steps_.resize(first_[states].step);
    first_.resize(states);
  }
  while (first_.size() < states)
    first_.push_back({ranges_.size(), steps_.size()});
}

std::optional<SequenceStep> SleepSequences::execute(Range range, const SequenceStep& executed) {
  std::size_t at = 0;
  const Effect what = effect(steps(range), executed, conflicts_, at);
  if (what == Effect::Wakes && !CML_MUTATION("sequences-go-on-sleeping")) return std::nullopt;
  if (what != Effect::Executes) {
    ranges_.push_back(range);
    return std::nullopt;
  }
  if (range.size == 2) return steps_[range.begin + 1 - at];
  const std::size_t begin = steps_.size();
  for (std::size_t i = 0; i < range.size; ++i) {
    if (i == at) continue;
    const SequenceStep step = steps_[range.begin + i];
    steps_.push_back(step);
  }
  ranges_.push_back({begin, range.size - 1});
  return std::nullopt;
}

void SleepSequences::add(const Sequence& sequence) {
  ranges_.push_back({steps_.size(), sequence.size()});
  steps_.insert(steps_.end(), sequence.begin(), sequence.end());
}

// What was added last lies last in steps_.
void SleepSequences::truncate(std::size_t count) {
  const std::size_t end = first_.back().range + count;
  if (end >= ranges_.size()) return;
  steps_.resize(ranges_[end].begin);
  ranges_.resize(end);
}

bool SleepSequences::any_begins(Depth depth, std::span<const SequenceStep> sequence) {
  const std::size_t end = depth + 1 < first_.size() ? first_[depth + 1].range : ranges_.size();
  for (std::size_t i = first_[depth].range; i < end; ++i)
    if (begins(steps(ranges_[i]), sequence, conflicts_)) return true;
  return false;
}

}  // namespace cml::checker
