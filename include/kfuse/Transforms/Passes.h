//===- Passes.h - transformation passes -------------------------*- C++ -*-===//
#ifndef KFUSE_TRANSFORMS_PASSES_H
#define KFUSE_TRANSFORMS_PASSES_H

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::kfuse {
#define GEN_PASS_DECL
#include "kfuse/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "kfuse/Transforms/Passes.h.inc"
} // namespace mlir::kfuse

#endif
