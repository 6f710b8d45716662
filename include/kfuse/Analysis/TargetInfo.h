//===- TargetInfo.h - facts about GPU architectures -------------*- C++ -*-===//
#ifndef KFUSE_ANALYSIS_TARGETINFO_H
#define KFUSE_ANALYSIS_TARGETINFO_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace mlir::kfuse {

/// Facts about one architecture, as data. All constants come from NVIDIA's
/// published specifications of the named part unless said otherwise.
struct TargetInfo {
  /// Name for `--target` and ptxas (`sm_90a`).
  llvm::StringLiteral arch;
  /// The part that the numbers belong to.
  llvm::StringLiteral part;
  /// PTX ISA version the code needs, as LLVM's feature (`+ptx80`).
  llvm::StringLiteral ptxFeature;
  int64_t multiprocessors;
  int64_t registersPerMultiprocessor;
  int64_t threadsPerMultiprocessor;
  int64_t blocksPerMultiprocessor;
  /// Shared memory in bytes: of a multiprocessor, and most for one block.
  int64_t sharedBytes, maxSharedBytesPerBlock;
  int64_t l2Bytes;
  /// Copy speed in bytes (read plus written) a microsecond. H200: measured.
  int64_t memoryBytesPerMicrosecond;
  /// Bytes of loads in flight a multiprocessor needs to reach that speed.
  int64_t bytesInFlight;
  /// Least time a dependent kernel adds, in nanoseconds.
  int64_t launchNanoseconds;
  /// Peak f32 operations outside tensor cores, a microsecond.
  int64_t flopsPerMicrosecond;
  int64_t warpSize = 32;
  /// Widest access of one thread in bytes.
  int64_t packetBytes = 16;

  /// Looks an architecture up by name, null when kfuse has none of that name.
  static const TargetInfo *lookup(llvm::StringRef arch);
  /// All known architectures.
  static llvm::ArrayRef<TargetInfo> getAll();
};

} // namespace mlir::kfuse

#endif
