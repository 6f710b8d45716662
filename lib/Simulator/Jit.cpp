//===- Jit.cpp - host code of kernels -------------------------------------===//

#include "Jit.h"
#include "Machine/Operations.h"
#include "Translate/HostCode.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace llvm;

namespace kfuse::sim {

static Expected<orc::JITTargetMachineBuilder> detectHost(int optLevel) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
  });
  auto builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  // Its conversion to bf16 flushes denormals.
  builder->addFeatures({"-avx512bf16"});
  builder->setCodeGenOptLevel(optLevel > 1   ? CodeGenOptLevel::Default
                              : optLevel > 0 ? CodeGenOptLevel::Less
                                             : CodeGenOptLevel::None);
  builder->getOptions().AllowFPOpFusion = FPOpFusion::Strict;
  return builder;
}

static void optimize(Module &module, TargetMachine &machine, int optLevel) {
  if (optLevel == 0)
    return;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graphs;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  OptimizationLevel level = optLevel == 1   ? OptimizationLevel::O1
                            : optLevel == 2 ? OptimizationLevel::O2
                                            : OptimizationLevel::O3;
  builder.buildPerModuleDefaultPipeline(level).run(module, modules);
}

static OperationTable getOperations() {
  OperationTable table;
  addCoreOperations(table);
  addAsyncOperations(table);
  addMatrixOperations(table);
  addMathOperations(table);
  return table;
}

static Error defineOperations(orc::LLJIT &jit) {
  orc::SymbolMap symbols;
  for (auto [name, address] : getOperations())
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                          JITSymbolFlags::Exported |
                                              JITSymbolFlags::Callable};
  return jit.getMainJITDylib().define(orc::absoluteSymbols(symbols));
}

/// An error for each function that nothing defines, before ORC finds out.
static Error checkDefined(const Module &module) {
  OperationTable table = getOperations();
  for (const Function &function : module) {
    if (!function.isDeclaration() || function.use_empty() ||
        function.isIntrinsic())
      continue;
    bool isKnown = any_of(
        table, [&](auto &entry) { return function.getName() == entry.first; });
    // Nothing else may be called: the process has functions of its own.
    if (!isKnown)
      return createStringError(inconvertibleErrorCode(),
                               "the simulator does not know the function '" +
                                   function.getName() + "'");
  }
  return Error::success();
}

Expected<std::unique_ptr<JitModule>>
JitModule::compile(TranslatedModule module, const JitOptions &options) {
  auto host = detectHost(options.optLevel);
  if (!host)
    return host.takeError();
  auto machine = host->createTargetMachine();
  if (!machine)
    return machine.takeError();
  Module &code = *module.code;
  code.setDataLayout((*machine)->createDataLayout());
  code.setTargetTriple((*machine)->getTargetTriple());
  if (Error error = linkLibdevice(code, options.libdevice))
    return std::move(error);
  if (Error error = adaptToHost(code))
    return std::move(error);
  if (Error error = checkDefined(code))
    return std::move(error);
  std::string broken;
  raw_string_ostream stream(broken);
  if (verifyModule(code, &stream))
    return createStringError(inconvertibleErrorCode(),
                             "wrong host code: " + broken);
  optimize(code, **machine, options.optLevel);

  auto result = std::make_unique<JitModule>();
  auto jit =
      orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*host)).create();
  if (!jit)
    return jit.takeError();
  result->jit = std::move(*jit);
  if (Error error = defineOperations(*result->jit))
    return std::move(error);
  if (Error error = result->jit->addIRModule(orc::ThreadSafeModule(
          std::move(module.code), std::move(module.context))))
    return std::move(error);
  for (Kernel &kernel : module.kernels) {
    auto entry = result->jit->lookup(entryPrefix + kernel.name);
    if (!entry)
      return entry.takeError();
    kernel.entry = entry->toPtr<void(void **)>();
  }
  result->kernels = std::move(module.kernels);
  return result;
}

const Kernel *JitModule::find(StringRef name) const {
  for (const Kernel &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  return nullptr;
}

} // namespace kfuse::sim
