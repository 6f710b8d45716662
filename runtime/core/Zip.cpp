//===- Zip.cpp - mapped zip files of stored members -----------------------===//
#include "Zip.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <minizip/unzip.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace kfuse {

Result<std::shared_ptr<MappedFile>> MappedFile::open(const std::string &path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return makeError(KFUSE_IO_ERROR, "cannot open '%s': %s", path.c_str(),
                     strerror(errno));
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return makeError(KFUSE_IO_ERROR, "'%s' is not a regular file",
                     path.c_str());
  }
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->bytes = info.st_size;
  if (file->bytes) {
    // Writable but private: a package that changes a weight it calls constant
    // must not end the process.
    void *at = mmap(nullptr, file->bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_NORESERVE, fd, 0);
    if (at == MAP_FAILED) {
      int error = errno;
      ::close(fd);
      return makeError(KFUSE_IO_ERROR, "cannot map '%s': %s", path.c_str(),
                       strerror(error));
    }
    file->begin = static_cast<const char *>(at);
    file->mapped = true;
  }
  ::close(fd);
  return file;
}

std::shared_ptr<MappedFile> MappedFile::borrow(const void *data,
                                               uint64_t bytes) {
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->begin = static_cast<const char *>(data);
  file->bytes = bytes;
  return file;
}

MappedFile::~MappedFile() {
  if (mapped)
    munmap(const_cast<char *>(begin), bytes);
}

namespace {
/// Position of minizip within the mapping.
struct Cursor {
  const MappedFile *file;
  uint64_t position;
};
} // namespace

static voidpf ZCALLBACK openStream(voidpf opaque, const void *, int) {
  return new Cursor{static_cast<const MappedFile *>(opaque), 0};
}

static uLong ZCALLBACK readStream(voidpf, voidpf stream, void *buffer,
                                  uLong size) {
  auto *cursor = static_cast<Cursor *>(stream);
  uint64_t fileBytes = cursor->file->size();
  uint64_t left =
      cursor->position < fileBytes ? fileBytes - cursor->position : 0;
  uLong count = size < left ? size : left;
  if (count)
    memcpy(buffer, cursor->file->data() + cursor->position, count);
  cursor->position += count;
  return count;
}

static uLong ZCALLBACK writeStream(voidpf, voidpf, const void *, uLong) {
  return 0;
}

static ZPOS64_T ZCALLBACK tellStream(voidpf, voidpf stream) {
  return static_cast<Cursor *>(stream)->position;
}

static long ZCALLBACK seekStream(voidpf, voidpf stream, ZPOS64_T offset,
                                 int origin) {
  auto *cursor = static_cast<Cursor *>(stream);
  uint64_t base = 0;
  if (origin == ZLIB_FILEFUNC_SEEK_CUR)
    base = cursor->position;
  else if (origin == ZLIB_FILEFUNC_SEEK_END)
    base = cursor->file->size();
  // As in a file, the position may lie behind the end: minizip 1.1 steps there
  // when it misreads ZIP64 fields.
  cursor->position = base + offset;
  return 0;
}

static int ZCALLBACK closeStream(voidpf, voidpf stream) {
  delete static_cast<Cursor *>(stream);
  return 0;
}

static int ZCALLBACK testStream(voidpf, voidpf) { return 0; }

static bool isSafeName(const std::string &name) {
  if (name.empty() || name[0] == '/' || name.find('\\') != std::string::npos ||
      name.find('\0') != std::string::npos)
    return false;
  size_t start = 0;
  while (start <= name.size()) {
    size_t end = name.find('/', start);
    if (end == std::string::npos)
      end = name.size();
    if (name.compare(start, end - start, "..") == 0)
      return false;
    start = end + 1;
  }
  return true;
}

/// Little-endian number of `bytes` bytes at `offset`, which is in range.
static uint64_t readNumber(const MappedFile &file, uint64_t offset,
                           unsigned bytes) {
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i)
    value |= uint64_t(static_cast<uint8_t>(file.data()[offset + i])) << (8 * i);
  return value;
}

namespace {
/// What a directory record says of its member.
struct Record {
  uint64_t bytes, packedBytes, header;
};
} // namespace

/// Takes the ZIP64 numbers of the directory record at `offset`; false when it
/// has none. minizip 1.1 keeps the 32-bit fields even where they say that the
/// ZIP64 field has the number (APPNOTE.TXT 4.3.12 and 4.5.3).
static bool readZip64(const MappedFile &file, uint64_t offset, Record &record) {
  constexpr uint64_t recordBytes = 46, unset = 0xffffffff;
  if (offset > file.size() || file.size() - offset < recordBytes ||
      memcmp(file.data() + offset, "PK\1\2", 4) != 0)
    return false;
  record = {readNumber(file, offset + 24, 4), readNumber(file, offset + 20, 4),
            readNumber(file, offset + 42, 4)};
  uint64_t field = offset + recordBytes + readNumber(file, offset + 28, 2);
  uint64_t end = field + readNumber(file, offset + 30, 2);
  while (end <= file.size() && field + 4 <= end) {
    uint64_t next = field + 4 + readNumber(file, field + 2, 2);
    if (readNumber(file, field, 2) == 1 && next <= end) {
      field += 4;
      for (uint64_t *number :
           {&record.bytes, &record.packedBytes, &record.header}) {
        if (*number != unset)
          continue;
        if (field + 8 > next)
          return false;
        *number = readNumber(file, field, 8);
        field += 8;
      }
      return true;
    }
    field = next;
  }
  return false;
}

