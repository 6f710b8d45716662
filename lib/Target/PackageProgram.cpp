//===- PackageProgram.cpp - plan.json and generic.json --------------------===//
/// Tensors, launches, views and the returned values of a program.

#include "PackageProgram.h"
#include "PackageJson.h"
#include "kfuse/Runtime/ABI.h"

using namespace mlir;
using namespace mlir::kfuse;
namespace json = llvm::json;

int64_t ProgramWriter::addTensor(RankedTensorType type, json::Value storage,
                                 StringRef name) {
  json::Object tensor;
  addTensorType(tensor, type);
  ExprAttr offset = getLayout(type).getOffset();
  if (!offset.isConstant(0))
    tensor["offset"] = toJson(offset);
  if (!name.empty())
    tensor["name"] = name;
  tensor["storage"] = std::move(storage);
  tensors.push_back(std::move(tensor));
  return tensors.size() - 1;
}

FailureOr<int64_t> ProgramWriter::getTensor(Operation *op, Value value) {
  auto it = values.find(value);
  if (it == values.end() || it->second.tensor < 0)
    return op->emitOpError("expected a tensor operand, found ")
           << value.getType();
  return it->second.tensor;
}

/// Symbols that first appear as a size of `type` are set by that tensor.
void ProgramWriter::defineSizeSymbols(int64_t tensor, RankedTensorType type) {
  for (auto [dim, size] : llvm::enumerate(getLayout(type).getSizes())) {
    StringRef name = size.getName();
    if (size.getKind() != ExprKind::Symbol || signature.isBound(name) ||
        !defined.insert(name).second)
      continue;
    json::Object entry{
        {"name", name},
        {"bind", json::Object{{"tensor", tensor}, {"dim", (int64_t)dim}}}};
    signature.addRange(entry, name);
    symbols.push_back(std::move(entry));
  }
}

LogicalResult ProgramWriter::addArguments() {
  func::FuncOp function = signature.getFunction();
  for (auto [argument, role] :
       llvm::zip(function.getArguments(), signature.getArguments())) {
    Reference &reference = values[argument];
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type) {
      reference.symbol = role.symbol;
      reference.isInt = argument.getType().isInteger(64);
      continue;
    }
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      "kfuse.name");
    bool isInput = role.kind == ArgumentRole::Kind::Input;
    json::Object storage{{isInput ? "input" : "weight", role.index}};
    // The manifest has a weight's offset.
    if (LayoutAttr layout = getLayout(type); !isInput)
      type = getTensorType(
          type.getElementType(),
          LayoutAttr::get(type.getContext(), layout.getSizes(),
                          layout.getStrides(),
                          ExprAttr::constant(type.getContext(), 0)));
    reference.tensor =
        addTensor(type, std::move(storage), name ? name.getValue() : "");
  }
  return success();
}

LogicalResult ProgramWriter::writeView(ViewOp op, json::Array &steps) {
  FailureOr<int64_t> source = getTensor(op, op.getSource());
  if (failed(source))
    return failure();
  auto type = cast<RankedTensorType>(op.getType());
  int64_t result = addTensor(type, json::Object{{"view", *source}});
  values[op.getResult()].tensor = result;
  steps.push_back(
      json::Object{{"op", "view"}, {"result", result}, {"source", *source}});
  return success();
}

static json::Value writeGuard(GuardAttr guard) {
  if (guard.isAligned())
    return json::Object{{"kind", "aligned"},
                        {"tensor", guard.getTensor()},
                        {"bytes", guard.getBytes()}};
  if (guard.isDivisible())
    return json::Object{{"kind", "divisible"},
                        {"expr", toJson(guard.getLhs())},
                        {"by", guard.getBytes()}};
  return json::Object{{"kind", "le"},
                      {"lhs", toJson(guard.getLhs())},
                      {"rhs", toJson(guard.getRhs())}};
}

int64_t ProgramWriter::addKernel(LaunchOp op, VariantAttr variant,
                                 unsigned number) {
  StringRef entry = variant.getKernel().getLeafReference().getValue();
  auto [it, isNew] = kernelIndex.try_emplace(entry, kernels.size());
  if (!isNew)
    return it->second;
  json::Object binaries;
  if (auto found = files.find(entry.str()); found != files.end())
    for (const auto &[arch, member] : found->second)
      binaries[arch] = json::Object{{"member", member}, {"entry", entry}};
  kernels.push_back(json::Object{
      {"id", op.getName()},
      {"variant", ("v" + Twine(number)).str()},
      {"binaries", std::move(binaries)},
      {"params",
       json::Object{{"pointers", (int64_t)variant.getTensors().size()},
                    {"scalars", (int64_t)variant.getScalars().size()}}}});
  return it->second;
}

