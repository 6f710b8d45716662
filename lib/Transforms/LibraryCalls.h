//===- LibraryCalls.h - rewrites of library calls ---------------*- C++ -*-===//
/// \file
/// The parts of kfuse-specialize-library-calls.

#ifndef KFUSE_TRANSFORMS_LIBRARYCALLS_H
#define KFUSE_TRANSFORMS_LIBRARYCALLS_H

#include "IndexFunctions.h"
#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::kfuse {

/// Creates a call of `target` with one result; `names` has the names of
/// `operands`, then those of the constants `args`.
Value createCall(OpBuilder &builder, Location loc, StringRef target,
                 ValueRange operands, ArrayRef<StringRef> names,
                 ArrayRef<Attribute> args, Type type);

/// Replaces `call`, which has one result, by one without the argument `name`
/// and, when `flag` is not empty, with `flag` set to true.
AtenOp replaceArgument(AtenOp call, StringRef name, StringRef flag);

/// Gives attention additive masks instead of boolean ones.
///
/// ATen turns a boolean mask into an additive one at each call, and looks at
/// the strides of what it was given before that: a mask that is broadcast along
/// the keys sends it to the unfused implementation. Here each mask is turned
/// once, dense in its last two dimensions, for all calls that read it. A mask
/// that is true everywhere goes, and one that lets each query see the keys up
/// to its own position becomes `is_causal`: both have faster implementations,
/// which read no mask and skip what it hides.
class AttentionMasks {
public:
  void specialize(AtenOp call);
  /// Erases what only computed masks that went. Values that were given to
  /// `specialize` are dangling from here on.
  void finish();

private:
  bool dropMask(AtenOp call, Value mask);
  Value getAdditive(Value mask, FloatType type, Location loc);

  IndexFunctions functions;
  llvm::SetVector<Value> dropped;
  llvm::DenseMap<std::pair<Value, Type>, Value> additive;
};

/// Rewrites `aten::linear` and `aten::addmm`.
///
/// A bias that only kernels of ours read the sum with becomes an addition,
/// which they do for nothing: the plain product is the faster call (on an H200
/// by 0.4 to 0.6 us in bf16, up to 7 us in f32 with few rows, where cuBLASLt
/// splits the sum and adds the parts in a second kernel). Rows of 16-bit
/// results whose number of elements is no multiple of 8 are padded: cuBLAS has
/// no tensor-core kernel of this generation for others (GPT-2's 50257 columns:
/// 1680 us against 226 us).
void specializeLinear(AtenOp call);

/// The bias of a convolution likewise: cuDNN's result gets it in a pass of its
/// own (aten/src/ATen/native/cudnn/ConvShared.cpp).
void specializeConvolution(AtenOp call);

} // namespace mlir::kfuse

#endif
