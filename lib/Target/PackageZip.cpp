//===- PackageZip.cpp - stored, aligned zip members -----------------------===//

#include "PackageZip.h"
#include "kfuse/Runtime/ABI.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include <minizip/zip.h>

using namespace mlir::kfuse;

/// Sizes of the fixed parts of a local header.
static constexpr uint64_t kHeaderBytes = 30;
static constexpr uint64_t kZip64ExtraBytes = 20;
static constexpr uint16_t kPaddingId = 0x4b46;
/// 1980-01-01, the first day that zip knows.
static constexpr unsigned kDosDate = 0x00210000;
/// minizip takes 32-bit lengths.
static constexpr uint64_t kChunkBytes = uint64_t(1) << 30;

ZipWriter::ZipWriter(llvm::StringRef path) : path(path.str()) {}

ZipWriter::~ZipWriter() {
  if (zip)
    zipClose(zip, nullptr);
  if (!temporary.empty()) {
    llvm::sys::fs::remove(temporary);
    llvm::sys::DontRemoveFileOnSignal(temporary);
  }
}

llvm::Error ZipWriter::makeError(const llvm::Twine &what) const {
  return llvm::createStringError("cannot write '" + path + "': " + what);
}

llvm::Error ZipWriter::open() {
  llvm::SmallString<128> name;
  if (std::error_code error =
          llvm::sys::fs::createUniqueFile(path + ".%%%%%%%%.tmp", name))
    return makeError(error.message());
  temporary = name.str().str();
  llvm::sys::RemoveFileOnSignal(temporary);
  zip = zipOpen64(temporary.c_str(), APPEND_STATUS_CREATE);
  if (!zip)
    return makeError("cannot open '" + temporary + "'");
  return llvm::Error::success();
}

llvm::Error ZipWriter::add(llvm::StringRef name, llvm::StringRef bytes) {
  bool isLarge = bytes.size() >= 0xffffffffu;
  uint64_t end =
      position + kHeaderBytes + name.size() + (isLarge ? kZip64ExtraBytes : 0);
  // The padding is an extra field of its own, with a header of four bytes.
  uint64_t extra = 4;
  extra += llvm::alignTo(end + extra, KFUSE_PACKAGE_ALIGNMENT) - (end + extra);
  std::string padding(extra, '\0');
  llvm::support::endian::write16le(padding.data(), kPaddingId);
  llvm::support::endian::write16le(padding.data() + 2, extra - 4);

  zip_fileinfo info = {};
  info.dosDate = kDosDate;
  if (zipOpenNewFileInZip4_64(zip, name.str().c_str(), &info, padding.data(),
                              padding.size(), nullptr, 0, nullptr,
                              /*method=*/0, /*level=*/0, /*raw=*/0, -MAX_WBITS,
                              DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, nullptr, 0,
                              /*versionMadeBy=*/0, /*flagBase=*/0,
                              isLarge) != ZIP_OK)
    return makeError("cannot add member '" + name + "'");
  for (uint64_t done = 0; done < bytes.size(); done += kChunkBytes) {
    llvm::StringRef chunk = bytes.substr(done, kChunkBytes);
    if (zipWriteInFileInZip(zip, chunk.data(), chunk.size()) != ZIP_OK)
      return makeError("cannot write member '" + name + "'; is the disk full?");
  }
  if (zipCloseFileInZip(zip) != ZIP_OK)
    return makeError("cannot write member '" + name + "'; is the disk full?");
  position = end + extra + bytes.size();
  return llvm::Error::success();
}

llvm::Error ZipWriter::finish() {
  int status = zipClose(zip, nullptr);
  zip = nullptr;
  if (status != ZIP_OK)
    return makeError("cannot write the directory; is the disk full?");
  if (std::error_code error = llvm::sys::fs::rename(temporary, path))
    return makeError(error.message());
  llvm::sys::DontRemoveFileOnSignal(temporary);
  temporary.clear();
  return llvm::Error::success();
}
