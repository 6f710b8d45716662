//===- BodyBuilder.cpp - builds the bodies of fusions ---------------------===//

#include "BodyBuilder.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::kfuse;

RankedTensorType BodyBuilder::type(DType dtype, ArrayRef<ExprAttr> sizes) {
  return getPlainType(getBodyElementType(context(), dtype), sizes);
}

/// The constant of type `dtype` that ATen makes of a Python number.
static TypedAttr getConstant(OpBuilder &b, Scalar value, DType dtype) {
  Type type = getBodyElementType(b.getContext(), dtype);
  bool isReal = isFloat(value.dtype);
  if (auto floatType = dyn_cast<FloatType>(type)) {
    // Through the computing type first: 0.1 becomes a float, then a bf16.
    double real = isReal ? value.real : static_cast<double>(value.integer);
    if (dtype != DType::F64)
      real = static_cast<float>(real);
    APFloat converted(real);
    bool lossy;
    converted.convert(floatType.getFloatSemantics(),
                      APFloat::rmNearestTiesToEven, &lossy);
    return FloatAttr::get(floatType, converted);
  }
  if (dtype == DType::Bool)
    return b.getBoolAttr(isReal ? value.real != 0 : value.integer != 0);
  unsigned width = type.getIntOrFloatBitWidth();
  int64_t integer = isReal ? static_cast<int64_t>(value.real) : value.integer;
  return IntegerAttr::get(
      type, APInt(64, static_cast<uint64_t>(integer)).trunc(width));
}

Tensor BodyBuilder::full(Scalar value, DType dtype, ArrayRef<ExprAttr> sizes) {
  Value scalar =
      arith::ConstantOp::create(b, loc, getConstant(b, value, dtype));
  return {FullOp::create(b, loc, type(dtype, sizes), scalar,
                         getExprArray(context(), sizes)),
          dtype, Sizes(sizes)};
}

