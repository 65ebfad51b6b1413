// From LLVM IR to functions that can be called: ORC's LLJIT, in the version of Debian's llvm-19.
//
//   threads ──Emitter──▶ Module ──(Optimised: a short pipeline)──▶ LLJIT ──▶ addresses
//
// There is a module for each thread instance, compiled and linked on the calling thread, so that a
// search that ends does not wait long for code that is not needed any more. `Quick` uses neither IR
// passes nor the code generator's optimisations.
#include "jit/program.h"

#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/BasicAliasAnalysis.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ProfileSummaryInfo.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "ir/analysis/held_locks.h"
#include "jit/compiler_thread.h"
#include "jit/emit_enabled.h"
#include "jit/emitter.h"
#include "jit/families.h"
#include "jit/perf_map.h"

// Where the linker supports it (cmake/llvm_constructors.ld), LLVM's static constructors lie between
// these symbols and have not been run; elsewhere both are null.
using Constructor = void (*)();
extern "C" {
[[gnu::weak]] extern const Constructor cml_llvm_constructors_begin[];  // NOLINT
[[gnu::weak]] extern const Constructor cml_llvm_constructors_end[];    // NOLINT
}

namespace cml::jit {
namespace {

using llvm::orc::LLJIT;

/// Must be called before anything of LLVM is used.
void initialise_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (const Constructor* run = cml_llvm_constructors_begin; run != cml_llvm_constructors_end;
         ++run)
      (*run)();
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

void emit_thread(llvm::Module& module, const EmitterInput& input, ir::ThreadId thread) {
  Emitter emitter(module, input, thread);
  emitter.step();
  (void)emitter.choices();
  (void)emitter.visible();
}

// The analyses that the passes ask for are registered one by one: LLVM's PassBuilder knows all of
// its passes, and would put 20 MB and hundreds of constructors into the program.
void optimise(llvm::Module& module) {
  llvm::ModuleAnalysisManager modules;
  llvm::FunctionAnalysisManager functions;
  modules.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  modules.registerPass([] { return llvm::ProfileSummaryAnalysis(); });
  functions.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  functions.registerPass([] { return llvm::AssumptionAnalysis(); });
  functions.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  functions.registerPass([] { return llvm::TargetIRAnalysis(); });
  functions.registerPass([] { return llvm::TargetLibraryAnalysis(); });
  functions.registerPass([] { return llvm::OptimizationRemarkEmitterAnalysis(); });
  functions.registerPass([] { return llvm::BasicAA(); });
  functions.registerPass([] {
    llvm::AAManager aliases;
    aliases.registerFunctionAnalysis<llvm::BasicAA>();
    return aliases;
  });
  functions.registerPass([] { return llvm::MemorySSAAnalysis(); });
  functions.registerPass([&modules] { return llvm::ModuleAnalysisManagerFunctionProxy(modules); });
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) passes.run(function, functions);
}

/// LLVM's errors are written for its developers; one line of them is enough.
std::string text_of(llvm::Error error) { return llvm::toString(std::move(error)); }

}  // namespace

struct Program::Code {
  std::unique_ptr<LLJIT> jit;
};

Program::Program(Plan plan, std::unique_ptr<Code> code)
    : plan_(std::move(plan)),
      functions_(plan_.threads.size()),
      constants_(plan_.threads.size()),
      code_(std::move(code)) {}

Program::~Program() = default;

