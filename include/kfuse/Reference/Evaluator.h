//===- Evaluator.h - runs fusion bodies on the CPU --------------*- C++ -*-===//
/// \file
/// A plain interpreter of the bodies of fusions, one operation after the
/// other on dense tensors. It is the yardstick of what a body means: tests
/// compare it with PyTorch, and compiled kernels may be compared with it. Slow.
#ifndef KFUSE_REFERENCE_EVALUATOR_H
#define KFUSE_REFERENCE_EVALUATOR_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace mlir::kfuse::reference {

/// One element: floats of all widths are held exactly as a double, integers
/// sign-extended (bools as 0 and 1).
union Element {
  double real;
  int64_t integer;
};

/// A dense tensor in row-major order; a scalar has rank 0.
struct DenseTensor {
  Type elementType; ///< signless
  SmallVector<int64_t> shape;
  std::vector<Element> data;

  int64_t getNumElements() const;
};

/// Values of size symbols by name.
using Symbols = llvm::StringMap<int64_t>;

/// Rounds to what a float type of at most 64 bits can hold.
double roundToType(double value, Type type);
/// Wraps to what an integer type can hold.
int64_t wrapToType(int64_t value, Type type);

/// Runs the body of a fusion. Errors (an operation that is not known, an index
/// out of range) are reported at the operation.
FailureOr<SmallVector<DenseTensor>> evaluateBody(FusionOp fusion,
                                                 ArrayRef<DenseTensor> inputs,
                                                 const Symbols &symbols);

/// Runs a function of fusions and views. Symbols are bound to the sizes of the
/// inputs. Fusions that are marked as views are checked to be views.
FailureOr<SmallVector<DenseTensor>>
evaluateFunction(func::FuncOp function, ArrayRef<DenseTensor> inputs);

} // namespace mlir::kfuse::reference

#endif
