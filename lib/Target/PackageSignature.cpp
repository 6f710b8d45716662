//===- PackageSignature.cpp - inputs, outputs and weights -----------------===//

#include "PackageSignature.h"
#include "PackageJson.h"
#include "kfuse/Runtime/ABI.h"

using namespace mlir;
using namespace mlir::kfuse;
namespace json = llvm::json;

/// `int`, `float` or `bool` of a scalar.
static StringRef getScalarType(Type type) {
  if (isa<FloatType>(type))
    return "float";
  return type.isInteger(1) ? "bool" : "int";
}

static ArrayRef<Attribute> getElements(ArrayAttr array) {
  return array ? array.getValue() : ArrayRef<Attribute>();
}

FailureOr<Signature> Signature::read(ModuleOp module) {
  Signature signature;
  signature.module = module;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isPrivate() || function.isExternal())
      continue;
    if (signature.function)
      return function.emitError("expected one public function, found two");
    signature.function = function;
  }
  if (!signature.function)
    return module.emitError("expected a public function, found none");
  if (auto device = module->getAttrOfType<StringAttr>("kfuse.device"))
    signature.device = device.getValue().str();
  if (failed(signature.readArguments()) || failed(signature.readResults()))
    return failure();
  signature.bindSymbols();
  return signature;
}

LogicalResult Signature::readArguments() {
  int64_t inputs = 0, weights = 0;
  auto order = function->getAttrOfType<ArrayAttr>("kfuse.inputs");
  SmallVector<int64_t> inputOf(function.getNumArguments(), -1);
  for (auto [index, attr] : llvm::enumerate(getElements(order)))
    if (auto argument = dyn_cast<IntegerAttr>(attr)) {
      if (argument.getInt() < 0 || argument.getInt() >= (int64_t)inputOf.size())
        return function.emitError("'kfuse.inputs' names argument ")
               << argument.getInt() << ", but there are only "
               << inputOf.size();
      inputOf[argument.getInt()] = index;
    }
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto kind = function.getArgAttrOfType<StringAttr>(i, "kfuse.kind");
    ArgumentRole role;
    Type type = function.getArgumentTypes()[i];
    if (!kind || kind.getValue() == "input") {
      role.index = order ? inputOf[i] : inputs++;
      if (role.index < 0)
        return function.emitError("expected argument ")
               << i << " in 'kfuse.inputs'";
      auto name = function.getArgAttrOfType<StringAttr>(i, "kfuse.symbol");
      if (!isa<RankedTensorType>(type))
        role.symbol = name ? name.str() : ("arg" + Twine(i)).str();
    } else {
      role.kind = ArgumentRole::Kind::Weight;
      role.index = weights++;
    }
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor &&
        (!getLayout(tensor) || getDtypeName(tensor.getElementType()).empty()))
      return function.emitError("expected argument ")
             << i << " to have a layout and a dtype, found " << type;
    arguments.push_back(std::move(role));
  }
  return success();
}

LogicalResult Signature::readResults() {
  auto order = function->getAttrOfType<ArrayAttr>("kfuse.outputs");
  SmallVector<int64_t> outputOf(function.getNumResults(), -1);
  for (auto [index, attr] : llvm::enumerate(getElements(order))) {
    auto result = dyn_cast<IntegerAttr>(attr);
    bool isResult = result && result.getType().isInteger(64);
    if (isResult &&
        (result.getInt() < 0 || result.getInt() >= (int64_t)outputOf.size()))
      return function.emitError("'kfuse.outputs' names result ")
             << result.getInt() << ", but there are only " << outputOf.size();
    if (isResult)
      outputOf[result.getInt()] = index;
    fixedOutputs.push_back(isResult ? Attribute() : attr);
  }
  llvm::DenseMap<int64_t, int64_t> mutates;
  for (Attribute attr :
       getElements(function->getAttrOfType<ArrayAttr>("kfuse.mutates"))) {
    auto pair = dyn_cast<ArrayAttr>(attr);
    auto result = pair && pair.size() == 2 ? dyn_cast<IntegerAttr>(pair[0])
                                           : IntegerAttr();
    auto target = result ? dyn_cast<IntegerAttr>(pair[1]) : IntegerAttr();
    if (!target || target.getInt() < 0 ||
        target.getInt() >= (int64_t)arguments.size())
      return function.emitError("expected pairs of a result and an argument in "
                                "'kfuse.mutates', found ")
             << attr;
    mutates[result.getInt()] = target.getInt();
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    ResultRole role;
    if (auto it = mutates.find(i); it != mutates.end()) {
      role.mutatedArgument = it->second;
    } else if (auto target = function.getResultAttrOfType<IntegerAttr>(
                   i, "kfuse.mutates")) {
      role.mutatedArgument = target.getInt();
    } else if (order) {
      role.output = outputOf[i];
    } else {
      role.output = fixedOutputs.size();
      fixedOutputs.push_back({});
    }
    results.push_back(role);
  }
  return success();
}

