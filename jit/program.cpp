// From LLVM IR to functions that can be called: ORC's LLJIT, in the version of Debian's llvm-19.
//
//   threads ──Emitter──▶ Module ──(Optimised: a short pipeline)──▶ LLJIT ──▶ addresses
//
// One module for all threads, made and linked at once on the calling thread. Quick takes neither IR
// passes nor the code generator's own optimisations: what it makes is some 1.5 times slower, but
// there after a few milliseconds.
#include "jit/program.h"

#include <fmt/format.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <mutex>
#include <utility>

#include "ir/analysis/held_locks.h"
#include "jit/emitter.h"

namespace cml::jit {
namespace {

using llvm::orc::LLJIT;

void initialise_llvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

void emit_threads(llvm::Module& module, const EmitterInput& input) {
  for (const ir::ThreadId id : input.system.threads.ids()) {
    Emitter emitter(module, input, id);
    emitter.step();
    (void)emitter.choices();
    (void)emitter.visible();
  }
}

void optimise(llvm::Module& module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) passes.run(function, functions);
}

/// LLVM's errors are for its developers; one line of them is enough.
std::string text_of(llvm::Error error) { return llvm::toString(std::move(error)); }

}  // namespace

struct Program::Code {
  std::unique_ptr<LLJIT> jit;
};

Program::Program(Plan plan, std::unique_ptr<Code> code)
    : plan_(std::move(plan)), functions_(plan_.threads.size()), code_(std::move(code)) {}

Program::~Program() = default;

Expected<std::shared_ptr<const Program>, std::string> Program::compile(
    const ir::System& system, const ir::Layout& layout, const ir::StepConfig& config,
    const CompileOptions& options) {
  Plan plan(system, layout, config);
  if (!plan.is_possible)
    return Unexpected(std::string("the limit on invisible steps is too low for it"));
  initialise_llvm();
  llvm::orc::JITTargetMachineBuilder machine{llvm::Triple(llvm::sys::getProcessTriple())};
  machine.setCPU(llvm::sys::getHostCPUName().str());
  machine.setCodeGenOptLevel(options.effort == Effort::Quick ? llvm::CodeGenOptLevel::None
                                                             : llvm::CodeGenOptLevel::Default);
  auto made = llvm::orc::LLJITBuilder()
                  .setJITTargetMachineBuilder(std::move(machine))
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
  if (auto error = jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(runtime))))
    return Unexpected(text_of(std::move(error)));

  auto context = std::make_unique<llvm::LLVMContext>();
  context->setDiscardValueNames(true);
  auto module = std::make_unique<llvm::Module>(system.title, *context);
  module->setDataLayout(jit.getDataLayout());
  module->setTargetTriple(jit.getTargetTriple().str());
  const ir::HeldLocks held(system);
  emit_threads(*module, {system, layout, config, plan, held});
  if (options.effort == Effort::Optimised) optimise(*module);
  std::vector<std::pair<std::string, std::size_t>> names;
  for (const llvm::Function& function : *module)
    if (!function.isDeclaration()) names.emplace_back(function.getName().str(), 0);
  if (auto error =
          jit.addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
    return Unexpected(text_of(std::move(error)));

  auto program = std::shared_ptr<Program>(new Program(std::move(plan), std::move(code)));
  const auto find = [&](const std::string& name) -> Expected<llvm::orc::ExecutorAddr, std::string> {
    const bool exists = std::any_of(names.begin(), names.end(),
                                    [&](const auto& known) { return known.first == name; });
    if (!exists) return llvm::orc::ExecutorAddr();
    auto symbol = jit.lookup(name);
    if (!symbol) return Unexpected(text_of(symbol.takeError()));
    return *symbol;
  };
  for (const ir::ThreadId id : system.threads.ids()) {
    const std::string& name = system.threads[id].name;
    const auto step = find(name);
    if (!step) return Unexpected(step.error());
    const auto choices = find(name + ":choices");
    if (!choices) return Unexpected(choices.error());
    const auto visible = find(name + ":visible");
    if (!visible) return Unexpected(visible.error());
    program->functions_[id] = {step->toPtr<StepFunction>(), choices->toPtr<ChoicesFunction>(),
                               visible->toPtr<VisibleFunction>()};
  }
  return std::shared_ptr<const Program>(std::move(program));
}

std::string llvm_text(const ir::System& system, const ir::Layout& layout,
                      const ir::StepConfig& config, Effort effort) {
  const Plan plan(system, layout, config);
  const ir::HeldLocks held(system);
  llvm::LLVMContext context;
  llvm::Module module(system.title, context);
  emit_threads(module, {system, layout, config, plan, held});
  if (effort == Effort::Optimised) optimise(module);
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}

}  // namespace cml::jit