json::Value ProgramWriter::writeVariant(LaunchOp op, VariantAttr variant,
                                        unsigned number) {
  json::Array pointers, guards;
  for (int64_t tensor : variant.getTensors())
    pointers.push_back(tensor);
  for (GuardAttr guard : variant.getGuards())
    guards.push_back(writeGuard(guard));
  json::Object object{{"kernel", addKernel(op, variant, number)},
                      {"tensors", std::move(pointers)},
                      {"scalars", toJson(variant.getScalars())},
                      {"grid", toJson(variant.getGrid())},
                      {"block", variant.getBlock()},
                      {"shared_bytes", variant.getSharedBytes()}};
  if (!variant.getGuards().empty())
    object["guards"] = std::move(guards);
  return object;
}

bool ProgramWriter::isReady(LaunchOp op) const {
  auto isBound = [&](ExprAttr expr) { return signature.isBound(expr); };
  for (auto types : {TypeRange(op.getOperands()), TypeRange(op.getResults())})
    for (Type type : types) {
      LayoutAttr layout = getLayout(type);
      if (!llvm::all_of(layout.getSizes(), isBound) ||
          !llvm::all_of(layout.getStrides(), isBound))
        return false;
    }
  return true;
}

/// Memory of the first output that is exactly `value` and still free.
json::Value ProgramWriter::getOutputStorage(Value value) {
  for (OpOperand &use : value.getUses()) {
    if (!isa<func::ReturnOp>(use.getOwner()))
      continue;
    int64_t output = signature.getResults()[use.getOperandNumber()].output;
    if (output < 0 || outputTaken[output])
      continue;
    outputTaken[output] = true;
    return json::Object{{"output", output}};
  }
  return nullptr;
}

/// The tensor of a launch's scratch memory.
FailureOr<int64_t> ProgramWriter::addScratch(LaunchOp op) {
  auto offset = op->getAttrOfType<ExprAttr>("kfuse.scratch_offset");
  if (!offset)
    return op.emitOpError("expected 'kfuse.scratch_offset' beside "
                          "'kfuse.scratch_bytes'; run kfuse-plan-memory");
  auto bytes = op->getAttrOfType<IntegerAttr>("kfuse.scratch_bytes").getInt();
  MLIRContext *context = op.getContext();
  auto layout =
      LayoutAttr::contiguous(context, ExprAttr::constant(context, bytes));
  auto type =
      RankedTensorType::get(bytes, IntegerType::get(context, 8), layout);
  return addTensor(type, json::Object{{"arena", toJson(offset)}});
}

LogicalResult ProgramWriter::writeLaunch(LaunchOp op, json::Array &steps) {
  if (!isReady(op))
    return inlineGeneric(op, op.getGeneric(), "a size depends on data", steps);
  auto arena = op->getAttrOfType<ArrayAttr>("kfuse.arena");
  if (!arena || arena.size() != op.getNumResults())
    return op.emitOpError("expected 'kfuse.arena' with an entry for each "
                          "result; run kfuse-plan-memory");
  json::Array inputs, results, variants, generic;
  for (Value operand : op.getOperands()) {
    FailureOr<int64_t> tensor = getTensor(op, operand);
    if (failed(tensor))
      return failure();
    inputs.push_back(*tensor);
  }
  for (auto [result, attr] : llvm::zip(op.getResults(), arena)) {
    auto offset = dyn_cast<ExprAttr>(attr);
    json::Value storage = offset ? json::Object{{"arena", toJson(offset)}}
                                 : getOutputStorage(result);
    if (!offset && storage.kind() == json::Value::Null)
      return op.emitOpError("expected an arena offset for a result that is "
                            "not written to an output");
    auto type = cast<RankedTensorType>(result.getType());
    values[result].tensor = addTensor(type, std::move(storage));
    results.push_back(values[result].tensor);
  }
  for (auto [index, attr] : llvm::enumerate(op.getVariants()))
    variants.push_back(writeVariant(op, cast<VariantAttr>(attr), index));
  if (failed(writeGeneric(op, generic)))
    return failure();
  json::Object step{{"op", "launch"},
                    {"id", op.getName()},
                    {"inputs", std::move(inputs)},
                    {"outputs", std::move(results)},
                    {"variants", std::move(variants)},
                    {"generic", std::move(generic)}};
  if (op.getKind())
    step["kind"] = stringifyFusionKind(*op.getKind());
  if (op->hasAttr("kfuse.exact"))
    step["exact"] = true;
  if (op->hasAttr("kfuse.scratch_bytes")) {
    FailureOr<int64_t> scratch = addScratch(op);
    if (failed(scratch))
      return failure();
    step["scratch"] = json::Array{*scratch};
    steps.push_back(
        json::Object{{"op", "fill"}, {"result", *scratch}, {"byte", 0}});
  }
  steps.push_back(std::move(step));
  return success();
}

/// An operation of the region may write straight into the launch's result,
/// unless a view relies on the layout that the operation gives it.
static bool canWriteResult(Value value, Value result) {
  if (!value.getDefiningOp<AtenOp>())
    return false;
  return value.getType() == result.getType() ||
         llvm::none_of(value.getUsers(),
                       [](Operation *user) { return isa<ViewOp>(user); });
}

