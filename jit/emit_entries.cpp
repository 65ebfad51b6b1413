// The entries of all threads: entry_table.h as code, a few instructions for each thread and no
// branch that depends on the state, but for what is slow.
#include "jit/emit_entries.h"

#include <algorithm>
#include <cstddef>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace cml::jit {

static_assert(sizeof(EntryTest) == 48 && offsetof(EntryTest, also_offset) == 32 &&
              offsetof(EntryTest, also_mask) == 36 && offsetof(EntryTest, also_value) == 40 &&
              offsetof(EntryTest, offset) == 0 && offsetof(EntryTest, mask) == 4 &&
              offsetof(EntryTest, value) == 8 && offsetof(EntryTest, other) == 12 &&
              offsetof(EntryTest, index) == 16 && offsetof(EntryTest, stride) == 20 &&
              offsetof(EntryTest, differs) == 24 && offsetof(EntryTest, slow) == 28);
static_assert(sizeof(ir::Entry) == 1U << 3U);

namespace {

class EntriesEmitter {
 public:
  EntriesEmitter(llvm::Module& module, const ir::Layout& layout)
      : module_(module), layout_(layout), builder_(module.getContext()) {
    llvm::Type* pointer = builder_.getPtrTy();
    function_ = llvm::Function::Create(
        llvm::FunctionType::get(builder_.getVoidTy(), {pointer, pointer, pointer}, false),
        llvm::Function::ExternalLinkage, kEntriesName, module_);
    function_->setDoesNotThrow();
    function_->addParamAttr(2, llvm::Attribute::NoAlias);
    state_ = function_->getArg(1);
    buffer_ = function_->getArg(2);
    builder_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "entry", function_));
    llvm::Value* size = builder_.CreateZExt(
        builder_.CreateLoad(builder_.getInt32Ty(), of_buffer(Entries::kSizeOffset)),
        builder_.getInt64Ty());
    llvm::Value* bytes = builder_.CreateShl(size, kEntryShift);
    out_ = at(builder_.CreateLoad(pointer, of_buffer(Entries::kDataOffset)), bytes);
  }

  void thread(ir::ThreadId id, const std::vector<EntryTest>& tests);
  /// What is slow.
  void ask(ir::ThreadId id);
  void end() {
    // What is slow may have moved the entries.
    llvm::Value* data = builder_.CreateLoad(builder_.getPtrTy(), of_buffer(Entries::kDataOffset));
    llvm::Type* wide = builder_.getInt64Ty();
    llvm::Value* bytes = builder_.CreateSub(builder_.CreatePtrToInt(out_, wide),
                                            builder_.CreatePtrToInt(data, wide));
    llvm::Value* size = builder_.CreateLShr(bytes, kEntryShift);
    builder_.CreateStore(builder_.CreateTrunc(size, builder_.getInt32Ty()),
                         of_buffer(Entries::kSizeOffset));
    builder_.CreateRetVoid();
  }

 private:
  using Entries = Buffer<ir::Entry>;
  static constexpr std::uint64_t kEntryShift = 3;
  llvm::Value* of_buffer(std::size_t offset) { return at(buffer_, builder_.getInt64(offset)); }
  llvm::Value* at(llvm::Value* base, llvm::Value* bytes) {
    return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), base, bytes);
  }
  llvm::Value* load(llvm::Type* type, llvm::Value* address) {
    return builder_.CreateAlignedLoad(type, address, llvm::Align(1));
  }
  llvm::Value* row(std::size_t field) {
    return load(builder_.getInt32Ty(), at(row_, builder_.getInt64(field)));
  }

  llvm::Module& module_;
  const ir::Layout& layout_;
  llvm::IRBuilder<> builder_;
  llvm::Function* function_ = nullptr;
  llvm::Value* state_ = nullptr;
  llvm::Value* buffer_ = nullptr;
  llvm::Value* out_ = nullptr;
  llvm::Value* row_ = nullptr;
};

