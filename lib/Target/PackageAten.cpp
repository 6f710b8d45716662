//===- PackageAten.cpp - operator calls of a package ----------------------===//

#include "PackageJson.h"
#include "PackageProgram.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::kfuse;
namespace json = llvm::json;

/// Operators that are left to PyTorch's libraries on purpose.
static bool isLibraryOperator(StringRef target) {
  static const llvm::StringSet<> names = {
      "mm",
      "bmm",
      "addmm",
      "baddbmm",
      "matmul",
      "linear",
      "mv",
      "dot",
      "einsum",
      "convolution",
      "_convolution",
      "conv1d",
      "conv2d",
      "conv3d",
      "conv_transpose2d",
      "scaled_dot_product_attention",
      "_scaled_dot_product_flash_attention",
      "_scaled_dot_product_efficient_attention"};
  return target.consume_front("aten::") &&
         names.contains(target.split('.').first);
}

/// Floats, with those that JSON lacks as text.
static json::Value writeFloat(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  return value;
}

json::Value ProgramWriter::writeTorch(TorchAttr attr) {
  StringRef kind = attr.getKind(), value = attr.getValue();
  if (kind == "device") {
    StringRef exported = signature.getDevice();
    bool isModel = value == exported ||
                   value.split(':').first == exported.split(':').first;
    return json::Object{{"device", isModel ? "model" : value}};
  }
  if (kind == "complex") {
    auto parse = [](StringRef text) -> json::Value {
      double number = 0;
      if (text.trim().getAsDouble(number))
        return text.trim();
      return writeFloat(number);
    };
    auto [re, im] = value.split(',');
    return json::Object{{"complex", json::Array{parse(re), parse(im)}}};
  }
  return json::Object{{kind, value}};
}

FailureOr<json::Value> ProgramWriter::writeValue(AtenOp op, Attribute attr) {
  if (auto operand = dyn_cast<OperandAttr>(attr)) {
    auto it = values.find(op.getOperands()[operand.getIndex()]);
    if (it == values.end())
      return op.emitOpError("operand ")
             << operand.getIndex() << " is not a value of the program";
    const Reference &reference = it->second;
    if (reference.tensor >= 0)
      return json::Value(json::Object{{"t", reference.tensor}});
    return json::Value(
        json::Object{{reference.isInt ? "sym" : "scalar", reference.symbol}});
  }
  if (auto list = dyn_cast<ArrayAttr>(attr)) {
    json::Array array;
    for (Attribute element : list) {
      FailureOr<json::Value> value = writeValue(op, element);
      if (failed(value))
        return failure();
      array.push_back(std::move(*value));
    }
    return json::Value(std::move(array));
  }
  return llvm::TypeSwitch<Attribute, FailureOr<json::Value>>(attr)
      .Case([](UnitAttr) { return json::Value(nullptr); })
      .Case([](BoolAttr flag) { return json::Value(flag.getValue()); })
      .Case([](IntegerAttr number) { return json::Value(number.getInt()); })
      .Case([](FloatAttr number) {
        return json::Value(
            json::Object{{"float", writeFloat(number.getValueAsDouble())}});
      })
      .Case([](StringAttr text) { return json::Value(text.getValue()); })
      .Case([](TypeAttr type) {
        return json::Value(
            json::Object{{"dtype", getDtypeName(type.getValue())}});
      })
      .Case([](ExprAttr expr) {
        if (std::optional<int64_t> value = expr.getConstant())
          return json::Value(*value);
        return json::Value(json::Object{{"sym", toJson(expr)}});
      })
      .Case([&](TorchAttr torch) { return writeTorch(torch); })
      .Default([&](Attribute) -> FailureOr<json::Value> {
        return op.emitOpError("has an argument of an unknown kind: ") << attr;
      });
}

