//===- PackageJson.h - values of a package as JSON --------------*- C++ -*-===//
#ifndef KFUSE_LIB_TARGET_PACKAGEJSON_H
#define KFUSE_LIB_TARGET_PACKAGEJSON_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "llvm/Support/JSON.h"

namespace mlir::kfuse {

/// `EXPR` of docs/Package.md.
llvm::json::Value toJson(ExprAttr expr);
llvm::json::Value toJson(ArrayRef<ExprAttr> exprs);

/// `bf16`, `u8`, `bool`, ...; empty for a type that no tensor has.
StringRef getDtypeName(Type elementType);

/// Adds `dtype`, `sizes`, `strides` of a tensor type with a layout.
void addTensorType(llvm::json::Object &object, RankedTensorType type);

/// The text of a member. Keys are sorted, so it is reproducible.
std::string printJson(const llvm::json::Value &value);

} // namespace mlir::kfuse

#endif
