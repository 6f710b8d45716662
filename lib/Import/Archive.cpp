//===- Archive.cpp - read-only view of a .pt2 archive ---------------------===//
/// \file
/// Zip directory through minizip on an in-memory file, so that only the
/// directory is read and members stay where they are mapped.

#include "kfuse/Import/Archive.h"

#include <minizip/unzip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::pt2;

//===----------------------------------------------------------------------===//
// minizip IO on a block of memory
//===----------------------------------------------------------------------===//

namespace {

struct MemoryFile {
  Bytes bytes;
  uint64_t position = 0;
};

/// Closes the minizip handle on every way out.
struct ZipHandle {
  unzFile file = nullptr;
  ~ZipHandle() {
    if (file)
      unzClose(file);
  }
};

} // namespace

static voidpf openMemory(voidpf opaque, const void *, int) { return opaque; }

static uLong readMemory(voidpf, voidpf stream, void *buffer, uLong size) {
  auto *file = static_cast<MemoryFile *>(stream);
  uint64_t left =
      file->bytes.size - std::min<uint64_t>(file->position, file->bytes.size);
  uint64_t count = std::min<uint64_t>(size, left);
  if (count != 0)
    std::memcpy(buffer, file->bytes.data + file->position, count);
  file->position += count;
  return count;
}

static uLong writeMemory(voidpf, voidpf, const void *, uLong) { return 0; }

static ZPOS64_T tellMemory(voidpf, voidpf stream) {
  return static_cast<MemoryFile *>(stream)->position;
}

static long seekMemory(voidpf, voidpf stream, ZPOS64_T offset, int origin) {
  auto *file = static_cast<MemoryFile *>(stream);
  uint64_t base = 0;
  if (origin == ZLIB_FILEFUNC_SEEK_CUR)
    base = file->position;
  else if (origin == ZLIB_FILEFUNC_SEEK_END)
    base = file->bytes.size;
  // Steps backwards arrive as wrapped numbers. As in a file, a position may lie
  // behind the end: minizip 1.1 steps there when it misreads ZIP64 fields.
  file->position = base + offset;
  return 0;
}

static int closeMemory(voidpf, voidpf) { return 0; }
static int errorMemory(voidpf, voidpf) { return 0; }

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

/// Empty when the name is fine.
static std::string checkName(const std::string &name) {
  if (name.empty() || name.front() == '/' ||
      name.find('\\') != std::string::npos ||
      name.find('\0') != std::string::npos)
    return "member '" + name +
           "' has an unsafe name; save the program again with "
           "torch.export.save";
  size_t begin = 0;
  while (begin <= name.size()) {
    size_t end = std::min(name.find('/', begin), name.size());
    if (name.compare(begin, end - begin, "..") == 0 && end - begin == 2)
      return "member '" + name +
             "' has '..' in its name; save the program again with "
             "torch.export.save";
    begin = end + 1;
  }
  return "";
}

std::string Archive::addMember(Member member) {
  std::string message = checkName(member.name);
  if (!message.empty())
    return message;
  if (!indexOf.emplace(member.name, members.size()).second)
    return "member '" + member.name +
           "' occurs twice; the archive was edited, save the program again "
           "with torch.export.save";
  members.push_back(std::move(member));
  return "";
}

/// Little-endian number of `bytes` bytes at `offset`, which is in range.
static uint64_t readNumber(Bytes zip, uint64_t offset, unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i)
    value |= uint64_t(zip.data[offset + i]) << (8 * i);
  return value;
}

namespace {
/// Where a member lies whose directory record has ZIP64 fields.
struct LargeMember {
  uint64_t size = 0, packedSize = 0, header = 0;
};
} // namespace

/// Reads the directory record at `record`: minizip 1.1 takes the numbers of
/// the 32-bit fields even where they say that the ZIP64 field has the number
/// (APPNOTE.TXT 4.3.12 and 4.5.3). Nothing when there is no ZIP64 field.
static std::optional<LargeMember> readLargeMember(Bytes zip, uint64_t record) {
  constexpr uint64_t recordSize = 46, unset = 0xffffffff;
  if (record > zip.size || zip.size - record < recordSize ||
      std::memcmp(zip.data + record, "PK\1\2", 4) != 0)
    return std::nullopt;
  LargeMember member{readNumber(zip, record + 24, 4),
                     readNumber(zip, record + 20, 4),
                     readNumber(zip, record + 42, 4)};
  uint64_t field = record + recordSize + readNumber(zip, record + 28, 2);
  uint64_t end = field + readNumber(zip, record + 30, 2);
  while (end <= zip.size && field + 4 <= end) {
    uint64_t next = field + 4 + readNumber(zip, field + 2, 2);
    if (readNumber(zip, field, 2) == 1 && next <= end) {
      field += 4;
      for (uint64_t *number :
           {&member.size, &member.packedSize, &member.header}) {
        if (*number != unset)
          continue;
        if (field + 8 > next)
          return std::nullopt;
        *number = readNumber(zip, field, 8);
        field += 8;
      }
      return member;
    }
    field = next;
  }
  return std::nullopt;
}

