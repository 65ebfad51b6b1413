// Functions and blocks, local instructions, arrivals.
#include "jit/emitter.h"

#include <algorithm>
#include <cstddef>
#include <llvm/IR/MDBuilder.h>
#include <variant>

#include "ir/describe.h"

namespace cml::jit {

using ir::Field;
using ir::Location;
using ir::Opcode;
using ir::Pc;

Emitter::Emitter(llvm::Module& module, const EmitterInput& input, ir::ThreadId thread)
    : module_(module),
      system_(input.analyses.system()),
      layout_(input.layout),
      config_(input.config),
      whole_plan_(input.plan),
      held_(input.analyses.held()),
      observations_(input.observations),
      recorded_(input.recorded),
      thread_(thread),
      code_(input.analyses.system().threads[thread].code),
      plan_(input.plan.threads[thread]),
      fields_(input.layout.thread(thread)),
      ranges_(input.analyses.system(), input.layout, thread),
      builder_(module.getContext()) {
  for (const ir::ObjectId id : system_.objects.ids())
    if (system_.objects[id].init_by == thread) initialises_.push_back(id);
}

// ---- functions ---------------------------------------------------------------------------------

void Emitter::begin(Function function) {
  kind_ = function;
  llvm::Type* word = builder_.getInt32Ty();
  llvm::Type* pointer = builder_.getPtrTy();
  std::vector<llvm::Type*> parameters = {pointer, pointer, word};
  if (function == Function::Step) parameters.push_back(word);
  parameters.push_back(pointer);  // what Families makes of constants
  std::string name = system_.threads[thread_].name;
  if (function == Function::Choices) name += ":choices";
  if (function == Function::Visible) name += ":visible";
  function_ = llvm::Function::Create(llvm::FunctionType::get(word, parameters, false),
                                     llvm::Function::ExternalLinkage, name, module_);
  function_->setDoesNotThrow();
  function_->addParamAttr(0, llvm::Attribute::NoAlias);
  function_->addParamAttr(1, llvm::Attribute::NoAlias);
  context_ = function_->getArg(0);
  state_ = function_->getArg(1);
  context_->setName("context");
  state_->setName("state");
  slots_ = state_;
  slots_from_ = 0;
  function_->getArg(2)->setName("location");
  choice_ = function == Function::Step ? function_->getArg(3) : nullptr;
  if (choice_ != nullptr) choice_->setName("choice");
  function_->getArg(static_cast<unsigned>(parameters.size() - 1))->setName("constants");
  blocks_.clear();
  arrivals_.clear();
  faults_.clear();
  runs_.clear();
  loop_edges_.clear();
  bail_ = nullptr;
  at(new_block("action"));
}

template <class Wanted>
llvm::SwitchInst* Emitter::switch_on_location(Wanted wanted) {
  llvm::BasicBlock* nowhere = new_block("nowhere");
  llvm::SwitchInst* result = builder_.CreateSwitch(function_->getArg(2), nowhere);
  at(nowhere);
  builder_.CreateUnreachable();
  for (std::size_t i = ir::kFirstLocation; i < plan_.locations.size(); ++i)
    if (wanted(plan_.locations[i]))
      result->addCase(number(static_cast<std::int64_t>(i)), block_of(plan_.locations[i].pc));
  return result;
}

void Emitter::step() {
  begin(Function::Step);
  record_ = builder_.CreateLoad(builder_.getPtrTy(), offset(context_, offsetof(Context, record)),
                                "record");
  if (observations_ != nullptr)
    recorded_at_ = builder_.CreateLoad(builder_.getPtrTy(),
                                       offset(context_, offsetof(Context, recorded)), "recorded");
  switch_on_location([](const LocationPlan& location) { return !location.interpreted; });
  bodies();
}

bool Emitter::choices() {
  const auto wanted = [](const LocationPlan& location) {
    return !location.interpreted && (location.enabledness == Enabledness::Test ||
                                     location.enabledness == Enabledness::Count ||
                                     location.enabledness == Enabledness::List);
  };
  if (std::none_of(plan_.locations.begin(), plan_.locations.end(), wanted)) return false;
  begin(Function::Choices);
  const auto is_guard = [&wanted](const LocationPlan& location) {
    return wanted(location) && location.is_region;
  };
  if (std::any_of(plan_.locations.begin(), plan_.locations.end(), is_guard)) copy_slots();
  switch_on_location(wanted);
  pending_blocks_.clear();
  const std::map<Pc, llvm::BasicBlock*> operations = blocks_;
  for (const auto& [pc, block] : operations) {
    at(block);
    if (code_.instructions[pc].opcode() == Opcode::Atomic) {
      builder_.CreateBr(block_of(pc + 1));
    } else {
      builder_.CreateRet(enabled_of(pc));
    }
  }
  bodies();
  return true;
}

// A copy of the slots: what an atomic block assigns before it is known whether it is enabled.
void Emitter::copy_slots() {
  const std::vector<Field>& slots = fields_.slots;
  if (slots.empty()) return;
  const std::uint32_t first = slots.front().offset;
  const std::uint32_t end = slots.back().offset + slots.back().width;
  slots_ = builder_.CreateAlloca(builder_.getInt8Ty(), builder_.getInt32(end - first), "slots");
  slots_from_ = first;
  builder_.CreateMemCpy(slots_, llvm::Align(1), offset(state_, first), llvm::Align(1), end - first);
}

bool Emitter::visible() {
  const auto wanted = [](const LocationPlan& location) {
    return location.visible == Visible::Test && !location.interpreted;
  };
  if (std::none_of(plan_.locations.begin(), plan_.locations.end(), wanted)) return false;
  begin(Function::Visible);
  switch_on_location(wanted);
  pending_blocks_.clear();
  for (const auto& [pc, block] : blocks_) {
    at(block);
    builder_.CreateRet(builder_.CreateZExt(is_visible(pc), builder_.getInt32Ty()));
  }
  return true;
}

void Emitter::bodies() {
  while (!pending_blocks_.empty() || !pending_arrivals_.empty()) {
    if (!pending_blocks_.empty()) {
      const Pc pc = pending_blocks_.back();
      pending_blocks_.pop_back();
      body(pc);
    } else {
      const Location location = pending_arrivals_.back();
      pending_arrivals_.pop_back();
      arrival(location);
    }
  }
}

// ---- blocks ------------------------------------------------------------------------------------

llvm::BasicBlock* Emitter::new_block(const llvm::Twine& name) {
  return llvm::BasicBlock::Create(module_.getContext(), name, function_);
}

llvm::BasicBlock* Emitter::block_of(Pc pc) {
  llvm::BasicBlock*& block = blocks_[pc];
  if (block == nullptr) {
    const Location location = code_.pc_location[pc];
    const llvm::StringRef what = ir::mnemonic(code_.instructions[pc].opcode());
    block = location >= ir::kFirstLocation ? new_block("L" + llvm::Twine(location) + "." + what)
                                           : new_block(llvm::Twine(pc) + "." + what);
    pending_blocks_.push_back(pc);
  }
  return block;
}

llvm::BasicBlock* Emitter::arrival_at(Location location) {
  llvm::BasicBlock*& block = arrivals_[location];
  if (block == nullptr) {
    block = new_block("to.L" + llvm::Twine(location));
    pending_arrivals_.push_back(location);
  }
  return block;
}

llvm::BasicBlock* Emitter::edge_to(Pc target) {
  if (!in_region() && ir::is_operation(code_.instructions[target].opcode()))
    return arrival_at(code_.pc_location[target]);
  return target <= pc_ && plan_.loop_heads[target] ? loop_edge(target) : block_of(target);
}

llvm::BasicBlock* Emitter::edge_out(Pc target) {
  if (in_region()) return block_of(target);
  if (ir::is_operation(code_.instructions[target].opcode()))
    return arrival_at(code_.pc_location[target]);
  if (!plan_.may_loop_from[target]) return block_of(target);
  llvm::BasicBlock*& run = runs_[target];
  if (run != nullptr) return run;
  run = new_block("run." + llvm::Twine(target));
  const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  at(run);
  call("cml_enter", builder_.getVoidTy(),
       {context_, state_, number(thread_.index), number(target), number(0)});
  builder_.CreateBr(block_of(target));
  return run;
}

// A backward edge: the number of iterations is limited.
llvm::BasicBlock* Emitter::loop_edge(Pc target) {
  llvm::BasicBlock*& edge = loop_edges_[target];
  if (edge != nullptr) return edge;
  edge = new_block("loop." + llvm::Twine(target));
  const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  at(edge);
  llvm::Value* too_often = call("cml_loop", builder_.getInt32Ty(), {context_});
  builder_.CreateCondBr(builder_.CreateICmpNE(too_often, number(0)), bail(), block_of(target));
  return edge;
}

llvm::BasicBlock* Emitter::bail() {
  if (bail_ != nullptr) return bail_;
  bail_ = new_block("bail");
  const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  at(bail_);
  builder_.CreateRet(
      call("cml_bail", builder_.getInt32Ty(), {context_, state_, number(thread_.index)}));
  return bail_;
}

llvm::Value* Emitter::call(const char* name, llvm::Type* result,
                           llvm::ArrayRef<llvm::Value*> arguments) {
  std::vector<llvm::Type*> types;
  for (const llvm::Value* argument : arguments)
    types.push_back(argument->getType());
  auto* type = llvm::FunctionType::get(result, types, false);
  return builder_.CreateCall(module_.getOrInsertFunction(name, type), arguments);
}

void Emitter::check(llvm::Value* holds) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(holds);
      constant != nullptr && constant->isOne())
    return;
  llvm::BasicBlock* fine = new_block("ok");
  builder_.CreateCondBr(holds, fine, fault(),
                        llvm::MDBuilder(module_.getContext()).createLikelyBranchWeights());
  at(fine);
}

