//===- ExprReader.cpp - expressions, symbols and layouts from JSON --------===//
#include "JsonReader.h"

namespace kfuse {

std::vector<std::string> Interface::symbolNames() const {
  std::vector<std::string> names;
  for (const Symbol &symbol : symbols)
    names.push_back(symbol.name);
  return names;
}

static Result<ExprId> readSymbolUse(const std::string &name,
                                    Interface &interface, bool defer) {
  auto it = interface.symbolIndex.find(name);
  if (it == interface.symbolIndex.end()) {
    if (!defer)
      return badJson("unknown symbol '%s'", name.c_str());
    int32_t number = static_cast<int32_t>(interface.symbols.size());
    interface.symbols.emplace_back();
    interface.symbols.back().name = name;
    it = interface.symbolIndex.emplace(name, number).first;
  }
  if (interface.symbols[it->second].type != KFUSE_SCALAR_INT)
    return badJson("symbol '%s' in an expression is not an integer",
                   name.c_str());
  const Symbol &symbol = interface.symbols[it->second];
  if (symbol.bind == Symbol::Bind::Expr)
    return ExprId(symbol.expr);
  return interface.table.symbol(it->second);
}

static std::optional<ExprOp> parseExprOp(std::string_view name) {
  static constexpr std::pair<std::string_view, ExprOp> ops[] = {
      {"add", ExprOp::Add},
      {"mul", ExprOp::Mul},
      {"floordiv", ExprOp::FloorDiv},
      {"ceildiv", ExprOp::CeilDiv},
      {"mod", ExprOp::Mod},
      {"min", ExprOp::Min},
      {"max", ExprOp::Max}};
  for (auto &[opName, op] : ops)
    if (name == opName)
      return op;
  return std::nullopt;
}

static Result<ExprId> readCompound(JsonArray array, Interface &interface,
                                   bool defer) {
  std::optional<ExprOp> op;
  ExprId value = -1;
  size_t count = 0;
  for (JsonValue element : array) {
    if (!op) {
      KFUSE_ASSIGN(std::string name, asString(element, "operator"));
      op = parseExprOp(name);
      if (!op)
        return badJson("unknown operator '%s' in an expression", name.c_str());
      continue;
    }
    KFUSE_ASSIGN(ExprId operand, readExpr(element, interface, defer));
    if (count++ == 0) {
      value = operand;
      continue;
    }
    KFUSE_ASSIGN(value, interface.table.apply(*op, value, operand));
  }
  bool isPair =
      op == ExprOp::FloorDiv || op == ExprOp::CeilDiv || op == ExprOp::Mod;
  if (count < 2 || (isPair && count != 2))
    return badJson("an expression has %zu operands, expected two%s", count,
                   isPair ? "" : " or more");
  return value;
}

Result<ExprId> readExpr(JsonValue value, Interface &interface, bool defer) {
  int64_t number;
  if (value.get(number) == simdjson::SUCCESS)
    return interface.table.constant(number);
  std::string_view name;
  if (value.get(name) == simdjson::SUCCESS)
    return readSymbolUse(std::string(name), interface, defer);
  JsonArray array;
  if (value.get(array) == simdjson::SUCCESS)
    return readCompound(array, interface, defer);
  return badJson("an expression is neither integer, symbol nor array");
}

Result<std::vector<ExprId>> readExprs(JsonValue value, Interface &interface,
                                      bool defer) {
  KFUSE_ASSIGN(JsonArray array, asArray(value, "list of expressions"));
  std::vector<ExprId> exprs;
  for (JsonValue element : array) {
    KFUSE_ASSIGN(ExprId expr, readExpr(element, interface, defer));
    exprs.push_back(expr);
  }
  return exprs;
}

Result<std::vector<ExprId>> rowMajor(const std::vector<ExprId> &sizes,
                                     ExpressionTable &table) {
  std::vector<ExprId> strides(sizes.size());
  ExprId stride = table.constant(1);
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    KFUSE_ASSIGN(stride, table.apply(ExprOp::Mul, stride, sizes[i]));
  }
  return strides;
}

