//===- Compiler.h - from an exported program to a package -------*- C++ -*-===//
/// \file
/// The whole compiler as one call.

#ifndef KFUSE_COMPILER_COMPILER_H
#define KFUSE_COMPILER_COMPILER_H

#include "kfuse/Compiler/Phases.h"
#include <functional>
#include <string>
#include <vector>

namespace mlir::kfuse {

/// All that the result depends on besides the input file and the versions of
/// kfuse and ptxas, and what to report on the way.
struct CompileOptions {
  /// Whether the package has the kernels' IR, which the simulator runs.
  enum class SimulatorCode { None, Beside, Only };

  /// A `.pt2` file or folder, or with `startFrom` MLIR.
  std::string input;
  /// The package; with `stopAfter` the MLIR of that phase (`-`: stdout).
  std::string output;
  /// Program of the archive; empty takes the only one.
  std::string modelName;
  /// Architectures to make kernels for, the first one is scheduled for.
  std::vector<std::string> targets = {"sm_90a"};
  /// `eager`, `fused` or `fast`.
  std::string numerics = "fused";
  /// The input is MLIR in the form that this phase leaves.
  std::optional<Phase> startFrom;
  /// Write MLIR after this phase instead of a package.
  std::optional<Phase> stopAfter;
  /// Name weights as members of the `.pt2` file instead of copying them.
  bool referenceWeights = false;
  /// The `.pt2` with the weights of an MLIR input.
  std::string weightsFrom;
  /// Empty: the package has PTX instead of cubins.
  std::string ptxas;
  /// `Only`: the package has neither PTX nor cubins.
  SimulatorCode simulator = SimulatorCode::None;
  /// The pinned libdevice.10.bc; needed where kernels call math functions.
  std::string libdevice;
  /// Folder for the IR after each phase, PTX, remarks, options; a reproducer
  /// when a phase fails. Empty: none.
  std::string dumpDir;
  /// YAML file for the remarks; `-` is stderr. Empty: none.
  std::string remarksFile;
  /// Called with each phase's name and seconds. May be null.
  std::function<void(StringRef phase, double seconds)> progress;
  /// Called with each warning. May be null.
  std::function<void(StringRef)> warn;
};

/// `kfuse 0.1.0`.
std::string getProducer();

/// Text that differs whenever the output may differ for the same input: format
/// and compiler version and every option that changes code.
std::string getCacheKey(const CompileOptions &options);

/// Compiles. Errors are diagnostics of `context`, which has the dialects and
/// translations of `registerDialects`; on failure no output is written.
LogicalResult compile(const CompileOptions &options, MLIRContext &context);

} // namespace mlir::kfuse

#endif