llvm::BasicBlock* Emitter::fault() {
  llvm::BasicBlock*& block = faults_[pc_];
  if (block != nullptr) return block;
  block = new_block("fault." + llvm::Twine(pc_));
  const llvm::IRBuilderBase::InsertPointGuard guard(builder_);
  at(block);
  if (kind_ == Function::Step) {
    builder_.CreateRet(call("cml_resume", builder_.getInt32Ty(),
                            {context_, state_, number(thread_.index), number(pc_), choice_}));
  } else {
    end(kind_ == Function::Choices ? kAskInterpreter : 1);
  }
  return block;
}

// ---- instructions ------------------------------------------------------------------------------

void Emitter::body(Pc pc) {
  pc_ = pc;
  at(blocks_[pc]);
  const Opcode opcode = current().opcode();
  if ((in_region() || opcode == Opcode::Atomic) && closes_windows(pc)) close_windows();
  std::visit([this](const auto& node) { emit(node); }, current().node);
}

void Emitter::emit(const ir::Set& node) {
  llvm::Value* result = value(node.value);
  Interval range = ranges_.of(node.value);
  if (!range.within(node.bounds.lo, node.bounds.hi)) {
    llvm::Value* distance = builder_.CreateSub(result, number(node.bounds.lo));
    check(node.bounds.lo > node.bounds.hi
              ? builder_.getFalse()
              : builder_.CreateICmpULE(distance,
                                       number(std::int64_t{node.bounds.hi} - node.bounds.lo)));
    range.lo = std::max<std::int64_t>(range.lo, node.bounds.lo);
    range.hi = std::min<std::int64_t>(range.hi, node.bounds.hi);
  }
  const Local place = local(node.target);
  check_fits(place, result, range);
  assign(place, result);
  go(pc_ + 1);
}

