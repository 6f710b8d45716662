//===- Evaluator.cpp - runs fusion bodies on the CPU ----------------------===//

#include "Internal.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseMap.h"
#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::reference;

int64_t DenseTensor::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

double reference::roundToType(double value, Type type) {
  if (type.isF64() || std::isnan(value))
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  APFloat rounded(value);
  bool lossy;
  rounded.convert(cast<FloatType>(type).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &lossy);
  rounded.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return rounded.convertToDouble();
}

int64_t reference::wrapToType(int64_t value, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 64)
    return value;
  if (width == 1)
    return value & 1;
  return llvm::SignExtend64(static_cast<uint64_t>(value), width);
}

FailureOr<int64_t> reference::evaluate(Operation *op, ExprAttr expr,
                                       const Symbols &symbols) {
  std::optional<int64_t> value =
      expr.evaluate([&](StringRef name) -> std::optional<int64_t> {
        auto it = symbols.find(name);
        if (it == symbols.end())
          return std::nullopt;
        return it->second;
      });
  if (!value)
    return op->emitOpError() << "has a size that cannot be evaluated: " << expr;
  return *value;
}

FailureOr<SmallVector<int64_t>>
reference::evaluate(Operation *op, ArrayAttr exprs, const Symbols &symbols) {
  SmallVector<int64_t> result;
  for (ExprAttr expr : getExprs(exprs)) {
    FailureOr<int64_t> value = evaluate(op, expr, symbols);
    if (failed(value))
      return failure();
    result.push_back(*value);
  }
  return result;
}

namespace {

/// Runs the operations of one body.
class BodyEvaluator {
public:
  explicit BodyEvaluator(const Symbols &symbols) : symbols(symbols) {}

  FailureOr<SmallVector<DenseTensor>> run(Block &block,
                                          ArrayRef<DenseTensor> inputs);

private:
  LogicalResult evaluateOp(Operation *op);
  LogicalResult dispatch(Operation *op, ArrayRef<const DenseTensor *> operands,
                         DenseTensor &result);
  LogicalResult setShape(Operation *op, ArrayRef<const DenseTensor *> operands,
                         DenseTensor &result);

  const Symbols &symbols;
  llvm::DenseMap<Value, DenseTensor> values;
};

/// From `sizes` where there are some; else the shape of the first operand.
LogicalResult BodyEvaluator::setShape(Operation *op,
                                      ArrayRef<const DenseTensor *> operands,
                                      DenseTensor &result) {
  if (auto sizes = op->getAttrOfType<ArrayAttr>("sizes")) {
    FailureOr<SmallVector<int64_t>> shape = evaluate(op, sizes, symbols);
    if (failed(shape))
      return failure();
    result.shape = *shape;
  } else if (!operands.empty()) {
    result.shape = operands.front()->shape;
  }
  return success();
}

bool isElementwise(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
}

LogicalResult BodyEvaluator::dispatch(Operation *op,
                                      ArrayRef<const DenseTensor *> operands,
                                      DenseTensor &result) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    result.data.resize(1);
    if (auto real = dyn_cast<FloatAttr>(constant.getValue())) {
      result.data[0].real = real.getValueAsDouble();
      return success();
    }
    APInt value = cast<IntegerAttr>(constant.getValue()).getValue();
    result.data[0].integer =
        value.getBitWidth() == 1 ? value.getZExtValue() : value.getSExtValue();
    return success();
  }
  if (isa<TakeOp, GatherOp>(op))
    return evaluateIndexing(op, operands, result);
  if (isa<ReduceOp, ArgReduceOp>(op))
    return evaluateReduction(op, *operands[0], result);
  if (isa<RoundOp>(op) || isa<CastOpInterface>(op))
    return evaluateConversion(op, *operands[0], result);
  if (isElementwise(op)) {
    for (const DenseTensor *operand : operands)
      if (operand->shape != result.shape)
        return op->emitOpError() << "has operands of different shapes";
    return evaluateElementwise(op, operands, result);
  }
  return evaluateShapeOp(op, operands, symbols, result);
}

