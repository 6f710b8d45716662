//===- GraphBuilderNodes.cpp - nodes of the exported graph ----------------===//
/// \file
/// One `kfuse.aten` for each node; wrappers that only set a mode are inlined,
/// arithmetic on known sizes becomes expressions.

#include "GraphBuilder.h"

using namespace mlir;
using namespace mlir::kfuse;

using pt2::ArgKind;

//===----------------------------------------------------------------------===//
// Names and locations
//===----------------------------------------------------------------------===//

/// `torch.ops.aten.add.Tensor` is `aten::add.Tensor`, `_operator.mul` is
/// `python::_operator.mul`, `#ns:name` of an extension is `ns::name`.
static std::string getTarget(StringRef target) {
  if (target.consume_front("torch.ops.")) {
    auto [space, name] = target.split('.');
    name.consume_back(".default");
    return (space + "::" + name).str();
  }
  if (target.consume_front("#")) {
    auto [space, name] = target.split(':');
    return (space + "::" + name).str();
  }
  return ("python::" + target).str();
}

/// Path of the innermost module in `key,path,class;key,path,class;...`.
static StringRef getModulePath(StringRef stack) {
  StringRef last = stack.rsplit(';').second;
  if (last.empty())
    last = stack;
  return last.split(',').second.split(',').first;
}

Location GraphBuilder::getLocation(const pt2::Node &node) {
  StringRef name = node.name.empty() ? StringRef(node.target) : node.name;
  StringRef path = getModulePath(node.moduleStack);
  Location inner = UnknownLoc::get(context);
  if (!path.empty())
    inner = NameLoc::get(builder.getStringAttr(path));
  if (name.empty())
    return inner;
  return NameLoc::get(builder.getStringAttr(name), inner);
}

//===----------------------------------------------------------------------===//
// Arithmetic on sizes
//===----------------------------------------------------------------------===//

static bool isArithmeticTarget(StringRef target) {
  return target.starts_with("_operator.") || target.starts_with("math.") ||
         target.starts_with("torch.sym_") ||
         target.starts_with("torch.ops.aten.sym_size") ||
         target.starts_with("torch.ops.aten.sym_stride") ||
         target.starts_with("torch.ops.aten.sym_numel") ||
         target.starts_with("torch.ops.aten.sym_storage_offset");
}

