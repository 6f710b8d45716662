//===- Zip.h - mapped zip files of stored members --------------*- C++ -*-===//
///
/// \file
/// Read-only access to zip files whose members are stored: every member is a
/// range of the mapping. Refuses compressed members, unsafe names, duplicates
/// and members out of range.
///
#ifndef KFUSE_RUNTIME_CORE_ZIP_H
#define KFUSE_RUNTIME_CORE_ZIP_H

#include "Status.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace kfuse {

/// A file mapped read-only, or borrowed memory.
class MappedFile {
public:
  static Result<std::shared_ptr<MappedFile>> open(const std::string &path);
  static std::shared_ptr<MappedFile> borrow(const void *data, uint64_t bytes);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  const char *data() const { return begin; }
  uint64_t size() const { return bytes; }

private:
  MappedFile() = default;
  const char *begin = nullptr;
  uint64_t bytes = 0;
  bool mapped = false;
};

struct ZipMember {
  std::string_view data;
  uint32_t crc32 = 0;
};

class ZipArchive {
public:
  static Result<std::shared_ptr<ZipArchive>>
  read(std::shared_ptr<MappedFile> file);
  static Result<std::shared_ptr<ZipArchive>> open(const std::string &path);

  /// Null when there is no such member.
  const ZipMember *find(const std::string &name) const;
  /// Compares a member that exists with its checksum.
  Status verify(const std::string &name) const;
  /// Sorted.
  std::vector<std::string> names() const;

private:
  std::shared_ptr<MappedFile> file;
  std::unordered_map<std::string, ZipMember> members;
};

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_ZIP_H