LogicalResult BodyEvaluator::evaluateOp(Operation *op) {
  if (op->getNumResults() != 1)
    return op->emitOpError() << "is not known to the evaluator";
  SmallVector<const DenseTensor *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(&values.find(operand)->second);
  DenseTensor result;
  result.elementType = getElementTypeOrSelf(op->getResult(0).getType());
  if (failed(setShape(op, operands, result)))
    return failure();
  if (failed(dispatch(op, operands, result)))
    return op->emitOpError() << "cannot be evaluated";
  if (auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType()))
    for (auto [found, expected] :
         llvm::zip_equal(result.shape, type.getShape()))
      if (!ShapedType::isDynamic(expected) && found != expected)
        return op->emitOpError() << "has a shape other than its type's";
  values[op->getResult(0)] = std::move(result);
  return success();
}

FailureOr<SmallVector<DenseTensor>>
BodyEvaluator::run(Block &block, ArrayRef<DenseTensor> inputs) {
  for (auto [argument, input] : llvm::zip_equal(block.getArguments(), inputs))
    values[argument] = input;
  for (Operation &op : block.without_terminator())
    if (failed(evaluateOp(&op)))
      return failure();
  SmallVector<DenseTensor> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(values.find(value)->second);
  return results;
}

/// Runs the fusions and views of a function.
class FunctionEvaluator {
public:
  LogicalResult bindInputs(func::FuncOp function, ArrayRef<DenseTensor> inputs);
  FailureOr<SmallVector<DenseTensor>> run(func::FuncOp function);

private:
  LogicalResult bindSize(Operation *op, ExprAttr expr, int64_t size,
                         bool mayBind);
  LogicalResult evaluateOp(Operation *op);
  FailureOr<DenseTensor> load(Operation *op, Value source, Type resultType);
  FailureOr<SmallVector<int64_t>> getPlaces(Operation *op, Type type,
                                            SmallVectorImpl<int64_t> &shape);

  Symbols symbols;
  llvm::DenseMap<Value, DenseTensor> values;
};

/// The symbol in `expr` when that is a multiple of one, which `factor` is.
ExprAttr getOnlySymbol(ExprAttr expr, int64_t &factor) {
  factor = 1;
  if (expr.getKind() == ExprKind::Symbol)
    return expr;
  if (expr.getKind() != ExprKind::Mul || expr.getOperands().size() != 2)
    return {};
  for (auto [symbol, constant] :
       {std::pair(expr.getOperands()[0], expr.getOperands()[1]),
        std::pair(expr.getOperands()[1], expr.getOperands()[0])})
    if (symbol.getKind() == ExprKind::Symbol && constant.getConstant()) {
      factor = *constant.getConstant();
      return symbol;
    }
  return {};
}

LogicalResult FunctionEvaluator::bindSize(Operation *op, ExprAttr expr,
                                          int64_t size, bool mayBind) {
  int64_t factor;
  ExprAttr symbol = getOnlySymbol(expr, factor);
  if (symbol && factor > 0 && size % factor == 0 &&
      !symbols.count(symbol.getName())) {
    symbols[symbol.getName()] = size / factor;
    return success();
  }
  if (mayBind)
    return success();
  FailureOr<int64_t> expected = evaluate(op, expr, symbols);
  if (failed(expected))
    return failure();
  if (*expected != size)
    return op->emitOpError()
           << "expected an input of size " << *expected << ", found " << size;
  return success();
}

LogicalResult FunctionEvaluator::bindInputs(func::FuncOp function,
                                            ArrayRef<DenseTensor> inputs) {
  // Plain symbols first, then what is derived from them.
  for (bool mayBind : {true, false})
    for (auto [argument, input] :
         llvm::zip_equal(function.getArguments(), inputs)) {
      values[argument] = input;
      LayoutAttr layout = getLayout(argument);
      if (!layout)
        continue;
      for (auto [expr, size] : llvm::zip_equal(layout.getSizes(), input.shape))
        if (failed(bindSize(function, expr, size, mayBind)))
          return failure();
    }
  return success();
}

