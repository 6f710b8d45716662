//===- Functionalize.cpp - turn in-place operations functional ------------===//
/// Values that may share storage form an alias set with one root: the value
/// that is no view. A write gives the root a new value; members of the set are
/// derived from it again when they are used.

#include "AliasViews.h"
#include "kfuse/Transforms/Passes.h"
#include "kfuse/Transforms/SideEffects.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::kfuse {
#define GEN_PASS_DEF_FUNCTIONALIZEPASS
#include "kfuse/Transforms/Passes.h.inc"
} // namespace mlir::kfuse

using namespace mlir;
using namespace mlir::kfuse;

//===----------------------------------------------------------------------===//
// In-place operators
//===----------------------------------------------------------------------===//

/// Operators `x_` whose functional twin `x` has the same arguments.
static bool hasPlainTwin(StringRef name) {
  static const llvm::StringSet<> names = {"abs",
                                          "acos",
                                          "acosh",
                                          "add",
                                          "addbmm",
                                          "addcdiv",
                                          "addcmul",
                                          "addmm",
                                          "addmv",
                                          "addr",
                                          "alpha_dropout",
                                          "asin",
                                          "asinh",
                                          "atan",
                                          "atan2",
                                          "atanh",
                                          "baddbmm",
                                          "bitwise_and",
                                          "bitwise_not",
                                          "bitwise_or",
                                          "bitwise_xor",
                                          "ceil",
                                          "celu",
                                          "clamp",
                                          "clamp_max",
                                          "clamp_min",
                                          "clip",
                                          "copy",
                                          "copysign",
                                          "cos",
                                          "cosh",
                                          "cumprod",
                                          "cumsum",
                                          "deg2rad",
                                          "div",
                                          "divide",
                                          "dropout",
                                          "elu",
                                          "erf",
                                          "erfc",
                                          "exp",
                                          "exp2",
                                          "expm1",
                                          "feature_alpha_dropout",
                                          "feature_dropout",
                                          "fill",
                                          "floor",
                                          "floor_divide",
                                          "fmod",
                                          "frac",
                                          "gelu",
                                          "hardsigmoid",
                                          "hardswish",
                                          "hardtanh",
                                          "hypot",
                                          "index_add",
                                          "index_copy",
                                          "index_fill",
                                          "index_put",
                                          "leaky_relu",
                                          "lerp",
                                          "log",
                                          "log10",
                                          "log1p",
                                          "log2",
                                          "logical_and",
                                          "logical_not",
                                          "logical_or",
                                          "logical_xor",
                                          "logit",
                                          "masked_fill",
                                          "masked_scatter",
                                          "mish",
                                          "mul",
                                          "multiply",
                                          "nan_to_num",
                                          "neg",
                                          "pow",
                                          "rad2deg",
                                          "reciprocal",
                                          "relu",
                                          "relu6",
                                          "remainder",
                                          "round",
                                          "rsqrt",
                                          "scatter",
                                          "scatter_add",
                                          "scatter_reduce",
                                          "selu",
                                          "sgn",
                                          "sigmoid",
                                          "sign",
                                          "silu",
                                          "sin",
                                          "sinh",
                                          "sqrt",
                                          "square",
                                          "sub",
                                          "subtract",
                                          "tan",
                                          "tanh",
                                          "threshold",
                                          "tril",
                                          "triu",
                                          "true_divide",
                                          "trunc",
                                          "xlogy"};
  return names.contains(name);
}

/// The functional twin of an in-place target, empty when kfuse knows none.
static std::string getFunctionalTarget(StringRef target) {
  static const llvm::StringMap<StringLiteral> operators = {
      {"__iand__", "bitwise_and"},
      {"__ior__", "bitwise_or"},
      {"__ixor__", "bitwise_xor"},
      {"zero_", "zeros_like"}};
  auto [space, rest] = target.split("::");
  auto [name, overload] = rest.split('.');
  StringRef twin;
  if (auto it = operators.find(name); it != operators.end())
    twin = it->second;
  else if (hasPlainTwin(name.drop_back()))
    twin = name.drop_back();
  else
    return "";
  return (space + "::" + twin + (overload.empty() ? "" : ".") + overload).str();
}

/// bool < integer < float < complex.
static int getCategory(Type element) {
  if (isa<ComplexType>(element))
    return 3;
  if (isa<FloatType>(element))
    return 2;
  return element.isInteger(1) ? 0 : 1;
}

