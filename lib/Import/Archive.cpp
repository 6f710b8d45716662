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
  uint64_t left = file->bytes.size - file->position;
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
  uint64_t target = 0;
  if (__builtin_add_overflow(base, offset, &target) ||
      target > file->bytes.size)
    return -1;
  file->position = target;
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
  if (info.compressed_size != info.uncompressed_size)
    return "member '" + name +
           "' has inconsistent sizes; the archive is "
           "damaged, copy or save it again";
  int method = 0, level = 0;
  if (unzOpenCurrentFile2(file, &method, &level, /*raw=*/1) != UNZ_OK)
    return "header of member '" + name +
           "' is damaged or cut off; copy or save the archive again";
  member.offset = unzGetCurrentFileZStreamPos64(file);
  unzCloseCurrentFile(file);
  if (member.offset > zip.size ||
      info.uncompressed_size > zip.size - member.offset)
    return "member '" + name + "' needs " +
           std::to_string(info.uncompressed_size) + " bytes at offset " +
           std::to_string(member.offset) + ", but the archive has " +
           std::to_string(zip.size) +
           ": it is truncated, copy or save it again";
  member.bytes = {zip.data + member.offset,
                  static_cast<size_t>(info.uncompressed_size)};
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
