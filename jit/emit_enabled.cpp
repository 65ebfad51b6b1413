// For each thread a few instructions without a branch that depends on the state, except for slow
// tests.
#include "jit/emit_enabled.h"

#include <algorithm>
#include <cstring>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <optional>

#include "ir/exec/step.h"

namespace cml::jit {

static_assert(sizeof(ir::Action) == 1U << 3U);

namespace {

constexpr std::size_t kWord = sizeof(std::uint32_t);

/// Where the columns of a thread's rows begin. A column whose entries are all equal is left out.
struct Columns {
  bool is_wide = false;               // its fields are not all bytes
  std::optional<std::size_t> holds;   // where no field is compared; else the columns below
  std::optional<std::size_t> offset;  // of the field
  std::optional<std::size_t> value, other, mask;
  std::optional<std::size_t> index, stride;
  // Where all rows with an index have the same index and the same distance: whether a row has one.
  std::optional<std::size_t> counts;
  std::uint32_t one_index = 0;
  std::int32_t one_stride = 0;
  std::optional<std::size_t> differs, slow;
};

class RowsMaker {
 public:
  explicit RowsMaker(const ir::Layout& layout) : layout_(layout) {}

  /// None: the thread's tests cannot be written as rows.
  std::optional<Columns> add(ir::ThreadId thread, const std::vector<EnabledTest>& tests,
                             std::size_t locations) {
    location_ = layout_.thread(thread).location;
    locations_ = locations;
    const auto any = [&tests](auto has) { return std::any_of(tests.begin(), tests.end(), has); };
    using Test = EnabledTest;
    Columns result;
    if (!any([](const Test& test) { return test.kind == Test::Kind::Compare; })) {
      result.holds = column<std::uint8_t>(
          tests, [](const Test& test) { return test.kind == Test::Kind::Always ? 1 : 0; });
    } else {
      result.is_wide = location_.width > 1 || any([](const Test& test) {
                         return test.kind == Test::Kind::Compare && test.field.width > 1;
                       });
      if (result.is_wide && layout_.size() < kWord) return std::nullopt;  // no word can be loaded
      if (!std::all_of(tests.begin(), tests.end(), [&](const Test& test) { return fits(test); }))
        return std::nullopt;
      compare(tests, result);
    }
    if (any([](const Test& test) { return test.slow; }))
      result.slow = column<std::uint8_t>(tests, [](const Test& test) { return test.slow ? 1 : 0; });
    return result;
  }
  [[nodiscard]] std::vector<std::uint8_t> rows() && { return std::move(rows_); }

 private:
  /// Bytes from `first` on are loaded, up to the last object's.
  struct Reach {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  static Reach reach(const EnabledTest& test) {
    const std::int64_t first = test.field.offset;
    const std::int64_t last = first + std::int64_t{test.stride} * (std::int64_t{test.count} - 1);
    return {std::min(first, last), std::max(first, last)};
  }
  /// How much before the field the word is loaded, so that it lies within the state.
  [[nodiscard]] std::int64_t back(const EnabledTest& test) const {
    const auto size = static_cast<std::int64_t>(layout_.size());
    return std::max<std::int64_t>(reach(test).last + static_cast<std::int64_t>(kWord) - size, 0);
  }
  [[nodiscard]] bool fits(const EnabledTest& test) const {
    return test.kind != EnabledTest::Kind::Compare || back(test) <= reach(test).first;
  }

