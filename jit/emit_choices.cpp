// Choices; and what can be asked of a state without executing: enabledness, visibility.
#include <algorithm>
#include <cstddef>

#include "ir/describe.h"
#include "jit/emitter.h"

namespace cml::jit {

using ir::Effect;
using ir::Place;

// ---- choices -----------------------------------------------------------------------------------

void Emitter::emit(const ir::Choose& node) {
  const Interval lo_range = ranges_.of(node.lo);
  const Interval hi_range = ranges_.of(node.hi);
  const Local place = local(node.target);
  llvm::Value* lo = value(node.lo);
  llvm::Value* hi = value(node.hi);
  if (lo_range.hi > hi_range.lo) check(builder_.CreateICmpSLE(lo, hi));
  const Interval range{std::min(lo_range.lo, hi_range.lo), std::max(lo_range.hi, hi_range.hi),
                       false};
  llvm::Value* option = choice_;
  if (in_region()) {
    llvm::Value* distance = builder_.CreateSub(hi, lo);
    llvm::BasicBlock* fits = new_block("option");
    llvm::BasicBlock* too_many = new_block("too_many");
    builder_.CreateCondBr(builder_.CreateICmpULT(distance, number(ir::kMaxChoices)), fits,
                          too_many);
    at(too_many);
    llvm::Value* ended = call("cml_too_many_choices", builder_.getInt32Ty(),
                              {context_, state_, number(thread_.index), number(pc_)});
    builder_.CreateRet(ended);
    at(fits);
    option = call("cml_decide", builder_.getInt32Ty(),
                  {context_, builder_.CreateAdd(distance, number(1))});
  }
  llvm::Value* chosen =
      node.among ? element_at(value(*node.among), option) : builder_.CreateAdd(lo, option);
  check_fits(place, chosen, node.among ? Interval{0, 31, false} : range);
  assign(place, chosen);
  leave_operation(pc_ + 1);
}

void Emitter::emit(const ir::Either& node) {
  llvm::Value* option = choice_;
  const auto count = static_cast<std::uint32_t>(node.targets.size());
  if (in_region()) option = call("cml_decide", builder_.getInt32Ty(), {context_, number(count)});
  llvm::BasicBlock* nowhere = new_block("nowhere");
  llvm::SwitchInst* choose = builder_.CreateSwitch(option, nowhere, count);
  at(nowhere);
  builder_.CreateUnreachable();
  for (std::uint32_t i = 0; i < count; ++i)
    choose->addCase(number(i), edge_out(node.targets[i]));
}

llvm::Value* Emitter::has(const Target& object, ir::Awaited awaited) {
  switch (awaited) {
    case ir::Awaited::Lock:
      if (depth_of(object).greatest == 0 || is_mutex(*object.place)) return is_free(object);
      return builder_.CreateOr(is_free(object), owns(object));
    case ir::Awaited::Wakeup:
      if (config_.spurious_wakeups) return builder_.getTrue();
      return builder_.CreateICmpEQ(load(cell(*fields_.wait)),
                                   number(static_cast<int>(ir::WaitStatus::Notified)));
    case ir::Awaited::Unit:
    case ir::Awaited::Value:
      return builder_.CreateICmpNE(load(cell(object, 0)), number(0));
    case ir::Awaited::End:
      return builder_.CreateICmpEQ(load(cell(object, 0)), number(std::int64_t{ir::kEnded}));
    case ir::Awaited::Sender:  // the interpreter looks who is there
    case ir::Awaited::Receiver:
      return builder_.getFalse();
    case ir::Awaited::Room:
      break;
  }
  return builder_.CreateICmpNE(load(cell(object, 0)), number(capacity(object)));
}

llvm::Value* Emitter::ready(const ir::Select::Case& item) {
  return has(target(item.place), ir::awaited(item));
}

// Writes the numbers of the enabled cases to the context's list; returns how many there are.
llvm::Value* Emitter::ready_cases(const ir::Select& node) {
  llvm::Value* list =
      builder_.CreateLoad(builder_.getPtrTy(), offset(context_, offsetof(Context, choices)));
  const auto put = [&](llvm::Value* position, std::size_t what) {
    llvm::Value* at = builder_.CreateInBoundsGEP(builder_.getInt32Ty(), list, position);
    builder_.CreateStore(number(static_cast<std::int64_t>(what)), at);
  };
  llvm::Value* count = number(0);
  for (std::size_t i = 0; i < node.cases.size(); ++i) {
    llvm::Value* is_ready = ready(node.cases[i]);
    put(count, i);
    count = builder_.CreateAdd(count, builder_.CreateZExt(is_ready, builder_.getInt32Ty()));
  }
  if (!node.otherwise) return count;
  llvm::Value* none = builder_.CreateICmpEQ(count, number(0));
  llvm::BasicBlock* otherwise = new_block("otherwise");
  llvm::BasicBlock* join = new_block("join");
  builder_.CreateCondBr(none, otherwise, join);
  at(otherwise);
  put(number(0), node.cases.size());
  builder_.CreateBr(join);
  at(join);
  return builder_.CreateAdd(count, builder_.CreateZExt(none, builder_.getInt32Ty()));
}

void Emitter::emit(const ir::Select& node) {
  if (ir::meets(current())) return meet(node);
  llvm::Value* chosen = choice_;
  if (in_region()) {
    llvm::Value* count = ready_cases(node);
    llvm::BasicBlock* stays = new_block("blocked");
    llvm::BasicBlock* decides = new_block("decide");
    builder_.CreateCondBr(builder_.CreateICmpEQ(count, number(0)), stays, decides);
    at(stays);
    blocked();
    at(decides);
    llvm::Value* option = call("cml_decide", builder_.getInt32Ty(), {context_, count});
    llvm::Value* list =
        builder_.CreateLoad(builder_.getPtrTy(), offset(context_, offsetof(Context, choices)));
    chosen = builder_.CreateLoad(builder_.getInt32Ty(),
                                 builder_.CreateInBoundsGEP(builder_.getInt32Ty(), list, option));
  }
  // What may fail comes first: the values to send, the indices.
  std::vector<Target> objects;
  std::vector<llvm::BasicBlock*> cases;
  const auto count = static_cast<std::uint32_t>(node.cases.size());
  for (const ir::Select::Case& item : node.cases)
    objects.push_back(target(item.place));
  llvm::BasicBlock* looks = new_block("looks");
  llvm::SwitchInst* checks = builder_.CreateSwitch(chosen, looks, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const ir::Select::Case& item = node.cases[i];
    const bool may_fail = item.kind != ir::Select::Kind::Down;
    if (!may_fail) continue;
    llvm::BasicBlock* block = new_block("checks");
    checks->addCase(number(i), block);
    at(block);
    if (item.kind == ir::Select::Kind::Send) {
      check_open(objects[i], load(cell(objects[i], 0)));
      (void)checked_values(objects[i], item.values);
    } else if (item.kind == ir::Select::Kind::Receive) {
      (void)checked_targets(objects[i], item.targets);
    } else if (depth_of(objects[i]).greatest > 0) {
      llvm::Value* deepest =
          builder_.CreateICmpEQ(load(cell(objects[i], 1)), number(cell(objects[i], 1).field.hi));
      check(builder_.CreateNot(builder_.CreateAnd(owns(objects[i]), deepest)));
    }
    builder_.CreateBr(looks);
  }
  at(looks);
  for (std::uint32_t i = 0; i < count; ++i) {  // the choice depends on all of them
    llvm::BasicBlock* look = new_block("look");
    llvm::BasicBlock* next = new_block("next");
    builder_.CreateCondBr(builder_.CreateICmpNE(chosen, number(i)), look, next);
    at(look);
    if (node.cases[i].kind == ir::Select::Kind::Acquire) {
      touch(objects[i], Effect::Look);
    } else {
      touch(objects[i], Effect::Ready, load(cell(objects[i], 0)));
    }
    builder_.CreateBr(next);
    at(next);
  }
  llvm::BasicBlock* nowhere = new_block("nowhere");
  llvm::SwitchInst* choose = builder_.CreateSwitch(chosen, nowhere, count + 1);
  at(nowhere);
  builder_.CreateUnreachable();
  if (node.otherwise) choose->addCase(number(count), edge_out(*node.otherwise));
  for (std::uint32_t i = 0; i < count; ++i) {
    const ir::Select::Case& item = node.cases[i];
    llvm::BasicBlock* block = new_block("case");
    choose->addCase(number(i), block);
    at(block);
    const Cell amount = cell(objects[i], 0);
    switch (item.kind) {
      case ir::Select::Kind::Receive: {
        llvm::Value* before = load(amount);
        if (llvm::BasicBlock* comes = comes_from(objects[i], before)) {
          receive_nothing(objects[i], item.targets);
          builder_.CreateBr(edge_out(item.next));
          at(comes);
        }
        touch(objects[i], Effect::Receive, before);
        std::vector<Local> targets;
        for (const ir::LocalPlace& place : item.targets)
          targets.push_back(local(place));
        pop(objects[i], before, targets);
        break;
      }
      case ir::Select::Kind::Send: {
        llvm::Value* before = load(amount);
        touch(objects[i], Effect::Send, before);
        std::vector<llvm::Value*> words;
        for (const ir::ExprId word : item.values)
          words.push_back(value(word));
        push(objects[i], before, words);
        break;
      }
      case ir::Select::Kind::Down: {
        llvm::Value* before = load(amount);
        touch(objects[i], Effect::Down, before);
        store(amount, builder_.CreateSub(before, number(1)));
        break;
      }
      case ir::Select::Kind::Acquire: {
        llvm::BasicBlock* taken = new_block("taken");
        llvm::BasicBlock* not_taken = new_block("not_taken");
        take(objects[i], taken, not_taken);
        at(not_taken);
        blocked();
        at(taken);
        break;
      }
      case ir::Select::Kind::Await:  // the interpreter's
        break;
    }
    builder_.CreateBr(edge_out(item.next));
  }
}

// ---- enabledness -------------------------------------------------------------------------------

llvm::Value* Emitter::enabled_of(ir::Pc pc) {
  pc_ = pc;
  return std::visit([this](const auto& node) { return enabled_of(node); }, current().node);
}

llvm::Value* Emitter::enabled_of(const ir::Select& node) { return ready_cases(node); }

/// The lower elements are taken out, one after the other.
llvm::Value* Emitter::element_at(llvm::Value* set, llvm::Value* position) {
  llvm::Value* rest = set;
  for (std::int32_t i = 0; i < 30; ++i) {
    llvm::Value* without = builder_.CreateAnd(rest, builder_.CreateSub(rest, number(1)));
    rest = builder_.CreateSelect(builder_.CreateICmpSGT(position, number(i)), without, rest);
  }
  return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, builder_.getFalse());
}

