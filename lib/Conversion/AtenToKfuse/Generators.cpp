//===- Generators.cpp - tensors made of numbers and positions -------------===//

#include "Pointwise.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {

void ignoreOptions(OpContext &c) {
  c.ignore({"size", "dtype", "layout", "device", "pin_memory", "memory_format",
            "self", "n", "m", "stride", "physical_layout"});
}

void addFill(Registry &registry, std::initializer_list<StringRef> names,
             double value) {
  registry.add(names, [value](OpContext &c) {
    ignoreOptions(c);
    c.yield(c.b.full(value, c.resultDType(), c.resultSizes()));
  });
}

/// `fill_value` may be a symbolic size.
void buildFull(OpContext &c, StringRef name) {
  ignoreOptions(c);
  DType dtype = c.resultDType();
  Sizes sizes = c.resultSizes();
  Attribute value = c.op.getArg(name);
  if (isa_and_nonnull<ExprAttr, OperandAttr>(value) && !c.isTensor(name))
    return c.yield(c.b.cast(c.b.size(c.expr(name), sizes), dtype));
  c.yield(c.b.full(c.scalar(name), dtype, sizes));
}

void buildFill(OpContext &c) {
  Tensor self = c.tensor("self");
  c.yield(prepareUnwidened(c, getOperand(c, "value"), self.dtype));
}

bool isRealNumber(OpContext &c, StringRef name) {
  return isa_and_nonnull<FloatAttr>(c.op.getArg(name));
}

/// A number that counts integers: without its fraction, as ATen has it.
Tensor getInteger(OpContext &c, StringRef name, int64_t missing,
                  ArrayRef<ExprAttr> sizes) {
  if (isRealNumber(c, name))
    return c.b.full(Scalar::of(c.scalar(name).integer), DType::I64, sizes);
  return c.b.size(c.expr(name, missing), sizes);
}

/// start + i * step: in 64-bit integers, or in the computing type.
void buildArange(OpContext &c) {
  ignoreOptions(c);
  c.ignore({"end"});
  DType dtype = c.resultDType();
  Sizes sizes = c.resultSizes();
  if (sizes.size() != 1)
    return (void)c.fail("expected one dimension");
  Tensor index = c.b.iota(0, sizes);
  if (!isFloat(dtype)) {
    Tensor step = getInteger(c, "step", 1, sizes),
           start = getInteger(c, "start", 0, sizes);
    return c.yield(c.b.cast(c.b.add(c.b.mul(index, step), start), dtype));
  }
  DType math = getOpMath(dtype);
  Tensor step = c.b.full(c.scalar("step", Scalar::of(int64_t(1))), math, sizes);
  Tensor start =
      c.b.full(c.scalar("start", Scalar::of(int64_t(0))), math, sizes);
  Tensor result = fma(c.b, c.b.cast(index, math), step, start);
  c.yield(c.b.roundTo(result, dtype));
}

/// From both ends to the middle, so that both ends are exact.
void buildLinspace(OpContext &c) {
  ignoreOptions(c);
  c.ignore({"steps"});
  DType dtype = c.resultDType(), math = getOpMath(dtype);
  Sizes sizes = c.resultSizes();
  std::optional<int64_t> count =
      sizes.size() == 1 ? sizes[0].getConstant() : std::nullopt;
  if (!isFloat(dtype) || !count)
    return (void)c.fail("expected a known number of floats");
  Tensor start = c.b.full(c.scalar("start"), math, sizes),
         end = c.b.full(c.scalar("end"), math, sizes);
  if (*count < 2)
    return c.yield(c.b.roundTo(start, dtype));
  Tensor index = c.b.iota(0, sizes);
  Tensor step =
      c.b.div(c.b.sub(end, start), c.b.constant(end, double(*count - 1)));
  Tensor left = c.b.cast(index, math);
  Tensor right = c.b.sub(c.b.constant(left, double(*count - 1)), left);
  Tensor isLeft = c.b.compare(BodyBuilder::Compare::Lt, index,
                              c.b.constant(index, double(*count / 2)));
  Tensor result = c.b.select(isLeft, c.b.add(start, c.b.mul(step, left)),
                             c.b.sub(end, c.b.mul(step, right)));
  c.yield(c.b.roundTo(result, dtype));
}

/// Zero above (`tril`) or below (`triu`) a diagonal.
void buildTriangle(OpContext &c, BodyBuilder::Compare keep) {
  Tensor x = c.tensor("self");
  int64_t diagonal = c.integer("diagonal", 0), rank = x.getRank();
  if (rank < 2)
    return (void)c.fail("expected a matrix");
  Tensor row = c.b.iota(rank - 2, x.sizes),
         column = c.b.iota(rank - 1, x.sizes);
  Tensor distance = c.b.sub(column, row);
  Tensor kept =
      c.b.compare(keep, distance, c.b.constant(distance, Scalar::of(diagonal)));
  c.yield(c.b.select(kept, x, c.b.constant(x, 0.0)));
}

void buildEye(OpContext &c) {
  ignoreOptions(c);
  Sizes sizes = c.resultSizes();
  if (sizes.size() != 2)
    return (void)c.fail("expected a matrix");
  Tensor equal = c.b.compare(BodyBuilder::Compare::Eq, c.b.iota(0, sizes),
                             c.b.iota(1, sizes));
  c.yield(c.b.cast(equal, c.resultDType()));
}

void buildOneHot(OpContext &c) {
  c.ignore({"num_classes"});
  Tensor x = c.tensor("self");
  Sizes sizes = c.resultSizes();
  if (x.dtype != DType::I64 ||
      static_cast<int64_t>(sizes.size()) != x.getRank() + 1)
    return (void)c.fail("expected 64-bit integer classes");
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, x.getRank()));
  Tensor wanted = c.b.broadcastInDims(x, dims, sizes);
  Tensor equal = c.b.compare(BodyBuilder::Compare::Eq, wanted,
                             c.b.iota(x.getRank(), sizes));
  c.yield(c.b.cast(equal, DType::I64));
}
} // namespace

void kfuse::registerGenerators(Registry &registry) {
  addFill(registry, {"zeros", "zeros_like", "new_zeros", "zero"}, 0.0);
  // Any values will do.
  addFill(registry,
          {"empty", "empty_like", "new_empty", "empty_strided",
           "new_empty_strided", "empty_permuted"},
          0.0);
  addFill(registry, {"ones", "ones_like", "new_ones"}, 1.0);
  registry.add({"full", "full_like", "new_full"},
               [](OpContext &c) { buildFull(c, "fill_value"); });
  registry.add("scalar_tensor", [](OpContext &c) { buildFull(c, "s"); });
  registry.add("fill", buildFill);
  registry.add("arange", buildArange);
  registry.add("linspace", buildLinspace);
  registry.add(
      "tril", [](OpContext &c) { buildTriangle(c, BodyBuilder::Compare::Le); });
  registry.add(
      "triu", [](OpContext &c) { buildTriangle(c, BodyBuilder::Compare::Ge); });
  registry.add("eye", buildEye);
  registry.add("one_hot", buildOneHot);
}
