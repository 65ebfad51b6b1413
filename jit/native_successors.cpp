// The successors of a state, several at once: those that the transition cache holds in a hot loop,
// the others by generated code, whose effects then go into the cache.
//
//   actions ──apply_cached──▶ successors, one behind the other
//              └─ not cached ──▶ make_successor / make_composed ──▶ executed, and inserted
#include <algorithm>
#include <array>

#include "jit/native_step.h"
#include "support/mutation.h"

namespace cml::jit {

using ir::Action;
using ir::Location;
using ir::Record;
using ir::ThreadId;

// The hot loop of a search: as long as what comes was executed before, and so is in the cache.
// Returns the first action that is not. A composed transition is the cached micro-transitions that
// it is made of, one behind the other: each was cached by itself, whatever the rest of the state.
template <std::size_t kBlocks, ir::Stop kStop>
[[gnu::always_inline]] inline std::size_t NativeStep::apply_cached(const std::uint8_t* state,
                                                                   std::size_t stride,
                                                                   std::span<const Action> actions,
                                                                   std::uint8_t* out) {
  if constexpr (kBlocks == kNoCache) return 0;
  const TransitionCache& cache = *cache_;
  const Action* action = actions.data();
  for (const Action* const end = action + actions.size(); action != end; ++action, out += stride) {
    const TransitionCache::Found found = cache.look_up(*action, state);
    if (!TransitionCache::is_cached(found)) [[unlikely]]
      break;
    TransitionCache::apply<kBlocks>(cache.effect(found), state, stride, out);
    if constexpr (kStop == ir::Stop::Visible) {
      // Where that is known without a look at what was just written, it need not be waited for.
      if (TransitionCache::ends_always(found)) continue;
      if (!apply_invisible<kBlocks>(action->thread, stride, out)) [[unlikely]]
        break;
    }
  }
  return static_cast<std::size_t>(action - actions.data());
}

template <std::size_t kBlocks>
[[gnu::always_inline]] inline bool NativeStep::apply_invisible(ThreadId thread, std::size_t stride,
                                                               std::uint8_t* out) {
  const Hot& hot = hot_[thread];
  for (std::uint32_t joined = 0;; ++joined) {
    // Reserved locations are visible always.
    const Visible visibility = hot.locations[hot.at(out)].visible;
    if (visibility == Visible::Always) return true;
    if (visibility == Visible::Test && visible(out, thread) &&
        !CML_MUTATION("composed-transitions-go-on-where-the-state-stops-them"))
      return true;
    if (joined == kMostJoined)  // the loop detector has to look
      return CML_MUTATION("composed-transitions-end-where-the-loop-detector-begins");
    const TransitionCache::Found found = cache_->look_up({thread, 0}, out);
    if (!TransitionCache::is_cached(found))
      return CML_MUTATION("composed-transitions-end-where-the-cache-does");
    TransitionCache::apply<kBlocks>(cache_->effect(found), out, stride, out);
    if (TransitionCache::ends_always(found)) return true;
  }
}

template <std::size_t kBlocks, ir::Stop kStop>
std::size_t NativeStep::successors_from_cache(const std::uint8_t* state, std::size_t stride,
                                              std::span<const Action> actions, std::uint8_t* out,
                                              Record& record) {
  const std::size_t done = apply_cached<kBlocks, kStop>(state, stride, actions, out);
  if (done < actions.size()) [[unlikely]]
    return execute_some<kBlocks, kStop>(state, stride, actions, done, out, record);
  return done;
}

[[gnu::noinline]] bool NativeStep::make_successor(const std::uint8_t* state, std::size_t stride,
                                                  Action action, bool is_first, std::uint8_t* out,
                                                  Record& record) {
  const Hot& thread = hot_[action.thread];
  const Location from = thread.at(state);
  ++executed_;
  ir::copy_stride(state, stride, out);
  if (is_rare(thread, action, from)) {
    if (!is_first) return false;
    (void)rare_micro(out, action, from, 0, record);
    end_meeting(out, action, record);
    record.arrives = 1;  // a record of several transitions is of the last of them
    return true;
  }
  room_.make(record);
  context_.record = &record;
  context_.mode = Mode::Execute;
  (void)thread.step(&context_, out, from, action.choice, thread.constants);
  check_failure();
  leave_out_recorded_events(record);
  if (cache_ && (!record.has_observations() || CML_MUTATION("cached-effects-with-observations")) &&
      cache_->may_insert(action, state))
    insert(state, stride, action, from, out, record);
  return true;
}

[[gnu::noinline]] bool NativeStep::make_composed(const std::uint8_t* state, std::size_t stride,
                                                 Action action, bool is_first, std::uint8_t* out,
                                                 Record& record) {
  Hot& thread = hot_[action.thread];
  const Location from = thread.at(state);
  const bool is_rare = NativeStep::is_rare(thread, action, from);
  if (is_rare && !is_first) return false;
  record.clear();
  ir::copy_stride(state, stride, out);
  execute(out, action, record);
  if (is_rare) {
    record.arrives = 1;  // a record of several transitions is of the last of them
    return true;
  }
  leave_out_recorded_events(record);
  if (record.has_observations()) return true;
  record.clear();
  if (cache_ && thread.misses[from] < kMostMisses && !insert_all(state, stride, action))
    ++thread.misses[from];
  return true;
}

bool NativeStep::insert_all(const std::uint8_t* state, std::size_t stride, Action action) {
  from_.assign(state, state + stride);
  to_.resize(stride);
  Record& record = composed_trial_;
  for (std::uint32_t joined = 0; joined <= kMostJoined; ++joined, action.choice = 0) {
    const Hot& thread = hot_[action.thread];
    const Location from = thread.at(from_.data());
    if (is_rare(thread, action, from)) return false;
    const TransitionCache::CachedEffect* const effect = cache_->find(action, from_.data());
    if (effect != nullptr) {
      TransitionCache::apply<0>(*effect, from_.data(), stride, to_.data());
    } else if (cache_->may_insert(action, from_.data())) {
      ir::copy_stride(from_.data(), stride, to_.data());
      record.clear();
      room_.make(record);
      context_.record = &record;
      context_.mode = Mode::Execute;
      context_.fuel = 0;
      (void)thread.step(&context_, to_.data(), from, action.choice, thread.constants);
      check_failure();
      leave_out_recorded_events(record);
      // What the whole does not show may be shown by a part: an arrival on the way.
      if (record.has_observations()) {
        cache_->give_up(action, from_.data());
        return false;
      }
      insert(from_.data(), stride, action, from, to_.data(), record);
    } else {
      return false;
    }
    from_.swap(to_);
    if (at(from_.data(), action.thread) < ir::kFirstLocation ||
        visible(from_.data(), action.thread))
      return true;
  }
  return false;
}

void NativeStep::leave_out_recorded_events(Record& record) const {
  if (record.events.empty() || !record.touches.empty() || !record.marks.empty()) return;
  if (observations_ == nullptr) return;
  const bool are_recorded =
      std::all_of(record.events.begin(), record.events.end(), [this](const ir::Event& event) {
        const ir::Observations::Number number = observations_->of(system_, event);
        return number != ir::Observations::Touches::kAlways && observations_->is_recorded(number);
      });
  if (are_recorded) record.clear();
}

void NativeStep::insert(const std::uint8_t* state, std::size_t stride, Action action, Location from,
                        const std::uint8_t* after, Record& record) {
  const Hot& thread = hot_[action.thread];
  other_.resize(stride);
  other_after_.resize(stride);
  cache_->perturb(action, state, other_.data());
  ir::copy_stride(other_.data(), stride, other_after_.data());
  trial_.clear();
  room_.make(trial_);
  context_.record = &trial_;
  const std::uint32_t ended =
      thread.step(&context_, other_after_.data(), from, action.choice, thread.constants);
  context_.record = &record;
  check_failure();
  leave_out_recorded_events(trial_);
  if (ended == kBlocked || trial_.has_observations()) return cache_->give_up(action, state);
  const bool ends_always = thread.locations[thread.at(after)].visible == Visible::Always;
  cache_->insert(action, state, after, other_.data(), other_after_.data(), ends_always);
}

std::size_t NativeStep::successors(const std::uint8_t* state, std::size_t stride,
                                   std::span<const Action> actions, std::uint8_t* out,
                                   Record& record) {
  if (stride != cache_stride_ || record.wants_locals) [[unlikely]]
    return successors_anyhow(state, stride, actions, out, record);
  record.clear();
  return (this->*successors_)(state, stride, actions, out, record);
}

[[gnu::noinline]] std::size_t NativeStep::successors_anyhow(const std::uint8_t* state,
                                                            std::size_t stride,
                                                            std::span<const Action> actions,
                                                            std::uint8_t* out, Record& record) {
  if (record.wants_locals) return Step::successors(state, stride, actions, out, record);
  prepare_cache(stride);
  return successors(state, stride, actions, out, record);
}

// Some actions behind the first `done` are not cached.
template <std::size_t kBlocks, ir::Stop kStop>
[[gnu::noinline]] std::size_t NativeStep::execute_some(const std::uint8_t* state,
                                                       std::size_t stride,
                                                       std::span<const Action> actions,
                                                       std::size_t done, std::uint8_t* out,
                                                       Record& record) {
  while (done < actions.size()) {
    std::uint8_t* const to = out + done * stride;
    const bool is_made = kStop == ir::Stop::Micro
                             ? make_successor(state, stride, actions[done], done == 0, to, record)
                             : make_composed(state, stride, actions[done], done == 0, to, record);
    if (!is_made) break;
    ++done;
    if (record.has_observations() && !CML_MUTATION("successors-go-on-behind-observations")) break;
    done += apply_cached<kBlocks, kStop>(state, stride, actions.subspan(done), to + stride);
  }
  if (!record.has_observations() || !record.micros.empty()) return done;
  const Action last = actions[done - 1];
  const Hot& thread = hot_[last.thread];
  record.micros.push_back({last, thread.locations[thread.at(state)].pc, 0, 0, 0});
  return done;
}

template <ir::Stop kStop>
NativeStep::SuccessorsFunction NativeStep::successors_of(std::size_t blocks) {
  static constexpr std::array<SuccessorsFunction, 9> kByBlocks = {
      &NativeStep::successors_from_cache<0, kStop>, &NativeStep::successors_from_cache<1, kStop>,
      &NativeStep::successors_from_cache<2, kStop>, &NativeStep::successors_from_cache<3, kStop>,
      &NativeStep::successors_from_cache<4, kStop>, &NativeStep::successors_from_cache<5, kStop>,
      &NativeStep::successors_from_cache<6, kStop>, &NativeStep::successors_from_cache<7, kStop>,
      &NativeStep::successors_from_cache<8, kStop>};
  if (blocks == kNoCache) return &NativeStep::successors_from_cache<kNoCache, kStop>;
  return kByBlocks[blocks < kByBlocks.size() ? blocks : 0];
}

void NativeStep::prepare_cache(std::size_t stride) {
  cache_stride_ = stride;
  cache_.reset();
  const bool has_cache = program_->location_dependencies().size() != 0;
  if (has_cache) cache_.emplace(layout_, stride, program_->location_dependencies());
  const std::size_t blocks = has_cache ? stride / TransitionCache::kBlock : kNoCache;
  successors_ = config_.stop == ir::Stop::Micro ? successors_of<ir::Stop::Micro>(blocks)
                                                : successors_of<ir::Stop::Visible>(blocks);
}

}  // namespace cml::jit