/// Offset of the bytes of a member whose local header is at `header`.
static std::optional<uint64_t> findBytes(Bytes zip, uint64_t header) {
  constexpr uint64_t headerSize = 30;
  if (header > zip.size || zip.size - header < headerSize ||
      std::memcmp(zip.data + header, "PK\3\4", 4) != 0)
    return std::nullopt;
  return header + headerSize + readNumber(zip, header + 26, 2) +
         readNumber(zip, header + 28, 2);
}

/// Offset of the bytes of the current member, by minizip.
static std::optional<uint64_t> findBytes(unzFile file) {
  int method = 0, level = 0;
  if (unzOpenCurrentFile2(file, &method, &level, /*raw=*/1) != UNZ_OK)
    return std::nullopt;
  uint64_t offset = unzGetCurrentFileZStreamPos64(file);
  unzCloseCurrentFile(file);
  return offset;
}

/// Checks one zip entry and finds its bytes. Returns the message.
static std::string locate(unzFile file, const unz_file_info64 &info, Bytes zip,
                          Member &member) {
  const std::string &name = member.name;
  if (info.flag & 1)
    return "member '" + name + "' is encrypted; kfuse reads plain archives";
  if (info.compression_method != 0)
    return "member '" + name +
           "' is compressed, but weights are used in place; unpack the archive "
           "and zip it again with 'zip -0'";
  std::optional<LargeMember> large = readLargeMember(zip, unzGetOffset64(file));
  uint64_t size = large ? large->size : info.uncompressed_size;
  if (size != (large ? large->packedSize : info.compressed_size))
    return "member '" + name +
           "' has inconsistent sizes; the archive is "
           "damaged, copy or save it again";
  std::optional<uint64_t> offset =
      large ? findBytes(zip, large->header) : findBytes(file);
  if (!offset)
    return "header of member '" + name +
           "' is damaged or cut off; copy or save the archive again";
  if (*offset > zip.size || size > zip.size - *offset)
    return "member '" + name + "' needs " + std::to_string(size) +
           " bytes at offset " + std::to_string(*offset) +
           ", but the archive has " + std::to_string(zip.size) +
           ": it is truncated, copy or save it again";
  member.offset = *offset;
  member.bytes = {zip.data + member.offset, static_cast<size_t>(size)};
  return "";
}

static std::string describeNonZip(Bytes zip) {
  if (zip.size >= 4 && std::memcmp(zip.data, "PK\3\4", 4) == 0)
    return "the zip directory at the end is missing or damaged: the file is "
           "truncated, copy or save it again";
  return "not a zip archive; kfuse reads what torch.export.save of torch 2.9 "
         "or newer writes";
}

/// minizip accepts an end record that lacks its last bytes; a cut-off file is
/// better noticed.
static bool isEndRecordCutOff(Bytes zip) {
  constexpr size_t recordSize = 22;
  size_t tail = std::min(zip.size, recordSize - 1);
  std::string_view text = zip.text().substr(zip.size - tail);
  return text.rfind(std::string_view("PK\5\6", 4)) != std::string_view::npos;
}