bool Signature::isBound(ExprAttr expr) const {
  bool all = true;
  expr.walkSymbols([&](StringRef name) { all &= isBound(name); });
  return all;
}

void Signature::addRange(json::Object &symbol, StringRef name) const {
  auto ranges = module->getAttrOfType<ArrayAttr>("kfuse.symbols");
  if (!ranges)
    return;
  for (auto range : ranges.getAsRange<DictionaryAttr>()) {
    auto key = range.getAs<StringAttr>("name");
    if (!key || key.getValue() != name)
      continue;
    if (auto min = range.getAs<IntegerAttr>("min"))
      symbol["min"] = min.getInt();
    if (auto max = range.getAs<IntegerAttr>("max"))
      symbol["max"] = max.getInt();
  }
}

/// Binds the one unbound symbol of `size` when it is `symbol` or, if `affine`,
/// `a * symbol + b`.
bool Signature::bindDimension(int64_t input, int64_t dim, ExprAttr size,
                              bool affine) {
  MLIRContext *context = module.getContext();
  StringRef name;
  unsigned count = 0;
  size.walkSymbols([&](StringRef symbol) {
    name = symbol;
    ++count;
  });
  if (count != 1 || isBound(name))
    return false;
  json::Object bind{{"input", input}, {"dim", dim}};
  if (size.getKind() != ExprKind::Symbol) {
    auto at = [&](int64_t value) {
      return size.evaluate([&](StringRef) { return value; }).value_or(0);
    };
    int64_t add = at(0), mul = at(1) - add;
    ExprAttr symbol = ExprAttr::symbol(context, name);
    ExprAttr line = ExprAttr::add(ExprAttr::mul(symbol, mul),
                                  ExprAttr::constant(context, add));
    if (!affine || mul <= 0 || line != size)
      return false;
    bind["mul"] = mul;
    bind["add"] = add;
  }
  json::Object entry{{"name", name}, {"bind", std::move(bind)}};
  addRange(entry, name);
  symbols.push_back(std::move(entry));
  bound.insert(name);
  return true;
}

void Signature::bindSymbols() {
  for (auto [role, type] : llvm::zip(arguments, function.getArgumentTypes())) {
    if (role.symbol.empty() || isBound(role.symbol))
      continue;
    json::Object entry{{"name", role.symbol},
                       {"type", getScalarType(type)},
                       {"bind", json::Object{{"input", role.index}}}};
    addRange(entry, role.symbol);
    symbols.push_back(std::move(entry));
    bound.insert(role.symbol);
  }
  for (bool affine : {false, true})
    for (auto [role, type] :
         llvm::zip(arguments, function.getArgumentTypes())) {
      LayoutAttr layout = getLayout(type);
      if (role.kind != ArgumentRole::Kind::Input || !layout)
        continue;
      for (auto [dim, size] : llvm::enumerate(layout.getSizes()))
        bindDimension(role.index, dim, size, affine);
    }
}

/// A value fixed by the export, for people.
static json::Value toConstant(Attribute attr) {
  if (auto text = dyn_cast<StringAttr>(attr))
    return text.getValue();
  if (auto flag = dyn_cast<BoolAttr>(attr))
    return flag.getValue();
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return number.getInt();
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getValueAsDouble();
  return nullptr;
}

FailureOr<json::Array> Signature::makeInputs() const {
  auto order = function->getAttrOfType<ArrayAttr>("kfuse.inputs");
  size_t count = order ? order.size() : 0;
  for (const ArgumentRole &role : arguments)
    if (role.kind == ArgumentRole::Kind::Input)
      count = std::max<size_t>(count, role.index + 1);
  std::vector<json::Value> inputs(count, nullptr);
  for (auto [index, attr] : llvm::enumerate(getElements(order)))
    if (auto fixed = dyn_cast<DictionaryAttr>(attr)) {
      auto name = fixed.getAs<StringAttr>("name");
      Attribute value = fixed.get("value");
      inputs[index] =
          json::Object{{"kind", "constant"},
                       {"name", name ? name.getValue() : ""},
                       {"value", value ? toConstant(value) : nullptr}};
    }
  SmallVector<bool> mutated(arguments.size(), false);
  for (const ResultRole &role : results)
    if (role.mutatedArgument >= 0)
      mutated[role.mutatedArgument] = true;
  for (auto [index, role] : llvm::enumerate(arguments)) {
    if (role.kind != ArgumentRole::Kind::Input)
      continue;
    Type type = function.getArgumentTypes()[index];
    auto name = function.getArgAttrOfType<StringAttr>(index, "kfuse.name");
    json::Object input{
        {"name", name ? name.str() : ("input" + Twine(role.index)).str()}};
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      input["kind"] = "tensor";
      addTensorType(input, tensor);
      if (mutated[index] || function.getArgAttr(index, "kfuse.mutated"))
        input["mutated"] = true;
    } else {
      input["kind"] = getScalarType(type);
    }
    inputs[role.index] = std::move(input);
  }
  json::Array array;
  for (json::Value &input : inputs)
    array.push_back(std::move(input));
  return array;
}

