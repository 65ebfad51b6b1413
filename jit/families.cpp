// Compares modules, and turns what differs into parameters.
#include "jit/families.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "support/mutation.h"

namespace cml::jit {

/// An integer constant of the code whose value may differ in another instance.
struct VaryingConstant {
  llvm::Instruction* instruction;
  unsigned operand;
};

namespace {

using llvm::BasicBlock;
using llvm::ConstantInt;
using llvm::Function;
using llvm::Instruction;
using llvm::Module;
using llvm::Value;

/// Whether code could be written that computes this operand.
bool may_vary(const Instruction& instruction, unsigned operand) {
  const auto* constant = llvm::dyn_cast<ConstantInt>(instruction.getOperand(operand));
  if (constant == nullptr) return false;
  const unsigned bits = constant->getBitWidth();
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) return false;
  if (llvm::isa<llvm::SwitchInst>(instruction)) return operand == 0;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
    return operand < call->arg_size() &&
           !call->paramHasAttr(operand, llvm::Attribute::AttrKind::ImmArg);
  if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
    return address->getSourceElementType()->isIntegerTy(8);
  return !llvm::isa<llvm::AllocaInst>(instruction);
}

std::vector<VaryingConstant> places(Module& module) {
  std::vector<VaryingConstant> result;
  for (Function& function : module)
    for (BasicBlock& block : function)
      for (Instruction& instruction : block)
        for (unsigned i = 0; i < instruction.getNumOperands(); ++i)
          if (may_vary(instruction, i)) result.push_back({&instruction, i});
  return result;
}

/// Walks over two modules in parallel.
class Comparison {
 public:
  /// None if they differ in more than integers; else those of `other` at the places of `first`.
  static std::optional<Constants> compare(const Module& first, const Module& other) {
    Comparison comparison;
    auto a = first.begin();
    auto b = other.begin();
    for (;;) {
      while (a != first.end() && a->isDeclaration())
        ++a;
      while (b != other.end() && b->isDeclaration())
        ++b;
      if (a == first.end() || b == other.end()) break;
      if (!comparison.functions(*a++, *b++)) return std::nullopt;
    }
    if (a != first.end() || b != other.end()) return std::nullopt;
    return std::move(comparison.constants_);
  }

 private:
  /// "choices" of "Philosopher[0]:choices"; nothing for a step function.
  static llvm::StringRef kind(const Function& function) {
    return function.getName().rsplit(':').second;
  }

  bool functions(const Function& a, const Function& b) {
    if (kind(a) != kind(b) || a.getFunctionType() != b.getFunctionType() || a.size() != b.size())
      return false;
    partners_.clear();
    for (unsigned i = 0; i < a.arg_size(); ++i)
      partners_[a.getArg(i)] = b.getArg(i);
    for (auto [x, y] : llvm::zip_equal(a, b)) {
      if (x.size() != y.size()) return false;
      partners_[&x] = &y;
      for (auto [one, two] : llvm::zip_equal(x, y)) {
        if (!one.isSameOperationAs(&two) || !one.hasSameSubclassOptionalData(&two)) return false;
        partners_[&one] = &two;
      }
    }
    for (auto [x, y] : llvm::zip_equal(a, b))
      for (auto [one, two] : llvm::zip_equal(x, y))
        if (!operands(one, two)) return false;
    return true;
  }

  bool operands(const Instruction& a, const Instruction& b) {
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&a)) {
      const auto& other = llvm::cast<llvm::PHINode>(b);
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        if (partners_.lookup(phi->getIncomingBlock(i)) != other.getIncomingBlock(i)) return false;
    }
    for (unsigned i = 0; i < a.getNumOperands(); ++i) {
      const Value* one = a.getOperand(i);
      const Value* two = b.getOperand(i);
      if (may_vary(a, i)) {
        const auto* number = llvm::dyn_cast<ConstantInt>(two);
        if (number == nullptr) return false;
        constants_.push_back(CML_MUTATED("shared-code-with-different-constants", number,
                                         llvm::cast<ConstantInt>(one))
                                 ->getSExtValue());
      } else if (const auto* constant = llvm::dyn_cast<llvm::Constant>(one)) {
        if (!constants(*constant, *two)) return false;
      } else if (partners_.lookup(one) != two) {
        return false;
      }
    }
    return true;
  }

  /// Each module has its own declarations and tables.
  static bool constants(const llvm::Constant& one, const Value& two) {
    if (&one == &two) return true;
    if (const auto* function = llvm::dyn_cast<Function>(&one))
      return llvm::isa<Function>(two) && function->isDeclaration() &&
             llvm::cast<Function>(two).isDeclaration() && function->getName() == two.getName();
    const auto* table = llvm::dyn_cast<llvm::GlobalVariable>(&one);
    const auto* other = llvm::dyn_cast<llvm::GlobalVariable>(&two);
    return table != nullptr && other != nullptr && table->hasInitializer() &&
           other->hasInitializer() && table->getInitializer() == other->getInitializer();
  }

  llvm::DenseMap<const Value*, const Value*> partners_;
  Constants constants_;
};

