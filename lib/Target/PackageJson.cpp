//===- PackageJson.cpp - values of a package as JSON ----------------------===//

#include "PackageJson.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::kfuse;
namespace json = llvm::json;

static StringRef getOperatorName(ExprKind kind) {
  switch (kind) {
  case ExprKind::Add:
    return "add";
  case ExprKind::Mul:
    return "mul";
  case ExprKind::FloorDiv:
    return "floordiv";
  case ExprKind::CeilDiv:
    return "ceildiv";
  case ExprKind::Mod:
    return "mod";
  case ExprKind::Min:
    return "min";
  case ExprKind::Max:
    return "max";
  case ExprKind::Constant:
  case ExprKind::Symbol:
    break;
  }
  llvm_unreachable("not an operator");
}

json::Value kfuse::toJson(ExprAttr expr) {
  if (std::optional<int64_t> value = expr.getConstant())
    return *value;
  if (expr.getKind() == ExprKind::Symbol)
    return expr.getName();
  json::Array array{getOperatorName(expr.getKind())};
  for (ExprAttr operand : expr.getOperands())
    array.push_back(toJson(operand));
  return array;
}

json::Value kfuse::toJson(ArrayRef<ExprAttr> exprs) {
  json::Array array;
  for (ExprAttr expr : exprs)
    array.push_back(toJson(expr));
  return array;
}

static StringRef getIntegerName(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return "bool";
  case 8:
    return isUnsigned ? "u8" : "i8";
  case 16:
    return isUnsigned ? "u16" : "i16";
  case 32:
    return isUnsigned ? "u32" : "i32";
  case 64:
    return isUnsigned ? "u64" : "i64";
  default:
    return "";
  }
}

StringRef kfuse::getDtypeName(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Type part = complex.getElementType();
    return part.isF16()   ? "c32"
           : part.isF32() ? "c64"
           : part.isF64() ? "c128"
                          : "";
  }
  return llvm::TypeSwitch<Type, StringRef>(type)
      .Case([](IntegerType type) { return getIntegerName(type); })
      .Case([](Float64Type) { return "f64"; })
      .Case([](Float32Type) { return "f32"; })
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](Float16Type) { return "f16"; })
      .Case([](Float8E4M3FNType) { return "f8e4m3fn"; })
      .Case([](Float8E5M2Type) { return "f8e5m2"; })
      .Case([](Float8E4M3FNUZType) { return "f8e4m3fnuz"; })
      .Case([](Float8E5M2FNUZType) { return "f8e5m2fnuz"; })
      .Case([](Float8E8M0FNUType) { return "f8e8m0fnu"; })
      .Default([](Type) { return ""; });
}

void kfuse::addTensorType(json::Object &object, RankedTensorType type) {
  LayoutAttr layout = getLayout(type);
  object["dtype"] = getDtypeName(type.getElementType());
  object["sizes"] = toJson(layout.getSizes());
  object["strides"] = toJson(layout.getStrides());
}

std::string kfuse::printJson(const json::Value &value) {
  return llvm::formatv("{0}\n", value).str();
}
