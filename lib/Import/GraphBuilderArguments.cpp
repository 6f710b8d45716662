//===- GraphBuilderArguments.cpp - arguments of nodes ---------------------===//
/// \file
/// Each argument becomes an attribute; tensors and numbers that are computed
/// become operands that the attribute refers to.

#include "GraphBuilder.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::kfuse;

using pt2::ArgKind;

static StringRef getMemoryFormat(int64_t number) {
  switch (number) {
  case 1:
    return "contiguous_format";
  case 2:
    return "channels_last";
  case 3:
    return "channels_last_3d";
  case 4:
    return "preserve_format";
  default:
    return "";
  }
}

static StringRef getLayoutName(int64_t number) {
  static constexpr StringLiteral names[] = {
      "",           "sparse_coo", "sparse_csr", "sparse_csc",
      "sparse_bsr", "sparse_bsc", "_mkldnn",    "strided"};
  return number > 0 && number < 8 ? StringRef(names[number]) : "";
}

static std::string getDeviceName(const pt2::Device &device) {
  return device.index ? device.type + ":" + std::to_string(*device.index)
                      : device.type;
}

/// Shortest text that reads back as the same number.
static std::string formatFloat(double value) {
  SmallString<32> text;
  APFloat(value).toString(text, 17, 0);
  return text.str().str();
}

LogicalResult GraphBuilder::buildOperand(StringRef name, Location loc,
                                         Scope &scope, ArgumentList &list,
                                         Attribute &attr) {
  auto it = scope.values.find(name);
  if (it == scope.values.end() || !it->second.value)
    return emitError(loc) << "argument '" << name
                          << "' is not the result of any node before it; "
                             "export the program again";
  attr = OperandAttr::get(context, list.operands.size());
  list.operands.push_back(it->second.value);
  return success();
}

LogicalResult GraphBuilder::buildSymbolic(const pt2::SymArg &sym, ArgKind kind,
                                          Location loc, Scope &scope,
                                          ArgumentList &list, Attribute &attr) {
  if (sym.name.empty()) {
    if (kind == ArgKind::SymInt || kind == ArgKind::SymInts)
      attr = builder.getI64IntegerAttr(sym.intValue);
    else if (kind == ArgKind::SymFloat || kind == ArgKind::SymFloats)
      attr = builder.getF64FloatAttr(sym.floatValue);
    else
      attr = builder.getBoolAttr(sym.boolValue);
    return success();
  }
  auto it = scope.values.find(sym.name);
  if (it == scope.values.end() || !it->second.expr)
    return buildOperand(sym.name, loc, scope, list, attr);
  ExprAttr expr = it->second.expr;
  if (std::optional<int64_t> constant = expr.getConstant())
    attr = builder.getI64IntegerAttr(*constant);
  else
    attr = expr;
  return success();
}

LogicalResult GraphBuilder::buildList(const pt2::Argument &argument,
                                      Location loc, Scope &scope,
                                      ArgumentList &list, Attribute &attr) {
  SmallVector<Attribute> elements;
  auto add = [&]() -> Attribute & { return elements.emplace_back(); };
  for (int64_t value : argument.ints)
    add() = argument.kind == ArgKind::Bools
                ? Attribute(builder.getBoolAttr(value != 0))
                : builder.getI64IntegerAttr(value);
  for (double value : argument.floats)
    add() = builder.getF64FloatAttr(value);
  for (const pt2::SymArg &sym : argument.syms)
    if (failed(buildSymbolic(sym, argument.kind, loc, scope, list, add())))
      return failure();
  bool isMap = argument.kind == ArgKind::Map;
  for (auto [index, item] : llvm::enumerate(argument.items)) {
    Attribute element;
    if (failed(buildValue(item, loc, scope, list, element)))
      return failure();
    if (isMap)
      element = builder.getArrayAttr(
          {builder.getStringAttr(argument.names[index]), element});
    add() = element;
  }
  if (!isMap) {
    for (const std::string &name : argument.names) {
      if (argument.kind == ArgKind::Strings)
        add() = builder.getStringAttr(name);
      else if (name.empty() && argument.kind == ArgKind::OptionalTensors)
        add() = builder.getUnitAttr();
      else if (failed(buildOperand(name, loc, scope, list, add())))
        return failure();
    }
  }
  attr = builder.getArrayAttr(elements);
  return success();
}

LogicalResult GraphBuilder::buildValue(const pt2::Argument &argument,
                                       Location loc, Scope &scope,
                                       ArgumentList &list, Attribute &attr) {
  auto torch = [&](StringRef kind, StringRef value) -> LogicalResult {
    if (value.empty())
      return emitError(loc) << "number " << argument.intValue << " of a "
                            << kind << " is unknown; update kfuse or save "
                            << "with an older torch";
    attr = TorchAttr::get(context, kind, value);
    return success();
  };
  switch (argument.kind) {
  case ArgKind::None:
    attr = builder.getUnitAttr();
    return success();
  case ArgKind::Tensor:
  case ArgKind::OptionalTensor:
    if (argument.kind == ArgKind::Tensor || !argument.names.front().empty())
      return buildOperand(argument.names.front(), loc, scope, list, attr);
    attr = builder.getUnitAttr();
    return success();
  case ArgKind::Int:
    attr = builder.getI64IntegerAttr(argument.intValue);
    return success();
  case ArgKind::Float:
    attr = builder.getF64FloatAttr(argument.floatValue);
    return success();
  case ArgKind::Bool:
    attr = builder.getBoolAttr(argument.intValue != 0);
    return success();
  case ArgKind::String:
    attr = builder.getStringAttr(argument.names.front());
    return success();
  case ArgKind::SymInt:
  case ArgKind::SymFloat:
  case ArgKind::SymBool:
    return buildSymbolic(argument.syms.front(), argument.kind, loc, scope, list,
                         attr);
  case ArgKind::ScalarType:
    attr = TypeAttr::get(getElementType(context, argument.dtype));
    return success();
  case ArgKind::MemoryFormat:
    return torch("memory_format", getMemoryFormat(argument.intValue));
  case ArgKind::Layout:
    return torch("layout", getLayoutName(argument.intValue));
  case ArgKind::Device:
    return torch("device", getDeviceName(argument.device));
  case ArgKind::Complex:
    return torch("complex", formatFloat(argument.floatValue) + "," +
                                formatFloat(argument.imagValue));
  case ArgKind::Operator:
    return torch("operator", argument.names.front());
  case ArgKind::Graph:
    return emitError(loc) << "sub-graphs are not supported here; rewrite the "
                             "model without control flow";
  case ArgKind::CustomObj:
    return emitError(loc) << "object of class '" << argument.names.back()
                          << "' cannot be passed to an operator; replace it "
                             "by tensors before exporting";
  default:
    return buildList(argument, loc, scope, list, attr);
  }
}
