//===- OpContext.cpp - one ATen operation while it is captured ------------===//

#include "OpContext.h"

using namespace mlir;
using namespace mlir::kfuse;

OpContext::OpContext(AtenOp op, OpBuilder &builder, ArrayRef<Value> operands)
    : op(op), b(builder, op.getLoc()), operands(operands) {}

LogicalResult OpContext::fail(const Twine &why) {
  if (reason.empty())
    reason = why.str();
  return failure();
}

Attribute OpContext::find(StringRef name) {
  read.insert(name);
  Attribute attr = op.getArg(name);
  return attr && isa<UnitAttr>(attr) ? Attribute() : attr;
}

bool OpContext::has(StringRef name) { return static_cast<bool>(find(name)); }

void OpContext::ignore(std::initializer_list<StringRef> names) {
  for (StringRef name : names)
    read.insert(name);
}

std::string OpContext::getUnreadArgument() {
  for (Attribute attr : op.getNames())
    if (!read.contains(cast<StringAttr>(attr).getValue()))
      return cast<StringAttr>(attr).getValue().str();
  return {};
}

//===----------------------------------------------------------------------===//
// Symbolic integers
//===----------------------------------------------------------------------===//

static ExprAttr getOperandExpr(AtenOp op, Attribute attr) {
  if (auto operand = dyn_cast_or_null<OperandAttr>(attr))
    return getExpr(op.getOperands()[operand.getIndex()]);
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return ExprAttr::constant(op.getContext(), integer.getInt());
  return dyn_cast_or_null<ExprAttr>(attr);
}

static ExprAttr getSizeExpr(AtenOp op) {
  Value self = op.getArgValue("self");
  LayoutAttr layout = self ? getLayout(self) : LayoutAttr();
  auto dim = dyn_cast_or_null<IntegerAttr>(op.getArg("dim"));
  if (!layout || !dim)
    return {};
  int64_t index = dim.getInt();
  index += index < 0 ? layout.getRank() : 0;
  return index < 0 || index >= layout.getRank() ? ExprAttr()
                                                : layout.getSizes()[index];
}

ExprAttr kfuse::getExpr(Value value) {
  if (auto size = value.getDefiningOp<SizeOp>())
    return size.getExpr();
  auto op = value.getDefiningOp<AtenOp>();
  if (!op)
    return {};
  StringRef target = op.getTarget();
  if (target == "aten::sym_size.int")
    return getSizeExpr(op);
  if (!target.consume_front("python::_operator.") || op.getArgs().size() != 2)
    return {};
  ExprAttr lhs = getOperandExpr(op, op.getArgs()[0]);
  ExprAttr rhs = getOperandExpr(op, op.getArgs()[1]);
  if (!lhs || !rhs)
    return {};
  if (target == "add")
    return ExprAttr::add(lhs, rhs);
  if (target == "sub")
    return ExprAttr::sub(lhs, rhs);
  if (target == "mul")
    return ExprAttr::mul(lhs, rhs);
  bool isPositive = rhs.getConstant() && *rhs.getConstant() > 0;
  if (target == "floordiv" && isPositive)
    return ExprAttr::floorDiv(lhs, rhs);
  return target == "mod" && isPositive ? ExprAttr::mod(lhs, rhs) : ExprAttr();
}

ExprAttr OpContext::toExpr(Attribute attr) {
  if (ExprAttr expr = getOperandExpr(op, attr))
    return expr;
  (void)fail("a size is not known as an expression of the input sizes");
  return b.expr(0);
}

ExprAttr OpContext::expr(StringRef name, std::optional<int64_t> missing) {
  Attribute attr = find(name);
  if (!attr && missing)
    return b.expr(*missing);
  return toExpr(attr);
}