/// True when the node only computes integers that have an expression already.
bool GraphBuilder::isKnownArithmetic(const pt2::Node &node, Scope &scope) {
  if (!isArithmeticTarget(node.target) || node.outputs.empty())
    return false;
  return llvm::all_of(node.outputs, [&](const pt2::Argument &output) {
    if (output.kind != ArgKind::SymInt)
      return false;
    auto it = scope.graph->symInts.find(output.syms.front().name);
    if (it == scope.graph->symInts.end() || !it->second.expr.isInteger())
      return false;
    FailureOr<ExprAttr> expr =
        getExpr(it->second.expr, builder.getUnknownLoc());
    return succeeded(expr) && areSymbolsKnown(*expr);
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult GraphBuilder::addResultType(const pt2::Node &node, StringRef name,
                                          Scope &scope,
                                          SmallVectorImpl<Type> &types) {
  auto it = scope.graph->tensors.find(name.str());
  if (it == scope.graph->tensors.end())
    return emitError(getLocation(node))
           << "result '" << name
           << "' has no type in the program; export it again";
  FailureOr<RankedTensorType> type = getType(it->second, getLocation(node));
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult GraphBuilder::buildResultTypes(const pt2::Node &node,
                                             Scope &scope,
                                             SmallVectorImpl<Type> &types,
                                             SmallVectorImpl<int64_t> &groups) {
  for (const pt2::Argument &output : node.outputs) {
    switch (output.kind) {
    case ArgKind::None:
      groups.push_back(-2);
      break;
    case ArgKind::Tensor:
      // Results that nobody uses may have no type.
      if (!scope.graph->tensors.count(output.names.front())) {
        groups.push_back(-2);
        break;
      }
      groups.push_back(-1);
      if (failed(addResultType(node, output.names.front(), scope, types)))
        return failure();
      break;
    case ArgKind::Tensors:
      groups.push_back(output.names.size());
      for (const std::string &name : output.names)
        if (failed(addResultType(node, name, scope, types)))
          return failure();
      break;
    case ArgKind::SymInt:
      groups.push_back(-1);
      types.push_back(builder.getI64Type());
      break;
    case ArgKind::SymFloat:
      groups.push_back(-1);
      types.push_back(builder.getF64Type());
      break;
    case ArgKind::SymBool:
      groups.push_back(-1);
      types.push_back(builder.getI1Type());
      break;
    default:
      return emitError(getLocation(node))
             << "result of kind '" << pt2::getTag(output.kind)
             << "' is not supported; keep such values out of the exported "
                "program";
    }
  }
  return success();
}

/// The symbol that an i64 result gives a value to: the program's own when the
/// result is just that, else one named after the result.
static std::string
getSymbolOfResult(const Scope &scope, StringRef name,
                  const llvm::StringMap<StringAttr> &opaque) {
  auto it = scope.graph->symInts.find(name.str());
  if (it == scope.graph->symInts.end())
    return name.str();
  const pt2::SymExpr &expr = it->second.expr;
  if (expr.kind == pt2::SymExpr::Kind::Symbol)
    return expr.name;
  auto made = opaque.find(expr.str());
  return made == opaque.end() ? name.str() : made->second.str();
}

LogicalResult GraphBuilder::bindResults(const pt2::Node &node, AtenOp op,
                                        Scope &scope) {
  SmallVector<Attribute> symbols;
  unsigned index = 0;
  auto bind = [&](StringRef name) -> LogicalResult {
    Value value = op.getResult(index++);
    ImportedValue imported{value, {}};
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType())) {
      defineSymbols(getLayout(tensor).getSizes(), /*backed=*/false);
      return defineName(scope, name, imported, op.getLoc());
    }
    StringAttr symbol = builder.getStringAttr(name);
    if (value.getType().isInteger(64)) {
      auto it = scope.graph->symInts.find(name.str());
      if (it != scope.graph->symInts.end())
        if (failed(getExpr(it->second.expr, op.getLoc())))
          return failure();
      symbol = builder.getStringAttr(getSymbolOfResult(scope, name, opaque));
      imported.expr = ExprAttr::symbol(context, symbol);
      used.insert(symbol);
      known.try_emplace(symbol, true);
    }
    symbols.push_back(symbol);
    return defineName(scope, name, imported, op.getLoc());
  };
  for (const pt2::Argument &output : node.outputs) {
    if (output.kind == ArgKind::Tensor &&
        !scope.graph->tensors.count(output.names.front()))
      continue;
    for (const std::string &name : output.names)
      if (failed(bind(name)))
        return failure();
    for (const pt2::SymArg &sym : output.syms)
      if (failed(bind(sym.name)))
        return failure();
  }
  if (!symbols.empty())
    op->setAttr("kfuse.symbols", builder.getArrayAttr(symbols));
  return success();
}

//===----------------------------------------------------------------------===//
// Wrappers
//===----------------------------------------------------------------------===//

/// The tensors and numbers that a result list names, in order.
static SmallVector<StringRef> getNames(ArrayRef<pt2::Argument> arguments) {
  SmallVector<StringRef> names;
  for (const pt2::Argument &argument : arguments) {
    for (const std::string &name : argument.names)
      names.push_back(name);
    for (const pt2::SymArg &sym : argument.syms)
      names.push_back(sym.name);
  }
  return names;
}

LogicalResult GraphBuilder::inlineGraph(const pt2::Node &node,
                                        unsigned graphIndex, Scope &scope) {
  Location loc = getLocation(node);
  const pt2::Graph &graph = *node.inputs[graphIndex].value.graph;
  auto given = ArrayRef(node.inputs).drop_front(graphIndex + 1);
  auto mismatch = [&]() {
    return emitError(loc) << "the wrapped graph's inputs or results do not "
                             "match the node's; export the program again";
  };
  if (given.size() != graph.inputs.size())
    return mismatch();
  Scope inner{&graph, {}};
  for (auto [argument, input] : llvm::zip_equal(given, graph.inputs)) {
    SmallVector<StringRef> from = getNames(argument.value);
    SmallVector<StringRef> to = getNames(input);
    if (from.size() != to.size())
      return mismatch();
    for (auto [outerName, innerName] : llvm::zip_equal(from, to)) {
      auto it = scope.values.find(outerName);
      if (it == scope.values.end())
        return emitError(loc) << "argument '" << outerName
                              << "' is not the result of any node before it; "
                                 "export the program again";
      if (failed(defineName(inner, innerName, it->second, loc)))
        return failure();
    }
  }
  if (failed(buildNodes(inner)))
    return failure();
  SmallVector<StringRef> from = getNames(graph.outputs);
  SmallVector<StringRef> to = getNames(node.outputs);
  if (from.size() != to.size())
    return mismatch();
  for (auto [innerName, outerName] : llvm::zip_equal(from, to)) {
    auto it = inner.values.find(innerName);
    if (it == inner.values.end())
      return mismatch();
    if (failed(defineName(scope, outerName, it->second, loc)))
      return failure();
  }
  return success();
}

LogicalResult GraphBuilder::buildHigherOrder(const pt2::Node &node,
                                             Scope &scope) {
  StringRef name = StringRef(node.target).rsplit('.').second;
  auto isGraph = [](const pt2::NamedArgument &argument) {
    return argument.value.kind == ArgKind::Graph;
  };
  auto it = llvm::find_if(node.inputs, isGraph);
  unsigned graphIndex = it - node.inputs.begin();
  if (name == "wrap_with_set_grad_enabled")
    return inlineGraph(node, graphIndex, scope);
  if (name == "wrap_with_autocast") {
    // Device, type, enabled, cache: the third argument decides.
    bool enabled = graphIndex < 3 ||
                   node.inputs[2].value.kind != ArgKind::Bool ||
                   node.inputs[2].value.intValue != 0;
    if (!enabled)
      return inlineGraph(node, graphIndex, scope);
    return emitError(getLocation(node))
           << "autocast is on here, and kfuse keeps types as they are "
              "exported; convert the model (model.to(torch.bfloat16)) and "
              "export it without autocast";
  }
  return emitError(getLocation(node))
         << "control flow (" << name
         << ") is not supported yet; rewrite the model with tensor operations "
            "such as torch.where, or unroll the loop, and export it again";
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

LogicalResult GraphBuilder::buildOperator(const pt2::Node &node, Scope &scope) {
  Location loc = getLocation(node);
  ArgumentList list;
  for (const pt2::NamedArgument &input : node.inputs) {
    Attribute attr;
    if (failed(buildValue(input.value, loc, scope, list, attr)))
      return failure();
    list.names.push_back(builder.getStringAttr(input.name));
    list.values.push_back(attr);
  }
  SmallVector<Type> types;
  SmallVector<int64_t> groups;
  if (failed(buildResultTypes(node, scope, types, groups)))
    return failure();
  bool isPlain =
      llvm::all_of(groups, [](int64_t group) { return group == -1; });
  auto op = AtenOp::create(
      builder, loc, types, builder.getStringAttr(getTarget(node.target)),
      list.operands, builder.getArrayAttr(list.names),
      builder.getArrayAttr(list.values),
      isPlain ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(groups));
  return bindResults(node, op, scope);
}

LogicalResult GraphBuilder::buildNode(const pt2::Node &node, Scope &scope) {
  bool hasGraph = llvm::any_of(node.inputs, [](const auto &argument) {
    return argument.value.kind == ArgKind::Graph;
  });
  if (hasGraph && StringRef(node.target).starts_with("torch.ops.higher_order."))
    return buildHigherOrder(node, scope);
  if (!isKnownArithmetic(node, scope))
    return buildOperator(node, scope);
  for (const pt2::Argument &output : node.outputs) {
    StringRef name = output.syms.front().name;
    const pt2::SymInt &value = scope.graph->symInts.at(name.str());
    FailureOr<ExprAttr> expr = getExpr(value.expr, getLocation(node));
    if (failed(expr) ||
        failed(defineName(scope, name, {Value(), *expr}, getLocation(node))))
      return failure();
  }
  return success();
}

LogicalResult GraphBuilder::buildNodes(Scope &scope) {
  for (const pt2::Node &node : scope.graph->nodes)
    if (failed(buildNode(node, scope)))
      return failure();
  return success();
}
