//===- PackageZip.h - stored, aligned zip members ---------------*- C++ -*-===//
#ifndef KFUSE_LIB_TARGET_PACKAGEZIP_H
#define KFUSE_LIB_TARGET_PACKAGEZIP_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::kfuse {

/// Writes a zip file whose members are stored uncompressed at multiples of
/// KFUSE_PACKAGE_ALIGNMENT, with fixed time stamps. The file appears under its
/// name when `finish` succeeds; otherwise the destructor removes what there is.
class ZipWriter {
public:
  explicit ZipWriter(llvm::StringRef path);
  ~ZipWriter();
  ZipWriter(const ZipWriter &) = delete;
  ZipWriter &operator=(const ZipWriter &) = delete;

  llvm::Error open();
  llvm::Error add(llvm::StringRef name, llvm::StringRef bytes);
  llvm::Error finish();

private:
  llvm::Error makeError(const llvm::Twine &what) const;

  std::string path, temporary;
  void *zip = nullptr;
  /// Where the next local header starts.
  uint64_t position = 0;
};

} // namespace mlir::kfuse

#endif
