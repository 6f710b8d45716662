//===- LinearCalls.cpp - biases and widths of library products ------------===//

#include "LibraryCalls.h"
#include "kfuse/Transforms/SideEffects.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::kfuse;

/// Elements of 16 bits that the rows of a tensor-core product must be a
/// multiple of: 16 bytes, the unit of TMA and of vector accesses.
static constexpr int64_t kRowMultiple = 8;
/// Below these a padded copy of the weight costs more than it saves.
static constexpr int64_t kMinPaddedRows = 128;
static constexpr int64_t kMinPaddedWeight = int64_t(1) << 20;

/// Operations that only name elements otherwise.
static bool isRenaming(StringRef name) {
  static const llvm::StringSet<> names = {
      "view",      "_unsafe_view", "reshape", "flatten",   "unflatten",
      "unsqueeze", "squeeze",      "permute", "transpose", "contiguous"};
  return names.contains(name);
}

/// Operations that read the product within a kernel, where an addition is free.
static bool readsInKernel(StringRef name) {
  static const llvm::StringSet<> names = {
      "add",      "sub",     "mul",        "div",
      "pow",      "gelu",    "relu",       "silu",
      "sigmoid",  "tanh",    "leaky_relu", "hardswish",
      "elu",      "relu6",   "mish",       "hardsigmoid",
      "hardtanh", "dropout", "softplus",   "layer_norm",
      "rms_norm", "softmax", "clamp",      "native_layer_norm",
      "mean",     "sum",     "batch_norm", "group_norm"};
  return names.contains(name);
}

/// True when everything that reads `value`, also by another name, is a kernel.
static bool isReadInKernelsOnly(Value value) {
  if (value.use_empty())
    return false;
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    auto aten = dyn_cast<AtenOp>(user);
    if (!aten)
      return false;
    StringRef name = getOperatorName(aten.getTarget());
    return readsInKernel(name) ||
           (isRenaming(name) && isReadInKernelsOnly(aten.getResult(0)));
  });
}

namespace {
/// The parts of `aten::linear(input, weight, bias)` or
/// `aten::addmm(bias, input, weight)`.
struct Product {
  Value input, weight, bias;
  bool isLinear = false;
};
} // namespace

/// Fails for calls with other arguments than products and a bias of one row.
static FailureOr<Product> match(AtenOp call) {
  Product product;
  product.isLinear = call.getTarget() == "aten::linear";
  product.input = call.getArgValue(product.isLinear ? "input" : "mat1");
  product.weight = call.getArgValue(product.isLinear ? "weight" : "mat2");
  product.bias = call.getArgValue(product.isLinear ? "bias" : "self");
  if (call.getNumResults() != 1 || !product.input || !product.weight ||
      !getLayout(call.getResult(0)) || !getLayout(product.weight) ||
      call.getArg("beta") || call.getArg("alpha") || call.getArg("out"))
    return failure();
  if (!product.isLinear && !product.bias)
    return failure();
  if (product.bias &&
      (!getLayout(product.bias) || getLayout(product.bias).getRank() != 1))
    return failure();
  return product;
}