  void compare(const std::vector<EnabledTest>& tests, Columns& result) {
    using Test = EnabledTest;
    const auto any = [&tests](auto has) { return std::any_of(tests.begin(), tests.end(), has); };
    const bool is_wide = result.is_wide;
    const auto is_compared = [](const Test& test) { return test.kind == Test::Kind::Compare; };
    // A test that always or never holds compares, too: a byte whose value is known, or no bit of a
    // word.
    const auto known = [&](const Test& test) {
      const auto row = static_cast<std::size_t>(&test - tests.data());
      const auto seen = static_cast<std::uint32_t>(is_wide ? 0 : row % locations_);
      return test.kind == Test::Kind::Always ? seen : seen + 1;
    };
    const auto shift = [&](const Test& test) {
      return is_wide ? static_cast<std::uint32_t>(back(test)) * 8 : 0;
    };
    result.offset = column<std::uint32_t>(tests, [&](const Test& test) {
      if (!is_compared(test)) return is_wide ? 0 : location_.offset;
      return test.field.offset - shift(test) / 8;
    });
    const auto value = [&](const Test& test) {
      return is_compared(test) ? test.value << shift(test) : known(test);
    };
    const auto other = [&](const Test& test) {
      return is_compared(test) ? test.other << shift(test) : known(test);
    };
    const bool has_other = any([](const Test& test) { return test.other != test.value; });
    if (is_wide) {
      result.value = column<std::uint32_t>(tests, value);
      if (has_other) result.other = column<std::uint32_t>(tests, other);
      result.mask = column<std::uint32_t>(tests, [&](const Test& test) {
        if (!is_compared(test)) return 0U;
        const std::uint32_t bits =
            test.field.width == kWord ? ~0U : (1U << (test.field.width * 8U)) - 1;
        return bits << shift(test);
      });
    } else {
      result.value = column<std::uint8_t>(tests, value);
      if (has_other) result.other = column<std::uint8_t>(tests, other);
    }
    const auto chooses = [](const Test& test) { return test.stride != 0; };
    const auto one = std::find_if(tests.begin(), tests.end(), chooses);
    const auto is_like_it = [&](const Test& test) {
      return !chooses(test) || (test.index == one->index && test.stride == one->stride);
    };
    if (one != tests.end() && std::all_of(tests.begin(), tests.end(), is_like_it)) {
      result.one_index = one->index;
      result.one_stride = one->stride;
      result.counts = column<std::uint8_t>(
          tests, [&](const Test& test) { return chooses(test) ? UINT8_MAX : 0; });
    } else if (one != tests.end()) {
      result.index = column<std::uint32_t>(tests, [](const Test& test) { return test.index; });
      result.stride = column<std::int32_t>(tests, [](const Test& test) { return test.stride; });
    }
    if (any([](const Test& test) { return test.differs; }))
      result.differs =
          column<std::uint8_t>(tests, [](const Test& test) { return test.differs ? 1 : 0; });
  }
  template <class Item, class Get>
  std::size_t column(const std::vector<EnabledTest>& tests, Get get) {
    const std::size_t begin = (rows_.size() + sizeof(Item) - 1) / sizeof(Item) * sizeof(Item);
    rows_.resize(begin + tests.size() * sizeof(Item));
    for (std::size_t row = 0; row < tests.size(); ++row) {
      const auto item = static_cast<Item>(get(tests[row]));
      std::memcpy(rows_.data() + begin + row * sizeof(Item), &item, sizeof(Item));
    }
    return begin;
  }

  const ir::Layout& layout_;
  ir::Field location_;  // of the thread
  std::size_t locations_ = 0;
  std::vector<std::uint8_t> rows_;
};

class EnabledEmitter {
 public:
  EnabledEmitter(llvm::Module& module, const ir::Layout& layout)
      : module_(module), layout_(layout), builder_(module.getContext()) {
    llvm::Type* pointer = builder_.getPtrTy();
    function_ = llvm::Function::Create(
        llvm::FunctionType::get(builder_.getVoidTy(), {pointer, pointer, pointer, pointer}, false),
        llvm::Function::ExternalLinkage, kEnabledName, module_);
    function_->setDoesNotThrow();
    rows_ = function_->getArg(1);
    state_ = function_->getArg(2);
    buffer_ = function_->getArg(3);
    function_->addParamAttr(1, llvm::Attribute::NoAlias);
    function_->addParamAttr(3, llvm::Attribute::NoAlias);
    builder_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "action", function_));
    llvm::Value* size =
        wide(builder_.CreateLoad(builder_.getInt32Ty(), at(buffer_, Actions::kSizeOffset)));
    out_ = at(builder_.CreateLoad(pointer, at(buffer_, Actions::kDataOffset)),
              builder_.CreateShl(size, kActionShift));
  }

  void thread(ir::ThreadId id, const Columns& columns, std::size_t locations);
  /// Calls the C++ function for a test that is slow.
  void ask(ir::ThreadId id) {
    llvm::Type* pointer = builder_.getPtrTy();
    auto* type = llvm::FunctionType::get(
        pointer, {pointer, pointer, builder_.getInt32Ty(), pointer, pointer}, false);
    out_ = builder_.CreateCall(
        module_.getOrInsertFunction("cml_enabled", type),
        {function_->getArg(0), state_, builder_.getInt32(id.index), buffer_, out_});
  }
  void end() {
    // The call may have reallocated the actions.
    llvm::Value* data = builder_.CreateLoad(builder_.getPtrTy(), at(buffer_, Actions::kDataOffset));
    llvm::Type* type = builder_.getInt64Ty();
    llvm::Value* bytes = builder_.CreateSub(builder_.CreatePtrToInt(out_, type),
                                            builder_.CreatePtrToInt(data, type));
    llvm::Value* size = builder_.CreateLShr(bytes, kActionShift);
    builder_.CreateStore(builder_.CreateTrunc(size, builder_.getInt32Ty()),
                         at(buffer_, Actions::kSizeOffset));
    builder_.CreateRetVoid();
  }

 private:
  using Actions = Buffer<ir::Action>;
  static constexpr std::uint64_t kActionShift = 3;

