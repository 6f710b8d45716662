//===- PTX.cpp - PTX and cubins of kernels --------------------------------===//

#include "kfuse/Target/PTX.h"
#include "kfuse/Analysis/TargetInfo.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;

namespace {
/// The steps of MLIR's serializer, with libdevice from one place only.
class PTXEmitter : public LLVM::ModuleToObject {
public:
  PTXEmitter(Operation &module, const ::kfuse::target::PTXOptions &options,
             StringRef features)
      : ModuleToObject(module, "nvptx64-nvidia-cuda", options.arch, features,
                       options.optLevel),
        libdevicePath(options.libdevicePath) {}

  FailureOr<std::string> emit() {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> llvmModule = translateToLLVMIR(context);
    if (!llvmModule)
      return getOperation().emitError("cannot be translated to LLVM IR");
    setDataLayoutAndTriple(*llvmModule);
    if (failed(linkLibdevice(*llvmModule)))
      return failure();
    if (failed(optimizeModule(*llvmModule, optLevel)))
      return failure();
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return getOperation().emitError()
             << "no target machine for '" << chip << "'";
    FailureOr<SmallString<0>> text = translateModuleToISA(
        *llvmModule, **machine, [&] { return getOperation().emitError(); });
    if (failed(text))
      return failure();
    return std::string(text->str());
  }

private:
  /// Links the functions that the module calls.
  LogicalResult linkLibdevice(llvm::Module &llvmModule) {
    bool isNeeded = llvm::any_of(llvmModule, [](llvm::Function &function) {
      return function.isDeclaration() &&
             function.getName().starts_with("__nv_");
    });
    if (!isNeeded)
      return success();
    if (!llvm::sys::fs::exists(libdevicePath))
      return getOperation().emitError()
             << "kernels call libdevice, but '" << libdevicePath
             << "' does not exist; give the path of libdevice.10.bc";
    SmallVector<std::unique_ptr<llvm::Module>> libraries;
    libraries.push_back(
        loadBitcodeFile(llvmModule.getContext(), libdevicePath));
    if (!libraries.back())
      return failure();
    return linkFiles(llvmModule, std::move(libraries));
  }

  std::string libdevicePath;
};
} // namespace

namespace kfuse::target {

FailureOr<std::string> emitPTX(gpu::GPUModuleOp module,
                               const PTXOptions &options) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  const auto *info = mlir::kfuse::TargetInfo::lookup(options.arch);
  if (!info)
    return module.emitError() << "unknown architecture '" << options.arch
                              << "'; expected one of sm_80, sm_86, sm_89, "
                                 "sm_90a, sm_100";
  return PTXEmitter(*module, options, info->ptxFeature).emit();
}

} // namespace kfuse::target
