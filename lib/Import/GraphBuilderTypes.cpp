//===- GraphBuilderTypes.cpp - tensor types and size expressions ----------===//
/// \file
/// From the archive's tensor types to tensor types with layouts.

#include "GraphBuilder.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::kfuse;

Type kfuse::getElementType(MLIRContext *context, pt2::DType dtype) {
  auto integer = [&](unsigned width) -> Type {
    return IntegerType::get(context, width);
  };
  auto natural = [&](unsigned width) -> Type {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (dtype) {
  case pt2::DType::U8:
    return natural(8);
  case pt2::DType::U16:
    return natural(16);
  case pt2::DType::U32:
    return natural(32);
  case pt2::DType::U64:
    return natural(64);
  case pt2::DType::I8:
    return integer(8);
  case pt2::DType::I16:
    return integer(16);
  case pt2::DType::I32:
    return integer(32);
  case pt2::DType::I64:
    return integer(64);
  case pt2::DType::Bool:
    return integer(1);
  case pt2::DType::F16:
    return Float16Type::get(context);
  case pt2::DType::BF16:
    return BFloat16Type::get(context);
  case pt2::DType::F32:
    return Float32Type::get(context);
  case pt2::DType::F64:
    return Float64Type::get(context);
  case pt2::DType::C32:
    return ComplexType::get(Float16Type::get(context));
  case pt2::DType::C64:
    return ComplexType::get(Float32Type::get(context));
  case pt2::DType::C128:
    return ComplexType::get(Float64Type::get(context));
  case pt2::DType::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case pt2::DType::F8E5M2:
    return Float8E5M2Type::get(context);
  case pt2::DType::F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case pt2::DType::F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case pt2::DType::F8E8M0FNU:
    return Float8E8M0FNUType::get(context);
  }
  llvm_unreachable("every dtype has an element type");
}

/// Symbols appear in the text form of expressions, so they must be names that
/// it can spell.
static bool isSymbolName(StringRef name) {
  static const llvm::StringSet<> reserved = {"floordiv", "ceildiv", "mod",
                                             "min", "max"};
  if (name.empty() || (!llvm::isAlpha(name.front()) && name.front() != '_'))
    return false;
  return !reserved.contains(name) && llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '_';
  });
}

FailureOr<ExprAttr> GraphBuilder::getOperandsExpr(const pt2::SymExpr &expr,
                                                  Location loc) {
  using Kind = pt2::SymExpr::Kind;
  ExprAttr result;
  for (const pt2::SymExpr &operand : expr.operands) {
    FailureOr<ExprAttr> next = getExpr(operand, loc);
    if (failed(next))
      return failure();
    if (!result) {
      result = *next;
      continue;
    }
    bool isDivision = expr.kind == Kind::FloorDiv || expr.kind == Kind::Mod;
    std::optional<int64_t> divisor = next->getConstant();
    if (isDivision && divisor && *divisor <= 0)
      return emitError(loc) << "size " << expr.str() << " divides by "
                            << *divisor << "; expected a positive divisor";
    switch (expr.kind) {
    case Kind::Add:
      result = ExprAttr::add(result, *next);
      break;
    case Kind::Mul:
      result = ExprAttr::mul(result, *next);
      break;
    case Kind::FloorDiv:
      result = ExprAttr::floorDiv(result, *next);
      break;
    case Kind::Mod:
      result = ExprAttr::mod(result, *next);
      break;
    case Kind::Min:
      result = ExprAttr::min(result, *next);
      break;
    case Kind::Max:
      result = ExprAttr::max(result, *next);
      break;
    default:
      llvm_unreachable("not an operation");
    }
  }
  return result;
}

FailureOr<ExprAttr> GraphBuilder::getExpr(const pt2::SymExpr &expr,
                                          Location loc) {
  using Kind = pt2::SymExpr::Kind;
  if (expr.kind == Kind::Integer)
    return ExprAttr::constant(context, expr.value);
  // An expression without integer form gets a name; its value comes from the
  // tensor that has it as a size.
  if (!expr.isInteger()) {
    StringAttr &name = opaque[expr.str()];
    if (!name)
      name = builder.getStringAttr("opaque" + Twine(opaque.size() - 1));
    used.insert(name);
    return ExprAttr::symbol(context, name);
  }
  if (expr.kind != Kind::Symbol)
    return getOperandsExpr(expr, loc);
  if (!isSymbolName(expr.name))
    return emitError(loc) << "'" << expr.name
                          << "' is not a name for a symbol; export the program "
                             "again";
  used.insert(builder.getStringAttr(expr.name));
  return ExprAttr::symbol(context, expr.name);
}

FailureOr<RankedTensorType> GraphBuilder::getType(const pt2::TensorMeta &meta,
                                                  Location loc) {
  SmallVector<ExprAttr> sizes, strides;
  for (auto [from, to] :
       {std::pair(&meta.sizes, &sizes), std::pair(&meta.strides, &strides)}) {
    for (const pt2::SymInt &value : *from) {
      FailureOr<ExprAttr> expr = getExpr(value.expr, loc);
      if (failed(expr))
        return failure();
      to->push_back(*expr);
    }
  }
  for (ExprAttr size : sizes)
    if (size.getConstant().value_or(0) < 0)
      return emitError(loc) << "tensor has a negative size " << size
                            << "; export the program again";
  FailureOr<ExprAttr> offset = getExpr(meta.offset.expr, loc);
  if (failed(offset))
    return failure();
  auto layout = LayoutAttr::get(context, sizes, strides, *offset);
  return getTensorType(getElementType(context, meta.dtype), layout);
}

/// The symbol of `a * symbol + b` with constants, null for anything else.
static StringAttr getLinearSymbol(ExprAttr expr) {
  for (ExprAttr part = expr; part;) {
    if (part.getKind() == ExprKind::Symbol)
      return StringAttr::get(part.getContext(), part.getName());
    if (part.getKind() != ExprKind::Add && part.getKind() != ExprKind::Mul)
      return {};
    ExprAttr next;
    for (ExprAttr operand : part.getOperands()) {
      if (operand.getConstant())
        continue;
      if (next)
        return {};
      next = operand;
    }
    part = next;
  }
  return {};
}

void GraphBuilder::defineSymbols(ArrayRef<ExprAttr> sizes, bool backed) {
  for (ExprAttr size : sizes)
    if (StringAttr symbol = getLinearSymbol(size))
      known.try_emplace(symbol, !backed);
}

bool GraphBuilder::areSymbolsKnown(ExprAttr expr) const {
  bool result = true;
  expr.walkSymbols([&](StringRef name) {
    result &= known.contains(StringAttr::get(context, name));
  });
  return result;
}

LogicalResult GraphBuilder::defineName(Scope &scope, StringRef name,
                                       ImportedValue value, Location loc) {
  if (name.empty())
    return success();
  if (!scope.values.try_emplace(name, value).second)
    return emitError(loc) << "value '" << name
                          << "' is defined twice; export the program again";
  return success();
}