json::Array Signature::makeOutputs() const {
  std::vector<json::Value> outputs;
  for (Attribute fixed : fixedOutputs) {
    if (isa_and_nonnull<ExprAttr>(fixed))
      outputs.push_back(json::Object{{"kind", "scalar"}, {"type", "int"}});
    else
      outputs.push_back(json::Object{{"kind", "none"}});
  }
  for (auto [index, role] : llvm::enumerate(results)) {
    if (role.output < 0)
      continue;
    Type type = function.getResultTypes()[index];
    json::Object output;
    if (auto name =
            function.getResultAttrOfType<StringAttr>(index, "kfuse.name"))
      output["name"] = name.getValue();
    else
      output["name"] = ("output" + Twine(role.output)).str();
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      output["kind"] = "tensor";
      addTensorType(output, tensor);
    } else {
      output["kind"] = "scalar";
      output["type"] = getScalarType(type);
    }
    outputs[role.output] = std::move(output);
  }
  json::Array array;
  for (json::Value &output : outputs)
    array.push_back(std::move(output));
  return array;
}

FailureOr<json::Value> Signature::makeWeight(
    unsigned argument,
    llvm::function_ref<FailureOr<json::Value>(StringRef)> getSource) const {
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[argument]);
  auto kind = function.getArgAttrOfType<StringAttr>(argument, "kfuse.kind");
  auto name = function.getArgAttrOfType<StringAttr>(argument, "kfuse.name");
  auto record = function.getArgAttrOfType<StringAttr>(argument, "kfuse.record");
  if (function.getArgAttr(argument, "kfuse.missing"))
    return function.emitError("the exported program has no bytes for ")
           << kind << " " << name << "; export it with its weights";
  if (!type || !name || !record)
    return function.emitError("expected argument ")
           << argument << " (a " << kind.getValue()
           << ") to be a tensor with 'kfuse.name' and 'kfuse.record'";
  LayoutAttr layout = getLayout(type);
  json::Object weight{{"name", name.getValue()}, {"kind", kind.getValue()}};
  addTensorType(weight, type);
  weight["offset"] = toJson(layout.getOffset());
  bool isMutable = bool(function.getArgAttr(argument, "kfuse.mutated"));
  for (const ResultRole &role : results)
    isMutable |= role.mutatedArgument == argument;
  if (isMutable)
    weight["mutable"] = true;
  FailureOr<json::Value> source = getSource(record.getValue());
  if (failed(source))
    return failure();
  weight["source"] = std::move(*source);
  return json::Value(std::move(weight));
}

FailureOr<json::Object> Signature::makeManifest(
    llvm::function_ref<FailureOr<json::Value>(StringRef)> getSource) const {
  json::Object manifest{{"format", "kfuse-package"},
                        {"version", KFUSE_PACKAGE_VERSION}};
  for (auto [key, attr] : {std::pair("model", "kfuse.model"),
                           std::pair("torch_version", "kfuse.torch_version")})
    if (auto text = module->getAttrOfType<StringAttr>(attr))
      manifest[key] = text.getValue();
  FailureOr<json::Array> inputs = makeInputs();
  if (failed(inputs))
    return failure();
  json::Array weights;
  for (auto [index, role] : llvm::enumerate(arguments)) {
    if (role.kind != ArgumentRole::Kind::Weight)
      continue;
    FailureOr<json::Value> weight = makeWeight(index, getSource);
    if (failed(weight))
      return failure();
    weights.push_back(std::move(*weight));
  }
  manifest["symbols"] = json::Array(symbols);
  manifest["inputs"] = std::move(*inputs);
  manifest["outputs"] = makeOutputs();
  manifest["weights"] = std::move(weights);
  return manifest;
}