void Emitter::emit(const ir::Jump& node) { go(node.target); }

void Emitter::emit(const ir::Branch& node) {
  llvm::Value* holds = condition(node.condition);
  llvm::BasicBlock* if_true = edge_to(node.if_true);
  builder_.CreateCondBr(holds, if_true, edge_to(node.if_false));
}

void Emitter::emit(const ir::Assert& node) {
  check(condition(node.condition));
  go(pc_ + 1);
}

void Emitter::emit(const ir::Assume& node) {
  check(condition(node.condition));
  go(pc_ + 1);
}

void Emitter::emit(const ir::Mark& node) {
  append_mark(node.point);
  go(pc_ + 1);
}

// Which place is free depends on all that refers to one: the interpreter executes it, and the rest
// of the run, or all of it where that may loop. Blocks with one are left to it altogether
// (plan.cpp).
void Emitter::emit(const ir::New&) {
  builder_.CreateBr(plan_.may_loop_from[pc_] ? bail() : fault());
}

void Emitter::emit(const ir::Atomic&) {
  if (plan_.region_loops[pc_])
    call("cml_enter", builder_.getVoidTy(),
         {context_, state_, number(thread_.index), number(pc_), number(1)});
  builder_.CreateBr(block_of(pc_ + 1));
}

void Emitter::emit(const ir::Guard& node) {
  llvm::BasicBlock* holds = new_block("holds");
  llvm::BasicBlock* stays = new_block("blocked");
  builder_.CreateCondBr(condition(node.condition), holds, stays);
  at(stays);
  blocked();
  at(holds);
  if (kind_ == Function::Step) {  // nothing behind the guard can block
    llvm::Value* mode =
        builder_.CreateLoad(builder_.getInt32Ty(), offset(context_, offsetof(Context, mode)));
    llvm::BasicBlock* executes = new_block("executes");
    llvm::BasicBlock* looked = new_block("looked");
    llvm::Value* is_pending =
        builder_.CreateICmpEQ(mode, number(static_cast<std::int64_t>(Mode::Pending)));
    builder_.CreateCondBr(is_pending, looked, executes);
    at(looked);
    end(kDone);
    at(executes);
  }
  go(pc_ + 1);
}

// A trial ends at the block's last guard: nothing behind it can block.
void Emitter::emit(const ir::AtomicEnd&) {
  if (kind_ == Function::Choices) return end(1);
  llvm::Value* mode =
      builder_.CreateLoad(builder_.getInt32Ty(), offset(context_, offsetof(Context, mode)));
  llvm::BasicBlock* tried = new_block("tried");
  llvm::Value* executes =
      builder_.CreateICmpEQ(mode, number(static_cast<std::int64_t>(Mode::Execute)));
  builder_.CreateCondBr(executes, edge_out(pc_ + 1), tried);
  at(tried);
  end(kDone);
}