llvm::Value* Emitter::enabled_of(const ir::Choose& node) {
  llvm::Type* wide = builder_.getInt64Ty();
  llvm::Value* lo = builder_.CreateSExt(value(node.lo), wide);
  llvm::Value* hi = builder_.CreateSExt(value(node.hi), wide);
  llvm::Value* options = builder_.CreateAdd(builder_.CreateSub(hi, lo), builder_.getInt64(1));
  llvm::Value* none = builder_.CreateICmpSLT(options, builder_.getInt64(0));
  options = builder_.CreateSelect(none, builder_.getInt64(0), options);
  llvm::Value* too_many = builder_.CreateICmpUGT(options, builder_.getInt64(ir::kMaxChoices));
  return builder_.CreateSelect(too_many, number(kAskInterpreter),
                               builder_.CreateTrunc(options, builder_.getInt32Ty()));
}

llvm::Value* Emitter::enabled_of(const ir::Notify& node) {
  const Target set = target(node.set);
  llvm::BasicBlock* owner = new_block("owner");
  llvm::BasicBlock* list = new_block("list");
  llvm::BasicBlock* one = new_block("one");
  builder_.CreateCondBr(node.of_condition ? builder_.getTrue() : owns(set), owner, one);
  at(owner);
  llvm::Value* count = call("cml_waiters", builder_.getInt32Ty(), {context_, state_, id(set)});
  builder_.CreateCondBr(builder_.CreateICmpUGE(count, number(2)), list, one);
  at(list);
  builder_.CreateRet(count);
  at(one);
  llvm::Value* choices =
      builder_.CreateLoad(builder_.getPtrTy(), offset(context_, offsetof(Context, choices)));
  builder_.CreateStore(number(0), choices);
  return number(1);
}