/// Where the bytes of a member start whose local header is at `header`; 0 when
/// there is none.
static uint64_t findBytes(const MappedFile &file, uint64_t header) {
  constexpr uint64_t headerBytes = 30;
  if (header > file.size() || file.size() - header < headerBytes ||
      memcmp(file.data() + header, "PK\3\4", 4) != 0)
    return 0;
  return header + headerBytes + readNumber(file, header + 26, 2) +
         readNumber(file, header + 28, 2);
}

/// The same for the current member, by minizip.
static uint64_t findBytes(unzFile zip) {
  int method = 0, level = 0;
  if (unzOpenCurrentFile2(zip, &method, &level, 1) != UNZ_OK)
    return 0;
  uint64_t offset = unzGetCurrentFileZStreamPos64(zip);
  unzCloseCurrentFile(zip);
  return offset;
}

/// Range of the archive's current member.
static Status readMember(unzFile zip, const MappedFile &file, std::string &name,
                         ZipMember &member) {
  unz_file_info64 info;
  char buffer[4096];
  if (unzGetCurrentFileInfo64(zip, &info, buffer, sizeof(buffer), nullptr, 0,
                              nullptr, 0) != UNZ_OK ||
      info.size_filename >= sizeof(buffer))
    return makeError(KFUSE_BAD_PACKAGE, "broken zip directory");
  name.assign(buffer, info.size_filename);
  if (!isSafeName(name))
    return makeError(KFUSE_BAD_PACKAGE, "unsafe member name '%s'",
                     name.c_str());
  if (info.compression_method != 0 || (info.flag & 1))
    return makeError(KFUSE_BAD_PACKAGE,
                     "member '%s' is compressed or encrypted, expected it "
                     "stored; do not repack the file",
                     name.c_str());
  Record record;
  bool isLarge = readZip64(file, unzGetOffset64(zip), record);
  if (!isLarge)
    record = {info.uncompressed_size, info.compressed_size, 0};
  uint64_t offset = isLarge ? findBytes(file, record.header) : findBytes(zip);
  if (!offset)
    return makeError(KFUSE_BAD_PACKAGE, "broken header of member '%s'",
                     name.c_str());
  if (record.packedBytes != record.bytes || offset > file.size() ||
      record.bytes > file.size() - offset)
    return makeError(KFUSE_BAD_PACKAGE,
                     "member '%s' lies outside the file; it is truncated",
                     name.c_str());
  member.data = std::string_view(file.data() + offset, record.bytes);
  member.crc32 = info.crc;
  return Status();
}

static Status readMembers(unzFile zip, const MappedFile &file,
                          std::unordered_map<std::string, ZipMember> &members) {
  int more = unzGoToFirstFile(zip);
  while (more == UNZ_OK) {
    std::string name;
    ZipMember member;
    KFUSE_TRY(readMember(zip, file, name, member));
    if (!members.emplace(name, member).second)
      return makeError(KFUSE_BAD_PACKAGE, "member '%s' occurs twice",
                       name.c_str());
    more = unzGoToNextFile(zip);
  }
  if (more != UNZ_END_OF_LIST_OF_FILE)
    return makeError(KFUSE_BAD_PACKAGE, "broken zip directory");
  return Status();
}

Result<std::shared_ptr<ZipArchive>>
ZipArchive::read(std::shared_ptr<MappedFile> file) {
  zlib_filefunc64_def functions = {openStream, readStream, writeStream,
                                   tellStream, seekStream, closeStream,
                                   testStream, file.get()};
  unzFile zip = file->size() ? unzOpen2_64("", &functions) : nullptr;
  if (!zip)
    return makeError(KFUSE_BAD_PACKAGE,
                     "not a zip file, or its end is missing");
  auto archive = std::make_shared<ZipArchive>();
  Status status = readMembers(zip, *file, archive->members);
  unzClose(zip);
  if (!status.ok())
    return status;
  archive->file = std::move(file);
  return archive;
}

Result<std::shared_ptr<ZipArchive>> ZipArchive::open(const std::string &path) {
  KFUSE_ASSIGN(auto file, MappedFile::open(path));
  auto archive = read(std::move(file));
  if (!archive.ok())
    return archive.takeStatus().within("'" + path + "'");
  return archive;
}

const ZipMember *ZipArchive::find(const std::string &name) const {
  auto it = members.find(name);
  return it == members.end() ? nullptr : &it->second;
}

Status ZipArchive::verify(const std::string &name) const {
  const ZipMember &member = members.at(name);
  uLong crc = crc32_z(crc32_z(0, nullptr, 0),
                      reinterpret_cast<const Bytef *>(member.data.data()),
                      member.data.size());
  if (crc == member.crc32)
    return Status();
  return makeError(KFUSE_BAD_PACKAGE,
                   "member '%s' has checksum %08lx, expected %08x; the file is "
                   "damaged, fetch or compile it anew",
                   name.c_str(), crc, member.crc32);
}

std::vector<std::string> ZipArchive::names() const {
  std::vector<std::string> result;
  result.reserve(members.size());
  for (const auto &entry : members)
    result.push_back(entry.first);
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace kfuse
