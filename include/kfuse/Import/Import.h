//===- Import.h - from exported programs to MLIR ----------------*- C++ -*-===//
/// \file
/// Builds the `import` form: each node of the exported graph is one
/// `kfuse.aten` operation, in program order, with nothing left out.
///
/// The module has the attributes
/// - `kfuse.model`, `kfuse.torch_version`, `kfuse.device` (device of export),
///   `kfuse.in_spec`, `kfuse.out_spec` (pytrees) and `kfuse.arg_names`;
/// - `kfuse.symbols`: for each symbol in the program `name`, the bounds `min`
///   and `max` where there are any, and `unit` attribute `unbacked` when its
///   value depends on data. Other symbols follow from the inputs' layouts.
///
/// `func.func @main` takes the graph's inputs but constants. An argument has
/// - `kfuse.kind`: `input`, `parameter`, `buffer` or `constant`;
/// - `kfuse.name`: the input's name or the weight's full name;
/// - for weights `kfuse.record`, the archive's member that holds the storage
///   (sizes, strides and offset within it are the type's layout), and unit
///   attribute `kfuse.missing` when the archive has no such member;
/// - for symbolic integers `kfuse.symbol`.
///
/// It returns the user's results that are values, then what is written back
/// to inputs and buffers. The function has the attributes
/// - `kfuse.inputs`: for each user input the argument's number, or a
///   dictionary `name`, `value` for one that the export fixed;
/// - `kfuse.outputs`: for each user result the result's number, unit for None,
///   `#kfuse.expr` for an integer, or another constant;
/// - `kfuse.mutates`: pairs of a result and the argument it is written to.
///
/// An operation that returns numbers has `kfuse.symbols`, a name for each of
/// its scalar results; an i64 one is a symbol of that name in expressions.

#ifndef KFUSE_IMPORT_IMPORT_H
#define KFUSE_IMPORT_IMPORT_H

#include "kfuse/Import/Program.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::kfuse {

/// Builds the module of a program that was read. On failure emits an error and
/// returns null: control flow, enabled autocast, custom objects, gradients,
/// and sizes that no input determines. The dialects are loaded into `context`.
OwningOpRef<ModuleOp> importProgram(const pt2::Program &program,
                                    MLIRContext *context);

} // namespace mlir::kfuse

#endif // KFUSE_IMPORT_IMPORT_H