Tensor BodyBuilder::size(ExprAttr value, ArrayRef<ExprAttr> sizes) {
  Value scalar = SizeOp::create(b, loc, b.getI64Type(), value);
  return {FullOp::create(b, loc, type(DType::I64, sizes), scalar,
                         getExprArray(context(), sizes)),
          DType::I64, Sizes(sizes)};
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

template <typename OpTy>
Tensor BodyBuilder::castWith(const Tensor &x, DType to) {
  return {OpTy::create(b, loc, type(to, x.sizes), x.value), to, x.sizes};
}

Tensor BodyBuilder::roundFloat(const Tensor &x, DType to, bool isExplicit) {
  UnitAttr marker = isExplicit ? b.getUnitAttr() : UnitAttr();
  return {RoundOp::create(b, loc, type(to, x.sizes), x.value, marker), to,
          x.sizes};
}

Tensor BodyBuilder::convertFromFloat(const Tensor &x, DType to,
                                     bool isExplicit) {
  if (isFloat(to)) {
    if (isHalf(x.dtype) && isHalf(to))
      return roundFloat(castWith<arith::ExtFOp>(x, DType::F32), to, isExplicit);
    // f64 to a half type goes through f32, as c10's conversions do.
    if (x.dtype == DType::F64 && isHalf(to))
      return roundFloat(roundFloat(x, DType::F32, isExplicit), to, isExplicit);
    return x.dtype < to ? castWith<arith::ExtFOp>(x, to)
                        : roundFloat(x, to, isExplicit);
  }
  Tensor wide = isHalf(x.dtype) ? castWith<arith::ExtFOp>(x, DType::F32) : x;
  if (to == DType::Bool)
    return compare(Compare::Ne, wide, 0.0);
  // Narrow integers are truncations of a wider one; that of u8 is 64-bit so
  // that negative numbers wrap.
  if (to == DType::U8)
    return castWith<arith::TruncIOp>(
        castWith<arith::FPToSIOp>(wide, DType::I64), to);
  if (to == DType::I8 || to == DType::I16)
    return castWith<arith::TruncIOp>(
        castWith<arith::FPToSIOp>(wide, DType::I32), to);
  return castWith<arith::FPToSIOp>(wide, to);
}

Tensor BodyBuilder::convertFromInteger(const Tensor &x, DType to) {
  if (to == DType::Bool)
    return compare(Compare::Ne, x, constant(x, Scalar::of(int64_t(0))));
  if (isFloat(to)) {
    DType wide = getOpMath(to);
    Tensor result = isUnsigned(x.dtype) ? castWith<arith::UIToFPOp>(x, wide)
                                        : castWith<arith::SIToFPOp>(x, wide);
    return wide == to ? result : roundFloat(result, to, /*isExplicit=*/true);
  }
  unsigned from =
      getBodyElementType(context(), x.dtype).getIntOrFloatBitWidth();
  unsigned width = getBodyElementType(context(), to).getIntOrFloatBitWidth();
  if (from == width)
    return {x.value, to, x.sizes};
  if (from > width)
    return castWith<arith::TruncIOp>(x, to);
  return isUnsigned(x.dtype) ? castWith<arith::ExtUIOp>(x, to)
                             : castWith<arith::ExtSIOp>(x, to);
}

Tensor BodyBuilder::convert(const Tensor &x, DType to, bool isExplicit) {
  if (x.dtype == to)
    return x;
  return isFloat(x.dtype) ? convertFromFloat(x, to, isExplicit)
                          : convertFromInteger(x, to);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Tensor BodyBuilder::broadcastInDims(const Tensor &x, ArrayRef<int64_t> dims,
                                    ArrayRef<ExprAttr> sizes) {
  return {BroadcastOp::create(b, loc, type(x.dtype, sizes), x.value,
                              b.getDenseI64ArrayAttr(dims),
                              getExprArray(context(), sizes)),
          x.dtype, Sizes(sizes)};
}

Tensor BodyBuilder::broadcast(const Tensor &x, ArrayRef<ExprAttr> sizes) {
  if (ArrayRef<ExprAttr>(x.sizes) == sizes ||
      static_cast<size_t>(x.getRank()) > sizes.size())
    return x;
  auto dims = llvm::to_vector(
      llvm::seq<int64_t>(sizes.size() - x.getRank(), sizes.size()));
  return broadcastInDims(x, dims, sizes);
}

Tensor BodyBuilder::reshape(const Tensor &x, ArrayRef<ExprAttr> sizes) {
  if (ArrayRef<ExprAttr>(x.sizes) == sizes)
    return x;
  return {ReshapeOp::create(b, loc, type(x.dtype, sizes), x.value,
                            getExprArray(context(), sizes)),
          x.dtype, Sizes(sizes)};
}

Tensor BodyBuilder::permute(const Tensor &x, ArrayRef<int64_t> permutation) {
  Sizes sizes;
  for (int64_t dim : permutation)
    sizes.push_back(x.sizes[dim]);
  return {PermuteOp::create(b, loc, type(x.dtype, sizes), x.value,
                            b.getDenseI64ArrayAttr(permutation)),
          x.dtype, sizes};
}

Tensor BodyBuilder::slice(const Tensor &x, ArrayRef<ExprAttr> starts,
                          ArrayRef<int64_t> steps, ArrayRef<ExprAttr> sizes) {
  return {SliceOp::create(b, loc, type(x.dtype, sizes), x.value,
                          getExprArray(context(), starts),
                          b.getDenseI64ArrayAttr(steps),
                          getExprArray(context(), sizes)),
          x.dtype, Sizes(sizes)};
}

Tensor BodyBuilder::pad(const Tensor &x, Scalar fill, ArrayRef<ExprAttr> low,
                        ArrayRef<ExprAttr> sizes) {
  // The scalar itself, not a tensor of it.
  auto fullOp = full(fill, x.dtype, {}).value.getDefiningOp<FullOp>();
  Value scalar = fullOp.getValue();
  fullOp.erase();
  return {PadOp::create(b, loc, type(x.dtype, sizes), x.value, scalar,
                        getExprArray(context(), low),
                        getExprArray(context(), sizes)),
          x.dtype, Sizes(sizes)};
}

Tensor BodyBuilder::take(const Tensor &x, const Tensor &indices, int64_t dim) {
  Sizes sizes(x.sizes.begin(), x.sizes.begin() + dim);
  sizes.append(indices.sizes);
  sizes.append(x.sizes.begin() + dim + 1, x.sizes.end());
  return {
      TakeOp::create(b, loc, type(x.dtype, sizes), x.value, indices.value, dim),
      x.dtype, sizes};
}

Tensor BodyBuilder::iota(int64_t dim, ArrayRef<ExprAttr> sizes) {
  return {IotaOp::create(b, loc, type(DType::I64, sizes),
                         b.getI64IntegerAttr(dim),
                         getExprArray(context(), sizes)),
          DType::I64, Sizes(sizes)};
}

static Sizes dropDims(const Tensor &x, ArrayRef<int64_t> dims) {
  Sizes sizes;
  for (auto [i, size] : llvm::enumerate(x.sizes))
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)))
      sizes.push_back(size);
  return sizes;
}