  llvm::Value* at(llvm::Value* base, llvm::Value* bytes) {
    return builder_.CreateInBoundsGEP(builder_.getInt8Ty(), base, bytes);
  }
  llvm::Value* at(llvm::Value* base, std::size_t bytes) {
    return at(base, builder_.getInt64(bytes));
  }
  llvm::Value* wide(llvm::Value* value) {
    return builder_.CreateZExt(value, builder_.getInt64Ty());
  }
  llvm::Value* load(llvm::Type* type, llvm::Value* address) {
    return builder_.CreateAlignedLoad(type, address, llvm::Align(1));
  }
  llvm::Value* load(const ir::Field& field) {
    return wide(load(builder_.getIntNTy(field.width * 8U), at(state_, std::size_t{field.offset})));
  }
  /// An item of the row that is looked at.
  llvm::Value* item(llvm::Type* type, std::size_t column) {
    return load(type, builder_.CreateInBoundsGEP(type, at(rows_, column), row_));
  }
  llvm::Value* compare(const Columns& columns);

  llvm::Module& module_;
  const ir::Layout& layout_;
  llvm::IRBuilder<> builder_;
  llvm::Function* function_ = nullptr;
  llvm::Value* rows_ = nullptr;
  llvm::Value* state_ = nullptr;
  llvm::Value* buffer_ = nullptr;
  llvm::Value* out_ = nullptr;
  llvm::Value* row_ = nullptr;
};

llvm::Value* EnabledEmitter::compare(const Columns& columns) {
  llvm::Type* byte = builder_.getInt8Ty();
  llvm::Type* word = builder_.getInt32Ty();
  llvm::Type* compared = columns.is_wide ? word : byte;
  llvm::Value* offset = wide(item(word, *columns.offset));
  if (columns.counts) {
    llvm::Value* index = load(byte, at(state_, std::size_t{columns.one_index}));
    index = wide(builder_.CreateAnd(index, item(byte, *columns.counts)));
    const auto stride = static_cast<std::uint64_t>(std::int64_t{columns.one_stride});
    offset = builder_.CreateAdd(offset, builder_.CreateMul(index, builder_.getInt64(stride)));
  }
  if (columns.index) {
    llvm::Value* index = wide(load(byte, at(state_, wide(item(word, *columns.index)))));
    llvm::Value* stride = builder_.CreateSExt(item(word, *columns.stride), builder_.getInt64Ty());
    offset = builder_.CreateAdd(offset, builder_.CreateMul(index, stride));
  }
  llvm::Value* found = load(compared, at(state_, offset));
  if (columns.mask) found = builder_.CreateAnd(found, item(word, *columns.mask));
  llvm::Value* equal = builder_.CreateICmpEQ(found, item(compared, *columns.value));
  if (columns.other)
    equal = builder_.CreateOr(equal, builder_.CreateICmpEQ(found, item(compared, *columns.other)));
  llvm::Value* holds = builder_.CreateZExt(equal, byte);
  if (columns.differs) holds = builder_.CreateXor(holds, item(byte, *columns.differs));
  return holds;
}

void EnabledEmitter::thread(ir::ThreadId id, const Columns& columns, std::size_t locations) {
  llvm::Type* byte = builder_.getInt8Ty();
  const ir::ThreadFields& fields = layout_.thread(id);
  row_ = load(fields.location);
  if (fields.wait)
    row_ = builder_.CreateAdd(row_,
                              builder_.CreateMul(load(*fields.wait), builder_.getInt64(locations)));
  llvm::Value* holds = columns.holds ? item(byte, *columns.holds) : compare(columns);
  llvm::Value* is_slow = nullptr;
  if (columns.slow) {
    is_slow = builder_.CreateAnd(holds, item(byte, *columns.slow));
    holds = builder_.CreateXor(holds, is_slow);
  }
  builder_.CreateAlignedStore(builder_.getInt64(id.index), out_, llvm::Align(4));
  out_ = at(out_, builder_.CreateShl(wide(holds), kActionShift));
  if (is_slow == nullptr) return;
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock* slow = llvm::BasicBlock::Create(module_.getContext(), "slow", function_);
  llvm::BasicBlock* next = llvm::BasicBlock::Create(module_.getContext(), "next", function_);
  builder_.CreateCondBr(builder_.CreateICmpNE(is_slow, builder_.getInt8(0)), slow, next);
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

}  // namespace

std::vector<std::uint8_t> emit_enabled(
    llvm::Module& module, const ir::Layout& layout,
    const IdVector<ir::ThreadId, std::vector<EnabledTest>>& tests) {
  EnabledEmitter emitter(module, layout);
  RowsMaker maker(layout);
  for (const ir::ThreadId id : tests.ids()) {
    const std::size_t statuses =
        layout.thread(id).wait ? static_cast<std::size_t>(ir::WaitStatus::Notified) + 1 : 1;
    const std::size_t locations = tests[id].size() / statuses;
    if (const std::optional<Columns> columns = maker.add(id, tests[id], locations)) {
      emitter.thread(id, *columns, locations);
    } else {
      emitter.ask(id);
    }
  }
  emitter.end();
  return std::move(maker).rows();
}

}  // namespace cml::jit