FailureOr<SmallVector<int64_t>>
FunctionEvaluator::getPlaces(Operation *op, Type type,
                             SmallVectorImpl<int64_t> &shape) {
  LayoutAttr layout = getLayout(type);
  SmallVector<int64_t> strides, places;
  for (auto [size, stride] :
       llvm::zip_equal(layout.getSizes(), layout.getStrides())) {
    FailureOr<int64_t> extent = evaluate(op, size, symbols);
    FailureOr<int64_t> step = evaluate(op, stride, symbols);
    if (failed(extent) || failed(step))
      return failure();
    shape.push_back(*extent);
    strides.push_back(*step);
  }
  FailureOr<int64_t> offset = evaluate(op, layout.getOffset(), symbols);
  if (failed(offset))
    return failure();
  forEachPosition(shape, [&](ArrayRef<int64_t> at) {
    int64_t place = *offset;
    for (auto [position, stride] : llvm::zip_equal(at, strides))
      place += position * stride;
    places.push_back(place);
  });
  return places;
}

FailureOr<DenseTensor> FunctionEvaluator::load(Operation *op, Value source,
                                               Type resultType) {
  SmallVector<int64_t> sourceShape;
  FailureOr<SmallVector<int64_t>> from =
      getPlaces(op, source.getType(), sourceShape);
  DenseTensor result;
  FailureOr<SmallVector<int64_t>> to = getPlaces(op, resultType, result.shape);
  if (failed(from) || failed(to))
    return failure();
  const DenseTensor &tensor = values.find(source)->second;
  std::map<int64_t, Element> storage;
  for (auto [place, element] : llvm::zip_equal(*from, tensor.data))
    storage[place] = element;
  result.elementType = tensor.elementType;
  for (int64_t place : *to) {
    auto it = storage.find(place);
    if (it == storage.end())
      return op->emitOpError() << "views an element that its operand lacks";
    result.data.push_back(it->second);
  }
  return result;
}

LogicalResult checkSame(Operation *op, const DenseTensor &body,
                        const DenseTensor &view) {
  bool isSame = body.shape == view.shape;
  for (auto [x, y] : llvm::zip(body.data, view.data))
    isSame &= x.integer == y.integer;
  return isSame ? success()
                : op->emitOpError() << "has a body that is not the view that "
                                       "its layouts describe";
}

LogicalResult FunctionEvaluator::evaluateOp(Operation *op) {
  if (auto view = dyn_cast<ViewOp>(op)) {
    FailureOr<DenseTensor> result = load(op, view.getSource(), view.getType());
    if (failed(result))
      return failure();
    values[view] = *result;
    return success();
  }
  auto fusion = dyn_cast<FusionOp>(op);
  if (!fusion)
    return op->emitOpError() << "is not a fusion or a view";
  SmallVector<DenseTensor> inputs;
  for (Value operand : fusion.getOperands())
    inputs.push_back(values.find(operand)->second);
  FailureOr<SmallVector<DenseTensor>> results =
      evaluateBody(fusion, inputs, symbols);
  if (failed(results))
    return failure();
  for (auto [value, result] : llvm::zip_equal(fusion.getResults(), *results))
    values[value] = result;
  if (!fusion->hasAttr("kfuse.view"))
    return success();
  FailureOr<DenseTensor> view =
      load(op, fusion.getOperands()[0], fusion.getResultTypes()[0]);
  return failed(view) ? failure() : checkSame(op, (*results)[0], *view);
}

FailureOr<SmallVector<DenseTensor>>
FunctionEvaluator::run(func::FuncOp function) {
  Block &block = function.getBody().front();
  for (Operation &op : block.without_terminator())
    if (failed(evaluateOp(&op)))
      return failure();
  SmallVector<DenseTensor> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(values.find(value)->second);
  return results;
}
} // namespace

FailureOr<SmallVector<DenseTensor>>
reference::evaluateBody(FusionOp fusion, ArrayRef<DenseTensor> inputs,
                        const Symbols &symbols) {
  return BodyEvaluator(symbols).run(fusion.getBody().front(), inputs);
}

FailureOr<SmallVector<DenseTensor>>
reference::evaluateFunction(func::FuncOp function,
                            ArrayRef<DenseTensor> inputs) {
  FunctionEvaluator evaluator;
  if (failed(evaluator.bindInputs(function, inputs)))
    return failure();
  return evaluator.run(function);
}