static Type getElementType(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

/// True when a padded weight pays: many rows, and columns that no kernel of the
/// tensor cores fits.
static bool wantsPadding(AtenOp call, const Product &product) {
  if (!product.isLinear || getLayout(product.weight).getRank() != 2 ||
      !getElementType(call.getResult(0)).isIntOrFloat() ||
      getElementType(call.getResult(0)).getIntOrFloatBitWidth() != 16)
    return false;
  ArrayRef<ExprAttr> sizes = getLayout(call.getResult(0)).getSizes();
  auto rows =
      ExprAttr::product(call.getContext(), sizes.drop_back()).getConstant();
  auto columns = sizes.back().getConstant();
  auto inner = getLayout(product.weight).getSizes()[1].getConstant();
  return rows && columns && inner && *rows >= kMinPaddedRows &&
         *columns % kRowMultiple != 0 && *inner % kRowMultiple == 0 &&
         *columns * *inner >= kMinPaddedWeight;
}

/// `value` under another layout of the same elements.
static Value createView(OpBuilder &builder, Location loc, Value value,
                        ArrayRef<ExprAttr> sizes) {
  MLIRContext *context = builder.getContext();
  SmallVector<Attribute> attrs(sizes.begin(), sizes.end());
  return createCall(builder, loc, "aten::view", value, {"self", "size"},
                    {builder.getArrayAttr(attrs)},
                    getTensorType(getElementType(value),
                                  LayoutAttr::contiguous(context, sizes)));
}

static Value createTransposed(OpBuilder &builder, Location loc, Value matrix) {
  LayoutAttr layout = getLayout(matrix);
  SmallVector<ExprAttr> sizes =
      llvm::to_vector(llvm::reverse(layout.getSizes()));
  SmallVector<ExprAttr> strides =
      llvm::to_vector(llvm::reverse(layout.getStrides()));
  return createCall(
      builder, loc, "aten::t", matrix, {"self"}, {},
      getTensorType(getElementType(matrix),
                    LayoutAttr::get(builder.getContext(), sizes, strides,
                                    layout.getOffset())));
}

/// True when `linear` is a product of two matrices without moving anything.
static bool isFlat(const Product &product) {
  LayoutAttr input = getLayout(product.input);
  return input && input.isContiguous() && input.getOffset().isConstant(0) &&
         input.getRank() >= 2 && getLayout(product.weight).getRank() == 2;
}

/// The product of row-major type `type`, with the bias if there is one. A
/// `linear` becomes what ATen makes of it at each call: a product of matrices.
static Value createProduct(OpBuilder &builder, Location loc,
                           const Product &product, Type type) {
  Value bias = product.bias;
  bool isFlattened = product.isLinear && isFlat(product);
  if (product.isLinear && !isFlattened)
    return bias ? createCall(builder, loc, "aten::linear",
                             {product.input, product.weight, bias},
                             {"input", "weight", "bias"}, {}, type)
                : createCall(builder, loc, "aten::linear",
                             {product.input, product.weight},
                             {"input", "weight"}, {}, type);
  Value input = product.input, weight = product.weight;
  Type matrix = type;
  if (isFlattened) {
    MLIRContext *context = builder.getContext();
    ArrayRef<ExprAttr> sizes = getLayout(input).getSizes();
    ExprAttr rows = ExprAttr::product(context, sizes.drop_back());
    if (sizes.size() > 2)
      input = createView(builder, loc, input, {rows, sizes.back()});
    matrix = getTensorType(
        getElementType(input),
        LayoutAttr::contiguous(context,
                               {rows, getLayout(weight).getSizes().front()}));
    weight = createTransposed(builder, loc, weight);
  }
  Value value =
      bias ? createCall(builder, loc, "aten::addmm", {bias, input, weight},
                        {"self", "mat1", "mat2"}, {}, matrix)
           : createCall(builder, loc, "aten::mm", {input, weight},
                        {"self", "mat2"}, {}, matrix);
  if (matrix == type)
    return value;
  auto layout = cast<LayoutAttr>(cast<RankedTensorType>(type).getEncoding());
  return createView(builder, loc, value, layout.getSizes());
}

/// The product, without a bias, with more columns, and the view of those that
/// count.
static Value createPadded(OpBuilder &builder, AtenOp call,
                          const Product &product) {
  MLIRContext *context = builder.getContext();
  Location loc = call.getLoc();
  auto getDense = [&](ArrayRef<ExprAttr> sizes) {
    return LayoutAttr::contiguous(context, sizes);
  };
  LayoutAttr result = getLayout(call.getResult(0));
  int64_t columns = *result.getSizes().back().getConstant();
  int64_t padded = llvm::alignTo(columns, kRowMultiple);
  ExprAttr width = ExprAttr::constant(context, padded);

  Attribute pads[] = {builder.getI64ArrayAttr({0, 0, 0, padded - columns})};
  SmallVector<ExprAttr> weightSizes(getLayout(product.weight).getSizes());
  weightSizes.front() = width;
  Value weight = createCall(
      builder, loc, "aten::constant_pad_nd", product.weight, {"self", "pad"},
      pads,
      getTensorType(getElementType(product.weight), getDense(weightSizes)));

  SmallVector<ExprAttr> wideSizes(result.getSizes());
  wideSizes.back() = width;
  Type element = getElementType(call.getResult(0));
  LayoutAttr wide = getDense(wideSizes);
  Product all = product;
  all.weight = weight;
  Value value = createProduct(builder, loc, all, getTensorType(element, wide));
  Attribute range[] = {builder.getI64IntegerAttr(-1),
                       builder.getI64IntegerAttr(0),
                       builder.getI64IntegerAttr(columns)};
  return createCall(
      builder, loc, "aten::slice.Tensor", value,
      {"self", "dim", "start", "end"}, range,
      getTensorType(element,
                    LayoutAttr::get(context, result.getSizes(),
                                    wide.getStrides(), wide.getOffset())));
}

static Value addBias(OpBuilder &builder, AtenOp call, Value product,
                     Value bias) {
  return createCall(builder, call.getLoc(), "aten::add.Tensor", {product, bias},
                    {"self", "other"}, {}, call.getResult(0).getType());
}

/// True when a list among the arguments has operands of its own (symbolic
/// paddings).
static bool hasNestedOperands(AtenOp call) {
  return llvm::any_of(call.getArgs(), [](Attribute arg) {
    auto list = dyn_cast<ArrayAttr>(arg);
    return list && llvm::any_of(list, llvm::IsaPred<OperandAttr>);
  });
}

void kfuse::specializeConvolution(AtenOp call) {
  Value bias = call.getArgValue("bias");
  if (call.getNumResults() != 1 || !bias || !getLayout(bias) ||
      getLayout(bias).getRank() != 1 || hasNestedOperands(call))
    return;
  Value result = call.getResult(0);
  LayoutAttr layout = getLayout(result);
  int64_t spatial =
      llvm::StringSwitch<int64_t>(getOperatorName(call.getTarget()))
          .Case("conv1d", 1)
          .Case("conv2d", 2)
          .Case("conv3d", 3)
          .Default(0);
  // Without a batch, the channels are the first dimension.
  if (!layout || spatial < 1 || layout.getRank() <= spatial ||
      !isReadInKernelsOnly(result))
    return;
  OpBuilder builder(call);
  MLIRContext *context = builder.getContext();
  ExprAttr one = ExprAttr::constant(context, 1);
  SmallVector<ExprAttr> sizes(spatial + 1, one), strides(spatial + 1, one);
  sizes.front() = getLayout(bias).getSizes().front();
  strides.front() = getLayout(bias).getStrides().front();
  SmallVector<Attribute> shape(sizes.begin(), sizes.end());
  Value column =
      createCall(builder, call.getLoc(), "aten::view", bias, {"self", "size"},
                 {builder.getArrayAttr(shape)},
                 getTensorType(getElementType(bias),
                               LayoutAttr::get(context, sizes, strides,
                                               getLayout(bias).getOffset())));
  remark::passed(
      call.getLoc(),
      remark::RemarkOpts::name("split-bias").category("kfuse-library"))
      << remark::metric("op", call.getTarget().str())
      << remark::reason("the kernel that follows adds the bias");
  AtenOp plain = replaceArgument(call, "bias", "");
  builder.setInsertionPointAfter(plain);
  Value sum = addBias(builder, plain, plain.getResult(0), column);
  plain.getResult(0).replaceAllUsesExcept(sum, sum.getDefiningOp());
}

void kfuse::specializeLinear(AtenOp call) {
  FailureOr<Product> product = match(call);
  if (failed(product))
    return;
  Value result = call.getResult(0), bias = product->bias;
  bool isPadded = wantsPadding(call, *product);
  bool isSplit = !isPadded && bias && isReadInKernelsOnly(result);
  bool isFlattened =
      product->isLinear && isFlat(*product) && getLayout(result).isContiguous();
  if (!isPadded && !isSplit && !isFlattened)
    return;
  if (isPadded || isSplit)
    product->bias = Value();
  OpBuilder builder(call);
  Value value = isPadded ? createPadded(builder, call, *product)
                         : createProduct(builder, call.getLoc(), *product,
                                         result.getType());
  if (bias && !product->bias)
    value = addBias(builder, call, value, bias);
  else if (isPadded)
    value = createCall(builder, call.getLoc(), "aten::clone", value, {"self"},
                       {}, result.getType());
  StringRef why = isPadded  ? "rows of the result were not aligned"
                  : isSplit ? "the kernel that follows adds the bias"
                            : "its operands are matrices already";
  remark::passed(call.getLoc(),
                 remark::RemarkOpts::name(isPadded  ? "padded"
                                          : isSplit ? "split-bias"
                                                    : "flattened")
                     .category("kfuse-library"))
      << remark::metric("op", call.getTarget().str())
      << remark::reason("{0}", why.str());
  result.replaceAllUsesWith(value);
  call.erase();
}
