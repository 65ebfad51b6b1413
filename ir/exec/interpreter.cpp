// Which threads are enabled with which choices, and where transitions end: beginnings, atomic
// regions, invisible transitions.
#include "ir/exec/interpreter.h"

#include <variant>

#include "ir/exec/hidden_operations.h"
#include "support/mutation.h"

namespace cml::ir {

Interpreter::Interpreter(const System& system, const Layout& layout, const StepConfig& config)
    : system_(system),
      layout_(layout),
      config_(config),
      visibility_(system),
      execution_(system_, layout_, config_),
      scratch_(layout.size()),
      ways_(layout.size()) {}

void Interpreter::initial(std::uint8_t* state, Record& record) {
  layout_.initial(system_, state);
  for (const ThreadId thread : system_.threads.ids()) {
    execution_.begin(state, thread, 0, record);
    if (execution_.locals() == Outcome::Next) execution_.finish();
  }
  if (config_.stop != Stop::Visible) return;
  for (const ThreadId thread : system_.threads.ids())
    run_invisible(state, thread, record);
}

void Interpreter::enabled(const std::uint8_t* state, ThreadId thread, std::vector<Action>& out) {
  if (is_gone(state, thread)) return;
  scratch_.assign(state, state + layout_.size());
  trial_.clear();
  execution_.begin(scratch_.data(), thread, trial_);
  choices_.clear();
  const auto blocks_on_lock = [this](const Place& place) {
    const ObjectId lock = execution_.resolve(place);
    return layout_.owner(scratch_.data(), lock).valid() && !execution_.owns(lock);
  };
  const auto amount = [this](const Place& place) {
    return layout_.object(execution_.resolve(place)).fields[0].load(scratch_.data());
  };
  const Instruction& instruction = execution_.current();
  bool enabled = true;
  switch (instruction.opcode()) {
    case Opcode::Atomic:
      return enabled_in_region(state, thread, out);
    case Opcode::Choose:
    case Opcode::Either:
    case Opcode::Select:
    case Opcode::Notify:
      execution_.choices(choices_);
      for (const std::uint32_t choice : choices_)
        out.push_back({thread, choice});
      return;
    case Opcode::Acquire:
      enabled = !blocks_on_lock(std::get<Acquire>(instruction.node).lock);
      break;
    case Opcode::Rewait: {
      const bool awake =
          config_.spurious_wakeups || layout_.wait_status(state, thread) == WaitStatus::Notified;
      enabled = awake && !blocks_on_lock(std::get<Rewait>(instruction.node).lock);
      break;
    }
    case Opcode::Down: {
      const auto& down = std::get<Down>(instruction.node);
      enabled = down.try_only || amount(down.semaphore) > 0;
      break;
    }
    case Opcode::Send: {
      const auto& send = std::get<Send>(instruction.node);
      const ObjectId channel = execution_.resolve(send.channel);
      enabled = send.try_only || amount(send.channel) < layout_.object(channel).fields[0].hi;
      break;
    }
    case Opcode::Receive: {
      const auto& receive = std::get<Receive>(instruction.node);
      enabled = receive.try_only || amount(receive.channel) > 0;
      break;
    }
    default:
      break;
  }
  if (enabled) out.push_back({thread, 0});
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
}

void Interpreter::micro(std::uint8_t* state, Action action, Record& record) {
  const Location at = location(layout_, state, action.thread);
  const Pc pc = system_.threads[action.thread].code.location_pc[at];
  record.micros.push_back({action, pc, static_cast<std::uint32_t>(record.touches.size()),
                           static_cast<std::uint32_t>(record.events.size()),
                           static_cast<std::uint32_t>(record.locals.size())});
  record.arrives = 1;
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
  for (std::uint32_t leaf = ways_.find(state, action, script_); leaf < action.choice; ++leaf) {
    if (config_.stop_token != nullptr) config_.stop_token->poll(kWorkOfLeaf);
    trial_.clear();
    (void)try_region(state, action.thread, trial_);
    if (!next_script(script_)) return;
  }
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
  const auto owns = [this](const Place& place) {
    return execution_.owns(execution_.resolve(place));
  };
  const auto is_atomic = [this](ObjectId object) {
    return system_.objects[object].kind != ObjectKind::Shared;
  };
  switch (instruction.opcode()) {
    case Opcode::Read: {
      const ObjectId object = execution_.resolve(std::get<Read>(instruction.node).place);
      return access_visible(state, object, false) &&
             !(is_atomic(object) && CML_MUTATION("invisible-read-of-an-atomic"));
    }
    case Opcode::Write: {
      const ObjectId object = execution_.resolve(std::get<Write>(instruction.node).place);
      return access_visible(state, object, true) &&
             !(is_atomic(object) && CML_MUTATION("invisible-write-of-an-atomic"));
    }
    case Opcode::Acquire:
      return !owns(std::get<Acquire>(instruction.node).lock);
    case Opcode::TryAcquire:
      return !owns(std::get<TryAcquire>(instruction.node).lock) &&
             !CML_MUTATION("invisible-try-acquire");
    case Opcode::Release: {
      const ObjectId lock = execution_.resolve(std::get<Release>(instruction.node).lock);
      return visibility_.is_tried[lock] && execution_.owns(lock) &&
             layout_.lock_depth(state, lock) == 1 &&
             !CML_MUTATION("invisible-release-of-a-tried-lock");
    }
    case Opcode::Wait: {
      const ObjectId lock = execution_.resolve(std::get<Wait>(instruction.node).lock);
      return visibility_.is_tried[lock] && execution_.owns(lock) &&
             !CML_MUTATION("invisible-wait-on-a-tried-lock");
    }
    case Opcode::Notify: {
      const auto& notify = std::get<Notify>(instruction.node);
      if (notify.all || !owns(notify.lock)) return false;
      return execution_.waiters(execution_.resolve(notify.lock)) >= 2 &&
             !CML_MUTATION("invisible-notify-with-several-waiters");
    }
    case Opcode::Held:
      return false;
    case Opcode::Atomic:
      return region_visible(state, thread, pc);
    default:
      return true;
  }
}

bool Interpreter::region_visible(const std::uint8_t* state, ThreadId thread, Pc pc) {
  const Code& code = system_.threads[thread].code;
  const Pc end = std::get<Atomic>(code.instructions[pc].node).end;
  for (++pc; pc < end; ++pc) {
    const Instruction& instruction = code.instructions[pc];
    bool found = false;
    const auto any = [&](const Place& place, bool is_write) {
      for_each_object(place,
                      [&](ObjectId id) { found = found || access_visible(state, id, is_write); });
    };
    switch (instruction.opcode()) {
      case Opcode::Read:
        if (!CML_MUTATION("invisible-block-that-reads-an-atomic"))
          any(std::get<Read>(instruction.node).place, false);
        break;
      case Opcode::Write:
        if (!CML_MUTATION("invisible-block-that-writes-an-atomic"))
          any(std::get<Write>(instruction.node).place, true);
        break;
      case Opcode::Release:
        for_each_object(std::get<Release>(instruction.node).lock, [&](ObjectId id) {
          found = found || (visibility_.is_tried[id] &&
                            !CML_MUTATION("invisible-block-that-releases-a-tried-lock"));
        });
        break;
      case Opcode::Notify:
        found = !std::get<Notify>(instruction.node).all &&
                !CML_MUTATION("invisible-block-that-notifies");
        break;
      case Opcode::Held:
        break;
      default:
        found = (is_operation(instruction.opcode()) &&
                 !CML_MUTATION("invisible-block-with-another-operation")) ||
                instruction.opcode() == Opcode::Guard;
    }
    if (found) return true;
  }
  return false;
}

}  // namespace cml::ir