Expected<std::shared_ptr<const Program>, std::string> Program::compile(
    const ir::Analyses& analyses, const ir::Layout& layout, const ir::StepConfig& config,
    const CompileOptions& options) {
  const ir::System& system = analyses.system();
  Plan plan(analyses, layout, config);
  if (!plan.is_possible)
    return Unexpected(std::string("the limit on invisible steps is too low for it"));
  initialise_llvm();
  llvm::orc::JITTargetMachineBuilder machine{llvm::Triple(llvm::sys::getProcessTriple())};
  machine.setCPU(llvm::sys::getHostCPUName().str());
  machine.setCodeGenOptLevel(options.effort == Effort::Quick ? llvm::CodeGenOptLevel::None
                                                             : llvm::CodeGenOptLevel::Default);
  auto made = llvm::orc::LLJITBuilder()
                  .setJITTargetMachineBuilder(machine)
                  .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                  .setLinkProcessSymbolsByDefault(false)
                  .create();
  if (!made) return Unexpected(text_of(made.takeError()));
  auto code = std::make_unique<Code>();
  code->jit = std::move(*made);
  LLJIT& jit = *code->jit;

  llvm::orc::SymbolMap runtime;
  for (const RuntimeFunction& function : runtime_functions())
    runtime[jit.mangleAndIntern(function.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  // What the code generator itself calls, for what is too long to copy or to clear in place.
  const auto provide = [&](const char* name, auto* function) {
    runtime[jit.mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  provide("memcpy", static_cast<void* (*)(void*, const void*, std::size_t)>(&std::memcpy));
  provide("memmove", static_cast<void* (*)(void*, const void*, std::size_t)>(&std::memmove));
  provide("memset", static_cast<void* (*)(void*, int, std::size_t)>(&std::memset));
  if (auto error = jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(runtime))))
    return Unexpected(text_of(std::move(error)));

  auto owned = std::make_unique<llvm::LLVMContext>();
  owned->setDiscardValueNames(true);
  llvm::orc::ThreadSafeContext shared(std::move(owned));
  auto program = std::shared_ptr<Program>(new Program(std::move(plan), std::move(code)));
  std::vector<MappedFunction> mapped;
  const auto new_module = [&](const std::string& name) {
    auto module = std::make_unique<llvm::Module>(name, *shared.getContext());
    module->setDataLayout(jit.getDataLayout());
    module->setTargetTriple(jit.getTargetTriple().str());
    return module;
  };
  const auto add = [&](std::unique_ptr<llvm::Module> module) {
    if (options.effort == Effort::Optimised) optimise(*module);
    return jit.addIRModule(llvm::orc::ThreadSafeModule(std::move(module), shared));
  };
  const auto is_cancelled = [&] {
    return options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed);
  };
  Families families(options.share);
  IdVector<ir::ThreadId, std::vector<EnabledTest>> tests;
  for (const ir::ThreadId id : system.threads.ids()) {
    if (is_cancelled()) return Unexpected(std::string("cancelled"));
    auto module = new_module(system.threads[id].name);
    emit_thread(*module,
                {analyses, layout, config, program->plan_, options.observations, &options.recorded},
                id);
    families.add(id, std::move(module));
    tests.push(jit::enabled_tests(analyses, layout, program->plan_, config.spurious_wakeups, id));
  }
  if (options.observations != nullptr) {
    for (const ir::ThreadId id : system.threads.ids()) {
      program->dependencies_.push(jit::location_dependencies(
          analyses, layout, program->plan_.threads[id], config.spurious_wakeups, id));
    }
  }
  for (Family& family : families.finish(system)) {
    if (is_cancelled()) return Unexpected(std::string("cancelled"));
    std::vector<std::string> names;
    for (const llvm::Function& function : *family.module)
      if (!function.isDeclaration()) names.push_back(function.getName().str());
    if (auto error = add(std::move(family.module))) return Unexpected(text_of(std::move(error)));
    ThreadFunctions functions;
    for (const std::string& name : names) {
      auto symbol = jit.lookup(name);
      if (!symbol) return Unexpected(text_of(symbol.takeError()));
      mapped.push_back({name, symbol->getValue()});
      if (name.ends_with(":choices")) {
        functions.choices = symbol->toPtr<ChoicesFunction>();
      } else if (name.ends_with(":visible")) {
        functions.visible = symbol->toPtr<VisibleFunction>();
      } else {
        functions.step = symbol->toPtr<StepFunction>();
      }
    }
    for (Member& member : family.members) {
      program->constants_[member.thread] = std::move(member.constants);
      functions.constants = program->constants_[member.thread].data();
      program->functions_[member.thread] = functions;
    }
  }
  auto module = new_module(kEnabledName);
  program->enabled_rows_ = emit_enabled(*module, layout, tests);
  // A few instructions for each thread, executed in every state: optimising them always pays.
  machine.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  auto target = machine.createTargetMachine();
  if (!target) return Unexpected(text_of(target.takeError()));
  auto object = llvm::orc::SimpleCompiler(**target)(*module);
  if (!object) return Unexpected(text_of(object.takeError()));
  if (auto error = jit.addObjectFile(std::move(*object)))
    return Unexpected(text_of(std::move(error)));
  auto actions = jit.lookup(kEnabledName);
  if (!actions) return Unexpected(text_of(actions.takeError()));
  mapped.push_back({kEnabledName, actions->getValue()});
  program->enabled_ = actions->toPtr<EnabledFunction>();
  if (options.perf_map) append_perf_map(std::move(mapped));
  return std::shared_ptr<const Program>(std::move(program));
}

namespace {

std::string text_of_code(const ir::Analyses& analyses, const ir::Layout& layout,
                         const ir::StepConfig& config, Effort effort) {
  const ir::System& system = analyses.system();
  initialise_llvm();
  const Plan plan(analyses, layout, config);
  llvm::LLVMContext context;
  Families families(true);
  for (const ir::ThreadId id : system.threads.ids()) {
    auto module = std::make_unique<llvm::Module>(system.threads[id].name, context);
    emit_thread(*module, {analyses, layout, config, plan}, id);
    families.add(id, std::move(module));
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const Family& family : families.finish(system)) {
    if (effort == Effort::Optimised) optimise(*family.module);
    if (family.members.size() > 1) {
      for (const Member& member : family.members)
        out << fmt::format("; constants of {}: {}\n", system.threads[member.thread].name,
                           fmt::join(member.constants, " "));
      out << '\n';
    }
    family.module->print(out, nullptr);
    out << '\n';
  }
  return text;
}

}  // namespace

std::string llvm_text(const ir::Analyses& analyses, const ir::Layout& layout,
                      const ir::StepConfig& config, Effort effort) {
  const auto text = std::make_shared<std::string>();
  CompilerThread compiler;
  const bool is_started = compiler.start([text, &analyses, &layout, &config, effort] {
    *text = text_of_code(analyses, layout, config, effort);
  });
  if (!is_started || compiler.finish() == CompilerThread::State::Stopped) throw std::bad_alloc();
  return std::move(*text);
}

}  // namespace cml::jit
