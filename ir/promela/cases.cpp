#include "ir/promela/cases.h"

namespace cml::ir::promela {

bool only_looks(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::Read:
    case Opcode::Held:
    case Opcode::Owner:
    case Opcode::Size:
    // local
    case Opcode::Set:
    case Opcode::Jump:
    case Opcode::Branch:
    case Opcode::Assert:
    case Opcode::Assume:
    case Opcode::Mark:
    case Opcode::Guard:
    case Opcode::AtomicEnd:
    case Opcode::End:
      return true;
    case Opcode::Write:
    case Opcode::Update:
    case Opcode::Acquire:
    case Opcode::TryAcquire:
    case Opcode::Release:
    case Opcode::Wait:
    case Opcode::Rewait:
    case Opcode::Notify:
    case Opcode::Up:
    case Opcode::Down:
    case Opcode::Send:
    case Opcode::Receive:
    case Opcode::Choose:
    case Opcode::Either:
    case Opcode::Select:
    case Opcode::Atomic:
      return false;
  }
  return false;
}

bool changes_objects(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::Write:
    case Opcode::Update:
    case Opcode::Acquire:
    case Opcode::TryAcquire:
    case Opcode::Release:
    case Opcode::Wait:
    case Opcode::Rewait:
    case Opcode::Up:
    case Opcode::Down:
    case Opcode::Send:
    case Opcode::Receive:
    case Opcode::Select:
      return true;
    case Opcode::Set:
    case Opcode::Jump:
    case Opcode::Branch:
    case Opcode::Assert:
    case Opcode::Assume:
    case Opcode::Mark:
    case Opcode::Read:
    case Opcode::Notify:  // properties cannot ask which threads wait
    case Opcode::Held:
    case Opcode::Owner:
    case Opcode::Size:
    case Opcode::Choose:
    case Opcode::Either:
    case Opcode::Atomic:  // its instructions do
    case Opcode::Guard:
    case Opcode::AtomicEnd:
    case Opcode::End:
      return false;
  }
  return false;
}

bool may_block(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::Acquire:
    case Opcode::Rewait:
    case Opcode::Guard:
    case Opcode::Atomic:
      return true;
    case Opcode::Down:
      return !std::get<Down>(instruction.node).try_only;
    case Opcode::Send:
      return !std::get<Send>(instruction.node).try_only;
    case Opcode::Receive:
      return !std::get<Receive>(instruction.node).try_only;
    case Opcode::Select:
      return !std::get<Select>(instruction.node).otherwise;
    case Opcode::Set:
    case Opcode::Jump:
    case Opcode::Branch:
    case Opcode::Assert:
    case Opcode::Assume:
    case Opcode::Mark:
    case Opcode::Read:
    case Opcode::Write:
    case Opcode::Update:
    case Opcode::TryAcquire:
    case Opcode::Release:
    case Opcode::Wait:
    case Opcode::Notify:
    case Opcode::Held:
    case Opcode::Owner:
    case Opcode::Up:
    case Opcode::Size:
    case Opcode::Choose:
    case Opcode::Either:
    case Opcode::AtomicEnd:
    case Opcode::End:
      return false;
  }
  return false;
}

}  // namespace cml::ir::promela
