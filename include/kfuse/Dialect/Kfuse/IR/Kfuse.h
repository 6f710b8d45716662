//===- Kfuse.h - the kfuse dialect: the one header to include ---*- C++ -*-===//
#ifndef KFUSE_DIALECT_KFUSE_IR_KFUSE_H
#define KFUSE_DIALECT_KFUSE_IR_KFUSE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kfuse/Dialect/Kfuse/IR/KfuseDialect.h.inc"
#include "kfuse/Dialect/Kfuse/IR/KfuseEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "kfuse/Dialect/Kfuse/IR/KfuseAttrs.h.inc"
#define GET_OP_CLASSES
#include "kfuse/Dialect/Kfuse/IR/KfuseOps.h.inc"

namespace mlir::kfuse {

/// The layout encoding of a tensor type, null when `type` has none.
LayoutAttr getLayout(Type type);
inline LayoutAttr getLayout(Value value) { return getLayout(value.getType()); }

/// A tensor type with the given element type and layout; its static
/// dimensions are the layout's constant sizes.
RankedTensorType getTensorType(Type elementType, LayoutAttr layout);

/// The plain type that a value of `type` has inside a fusion's body: no
/// layout, signless integers.
RankedTensorType getBodyType(RankedTensorType type);

/// A plain tensor type whose static dimensions are the constants in `sizes`.
RankedTensorType getPlainType(Type elementType, ArrayRef<ExprAttr> sizes);

/// Marks loads of whole granules, of which not every byte belongs to the tensor
/// (`kfuse.tile_load`, `covered`).
inline constexpr StringLiteral kGranuleAttrName = "kfuse.granule";

/// The expressions in an array attribute.
SmallVector<ExprAttr> getExprs(ArrayAttr exprs);
/// The array attribute of some expressions.
ArrayAttr getExprArray(MLIRContext *context, ArrayRef<ExprAttr> exprs);

} // namespace mlir::kfuse

#endif
