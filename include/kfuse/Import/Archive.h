//===- Archive.h - read-only view of a .pt2 archive -------------*- C++ -*-===//
/// \file
/// A zip file (or a folder with the same layout) mapped into memory. Members
/// must be stored, not compressed, so that their bytes are used in place.

#ifndef KFUSE_IMPORT_ARCHIVE_H
#define KFUSE_IMPORT_ARCHIVE_H

#include "kfuse/Import/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mlir::kfuse::pt2 {

/// Borrowed bytes. Whoever made them owns them.
struct Bytes {
  const uint8_t *data = nullptr;
  size_t size = 0;

  std::string_view text() const {
    return {reinterpret_cast<const char *>(data), size};
  }
};

/// One file of an archive.
struct Member {
  /// Path inside the archive, `/`-separated.
  std::string name;
  /// The file on disk that holds the bytes: the archive, or a file of the
  /// folder. Empty for an archive in memory.
  std::string file;
  /// Where the bytes start in `file`.
  uint64_t offset = 0;
  Bytes bytes;
};

/// Owns the mappings; `Member::bytes` live as long as the archive. Immutable
/// once opened, hence safe to share between threads. The file must not shrink
/// while it is mapped.
class Archive {
public:
  /// Opens a zip file or a folder. Errors: not readable, truncated, not a zip,
  /// compressed or encrypted members, names with `..`, duplicate names.
  static Result<std::shared_ptr<const Archive>> open(const std::string &path);

  /// Reads a zip file that the caller keeps alive for as long as the archive.
  static Result<std::shared_ptr<const Archive>> fromMemory(Bytes zip);

  ~Archive();
  Archive(const Archive &) = delete;
  Archive &operator=(const Archive &) = delete;

  /// In the order of the zip directory; sorted by name for a folder.
  const std::vector<Member> &getMembers() const { return members; }
  /// Null when there is none of that name.
  const Member *find(std::string_view name) const;
  bool isFolder() const { return folder; }
  const std::string &getPath() const { return path; }

private:
  Archive() = default;

  /// Maps a whole file. An empty file has no mapping and no bytes.
  Result<Bytes> mapFile(const std::string &file);
  /// Each returns the message, empty on success.
  std::string addMember(Member member);
  std::string readZip(Bytes zip);
  std::string readFolder();

  std::string path;
  bool folder = false;
  std::vector<Member> members;
  std::unordered_map<std::string, size_t> indexOf;
  std::vector<std::pair<void *, size_t>> mappings;
};

} // namespace mlir::kfuse::pt2

#endif // KFUSE_IMPORT_ARCHIVE_H
