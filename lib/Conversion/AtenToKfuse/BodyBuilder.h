//===- BodyBuilder.h - builds the bodies of fusions -------------*- C++ -*-===//
/// \file
/// Elementwise arithmetic, casts, broadcasts and reductions on the plain
/// tensors of a fusion's body, with ATen's rules for each element type.
#ifndef KFUSE_CONVERSION_ATENTOKFUSE_BODYBUILDER_H
#define KFUSE_CONVERSION_ATENTOKFUSE_BODYBUILDER_H

#include "DType.h"
#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace mlir::kfuse {

using Sizes = SmallVector<ExprAttr>;

/// A tensor of a body with what its type does not say.
struct Tensor {
  Value value;
  DType dtype = DType::F32;
  Sizes sizes;

  int64_t getRank() const { return sizes.size(); }
};

/// A Python number.
struct Scalar {
  DType dtype = DType::I64; ///< Bool, I64 or F64
  int64_t integer = 0;
  double real = 0;

  static Scalar of(double value) {
    return {DType::F64, static_cast<int64_t>(value), value};
  }
  static Scalar of(int64_t value) {
    return {DType::I64, value, static_cast<double>(value)};
  }
};

class BodyBuilder {
public:
  BodyBuilder(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  OpBuilder &builder() { return b; }
  Location location() const { return loc; }
  MLIRContext *context() { return b.getContext(); }
  ExprAttr expr(int64_t value) { return ExprAttr::constant(context(), value); }
  RankedTensorType type(DType dtype, ArrayRef<ExprAttr> sizes);

  /// The same number everywhere, converted to `dtype` as ATen does.
  Tensor full(Scalar value, DType dtype, ArrayRef<ExprAttr> sizes);
  Tensor full(double value, DType dtype, ArrayRef<ExprAttr> sizes) {
    return full(Scalar::of(value), dtype, sizes);
  }
  /// A number of the same type and shape as `like`.
  Tensor constant(const Tensor &like, double value) {
    return full(value, like.dtype, like.sizes);
  }
  Tensor constant(const Tensor &like, Scalar value) {
    return full(value, like.dtype, like.sizes);
  }
  /// A symbolic integer everywhere, as i64.
  Tensor size(ExprAttr value, ArrayRef<ExprAttr> sizes);

  /// Conversion with the rounding that the program's operation asks for.
  Tensor cast(const Tensor &x, DType to) { return convert(x, to, true); }
  /// Conversion from the computing type to the result type of one ATen
  /// operation: a rounding point of eager execution.
  Tensor roundTo(const Tensor &x, DType to) { return convert(x, to, false); }
  Tensor toOpMath(const Tensor &x) { return cast(x, getOpMath(x.dtype)); }

  /// NumPy broadcasting to `sizes`.
  Tensor broadcast(const Tensor &x, ArrayRef<ExprAttr> sizes);
  /// Dimension i of `x` becomes dimension `dims[i]`.
  Tensor broadcastInDims(const Tensor &x, ArrayRef<int64_t> dims,
                         ArrayRef<ExprAttr> sizes);
  Tensor reshape(const Tensor &x, ArrayRef<ExprAttr> sizes);
  Tensor permute(const Tensor &x, ArrayRef<int64_t> permutation);
  Tensor slice(const Tensor &x, ArrayRef<ExprAttr> starts,
               ArrayRef<int64_t> steps, ArrayRef<ExprAttr> sizes);
  /// `x` in a tensor of `sizes` filled with a number; `low` elements of it come
  /// first in each dimension.
  Tensor pad(const Tensor &x, Scalar fill, ArrayRef<ExprAttr> low,
             ArrayRef<ExprAttr> sizes);
  /// Dimension `dim` of `x` becomes the dimensions of `indices`.
  Tensor take(const Tensor &x, const Tensor &indices, int64_t dim);
  Tensor iota(int64_t dim, ArrayRef<ExprAttr> sizes);
  /// Removes `dims` (increasing).
  Tensor reduce(ReduceKind kind, const Tensor &x, ArrayRef<int64_t> dims);
  Tensor argReduce(ReduceKind kind, const Tensor &x, ArrayRef<int64_t> dims);

  // Arithmetic on equal types and shapes; integers wrap.
  Tensor add(const Tensor &x, const Tensor &y);
  Tensor sub(const Tensor &x, const Tensor &y);
  Tensor mul(const Tensor &x, const Tensor &y);
  Tensor div(const Tensor &x, const Tensor &y);
  /// C's remainder: the sign of the dividend.
  Tensor rem(const Tensor &x, const Tensor &y);
  Tensor neg(const Tensor &x);
  Tensor abs(const Tensor &x);
  /// NaN when an operand is.
  Tensor maximum(const Tensor &x, const Tensor &y);
  Tensor minimum(const Tensor &x, const Tensor &y);
  /// The other operand when one is NaN.
  Tensor fmax(const Tensor &x, const Tensor &y);
  Tensor fmin(const Tensor &x, const Tensor &y);
  Tensor bitAnd(const Tensor &x, const Tensor &y);
  Tensor bitOr(const Tensor &x, const Tensor &y);
  Tensor bitXor(const Tensor &x, const Tensor &y);
  Tensor logicalNot(const Tensor &x);
  /// Elementwise choice; `condition` is bool.
  Tensor select(const Tensor &condition, const Tensor &x, const Tensor &y);

  enum class Compare { Eq, Ne, Lt, Le, Gt, Ge };
  /// Ordered comparison, except that a NaN is not equal to anything.
  Tensor compare(Compare kind, const Tensor &x, const Tensor &y);
  Tensor compare(Compare kind, const Tensor &x, double y) {
    return compare(kind, x, constant(x, y));
  }
  Tensor isNaN(const Tensor &x);

  /// A unary or binary operation of `arith` or `math`.
  template <typename OpTy>
  Tensor unary(const Tensor &x) {
    return {OpTy::create(b, loc, x.value), x.dtype, x.sizes};
  }
  template <typename OpTy>
  Tensor binary(const Tensor &x, const Tensor &y) {
    return {OpTy::create(b, loc, x.value, y.value), x.dtype, x.sizes};
  }

private:
  Tensor convert(const Tensor &x, DType to, bool isExplicit);
  Tensor convertFromFloat(const Tensor &x, DType to, bool isExplicit);
  Tensor convertFromInteger(const Tensor &x, DType to);
  Tensor roundFloat(const Tensor &x, DType to, bool isExplicit);
  template <typename OpTy>
  Tensor castWith(const Tensor &x, DType to);
  template <typename FloatOp, typename IntOp>
  Tensor arithmetic(const Tensor &x, const Tensor &y);

  OpBuilder &b;
  Location loc;
};

} // namespace mlir::kfuse

#endif