LogicalResult ProgramWriter::writeGeneric(LaunchOp op, json::Array &steps) {
  Block &block = op.getGeneric().front();
  for (auto [argument, operand] :
       llvm::zip(block.getArguments(), op.getOperands()))
    values[argument] = values.lookup(operand);
  auto yield = cast<YieldOp>(block.getTerminator());
  for (auto [value, result] : llvm::zip(yield.getOperands(), op.getResults()))
    if (canWriteResult(value, result) && !values.contains(value))
      values[value] = values.lookup(result);
  if (failed(writeBlock(block, steps, /*inGeneric=*/true)))
    return failure();
  for (auto [value, result] : llvm::zip(yield.getOperands(), op.getResults())) {
    FailureOr<int64_t> source = getTensor(yield, value);
    if (failed(source))
      return failure();
    int64_t target = values.lookup(result).tensor;
    if (*source != target)
      steps.push_back(json::Object{
          {"op", "copy"}, {"source", *source}, {"result", target}});
  }
  return success();
}

LogicalResult ProgramWriter::inlineGeneric(Operation *op, Region &generic,
                                           StringRef reason,
                                           json::Array &steps) {
  Block &block = generic.front();
  for (auto [argument, operand] :
       llvm::zip(block.getArguments(), op->getOperands()))
    values[argument] = values.lookup(operand);
  inlineReason = reason;
  LogicalResult result = writeBlock(block, steps, /*inGeneric=*/false);
  inlineReason = "";
  auto yield = cast<YieldOp>(block.getTerminator());
  for (auto [value, result] : llvm::zip(yield.getOperands(), op->getResults()))
    values[result] = values.lookup(value);
  return result;
}

LogicalResult ProgramWriter::writeReturn(Operation *op) {
  std::vector<json::Value> list;
  for (Attribute fixed : signature.getFixedOutputs()) {
    auto expr = dyn_cast_or_null<ExprAttr>(fixed);
    list.push_back(expr ? json::Value(json::Object{{"sym", toJson(expr)}})
                        : json::Value(nullptr));
  }
  for (auto [value, role] :
       llvm::zip(op->getOperands(), signature.getResults())) {
    auto it = values.find(value);
    if (it == values.end())
      return op->emitOpError("expected a value of the program");
    const Reference &reference = it->second;
    if (role.mutatedArgument >= 0) {
      const ArgumentRole &target =
          signature.getArguments()[role.mutatedArgument];
      bool isInput = target.kind == ArgumentRole::Kind::Input;
      mutations.push_back(
          json::Object{{isInput ? "input" : "weight", target.index},
                       {"t", reference.tensor}});
    }
    if (role.output < 0)
      continue;
    list[role.output] =
        reference.tensor >= 0
            ? json::Value(json::Object{{"t", reference.tensor}})
            : json::Value(json::Object{{"scalar", reference.symbol}});
  }
  for (json::Value &value : list)
    outputs.push_back(std::move(value));
  return success();
}

LogicalResult ProgramWriter::writeStep(Operation &op, json::Array &steps,
                                       bool inGeneric) {
  if (auto aten = dyn_cast<AtenOp>(op))
    return writeAten(aten, steps, inGeneric);
  if (auto view = dyn_cast<ViewOp>(op))
    return writeView(view, steps);
  if (auto launch = dyn_cast<LaunchOp>(op); launch && !inGeneric)
    return writeLaunch(launch, steps);
  if (auto fusion = dyn_cast<FusionOp>(op); fusion && !inGeneric) {
    auto reason = op.getAttrOfType<StringAttr>("kfuse.refused");
    return inlineGeneric(fusion, fusion.getGeneric(),
                         reason ? reason.getValue() : "no kernel was made",
                         steps);
  }
  return op.emitOpError(
      "has no place in a package; expected kfuse.launch, kfuse.view or "
      "kfuse.aten");
}

LogicalResult ProgramWriter::writeBlock(Block &block, json::Array &steps,
                                        bool inGeneric) {
  for (Operation &op : block.without_terminator())
    if (failed(writeStep(op, steps, inGeneric)))
      return failure();
  return success();
}

FailureOr<json::Object> ProgramWriter::write() {
  func::FuncOp function = signature.getFunction();
  outputTaken.assign(signature.getNumOutputs(), false);
  json::Array steps;
  Block &block = function.getBody().front();
  if (failed(addArguments()) ||
      failed(writeBlock(block, steps, /*inGeneric=*/false)) ||
      failed(writeReturn(block.getTerminator())))
    return failure();
  json::Object program{
      {"version", KFUSE_PACKAGE_VERSION}, {"kind", isPlan ? "plan" : "generic"},
      {"symbols", std::move(symbols)},    {"tensors", std::move(tensors)},
      {"steps", std::move(steps)},        {"outputs", std::move(outputs)}};
  if (!mutations.empty())
    program["mutations"] = std::move(mutations);
  if (isPlan) {
    program["kernels"] = std::move(kernels);
    auto size = function->getAttrOfType<ExprAttr>("kfuse.arena_size");
    program["arena_bytes"] = size ? toJson(size) : json::Value(0);
  }
  return program;
}