// Sets the slots to 0, with as few stores as possible.
void Emitter::emit(const ir::End&) {
  std::vector<std::uint8_t> bytes;
  const std::vector<Field>& slots = fields_.slots;
  if (!slots.empty()) bytes.resize(slots.back().offset + slots.back().width);
  for (const Field& slot : slots)
    slot.store(bytes.data(), 0);
  std::size_t from = slots.empty() ? 0 : slots.front().offset;
  while (from < bytes.size()) {
    std::size_t width = 8;
    while (width > bytes.size() - from)
      width /= 2;
    std::uint64_t word = 0;
    for (std::size_t i = width; i-- > 0;)
      word = word << 8 | bytes[from + i];
    builder_.CreateAlignedStore(builder_.getIntN(static_cast<unsigned>(width * 8), word),
                                offset(state_, static_cast<std::int64_t>(from)), llvm::Align(1));
    from += width;
  }
  store(cell(fields_.location), number(ir::kEnded));
  arrive(ir::kEnded);
  end(kDone);
}

// ---- arrivals ----------------------------------------------------------------------------------

void Emitter::arrival(Location location) {
  at(arrivals_[location]);
  const LocationPlan& plan = plan_.locations[location];
  pc_ = plan.pc;
  store(cell(fields_.location), number(location));
  arrive(location);
  if (closes_windows(pc_)) close_windows();
  const bool ends_here = config_.stop == ir::Stop::Micro || plan.visible == Visible::Always;
  if (ends_here) return end(kDone);
  if (plan.interpreted) return end(kGoOn);
  if (plan.visible == Visible::Test) {
    llvm::BasicBlock* stays = new_block("visible");
    llvm::BasicBlock* invisible = new_block("invisible");
    builder_.CreateCondBr(is_visible(pc_), stays, invisible);
    at(stays);
    end(kDone);
    at(invisible);
  }
  llvm::Value* fuel_at = offset(context_, offsetof(Context, fuel));
  llvm::Value* fuel = builder_.CreateLoad(builder_.getInt32Ty(), fuel_at);
  llvm::BasicBlock* empty = new_block("no_fuel");
  llvm::BasicBlock* goes_on = new_block("goes_on");
  builder_.CreateCondBr(builder_.CreateICmpEQ(fuel, number(0)), empty, goes_on);
  at(empty);
  end(kGoOn);
  at(goes_on);
  builder_.CreateStore(builder_.CreateSub(fuel, number(1)), fuel_at);
  append_micro(pc_);
  builder_.CreateBr(block_of(pc_));
}

// Execution::closes_windows.
bool Emitter::closes_windows(Pc pc) const {
  if (initialises_.empty() && !fields_.opens) return false;
  const ir::Instruction& instruction = code_.instructions[pc];
  if (instruction.opcode() == Opcode::New) return false;
  const auto [when, place] = ir::visibility_rule(instruction);
  switch (when) {
    case ir::VisibleWhen::Reading:
    case ir::VisibleWhen::Writing:
      return system_.objects[place->base].kind != ir::ObjectKind::Shared;
    case ir::VisibleWhen::Inside: {
      const Pc end = std::get<ir::Atomic>(instruction.node).end;
      for (Pc part = pc + 1; part < end; ++part)
        if (code_.instructions[part].opcode() == Opcode::Guard) return true;
      return false;
    }
    case ir::VisibleWhen::Never:
    case ir::VisibleWhen::Always:
    case ir::VisibleWhen::Taking:
    case ir::VisibleWhen::Freeing:
    case ir::VisibleWhen::Leaving:
    case ir::VisibleWhen::Waking:
      break;
  }
  return ir::is_operation(instruction.opcode());
}

void Emitter::close_windows() {
  if (fields_.opens) {
    llvm::BasicBlock* open = new_block("open");
    llvm::BasicBlock* closed = new_block("closed");
    builder_.CreateCondBr(builder_.CreateICmpNE(load(cell(*fields_.opens)), number(0)), open,
                          closed);
    at(open);
    call("cml_close_windows", builder_.getVoidTy(), {context_, state_, number(thread_.index)});
    builder_.CreateBr(closed);
    at(closed);
  }
  for (const ir::ObjectId id : initialises_) {
    const Cell status = cell(*layout_.object(id).init);
    llvm::Value* now = load(status);
    llvm::Value* open = builder_.CreateICmpEQ(now, number(static_cast<int>(ir::InitStatus::Open)));
    store(status,
          builder_.CreateSelect(open, number(static_cast<int>(ir::InitStatus::Initialised)), now));
  }
}

}  // namespace cml::jit