/// True when the functional twin's result has the type of `self`: the others
/// promote to it.
static bool keepsType(AtenOp op, StringRef name) {
  if (name == "copy_" || name.starts_with("index_") ||
      name.starts_with("masked_") || name.starts_with("scatter"))
    return true;
  auto self = cast<RankedTensorType>(op.getOperand(0).getType());
  for (Value operand : op.getOperands().drop_front()) {
    auto other = dyn_cast<RankedTensorType>(operand.getType());
    if (!other || other.getElementType() == self.getElementType())
      continue;
    int selfCategory = getCategory(self.getElementType());
    int otherCategory = getCategory(other.getElementType());
    bool wins = otherCategory < selfCategory ||
                (otherCategory == selfCategory && other.getRank() == 0 &&
                 self.getRank() > 0);
    if (!wins)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

namespace {
class Functionalizer {
public:
  explicit Functionalizer(func::FuncOp function) : function(function) {}

  /// Finds the alias sets in which every write is understood; says why the
  /// others are kept. Changes nothing; false when there is nothing to rewrite.
  bool check();
  void rewrite();

private:
  bool checkWrite(AtenOp op);
  void collectWrite(AtenOp op);
  void collectView(AtenOp op, ViewKind kind);
  /// Keeps what may or may not share storage with something written to.
  void keepUnclear();
  bool isRewritten(AtenOp op);
  void rewriteWrite(AtenOp op);
  void finishReturn(func::ReturnOp op);

  Value getRoot(Value value) {
    while (Value source = sources.lookup(value))
      value = source;
    return value;
  }
  /// The value that `value` has now, derived from its root's.
  Value getCurrent(Value value, OpBuilder &builder);
  /// Puts `updated`, the new value of `value`, into everything up to the root.
  void writeBack(Value value, Value updated, OpBuilder &builder);

  func::FuncOp function;
  /// What a view, or the result of an in-place operation, was made from.
  DenseMap<Value, Value> sources;
  /// Values of members of written alias sets, by root.
  DenseMap<Value, DenseMap<Value, Value>> current;
  llvm::SetVector<Value> written;
  /// Roots of the sets that are written to, and of those that stay in place.
  llvm::SetVector<Value> writtenRoots, kept;
  /// A root and a result that may share its storage.
  SmallVector<std::pair<Value, Value>> unclear;
};
} // namespace

/// Says why `op` stays as it is; false.
static bool refuse(AtenOp op, const Twine &why) {
  remark::missed(
      op.getLoc(),
      remark::RemarkOpts::name("kept-in-place").category("kfuse-functionalize"))
      << remark::metric("op", op.getTarget().str())
      << remark::reason("{0}", why.str());
  return false;
}

bool Functionalizer::checkWrite(AtenOp op) {
  StringRef name = getOperatorName(op.getTarget());
  if (getFunctionalTarget(op.getTarget()).empty())
    return refuse(op, "no functional twin is known");
  auto self = op.getArgValue("self");
  if (!self || op.getOperand(0) != self || op.getNumResults() > 1 ||
      !getLayout(self))
    return refuse(op, "the written tensor is not the first argument");
  if (!keepsType(op, name))
    return refuse(op, "the functional twin has another result type");
  for (Value view = self; Value source = sources.lookup(view); view = source) {
    auto producer = view.getDefiningOp<AtenOp>();
    if (!isInPlaceTarget(producer.getTarget()) && !canWriteBack(producer))
      return refuse(op, "it writes through '" + producer.getTarget() + "'");
  }
  return true;
}

void Functionalizer::collectWrite(AtenOp op) {
  for (Value operand : op.getOperands())
    if (operand == op.getOperand(0) || !op.getArgValue("self"))
      writtenRoots.insert(getRoot(operand));
  if (!checkWrite(op))
    for (Value operand : op.getOperands())
      kept.insert(getRoot(operand));
  if (op.getNumResults() == 1)
    sources[op.getResult(0)] = op.getOperand(0);
}

void Functionalizer::collectView(AtenOp op, ViewKind kind) {
  if (kind == ViewKind::Alias) {
    for (Value result : op.getResults())
      sources[result] = op.getOperand(0);
    return;
  }
  for (Value result : op.getResults())
    unclear.push_back({getRoot(op.getOperand(0)), result});
}

void Functionalizer::keepUnclear() {
  // Each root that is kept for one pair may be one of another pair.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [source, result] : unclear) {
      bool isWritten = writtenRoots.contains(source) ||
                       writtenRoots.contains(result) || kept.contains(source) ||
                       kept.contains(result);
      if (!isWritten || (kept.contains(source) && kept.contains(result)))
        continue;
      remark::missed(source.getLoc(), remark::RemarkOpts::name("kept-in-place")
                                          .category("kfuse-functionalize"))
          << remark::reason("it may or may not share storage with another");
      kept.insert(source);
      kept.insert(result);
      changed = true;
    }
  }
}

bool Functionalizer::check() {
  SmallVector<AtenOp> storageViews;
  for (AtenOp op : function.getOps<AtenOp>()) {
    if (isInPlaceTarget(op.getTarget())) {
      if (op.getNumOperands())
        collectWrite(op);
      continue;
    }
    if (op.getTarget().starts_with("aten::as_strided"))
      storageViews.push_back(op);
    if (ViewKind kind = getViewKind(op); kind != ViewKind::None)
      collectView(op, kind);
  }
  // It views the storage, and a functional twin has a dense one.
  for (AtenOp op : storageViews) {
    Value root = getRoot(op.getOperand(0));
    LayoutAttr layout = getLayout(root);
    if (writtenRoots.contains(root) &&
        !(layout.isContiguous() && layout.getOffset().isConstant(0))) {
      refuse(op, "it views the storage of a tensor with gaps");
      kept.insert(root);
    }
  }
  keepUnclear();
  return llvm::any_of(writtenRoots,
                      [&](Value root) { return !kept.contains(root); });
}