/// Others go or are blocked; what waits for nothing is not asked here (jit/plan.cpp).
template <class Other>
llvm::Value* Emitter::enabled_of(const Other& node) {
  llvm::Value* result = nullptr;
  ir::for_each_wait(node, [&](const Place& place, std::initializer_list<ir::Awaited> needed) {
    const Target object = target(place);
    llvm::Value* all = nullptr;
    for (const ir::Awaited awaited : needed) {
      llvm::Value* one = has(object, awaited);
      all = all == nullptr ? one : builder_.CreateAnd(all, one);
    }
    result = result == nullptr ? all : builder_.CreateOr(result, all);
  });
  if (result == nullptr) return number(kAskInterpreter);
  return builder_.CreateZExt(result, builder_.getInt32Ty());
}

// ---- visibility --------------------------------------------------------------------------------

// A property of the objects of a place that does not depend on the state.
llvm::Value* Emitter::flag_of(const Target& target, const std::vector<bool>& flags,
                              const char* name) {
  if (target.index == nullptr) return builder_.getInt1(flags[0]);
  const auto same = [&](bool flag) { return flag == flags[0]; };
  if (std::all_of(flags.begin(), flags.end(), same)) return builder_.getInt1(flags[0]);
  std::vector<std::uint8_t> bytes(flags.begin(), flags.end());
  llvm::Constant* data = llvm::ConstantDataArray::get(module_.getContext(), bytes);
  auto* table = new llvm::GlobalVariable(module_, data->getType(), true,
                                         llvm::GlobalValue::PrivateLinkage, data, name);
  llvm::Value* wide = builder_.CreateZExt(target.index, builder_.getInt64Ty());
  llvm::Value* byte = builder_.CreateLoad(
      builder_.getInt8Ty(), builder_.CreateInBoundsGEP(builder_.getInt8Ty(), table, wide));
  return builder_.CreateICmpNE(byte, builder_.getInt8(0));
}

