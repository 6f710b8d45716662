//===- Passes.h - conversion passes -----------------------------*- C++ -*-===//
#ifndef KFUSE_CONVERSION_PASSES_H
#define KFUSE_CONVERSION_PASSES_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir::kfuse {
#define GEN_PASS_DECL
#include "kfuse/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "kfuse/Conversion/Passes.h.inc"
} // namespace mlir::kfuse

#endif