Result<Layout> readLayout(JsonObject object, Interface &interface, bool defer) {
  Layout layout;
  KFUSE_ASSIGN(std::string dtype, getString(object, "dtype"));
  layout.dtype = parseDtype(dtype);
  if (layout.dtype == KFUSE_DTYPE_INVALID)
    return badJson("unknown dtype '%s'", dtype.c_str());
  KFUSE_ASSIGN(JsonValue sizes, getKey(object, "sizes"));
  KFUSE_ASSIGN(layout.sizes, readExprs(sizes, interface, defer));
  if (layout.sizes.size() > KFUSE_MAX_RANK)
    return badJson("%zu dimensions, expected at most %d", layout.sizes.size(),
                   KFUSE_MAX_RANK);
  if (auto strides = findKey(object, "strides")) {
    KFUSE_ASSIGN(layout.strides, readExprs(*strides, interface, defer));
  } else {
    KFUSE_ASSIGN(layout.strides, rowMajor(layout.sizes, interface.table));
  }
  if (layout.strides.size() != layout.sizes.size())
    return badJson("%zu strides for %zu sizes", layout.strides.size(),
                   layout.sizes.size());
  return layout;
}

static Status readBind(JsonObject bind, Symbol &symbol, Interface &interface,
                       size_t tensors) {
  KFUSE_ASSIGN(int64_t dim, getIntOr(bind, "dim", -1));
  symbol.dim = static_cast<int32_t>(dim);
  if (findKey(bind, "input")) {
    // Inputs are read after symbols; readManifest checks the number.
    KFUSE_ASSIGN(symbol.index, getIndex(bind, "input", INT32_MAX));
    symbol.bind = dim < 0 ? Symbol::Bind::InputScalar : Symbol::Bind::InputDim;
    KFUSE_ASSIGN(symbol.mul, getIntOr(bind, "mul", 1));
    KFUSE_ASSIGN(symbol.add, getIntOr(bind, "add", 0));
    if (symbol.mul == 0)
      return badJson("'mul' of a bound symbol is 0");
    return Status();
  }
  if (auto expr = findKey(bind, "expr")) {
    symbol.bind = Symbol::Bind::Expr;
    KFUSE_ASSIGN(symbol.expr, readExpr(*expr, interface));
    return Status();
  }
  if (findKey(bind, "tensor")) {
    symbol.bind = Symbol::Bind::TensorDim;
    KFUSE_ASSIGN(symbol.index, getIndex(bind, "tensor", tensors));
    if (dim < 0)
      return badJson("a symbol bound to a tensor has no 'dim'");
    return Status();
  }
  KFUSE_ASSIGN(bool isStep, getBoolOr(bind, "step", false));
  if (!isStep)
    return badJson("unknown kind of 'bind'");
  symbol.bind = Symbol::Bind::Step;
  return Status();
}

static Result<KfuseScalarKind> parseScalarKind(const std::string &name) {
  if (name == "int")
    return KfuseScalarKind(KFUSE_SCALAR_INT);
  if (name == "float")
    return KfuseScalarKind(KFUSE_SCALAR_FLOAT);
  if (name == "bool")
    return KfuseScalarKind(KFUSE_SCALAR_BOOL);
  return badJson("unknown scalar type '%s'", name.c_str());
}

static Status readSymbol(JsonValue value, Interface &interface,
                         size_t tensors) {
  KFUSE_ASSIGN(JsonObject object, asObject(value, "symbol"));
  Symbol symbol;
  KFUSE_ASSIGN(symbol.name, getString(object, "name"));
  KFUSE_ASSIGN(symbol.min, getIntOr(object, "min", 0));
  KFUSE_ASSIGN(symbol.max, getIntOr(object, "max", INT64_MAX));
  KFUSE_ASSIGN(std::string type, getStringOr(object, "type", "int"));
  KFUSE_ASSIGN(symbol.type, parseScalarKind(type));
  KFUSE_ASSIGN(JsonValue bind, getKey(object, "bind"));
  KFUSE_ASSIGN(JsonObject bindObject, asObject(bind, "bind"));
  KFUSE_TRY(readBind(bindObject, symbol, interface, tensors));

  int32_t number = static_cast<int32_t>(interface.symbols.size());
  auto [it, isNew] = interface.symbolIndex.emplace(symbol.name, number);
  if (isNew)
    interface.symbols.push_back(std::move(symbol));
  else if (interface.symbols[it->second].bind == Symbol::Bind::Deferred &&
           symbol.bind != Symbol::Bind::Expr)
    interface.symbols[it->second] = std::move(symbol);
  else
    return badJson("symbol '%s' is defined twice, or is a derived one that an "
                   "output names; write its expression there",
                   symbol.name.c_str());
  return Status();
}

Status readSymbols(JsonArray array, Interface &interface, size_t tensors) {
  return forEach(array, "symbols", [&](JsonValue value, size_t) {
    return readSymbol(value, interface, tensors);
  });
}

} // namespace kfuse