Tensor BodyBuilder::reduce(ReduceKind kind, const Tensor &x,
                           ArrayRef<int64_t> dims) {
  if (dims.empty())
    return x;
  Sizes sizes = dropDims(x, dims);
  // One element is its own extreme; a sum starts from 0, so that -0.0 + 0.0
  // is 0.0.
  bool isUnit = llvm::all_of(
      dims, [&](int64_t dim) { return x.sizes[dim].isConstant(1); });
  if (isUnit) {
    Tensor only = reshape(x, sizes);
    return kind == ReduceKind::Sum ? add(only, constant(only, 0.0)) : only;
  }
  UnitAttr isUnsignedAttr = isUnsigned(x.dtype) ? b.getUnitAttr() : UnitAttr();
  return {ReduceOp::create(b, loc, type(x.dtype, sizes), x.value,
                           ReduceKindAttr::get(context(), kind),
                           b.getDenseI64ArrayAttr(dims), isUnsignedAttr),
          x.dtype, sizes};
}

Tensor BodyBuilder::argReduce(ReduceKind kind, const Tensor &x,
                              ArrayRef<int64_t> dims) {
  Sizes sizes = dropDims(x, dims);
  if (llvm::all_of(dims,
                   [&](int64_t dim) { return x.sizes[dim].isConstant(1); }))
    return full(0.0, DType::I64, sizes);
  UnitAttr isUnsignedAttr = isUnsigned(x.dtype) ? b.getUnitAttr() : UnitAttr();
  return {ArgReduceOp::create(b, loc, type(DType::I64, sizes), x.value,
                              ReduceKindAttr::get(context(), kind),
                              b.getDenseI64ArrayAttr(dims), isUnsignedAttr),
          DType::I64, sizes};
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <typename FloatOp, typename IntOp>
Tensor BodyBuilder::arithmetic(const Tensor &x, const Tensor &y) {
  return isFloat(x.dtype) ? binary<FloatOp>(x, y) : binary<IntOp>(x, y);
}

Tensor BodyBuilder::add(const Tensor &x, const Tensor &y) {
  return x.dtype == DType::Bool
             ? bitOr(x, y)
             : arithmetic<arith::AddFOp, arith::AddIOp>(x, y);
}
Tensor BodyBuilder::sub(const Tensor &x, const Tensor &y) {
  return arithmetic<arith::SubFOp, arith::SubIOp>(x, y);
}
Tensor BodyBuilder::mul(const Tensor &x, const Tensor &y) {
  return x.dtype == DType::Bool
             ? bitAnd(x, y)
             : arithmetic<arith::MulFOp, arith::MulIOp>(x, y);
}
Tensor BodyBuilder::div(const Tensor &x, const Tensor &y) {
  return isUnsigned(x.dtype) ? binary<arith::DivUIOp>(x, y)
                             : arithmetic<arith::DivFOp, arith::DivSIOp>(x, y);
}
Tensor BodyBuilder::rem(const Tensor &x, const Tensor &y) {
  return isUnsigned(x.dtype) ? binary<arith::RemUIOp>(x, y)
                             : arithmetic<arith::RemFOp, arith::RemSIOp>(x, y);
}

Tensor BodyBuilder::neg(const Tensor &x) {
  if (isFloat(x.dtype))
    return unary<arith::NegFOp>(x);
  return sub(constant(x, Scalar::of(int64_t(0))), x);
}

Tensor BodyBuilder::abs(const Tensor &x) {
  if (isFloat(x.dtype))
    return unary<math::AbsFOp>(x);
  return isUnsigned(x.dtype) ? x : unary<math::AbsIOp>(x);
}

Tensor BodyBuilder::maximum(const Tensor &x, const Tensor &y) {
  return isUnsigned(x.dtype)
             ? binary<arith::MaxUIOp>(x, y)
             : arithmetic<arith::MaximumFOp, arith::MaxSIOp>(x, y);
}
Tensor BodyBuilder::minimum(const Tensor &x, const Tensor &y) {
  return isUnsigned(x.dtype)
             ? binary<arith::MinUIOp>(x, y)
             : arithmetic<arith::MinimumFOp, arith::MinSIOp>(x, y);
}
Tensor BodyBuilder::fmax(const Tensor &x, const Tensor &y) {
  return isFloat(x.dtype) ? binary<arith::MaxNumFOp>(x, y) : maximum(x, y);
}
Tensor BodyBuilder::fmin(const Tensor &x, const Tensor &y) {
  return isFloat(x.dtype) ? binary<arith::MinNumFOp>(x, y) : minimum(x, y);
}

Tensor BodyBuilder::bitAnd(const Tensor &x, const Tensor &y) {
  return binary<arith::AndIOp>(x, y);
}
Tensor BodyBuilder::bitOr(const Tensor &x, const Tensor &y) {
  return binary<arith::OrIOp>(x, y);
}
Tensor BodyBuilder::bitXor(const Tensor &x, const Tensor &y) {
  return binary<arith::XOrIOp>(x, y);
}
Tensor BodyBuilder::logicalNot(const Tensor &x) {
  Tensor flag = cast(x, DType::Bool);
  return bitXor(flag, constant(flag, 1));
}

Tensor BodyBuilder::select(const Tensor &condition, const Tensor &x,
                           const Tensor &y) {
  return {arith::SelectOp::create(b, loc, condition.value, x.value, y.value),
          x.dtype, x.sizes};
}

Tensor BodyBuilder::compare(Compare kind, const Tensor &x, const Tensor &y) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  static const F floats[] = {F::OEQ, F::UNE, F::OLT, F::OLE, F::OGT, F::OGE};
  static const I ints[] = {I::eq, I::ne, I::slt, I::sle, I::sgt, I::sge};
  static const I uints[] = {I::eq, I::ne, I::ult, I::ule, I::ugt, I::uge};
  unsigned index = static_cast<unsigned>(kind);
  Value result;
  if (isFloat(x.dtype))
    result = arith::CmpFOp::create(b, loc, floats[index], x.value, y.value);
  else
    result = arith::CmpIOp::create(
        b, loc, isUnsigned(x.dtype) ? uints[index] : ints[index], x.value,
        y.value);
  return {result, DType::Bool, x.sizes};
}

Tensor BodyBuilder::isNaN(const Tensor &x) {
  return {arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x.value,
                                x.value),
          DType::Bool, x.sizes};
}
