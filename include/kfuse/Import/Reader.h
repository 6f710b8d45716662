//===- Reader.h - reads exported programs from .pt2 archives ----*- C++ -*-===//
/// \file
/// Reads what `torch.export.save` of torch 2.9 and newer writes, without torch.

#ifndef KFUSE_IMPORT_READER_H
#define KFUSE_IMPORT_READER_H

#include "kfuse/Import/Program.h"

#include <string>

namespace mlir::kfuse::pt2 {

struct ReadOptions {
  /// Which program of the archive; empty takes the only one, or `model`.
  std::string modelName;
  /// Accepts archives whose weight records are missing or empty. The program
  /// can be compiled and inspected, but a package cannot carry its weights.
  bool allowMissingWeights = false;
};

/// Reads a `.pt2` file, or a folder with the layout of one. Nothing is copied
/// but names and the graph. Errors name the archive, the place and the remedy.
/// Thread-safe.
Result<Program> readProgram(const std::string &path,
                            const ReadOptions &options = {});

/// The same, from an archive that is already open.
Result<Program> readProgram(std::shared_ptr<const Archive> archive,
                            const ReadOptions &options = {});

} // namespace mlir::kfuse::pt2

#endif // KFUSE_IMPORT_READER_H