std::string Archive::readZip(Bytes zip) {
  if (isEndRecordCutOff(zip))
    return describeNonZip(zip);
  MemoryFile memory{zip};
  zlib_filefunc64_def io = {};
  io.zopen64_file = openMemory;
  io.zread_file = readMemory;
  io.zwrite_file = writeMemory;
  io.ztell64_file = tellMemory;
  io.zseek64_file = seekMemory;
  io.zclose_file = closeMemory;
  io.zerror_file = errorMemory;
  io.opaque = &memory;

  ZipHandle handle{unzOpen2_64("", &io)};
  unz_global_info64 global = {};
  if (!handle.file || unzGetGlobalInfo64(handle.file, &global) != UNZ_OK ||
      global.number_entry == 0)
    return describeNonZip(zip);

  // Names longer than this do not occur; minizip cuts them off silently.
  std::vector<char> name(4096);
  int status = unzGoToFirstFile(handle.file);
  while (status == UNZ_OK) {
    unz_file_info64 info = {};
    status = unzGetCurrentFileInfo64(handle.file, &info, name.data(),
                                     name.size(), nullptr, 0, nullptr, 0);
    if (status != UNZ_OK)
      break;
    if (info.size_filename >= name.size())
      return "a member's name has " + std::to_string(info.size_filename) +
             " bytes; at most 4095 are read";
    Member member;
    member.name.assign(name.data(), info.size_filename);
    member.file = path;
    bool isDirectory = !member.name.empty() && member.name.back() == '/';
    std::string message = isDirectory ? checkName(member.name)
                                      : locate(handle.file, info, zip, member);
    if (message.empty() && !isDirectory)
      message = addMember(std::move(member));
    if (!message.empty())
      return message;
    status = unzGoToNextFile(handle.file);
  }
  if (status != UNZ_END_OF_LIST_OF_FILE)
    return "the zip directory is damaged after " +
           std::to_string(members.size()) +
           " members; copy or save the archive again";
  return "";
}

//===----------------------------------------------------------------------===//
// Files and folders
//===----------------------------------------------------------------------===//

Result<Bytes> Archive::mapFile(const std::string &file) {
  auto fail = [&](const char *what) {
    return Error{std::string("cannot ") + what + " '" + file +
                 "': " + std::strerror(errno)};
  };
  int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return fail("open");
  struct stat info = {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return Error{"'" + file + "' is not a regular file"};
  }
  size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) {
    ::close(fd);
    return Bytes{};
  }
  void *data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  int savedErrno = errno;
  ::close(fd);
  errno = savedErrno;
  if (data == MAP_FAILED)
    return fail("map");
  mappings.emplace_back(data, size);
  return Bytes{static_cast<const uint8_t *>(data), size};
}

/// Paths of the regular files below `root`, relative to it. Links are not
/// followed, so a folder cannot point outside itself or at itself.
static void listFiles(const std::string &root, const std::string &prefix,
                      unsigned depth, std::vector<std::string> &files) {
  DIR *directory = ::opendir((root + "/" + prefix).c_str());
  if (!directory)
    return;
  while (const dirent *entry = ::readdir(directory)) {
    std::string name = entry->d_name;
    if (name == "." || name == "..")
      continue;
    std::string relative = prefix + name;
    struct stat info = {};
    if (::lstat((root + "/" + relative).c_str(), &info) != 0)
      continue;
    if (S_ISREG(info.st_mode))
      files.push_back(relative);
    else if (S_ISDIR(info.st_mode) && depth < 8)
      listFiles(root, relative + "/", depth + 1, files);
  }
  ::closedir(directory);
}

std::string Archive::readFolder() {
  folder = true;
  std::vector<std::string> files;
  listFiles(path, "", 0, files);
  std::sort(files.begin(), files.end());
  for (const std::string &name : files) {
    Member member;
    member.name = name;
    member.file = path + "/" + name;
    Result<Bytes> bytes = mapFile(member.file);
    if (!bytes)
      return bytes.message();
    member.bytes = *bytes;
    std::string message = addMember(std::move(member));
    if (!message.empty())
      return message;
  }
  return "";
}

Archive::~Archive() {
  for (auto &[data, size] : mappings)
    ::munmap(data, size);
}

const Member *Archive::find(std::string_view name) const {
  auto it = indexOf.find(std::string(name));
  return it == indexOf.end() ? nullptr : &members[it->second];
}

Result<std::shared_ptr<const Archive>> Archive::open(const std::string &path) {
  std::shared_ptr<Archive> archive(new Archive());
  archive->path = path;
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0)
    return Error{"cannot open '" + path + "': " + std::strerror(errno)};
  std::string message;
  if (S_ISDIR(info.st_mode)) {
    message = archive->readFolder();
  } else {
    Result<Bytes> zip = archive->mapFile(path);
    if (!zip)
      return zip.takeError();
    message = archive->readZip(*zip);
  }
  if (!message.empty())
    return Error{path + ": " + message};
  return std::shared_ptr<const Archive>(std::move(archive));
}

Result<std::shared_ptr<const Archive>> Archive::fromMemory(Bytes zip) {
  std::shared_ptr<Archive> archive(new Archive());
  std::string message = archive->readZip(zip);
  if (!message.empty())
    return Error{message};
  return std::shared_ptr<const Archive>(std::move(archive));
}
