//===- Functions.cpp - what functions of kernels may hold -----------------===//
///
/// \file
/// Host code runs without the machine's checks between two calls of it. What
/// could harm the process there is an error of its own.
///
#include "Functions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace kfuse::sim {

static bool isPointer(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  return isa<LLVM::LLVMPointerType>(type);
}

bool isPlain(Operation *op) {
  if (!isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
    return false;
  // Those that take pointers and do not look at what they point to.
  if (isa<LLVM::LLVMFuncOp, LLVM::GEPOp, LLVM::AddrSpaceCastOp,
          LLVM::PtrToIntOp, LLVM::BitcastOp, LLVM::ICmpOp, LLVM::SelectOp,
          LLVM::FreezeOp, LLVM::CallOp, LLVM::BrOp, LLVM::CondBrOp,
          LLVM::SwitchOp, LLVM::ReturnOp, LLVM::InsertValueOp,
          LLVM::InsertElementOp, LLVM::ExtractElementOp, LLVM::ShuffleVectorOp,
          LLVM::InlineAsmOp, LLVM::AssumeOp, LLVM::LifetimeStartOp,
          LLVM::LifetimeEndOp, LLVM::Prefetch>(op))
    return true;
  return llvm::none_of(op->getOperandTypes(), isPointer);
}

//===----------------------------------------------------------------------===//
// Calls and stacks
//===----------------------------------------------------------------------===//

namespace {
/// Follows calls from a function on.
class Calls {
public:
  explicit Calls(ModuleOp module) : module(module) {}
  LogicalResult follow(LLVM::LLVMFuncOp function);

private:
  ModuleOp module;
  llvm::DenseSet<Operation *> open, done;
};
} // namespace

LogicalResult Calls::follow(LLVM::LLVMFuncOp function) {
  if (done.contains(function))
    return success();
  open.insert(function);
  auto result = function.walk([&](LLVM::CallOp call) {
    auto name = call.getCallee();
    if (!name) {
      call.emitOpError("the simulator calls functions by their names only");
      return WalkResult::interrupt();
    }
    auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(*name);
    if (callee && open.contains(callee)) {
      call.emitOpError("the simulator has no recursion: '")
          << *name << "' calls itself";
      return WalkResult::interrupt();
    }
    return callee ? WalkResult(follow(callee)) : WalkResult::advance();
  });
  open.erase(function);
  done.insert(function);
  return failure(result.wasInterrupted());
}

/// A thread's stack has 128 KiB, for all functions and the machine's own.
static LogicalResult checkStack(LLVM::LLVMFuncOp function,
                                const DataLayout &layout) {
  constexpr uint64_t most = 32 << 10;
  uint64_t bytes = 0;
  auto result = function.walk([&](LLVM::AllocaOp op) {
    IntegerAttr count;
    if (!matchPattern(op.getArraySize(), m_Constant(&count))) {
      op.emitOpError("the simulator needs the size of what is on the stack");
      return WalkResult::interrupt();
    }
    uint64_t one = layout.getTypeSize(op.getElemType()).getFixedValue();
    bytes += std::min<uint64_t>(count.getValue().getLimitedValue(most + 1),
                                most + 1) *
             std::min<uint64_t>(one, most + 1);
    if (bytes <= most)
      return WalkResult::advance();
    op.emitOpError("expected at most ")
        << most << " bytes on the stack of a function, found " << bytes
        << " or more";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

static LogicalResult checkVariables(LLVM::LLVMFuncOp function, bool isKernel,
                                    ModuleOp module) {
  auto result = function.walk([&](LLVM::AddressOfOp op) {
    auto global = module.lookupSymbol<LLVM::GlobalOp>(op.getGlobalName());
    if (!global || (isKernel && global.getAddrSpace() == 3))
      return WalkResult::advance();
    op.emitOpError(
        "the simulator has variables in the shared memory of kernels "
        "only, found '")
        << op.getGlobalName()
        << (global.getAddrSpace() == 3 ? "' in a function that is none"
                                       : "' in other memory");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult
checkFunctions(ModuleOp module,
               const llvm::DenseMap<Operation *, Kernel *> &kernels) {
  DataLayout layout(module);
  Calls calls(module);
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (failed(calls.follow(function)) ||
        failed(checkStack(function, layout)) ||
        failed(checkVariables(function, kernels.contains(function), module)))
      return failure();
  return success();
}

} // namespace kfuse::sim