bool Functionalizer::isRewritten(AtenOp op) {
  return isInPlaceTarget(op.getTarget()) && op.getNumOperands() &&
         !kept.contains(getRoot(op.getOperand(0)));
}

Value Functionalizer::getCurrent(Value value, OpBuilder &builder) {
  Value root = getRoot(value);
  auto it = current.find(root);
  if (it == current.end())
    return value;
  if (Value known = it->second.lookup(value))
    return known;
  Value source = getCurrent(sources.lookup(value), builder);
  auto producer = value.getDefiningOp<AtenOp>();
  Value derived = source;
  if (!isInPlaceTarget(producer.getTarget())) {
    Operation *copy = builder.clone(*producer);
    copy->setOperand(0, source);
    derived = copy->getResult(cast<OpResult>(value).getResultNumber());
  }
  return current[root][value] = derived;
}

void Functionalizer::writeBack(Value value, Value updated, OpBuilder &builder) {
  Value root = getRoot(value);
  // Bases keep their old values until the new ones are made from them.
  SmallVector<std::pair<Value, Value>> fresh{{value, updated}};
  for (Value view = value; Value source = sources.lookup(view); view = source) {
    auto producer = view.getDefiningOp<AtenOp>();
    if (!isInPlaceTarget(producer.getTarget()))
      updated = buildWriteBack(builder, producer, getCurrent(source, builder),
                               updated);
    fresh.push_back({source, updated});
  }
  DenseMap<Value, Value> &values = current[root];
  values.clear();
  for (auto [member, now] : fresh)
    values[member] = now;
  written.insert(root);
}

void Functionalizer::rewriteWrite(AtenOp op) {
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(getCurrent(operand, builder));
  std::string target = getFunctionalTarget(op.getTarget());
  Value self = op.getOperand(0);
  auto type = cast<RankedTensorType>(self.getType());
  LayoutAttr layout = getLayout(type);
  LayoutAttr fresh =
      LayoutAttr::contiguous(builder.getContext(), layout.getSizes());
  bool isZero = StringRef(target).starts_with("aten::zeros_like");
  auto twin = AtenOp::create(
      builder, op.getLoc(), getTensorType(type.getElementType(), fresh),
      builder.getStringAttr(target), operands, op.getNamesAttr(),
      op.getArgsAttr(), DenseI64ArrayAttr());
  if (isZero)
    twin.setTarget("aten::zeros_like");
  writeBack(self, twin.getResult(0), builder);
}

void Functionalizer::finishReturn(func::ReturnOp op) {
  OpBuilder builder(op);
  SmallVector<Value> values;
  for (Value operand : op.getOperands())
    values.push_back(getCurrent(operand, builder));
  for (Value root : written) {
    auto argument = dyn_cast<BlockArgument>(root);
    if (!argument)
      continue;
    Value now = getCurrent(root, builder);
    DictionaryAttr attrs = builder.getDictionaryAttr(builder.getNamedAttr(
        "kfuse.mutates", builder.getI64IntegerAttr(argument.getArgNumber())));
    (void)function.insertResult(function.getNumResults(), now.getType(), attrs);
    values.push_back(now);
  }
  op.getOperandsMutable().assign(values);
  SmallVector<Type> types(op.getOperandTypes());
  function.setType(builder.getFunctionType(function.getArgumentTypes(), types));
}

void Functionalizer::rewrite() {
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front())
    ops.push_back(&op);
  SmallVector<Operation *> dead;
  for (Operation *op : ops) {
    if (auto aten = dyn_cast<AtenOp>(op); aten && isRewritten(aten)) {
      rewriteWrite(aten);
      dead.push_back(op);
      continue;
    }
    if (auto ret = dyn_cast<func::ReturnOp>(op)) {
      finishReturn(ret);
      continue;
    }
    // A view keeps its source as written: it is derived again when used.
    if (op->getNumResults() && sources.contains(op->getResult(0)) &&
        current.contains(getRoot(op->getResult(0)))) {
      dead.push_back(op);
      continue;
    }
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands())
      operand.set(getCurrent(operand.get(), builder));
  }
  for (Operation *op : llvm::reverse(dead))
    op->erase();
}

/// Erases checks of what the types state: the guards of the inputs and the
/// rules of the operators already promise it, and each such check would keep a
/// value alive and stored.
static void eraseMetadataChecks(func::FuncOp function) {
  for (AtenOp op : llvm::make_early_inc_range(function.getOps<AtenOp>()))
    if (op.getTarget().starts_with("aten::_assert_tensor_metadata"))
      op.erase();
}

namespace {
struct FunctionalizePass
    : kfuse::impl::FunctionalizePassBase<FunctionalizePass> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    eraseMetadataChecks(getOperation());
    Functionalizer functionalizer(getOperation());
    if (functionalizer.check())
      functionalizer.rewrite();
  }
};
} // namespace
