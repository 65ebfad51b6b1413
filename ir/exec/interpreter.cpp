// Which threads are enabled with which choices, and where transitions end: beginnings, atomic
// regions, invisible transitions.
#include "ir/exec/interpreter.h"

#include "ir/analysis/late_starts.h"
#include "ir/describe.h"
#include "ir/exec/hidden_operations.h"
#include "support/mutation.h"

namespace cml::ir {

Interpreter::Interpreter(const Analyses& analyses, const Layout& layout, const StepConfig& config)
    : system_(analyses.system()),
      layout_(layout),
      config_(config),
      visibility_(analyses.visibility()),
      execution_(system_, layout_, config_),
      scratch_(layout.size()),
      ways_(layout.size()) {}

void Interpreter::initial(std::uint8_t* state, Record& record) {
  layout_.initial(system_, state);
  for (const ThreadId thread : system_.threads.ids()) {
    if (system_.threads[thread].is_spawned) continue;
    execution_.begin(state, thread, 0, record);
    if (execution_.locals() == Outcome::Next) execution_.finish();
  }
  if (config_.stop != Stop::Visible) return;
  for (const ThreadId thread : system_.threads.ids())
    run_invisible(state, thread, record);
}

void Interpreter::enabled(const std::uint8_t* state, ThreadId thread, std::vector<Action>& out) {
  const Location at = location(layout_, state, thread);
  if (at < kFirstLocation) return;
  if (const auto is_enabled = execution_.is_enabled(state, thread, at)) {
    if (*is_enabled) out.push_back({thread, 0});
    return;
  }
  scratch_.assign(state, state + layout_.size());
  trial_.clear();
  execution_.begin(scratch_.data(), thread, trial_);
  if (execution_.current().opcode() == Opcode::Atomic) return enabled_in_region(state, thread, out);
  execution_.choices(out);
}

void Interpreter::all_enabled(const std::uint8_t* state, Buffer<Action>& out) {
  actions_.clear();
  for (const ThreadId thread : system_.threads.ids())
    enabled(state, thread, actions_);
  for (const Action action : actions_)
    out.push_back(action);
}

void Interpreter::execute(std::uint8_t* state, Action action, Record& record) {
  micro(state, action, record);
  if (config_.stop == Stop::Visible) run_invisible(state, action.thread, record);
  if (!is_meeting(action.choice)) return;
  if (config_.stop == Stop::Visible) run_invisible(state, partner_of(action), met_record_);
  append(record, met_record_);
}

// Whichever receives comes first, since objects that only the other refers to would be garbage.
void Interpreter::meet(std::uint8_t* state, Action action, Record& record) {
  execution_.begin(state, action.thread, record);
  const Execution::Handed handed = execution_.hand_over(action.choice);
  met_record_.clear();
  met_record_.wants_locals = record.wants_locals;
  const Action partner{handed.meeting.partner, kMet};
  if (handed.active_sends) half(state, partner, handed, met_record_);
  half(state, action, handed, record);
  if (!handed.active_sends) half(state, partner, handed, met_record_);
}

void Interpreter::half(std::uint8_t* state, Action action, const Execution::Handed& handed,
                       Record& record) {
  begin_micro(state, action, record);
  execution_.begin(state, action.thread, record);
  execution_.take_part(&handed);
  Outcome outcome = execution_.instruction(action.choice);
  execution_.take_part(nullptr);
  if (outcome == Outcome::Next) outcome = execution_.locals();
  if (outcome == Outcome::Next) execution_.finish();
}

Pc Interpreter::begin_micro(const std::uint8_t* state, Action action, Record& record) const {
  const Location at = location(layout_, state, action.thread);
  const Pc pc = system_.threads[action.thread].code.location_pc[at];
  record.micros.push_back({action, pc, static_cast<std::uint32_t>(record.touches.size()),
                           static_cast<std::uint32_t>(record.events.size()),
                           static_cast<std::uint32_t>(record.locals.size())});
  record.arrives = 1;
  return pc;
}

void Interpreter::micro(std::uint8_t* state, Action action, Record& record) {
  if (is_meeting(action.choice)) return meet(state, action, record);
  const Pc pc = begin_micro(state, action, record);
  const bool is_region =
      system_.threads[action.thread].code.instructions[pc].opcode() == Opcode::Atomic;
  if (is_region && action.choice != kTooManyChoices) find_script(state, action);
  execution_.begin(state, action.thread, record);
  Outcome outcome = Outcome::Next;
  if (action.choice == kTooManyChoices) {
    execution_.limit(LimitKind::Choices);
    return;
  }
  outcome = is_region ? execution_.region(script_) : execution_.instruction(action.choice);
  if (outcome == Outcome::Next) outcome = execution_.locals();
  if (outcome == Outcome::Next) execution_.finish();
}

void Interpreter::run_invisible(std::uint8_t* state, ThreadId thread, Record& record) {
  static const std::vector<std::int32_t> kNoFrame;
  loop_.restart();
  while (!is_gone(state, thread) && !visible(state, thread)) {
    if (loop_.repeats(0, kNoFrame, state, layout_.size())) {
      execution_.begin(state, thread, record);
      return execution_.diverge();
    }
    if (loop_.steps() > config_.max_invisible) {
      execution_.begin(state, thread, record);
      return execution_.limit(LimitKind::Invisible);
    }
    micro(state, {thread, 0}, record);
  }
}

// ---- atomic regions ----------------------------------------------------------------------------

Outcome Interpreter::try_region(const std::uint8_t* state, ThreadId thread, Record& record) {
  scratch_.assign(state, state + layout_.size());
  execution_.begin(scratch_.data(), thread, record);
  return execution_.region(script_);
}

void Interpreter::enabled_in_region(const std::uint8_t* state, ThreadId thread,
                                    std::vector<Action>& out) {
  const std::size_t first = out.size();
  script_.clear();
  std::uint32_t leaf = 0;
  do {
    if (config_.stop_token != nullptr) config_.stop_token->poll(kWorkOfLeaf);
    trial_.clear();
    if (try_region(state, thread, trial_) != Outcome::Blocked) out.push_back({thread, leaf});
    if (++leaf > kMaxChoices) {
      out.resize(first);
      return out.push_back({thread, kTooManyChoices});
    }
  } while (next_script(script_));
}

void Interpreter::find_script(const std::uint8_t* state, Action action) {
  Watch* const watch = execution_.watch(nullptr);
  bool is_there = true;
  for (std::uint32_t leaf = ways_.find(state, action, script_); is_there && leaf < action.choice;
       ++leaf) {
    if (config_.stop_token != nullptr) config_.stop_token->poll(kWorkOfLeaf);
    trial_.clear();
    (void)try_region(state, action.thread, trial_);
    is_there = next_script(script_);
  }
  (void)execution_.watch(watch);
  if (!is_there) return;
  ways_.keep(state, action, script_);
}

// ---- asking without executing -------------------------------------------------------------------

void Interpreter::pending(const std::uint8_t* state, ThreadId thread, Record& record) {
  if (is_gone(state, thread)) return;
  scratch_.assign(state, state + layout_.size());
  execution_.begin(scratch_.data(), thread, record);
  if (execution_.current().opcode() != Opcode::Atomic) return execution_.pretend();
  execution_.guard();
}

void Interpreter::run_free(const std::uint8_t* state, const Code& code, Record& record) {
  scratch_.assign(state, state + layout_.size());
  execution_.begin_free(scratch_.data(), code, record);
  execution_.run_free();
}

bool Interpreter::access_visible(const std::uint8_t* state, ObjectId object, bool is_write) const {
  if (system_.objects[object].kind != ObjectKind::Shared) return true;
  if (is_write && visibility_.is_watched[object] && !CML_MUTATION("invisible-watched-write"))
    return true;
  if ((is_write && CML_MUTATION("invisible-virgin-write")) ||
      (!is_write && CML_MUTATION("invisible-virgin-read")))
    return false;
  const auto& status = layout_.object(object).init;
  return status && status->load(state) == static_cast<std::int32_t>(InitStatus::Virgin);
}

bool Interpreter::visible(const std::uint8_t* state, ThreadId thread) {
  if (is_gone(state, thread)) return false;
  scratch_.assign(state, state + layout_.size());
  trial_.clear();
  execution_.begin(scratch_.data(), thread, trial_);
  const Instruction& instruction = execution_.current();
  const Pc pc = execution_.pc();
  if (is_hidden(*this, instruction.opcode(), state, thread)) return false;
  if (is_late_start(instruction, visibility_) || visibility_.arrives(thread, pc)) return true;
  const auto [when, place] = visibility_rule(instruction);
  const auto object = [&, at = place] { return execution_.resolve(*at); };
  const auto is_atomic = [this](ObjectId id) {
    return system_.objects[id].kind != ObjectKind::Shared;
  };
  switch (when) {
    case VisibleWhen::Never:
      return false;
    case VisibleWhen::Always:
      return true;
    case VisibleWhen::Reading: {
      const ObjectId variable = object();
      return access_visible(state, variable, false) &&
             !(is_atomic(variable) && CML_MUTATION("invisible-read-of-an-atomic"));
    }
    case VisibleWhen::Writing: {
      const ObjectId variable = object();
      return access_visible(state, variable, true) &&
             !(is_atomic(variable) && CML_MUTATION("invisible-write-of-an-atomic"));
    }
    case VisibleWhen::Taking:
      return (!execution_.owns(object()) || system_.objects[object()].is_mutex) &&
             !(instruction.opcode() == Opcode::TryAcquire && CML_MUTATION("invisible-try-acquire"));
    case VisibleWhen::Freeing: {
      const ObjectId lock = object();
      return visibility_.is_tried[lock] && execution_.owns(lock) &&
             layout_.lock_depth(state, lock) == 1 &&
             !CML_MUTATION("invisible-release-of-a-tried-lock");
    }
    case VisibleWhen::Leaving: {
      const ObjectId lock = object();
      return visibility_.is_tried[lock] && execution_.owns(lock) &&
             !CML_MUTATION("invisible-wait-on-a-tried-lock");
    }
    case VisibleWhen::Waking: {
      const ObjectId lock = object();
      return execution_.owns(lock) && execution_.waiters(lock) >= 2 &&
             !CML_MUTATION("invisible-notify-with-several-waiters");
    }
    case VisibleWhen::Inside:
      return region_visible(state, thread, pc);
  }
  return true;
}

bool Interpreter::region_visible(const std::uint8_t* state, ThreadId thread, Pc pc) {
  const Code& code = system_.threads[thread].code;
  const Pc end = std::get<Atomic>(code.instructions[pc].node).end;
  for (++pc; pc < end; ++pc) {
    const auto [when, place] = visibility_rule(code.instructions[pc]);
    bool found = false;
    const auto any = [&, at = place](bool is_write) {
      for_each_object(*at,
                      [&](ObjectId id) { found = found || access_visible(state, id, is_write); });
    };
    switch (when) {
      case VisibleWhen::Never:
        break;
      case VisibleWhen::Reading:
        if (!CML_MUTATION("invisible-block-that-reads-an-atomic")) any(false);
        break;
      case VisibleWhen::Writing:
        if (!CML_MUTATION("invisible-block-that-writes-an-atomic")) any(true);
        break;
      case VisibleWhen::Freeing:
      case VisibleWhen::Leaving:
        for_each_object(*place, [&](ObjectId id) {
          found = found || (visibility_.is_tried[id] &&
                            !CML_MUTATION("invisible-block-that-releases-a-tried-lock"));
        });
        break;
      case VisibleWhen::Waking:
        found = !CML_MUTATION("invisible-block-that-notifies");
        break;
      case VisibleWhen::Always:
      case VisibleWhen::Taking:
      case VisibleWhen::Inside:
        found = !CML_MUTATION("invisible-block-with-another-operation") ||
                code.instructions[pc].opcode() == Opcode::Guard;
        break;
    }
    if (found) return true;
  }
  return false;
}

}  // namespace cml::ir