/// Emits the code that adds an entry of the table to a constant.
class Parametriser {
 public:
  void perturb(const VaryingConstant& place, std::size_t parameter) {
    Instruction& instruction = *place.instruction;
    Value* constant = instruction.getOperand(place.operand);
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      Instruction* end = phi->getIncomingBlock(place.operand)->getTerminator();
      llvm::IRBuilder<> builder(end);
      instruction.setOperand(
          place.operand, builder.CreateAdd(load(*end, constant->getType(), parameter), constant));
      return;
    }
    if (instruction.getParent() != block_) {
      block_ = instruction.getParent();
      known_.clear();
      bases_.clear();
    }
    llvm::IRBuilder<> builder(&instruction);
    const auto key = std::make_pair(constant->getType(), parameter);
    Value*& difference = known_[key];
    if (difference == nullptr) difference = load(instruction, constant->getType(), parameter);
    auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
    if (address == nullptr || place.operand == 0) {
      instruction.setOperand(place.operand, builder.CreateAdd(difference, constant));
      return;
    }
    // The constant stays what the processor adds to an address.
    Value*& base = bases_[{address->getPointerOperand(), parameter}];
    if (base == nullptr)
      base = builder.CreateGEP(builder.getInt8Ty(), address->getPointerOperand(), difference);
    address->setOperand(0, base);
    address->setIsInBounds(false);  // the base may lie before the state
  }

 private:
  /// The low bytes of the entry, which come first: all targets are little-endian.
  static Value* load(Instruction& before, llvm::Type* type, std::size_t parameter) {
    llvm::IRBuilder<> builder(&before);
    Function& function = *before.getFunction();
    Value* table = function.getArg(static_cast<unsigned>(function.arg_size() - 1));
    Value* at = builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), table, parameter);
    llvm::LoadInst* result = builder.CreateAlignedLoad(type, at, llvm::Align(8), "difference");
    result->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(function.getContext(), {}));
    return result;
  }

  BasicBlock* block_ = nullptr;
  std::map<std::pair<llvm::Type*, std::size_t>, Value*> known_;
  std::map<std::pair<Value*, std::size_t>, Value*> bases_;
};

}  // namespace

struct Families::Candidate {
  std::unique_ptr<Module> module;
  std::vector<VaryingConstant> places;
  std::vector<Member> members;  // with their constants, until `finish` subtracts the first's
};

Families::Families(bool share) : share_(share) {}
Families::~Families() = default;

void Families::add(ir::ThreadId thread, std::unique_ptr<Module> module) {
  if (share_) {
    for (Candidate& candidate : candidates_) {
      auto constants = Comparison::compare(*candidate.module, *module);
      if (!constants) continue;
      candidate.members.push_back({thread, std::move(*constants)});
      return;
    }
  }
  Candidate fresh;
  fresh.members.push_back({thread, {}});
  if (share_) {
    fresh.places = places(*module);
    Constants& constants = fresh.members[0].constants;
    for (const VaryingConstant& place : fresh.places)
      constants.push_back(
          llvm::cast<ConstantInt>(place.instruction->getOperand(place.operand))->getSExtValue());
  }
  fresh.module = std::move(module);
  candidates_.push_back(std::move(fresh));
}

std::vector<Family> Families::finish(const ir::System& system) {
  std::vector<Family> result;
  for (Candidate& candidate : candidates_) {
    Family family;
    const Constants own = candidate.members[0].constants;
    std::map<Constants, std::size_t> parameters;
    Parametriser parametriser;
    for (const Member& member : candidate.members)
      family.members.push_back({member.thread, {}});
    Constants differences(candidate.members.size());
    for (std::size_t i = 0; i < candidate.places.size(); ++i) {
      bool differs = false;
      for (std::size_t k = 0; k < differences.size(); ++k) {
        differences[k] = candidate.members[k].constants[i] - own[i];
        differs = differs || differences[k] != 0;
      }
      if (!differs) continue;
      const auto [found, is_new] = parameters.try_emplace(differences, parameters.size());
      if (is_new)
        for (std::size_t k = 0; k < differences.size(); ++k)
          family.members[k].constants.push_back(differences[k]);
      parametriser.perturb(candidate.places[i], found->second);
    }
    if (family.members.size() > 1) {
      std::vector<std::string> names;
      for (const Member& member : family.members)
        names.push_back(system.threads[member.thread].name);
      const std::string name = name_of(names);
      candidate.module->setModuleIdentifier(name);
      candidate.module->setSourceFileName(name);
      for (Function& function : *candidate.module)
        if (!function.isDeclaration())
          function.setName(name + function.getName().substr(names[0].size()));
    }
    family.module = std::move(candidate.module);
    result.push_back(std::move(family));
  }
  candidates_.clear();
  return result;
}

std::string name_of(const std::vector<std::string>& names) {
  struct Run {
    std::string_view name;  // up to the number
    std::uint64_t first = 0, last = 0;
    bool is_numbered = false;
  };
  std::vector<Run> runs;
  for (const std::string_view name : names) {
    Run run{name};
    const std::size_t open = name.rfind('[');
    if (open != std::string_view::npos && name.back() == ']') {
      const char* begin = name.data() + open + 1;
      const char* end = name.data() + name.size() - 1;
      run.is_numbered = std::from_chars(begin, end, run.first).ptr == end;
      run.last = run.first;
      if (run.is_numbered) run.name = name.substr(0, open);
    }
    const bool follows = !runs.empty() && run.is_numbered && runs.back().is_numbered &&
                         runs.back().name == run.name && runs.back().last + 1 == run.first;
    if (follows) {
      runs.back().last = run.first;
    } else {
      runs.push_back(run);
    }
  }
  std::string result;
  for (const Run& run : runs) {
    if (!result.empty()) result += ", ";
    result += run.name;
    if (!run.is_numbered) continue;
    result += run.first == run.last ? fmt::format("[{}]", run.first)
                                    : fmt::format("[{}..{}]", run.first, run.last);
  }
  return result;
}

}  // namespace cml::jit