LogicalResult ProgramWriter::defineSymbol(AtenOp op, OpResult result,
                                          StringRef name) {
  Type type = result.getType();
  StringRef kind = type.isInteger(64)  ? "int"
                   : type.isInteger(1) ? "bool"
                   : type.isF64()      ? "float"
                                       : "";
  if (kind.empty())
    return op.emitOpError("expected a scalar of type i64, i1 or f64, found ")
           << type;
  Reference &reference = values[result];
  reference.symbol = name.empty() ? ("v" + Twine(counter++)).str() : name.str();
  reference.isInt = kind == "int";
  if (signature.isBound(reference.symbol) ||
      !defined.insert(reference.symbol).second)
    return success();
  json::Object entry{{"name", reference.symbol},
                     {"type", kind},
                     {"bind", json::Object{{"step", true}}}};
  signature.addRange(entry, reference.symbol);
  symbols.push_back(std::move(entry));
  return success();
}

FailureOr<json::Value> ProgramWriter::writeResult(AtenOp op, Value result) {
  if (auto type = dyn_cast<RankedTensorType>(result.getType())) {
    // A launch's result, when this operation stands for the launch.
    Reference &reference = values[result];
    if (reference.tensor < 0) {
      if (!getLayout(type) || getDtypeName(type.getElementType()).empty())
        return op.emitOpError("expected a result with a layout, found ")
               << type;
      reference.tensor = addTensor(type, "provider");
    }
    int64_t tensor = reference.tensor;
    defineSizeSymbols(tensor, type);
    return json::Value(json::Object{{"t", tensor}});
  }
  if (isa<NoneType>(result.getType()))
    return json::Value(nullptr);
  auto opResult = cast<OpResult>(result);
  StringRef name;
  if (auto names = op->getAttrOfType<ArrayAttr>("kfuse.symbols")) {
    unsigned position = 0;
    for (OpResult other : op->getResults()) {
      if (isa<RankedTensorType>(other.getType()))
        continue;
      if (other == opResult && position < names.size())
        if (auto text = dyn_cast<StringAttr>(names[position]))
          name = text.getValue();
      ++position;
    }
  }
  if (failed(defineSymbol(op, opResult, name)))
    return failure();
  return json::Value(json::Object{{"symbol", values.lookup(result).symbol}});
}

LogicalResult ProgramWriter::writeAten(AtenOp op, json::Array &steps,
                                       bool inGeneric) {
  json::Array args, results;
  for (auto [name, attr] : llvm::zip(op.getNames(), op.getArgs())) {
    FailureOr<json::Value> value = writeValue(op, attr);
    if (failed(value))
      return failure();
    args.push_back(json::Object{{"name", cast<StringAttr>(name).getValue()},
                                {"value", std::move(*value)}});
  }
  SmallVector<int64_t> groups(op.getNumResults(), -1);
  if (op.getResultGroupsAttr())
    groups.assign(op.getResultGroupsAttr().asArrayRef().begin(),
                  op.getResultGroupsAttr().asArrayRef().end());
  unsigned next = 0;
  for (int64_t group : groups) {
    json::Array list;
    for (int64_t i = 0; i < (group == -1 ? 1 : group); ++i) {
      FailureOr<json::Value> value = writeResult(op, op.getResult(next++));
      if (failed(value))
        return failure();
      list.push_back(std::move(*value));
    }
    if (group == -1)
      results.push_back(std::move(list.front()));
    else if (group == -2)
      results.push_back(nullptr);
    else
      results.push_back(std::move(list));
  }
  // `python::_operator.add` has no overload; ATen targets do.
  StringRef target = op.getTarget();
  bool isPython = target.starts_with("python::");
  auto [base, overload] =
      isPython ? std::pair(target, StringRef()) : target.split('.');
  json::Object step{{"op", "aten"},
                    {"target", base},
                    {"overload", overload},
                    {"args", std::move(args)},
                    {"results", std::move(results)}};
  if (isPlan && !inGeneric) {
    auto kind = op->getAttrOfType<StringAttr>("kfuse.fallback_class");
    auto reason = op->getAttrOfType<StringAttr>("kfuse.fallback_reason");
    if (kind ? kind.getValue() == "library" : isLibraryOperator(target))
      step["class"] = "library";
    if (reason)
      step["reason"] = reason.getValue();
    else if (!inlineReason.empty())
      step["reason"] = inlineReason;
  }
  steps.push_back(std::move(step));
  return success();
}