llvm::Value* Emitter::any_virgin(const Place& place) {
  llvm::Value* result = builder_.getFalse();
  ir::for_each_object(place, [&](ir::ObjectId object) {
    const auto& init = layout_.object(object).init;
    if (!init || system_.objects[object].kind != ir::ObjectKind::Shared) return;
    result = builder_.CreateOr(
        result,
        builder_.CreateICmpEQ(load(cell(*init)), number(static_cast<int>(ir::InitStatus::Virgin))));
  });
  return result;
}

// Interpreter::visible, where Plan says that it depends on the state.
llvm::Value* Emitter::is_visible(ir::Pc pc) {
  pc_ = pc;
  const ir::Visibility& visibility = whole_plan_.visibility;
  const auto access_visible = [&](const Place& place, bool is_write) -> llvm::Value* {
    const Target object = target(place);
    std::vector<bool> always;
    ir::for_each_object(place, [&](ir::ObjectId id) {
      always.push_back(system_.objects[id].kind != ir::ObjectKind::Shared ||
                       (is_write && visibility.is_watched[id]));
    });
    llvm::Value* result = flag_of(object, always, "watched");
    if (!layout_.object(place.base).init) return result;
    llvm::Value* virgin = builder_.CreateICmpEQ(load(init_cell(object)),
                                                number(static_cast<int>(ir::InitStatus::Virgin)));
    return builder_.CreateOr(result, virgin);
  };
  const auto tried = [&](const Place& place, const Target& lock) {
    std::vector<bool> flags;
    ir::for_each_object(place, [&](ir::ObjectId id) { flags.push_back(visibility.is_tried[id]); });
    return flag_of(lock, flags, "tried");
  };
  const auto [when, place] = ir::visibility_rule(current());
  switch (when) {
    case ir::VisibleWhen::Reading:
      return access_visible(*place, false);
    case ir::VisibleWhen::Writing:
      return access_visible(*place, true);
    case ir::VisibleWhen::Taking:
      return builder_.CreateNot(owns(target(*place)));
    case ir::VisibleWhen::Freeing: {
      const Target lock = target(*place);
      llvm::Value* outermost = builder_.CreateICmpEQ(load(cell(lock, 1)), number(1));
      return builder_.CreateAnd(tried(*place, lock), builder_.CreateAnd(owns(lock), outermost));
    }
    case ir::VisibleWhen::Leaving: {
      const Target lock = target(*place);
      return builder_.CreateAnd(tried(*place, lock), owns(lock));
    }
    case ir::VisibleWhen::Waking: {
      const Target lock = target(*place);
      llvm::Value* count = call("cml_waiters", builder_.getInt32Ty(), {context_, state_, id(lock)});
      return builder_.CreateAnd(owns(lock), builder_.CreateICmpUGE(count, number(2)));
    }
    case ir::VisibleWhen::Inside:
      return any_virgin_inside(pc, std::get<ir::Atomic>(current().node).end);
    case ir::VisibleWhen::Never:
    case ir::VisibleWhen::Always:
      break;
  }
  return builder_.getTrue();
}

llvm::Value* Emitter::any_virgin_inside(ir::Pc pc, ir::Pc end) {
  llvm::Value* result = builder_.getFalse();
  for (++pc; pc < end; ++pc) {
    const auto [when, place] = ir::visibility_rule(code_.instructions[pc]);
    if (when == ir::VisibleWhen::Reading || when == ir::VisibleWhen::Writing)
      result = builder_.CreateOr(result, any_virgin(*place));
  }
  return result;
}

}  // namespace cml::jit
