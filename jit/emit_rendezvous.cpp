// Two threads meet at a rendezvous (meetings.h): each half is executed by the code of its thread,
// the one that receives first. What is sent comes through the context:
//
//   Mode::Hand       sender    its values ──▶ context.handed
//   Mode::Execute    receiver  context.handed ──▶ its targets, and its local computation
//   Mode::Execute    sender    its local computation
//
// Neither can fail before its local computation begins (meetings.cpp).
#include <cstddef>

#include "ir/analysis/meeting_places.h"
#include "jit/emitter.h"
#include "support/mutation.h"

namespace cml::jit {

llvm::Value* Emitter::other_thread() {
  return builder_.CreateLoad(builder_.getInt32Ty(), offset(context_, offsetof(Context, other)));
}

llvm::Value* Emitter::handed(std::size_t word) {
  llvm::Value* words =
      builder_.CreateLoad(builder_.getPtrTy(), offset(context_, offsetof(Context, handed)));
  return offset(words, static_cast<std::int64_t>(word * sizeof(std::int32_t)));
}

void Emitter::hand_over(const std::vector<ir::ExprId>& values) {
  llvm::Value* mode =
      builder_.CreateLoad(builder_.getInt32Ty(), offset(context_, offsetof(Context, mode)));
  llvm::BasicBlock* hands = new_block("hands_over");
  llvm::BasicBlock* goes_on = new_block("has_met");
  builder_.CreateCondBr(builder_.CreateICmpEQ(mode, number(static_cast<std::int64_t>(Mode::Hand))),
                        hands, goes_on);
  at(hands);
  for (std::size_t i = 0; i < values.size() && !CML_MUTATION("native-senders-hand-over-nothing");
       ++i)
    builder_.CreateStore(value(values[i]), handed(i));
  end(kDone);
  at(goes_on);
}

void Emitter::send_half(const Target& channel, ir::Pc next) {
  touch(channel, ir::Effect::Send, other_thread());
  leave_operation(next);
}

void Emitter::receive_half(const Target& channel, const std::vector<ir::LocalPlace>& targets,
                           ir::Pc next) {
  touch(channel, ir::Effect::Receive, other_thread());
  for (std::size_t i = 0; i < targets.size(); ++i)
    assign(local(targets[i]), builder_.CreateLoad(builder_.getInt32Ty(), handed(i)));
  leave_operation(next);
}

void Emitter::meet(const ir::Select& node) {
  const auto count = static_cast<std::uint32_t>(node.cases.size());
  std::vector<Target> channels;
  for (const ir::Select::Case& item : node.cases)
    channels.push_back(target(item.place));
  llvm::BasicBlock* nowhere = new_block("nowhere");
  llvm::SwitchInst* choose = builder_.CreateSwitch(choice_, nowhere, count);
  at(nowhere);
  builder_.CreateUnreachable();
  for (std::uint32_t i = 0; i < count; ++i) {
    const ir::Select::Case& item = node.cases[i];
    llvm::BasicBlock* block = new_block("case");
    choose->addCase(number(i), block);
    at(block);
    if (item.kind == ir::Select::Kind::Send) hand_over(item.values);
    for (std::uint32_t other = 0; other < count; ++other)  // the choice depends on all of them
      if (other != i) touch(channels[other], ir::Effect::Ready, load(cell(channels[other], 0)));
    if (item.kind == ir::Select::Kind::Send)
      send_half(channels[i], item.next);
    else
      receive_half(channels[i], item.targets, item.next);
  }
}

}  // namespace cml::jit