void EntriesEmitter::thread(ir::ThreadId id, const std::vector<EntryTest>& tests) {
  const auto any = [&tests](auto has) { return std::any_of(tests.begin(), tests.end(), has); };
  if (layout_.size() < sizeof(std::uint32_t)) return ask(id);  // there is no word to load
  llvm::Type* word = builder_.getInt32Ty();
  llvm::Type* wide = builder_.getInt64Ty();
  const ir::Field& field = layout_.thread(id).location;
  llvm::Value* location = builder_.CreateZExt(
      load(builder_.getIntNTy(field.width * 8U), at(state_, builder_.getInt64(field.offset))),
      wide);
  // The table is the program's, and stays where it is.
  llvm::Value* table = builder_.CreateIntToPtr(
      builder_.getInt64(reinterpret_cast<std::uint64_t>(tests.data())), builder_.getPtrTy());
  row_ = at(table, builder_.CreateMul(location, builder_.getInt64(sizeof(EntryTest))));
  llvm::Value* offset = builder_.CreateZExt(row(offsetof(EntryTest, offset)), wide);
  if (any([](const EntryTest& test) { return test.stride != 0; })) {
    llvm::Value* index_at = builder_.CreateZExt(row(offsetof(EntryTest, index)), wide);
    llvm::Value* index =
        builder_.CreateZExt(load(builder_.getInt8Ty(), at(state_, index_at)), wide);
    llvm::Value* stride = builder_.CreateSExt(row(offsetof(EntryTest, stride)), wide);
    offset = builder_.CreateAdd(offset, builder_.CreateMul(index, stride));
  }
  llvm::Value* found =
      builder_.CreateAnd(load(word, at(state_, offset)), row(offsetof(EntryTest, mask)));
  llvm::Value* equal = builder_.CreateICmpEQ(found, row(offsetof(EntryTest, value)));
  if (any([](const EntryTest& test) { return test.other != test.value; }))
    equal = builder_.CreateOr(equal, builder_.CreateICmpEQ(found, row(offsetof(EntryTest, other))));
  llvm::Value* holds = builder_.CreateZExt(equal, word);
  if (any([](const EntryTest& test) { return test.differs != 0; }))
    holds = builder_.CreateXor(holds, row(offsetof(EntryTest, differs)));
  if (any([](const EntryTest& test) { return test.also_mask != 0; })) {
    llvm::Value* also_at = builder_.CreateZExt(row(offsetof(EntryTest, also_offset)), wide);
    llvm::Value* also =
        builder_.CreateAnd(load(word, at(state_, also_at)), row(offsetof(EntryTest, also_mask)));
    also = builder_.CreateICmpEQ(also, row(offsetof(EntryTest, also_value)));
    holds = builder_.CreateAnd(holds, builder_.CreateZExt(also, word));
  }
  const bool any_slow = any([](const EntryTest& test) { return test.slow != 0; });
  llvm::Value* is_slow =
      any_slow ? builder_.CreateAnd(holds, row(offsetof(EntryTest, slow))) : nullptr;
  if (any_slow) holds = builder_.CreateXor(holds, is_slow);
  builder_.CreateAlignedStore(builder_.getInt64(id.index), out_, llvm::Align(4));
  llvm::Value* bytes = builder_.CreateShl(builder_.CreateZExt(holds, wide), kEntryShift);
  out_ = at(out_, bytes);
  if (!any_slow) return;
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock* slow = llvm::BasicBlock::Create(module_.getContext(), "slow", function_);
  llvm::BasicBlock* next = llvm::BasicBlock::Create(module_.getContext(), "next", function_);
  builder_.CreateCondBr(builder_.CreateICmpNE(is_slow, builder_.getInt32(0)), slow, next);
  llvm::Value* quick = out_;
  builder_.SetInsertPoint(slow);
  ask(id);
  builder_.CreateBr(next);
  builder_.SetInsertPoint(next);
  llvm::PHINode* joined = builder_.CreatePHI(builder_.getPtrTy(), 2);
  joined->addIncoming(quick, before);
  joined->addIncoming(out_, slow);
  out_ = joined;
}

void EntriesEmitter::ask(ir::ThreadId id) {
  llvm::Type* pointer = builder_.getPtrTy();
  auto* type = llvm::FunctionType::get(
      pointer, {pointer, pointer, builder_.getInt32Ty(), pointer, pointer}, false);
  out_ = builder_.CreateCall(
      module_.getOrInsertFunction("cml_entries", type),
      {function_->getArg(0), state_, builder_.getInt32(id.index), buffer_, out_});
}

}  // namespace

void emit_entries(llvm::Module& module, const ir::Layout& layout,
                  const IdVector<ir::ThreadId, std::vector<EntryTest>>& tests) {
  EntriesEmitter emitter(module, layout);
  for (const ir::ThreadId id : tests.ids())
    emitter.thread(id, tests[id]);
  emitter.end();
}

}  // namespace cml::jit