Sizes OpContext::exprs(StringRef name) {
  Sizes result;
  Attribute attr = find(name);
  if (auto list = dyn_cast_or_null<ArrayAttr>(attr)) {
    for (Attribute element : list)
      result.push_back(toExpr(element));
  } else if (attr) {
    result.push_back(toExpr(attr));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

std::optional<Tensor> OpContext::toTensor(Attribute attr) {
  auto operand = dyn_cast_or_null<OperandAttr>(attr);
  if (!operand)
    return std::nullopt;
  Value value = op.getOperands()[operand.getIndex()];
  LayoutAttr layout = getLayout(value);
  if (!layout || !operands[operand.getIndex()])
    return std::nullopt;
  auto type = cast<RankedTensorType>(value.getType());
  std::optional<DType> dtype = getDType(type.getElementType());
  if (!dtype) {
    std::string text;
    llvm::raw_string_ostream(text) << type.getElementType();
    (void)fail("element type " + text + " has no arithmetic in kernels");
    return std::nullopt;
  }
  return Tensor{operands[operand.getIndex()], *dtype, Sizes(layout.getSizes())};
}

bool OpContext::isTensor(StringRef name) {
  auto operand = dyn_cast_or_null<OperandAttr>(find(name));
  return operand && getLayout(op.getOperands()[operand.getIndex()]);
}

std::optional<Tensor> OpContext::optionalTensor(StringRef name) {
  Attribute attr = find(name);
  std::optional<Tensor> result = toTensor(attr);
  if (attr && !result)
    (void)fail("argument '" + name + "' is not a tensor");
  return result;
}

Tensor OpContext::tensor(StringRef name) {
  if (std::optional<Tensor> result = optionalTensor(name))
    return *result;
  (void)fail("tensor argument '" + name + "' is missing");
  return b.full(0.0, DType::F32, {});
}

SmallVector<std::optional<Tensor>> OpContext::optionalTensors(StringRef name) {
  SmallVector<std::optional<Tensor>> result;
  auto list = dyn_cast_or_null<ArrayAttr>(find(name));
  if (!list)
    (void)fail("argument '" + name + "' is not a list of tensors");
  else
    for (Attribute element : list)
      result.push_back(toTensor(element));
  return result;
}

SmallVector<Tensor> OpContext::tensors(StringRef name) {
  SmallVector<Tensor> result;
  for (std::optional<Tensor> &element : optionalTensors(name))
    if (element)
      result.push_back(*element);
    else
      (void)fail("argument '" + name + "' has an element that is no tensor");
  if (result.empty()) {
    (void)fail("argument '" + name + "' is empty");
    result.push_back(b.full(0.0, DType::F32, {}));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::optional<Scalar> OpContext::toScalar(Attribute attr) {
  if (auto boolean = dyn_cast_or_null<BoolAttr>(attr))
    return Scalar{DType::Bool, boolean.getValue(),
                  static_cast<double>(boolean.getValue())};
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    return Scalar::of(integer.getInt());
  if (auto real = dyn_cast_or_null<FloatAttr>(attr))
    return Scalar::of(real.getValueAsDouble());
  return std::nullopt;
}

std::optional<Scalar> OpContext::optionalScalar(StringRef name) {
  Attribute attr = find(name);
  std::optional<Scalar> result = toScalar(attr);
  if (attr && !result)
    (void)fail("argument '" + name + "' is not a constant number");
  return result;
}

Scalar OpContext::scalar(StringRef name, std::optional<Scalar> missing) {
  if (std::optional<Scalar> result = optionalScalar(name))
    return *result;
  if (missing)
    return *missing;
  (void)fail("number '" + name + "' is missing");
  return Scalar::of(int64_t(1));
}

double OpContext::real(StringRef name, std::optional<double> missing) {
  std::optional<Scalar> fallback;
  if (missing)
    fallback = Scalar::of(*missing);
  return scalar(name, fallback).real;
}

int64_t OpContext::integer(StringRef name, std::optional<int64_t> missing) {
  std::optional<Scalar> fallback;
  if (missing)
    fallback = Scalar::of(*missing);
  Scalar value = scalar(name, fallback);
  if (isFloat(value.dtype))
    (void)fail("argument '" + name + "' is not an integer");
  return value.integer;
}

bool OpContext::flag(StringRef name, bool missing) {
  return integer(name, missing) != 0;
}

std::string OpContext::string(StringRef name, StringRef missing) {
  Attribute attr = find(name);
  if (!attr)
    return missing.str();
  if (auto text = dyn_cast<StringAttr>(attr))
    return text.getValue().str();
  (void)fail("argument '" + name + "' is not a string");
  return missing.str();
}

SmallVector<int64_t> OpContext::integers(StringRef name) {
  SmallVector<int64_t> result;
  for (ExprAttr element : exprs(name)) {
    if (!element.getConstant())
      (void)fail("argument '" + name + "' is not a list of constants");
    result.push_back(element.getConstant().value_or(0));
  }
  return result;
}

std::optional<DType> OpContext::dtype(StringRef name) {
  Attribute attr = find(name);
  if (!attr)
    return std::nullopt;
  auto type = dyn_cast<TypeAttr>(attr);
  std::optional<DType> result;
  if (type)
    result = getDType(type.getValue());
  if (!result)
    (void)fail("argument '" + name + "' is not an element type of kernels");
  return result;
}

int64_t OpContext::wrapDim(int64_t dim, int64_t rank) {
  int64_t bound = std::max<int64_t>(rank, 1);
  if (dim < -bound || dim >= bound) {
    (void)fail("dimension " + Twine(dim) + " is out of range for rank " +
               Twine(rank));
    return 0;
  }
  return dim < 0 ? dim + bound : dim;
}

int64_t OpContext::dim(StringRef name, int64_t rank,
                       std::optional<int64_t> missing) {
  return wrapDim(integer(name, missing), rank);
}

SmallVector<int64_t> OpContext::dims(StringRef name, int64_t rank,
                                     bool emptyMeansAll) {
  SmallVector<int64_t> result;
  for (int64_t dim : integers(name))
    result.push_back(wrapDim(dim, rank));
  if (result.empty() && emptyMeansAll)
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    (void)fail("argument '" + name + "' has a dimension twice");
  // The one dimension that a 0-dimensional tensor may be reduced along.
  if (rank == 0)
    result.clear();
  return result;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

DType OpContext::resultDType(unsigned index) {
  if (index < op.getNumResults())
    if (auto type = dyn_cast<RankedTensorType>(op.getResult(index).getType()))
      if (std::optional<DType> dtype = getDType(type.getElementType()))
        return *dtype;
  (void)fail("the result's element type has no arithmetic in kernels");
  return DType::F32;
}

Sizes OpContext::resultSizes(unsigned index) {
  if (index < op.getNumResults())
    if (LayoutAttr layout = getLayout(op.getResult(index)))
      return Sizes(layout.getSizes());
  (void)fail("a result has no layout");
  return {};
}

/// True when both address the same elements: strides of dimensions with one
/// element do not matter, and nothing does without elements.
static bool isSameView(LayoutAttr layout, ArrayRef<ExprAttr> strides,
                       ExprAttr offset) {
  for (ExprAttr size : layout.getSizes())
    if (size.isConstant(0))
      return true;
  if (layout.getOffset() != offset)
    return false;
  for (auto [size, found, expected] :
       llvm::zip_equal(layout.getSizes(), layout.getStrides(), strides))
    if (!size.isConstant(1) && found != expected)
      return false;
  return true;
}

void OpContext::yieldView(const Tensor &value, std::optional<Sizes> strides,
                          ExprAttr offset) {
  LayoutAttr layout = getLayout(op.getResult(results.size()));
  results.push_back(value);
  view = layout && strides && strides->size() == layout.getSizes().size() &&
         isSameView(layout, *strides, offset);
}
