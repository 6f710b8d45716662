//===- Weights.cpp - weights on a device ----------------------------------===//
#include "Package.h"

#include <sys/stat.h>

namespace kfuse {

Result<std::shared_ptr<Weights>>
Weights::create(std::shared_ptr<Package> package,
                const KfuseWeightsOptions &options) {
  auto weights = std::make_shared<Weights>();
  weights->package = std::move(package);
  KFUSE_ASSIGN(weights->device, Device::open(options.device, options.table));
  KFUSE_TRY(weights->find(options.search ? options.search : ""));
  KFUSE_TRY(weights->checkBounds());
  if (weights->device->isHostMemory())
    KFUSE_TRY(weights->alignStorages());
  else
    KFUSE_TRY(weights->upload());
  return weights;
}

/// Path of a referenced weight file: `search` itself when it is a file.
static std::string locate(const std::string &file, const std::string &search,
                          const std::string &folder) {
  if (search.empty())
    return folder + "/" + file;
  struct stat info;
  if (stat(search.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return search + "/" + file;
  return search;
}

Status Weights::find(const std::string &search) {
  std::unordered_map<std::string, std::shared_ptr<ZipArchive>> opened;
  for (const WeightStorage &spec : package->manifest.storages) {
    ZipArchive *archive = package->archive.get();
    if (!spec.file.empty()) {
      auto &entry = opened[spec.file];
      if (!entry) {
        KFUSE_ASSIGN(entry, ZipArchive::open(
                                locate(spec.file, search, package->folder)));
        files.push_back(entry);
      }
      archive = entry.get();
    }
    const ZipMember *member = archive->find(spec.member);
    if (!member)
      return makeError(
          KFUSE_BAD_PACKAGE, "weights '%s' are not in %s", spec.member.c_str(),
          spec.file.empty() ? "the package" : ("'" + spec.file + "'").c_str());
    bool isOther =
        spec.crc32 >= 0 && static_cast<uint32_t>(spec.crc32) != member->crc32;
    if (isOther ||
        (spec.declaredBytes >= 0 &&
         static_cast<uint64_t>(spec.declaredBytes) != member->data.size()))
      return makeError(KFUSE_BAD_PACKAGE,
                       "weights '%s' of '%s' are not those that the package "
                       "was compiled for",
                       spec.member.c_str(), spec.file.c_str());
    storages.push_back({const_cast<char *>(member->data.data()),
                        static_cast<int64_t>(member->data.size())});
  }
  return Status();
}

/// Number of elements from the first one of the storage to the end of the
/// weight; nothing on overflow or negative numbers.
static std::optional<int64_t> extentOf(const WeightSpec &weight) {
  int64_t last = weight.offset;
  if (last < 0)
    return std::nullopt;
  for (size_t i = 0; i < weight.sizes.size(); ++i) {
    int64_t step;
    if (weight.sizes[i] < 0 || weight.strides[i] < 0)
      return std::nullopt;
    if (weight.sizes[i] == 0)
      return 0;
    if (__builtin_mul_overflow(weight.sizes[i] - 1, weight.strides[i], &step) ||
        __builtin_add_overflow(last, step, &last))
      return std::nullopt;
  }
  if (__builtin_add_overflow(last, int64_t(1), &last))
    return std::nullopt;
  return last;
}

Status Weights::checkBounds() const {
  for (const WeightSpec &weight : package->manifest.weights) {
    auto extent = extentOf(weight);
    int64_t bytes = storages[weight.storage].bytes;
    if (!extent || *extent > bytes / getDtypeSize(weight.dtype))
      return makeError(KFUSE_BAD_PACKAGE,
                       "weight '%s' reaches beyond its storage of %lld bytes",
                       weight.name.c_str(), static_cast<long long>(bytes));
  }
  return Status();
}

/// Packages are aligned, but the memory that one was opened from, or a weight
/// file repacked by someone, may not be.
Status Weights::alignStorages() {
  constexpr uintptr_t alignment = 16;
  for (Storage &storage : storages) {
    if (reinterpret_cast<uintptr_t>(storage.data) % alignment == 0)
      continue;
    KFUSE_ASSIGN(Buffer copy, Buffer::allocate(device, storage.bytes));
    KFUSE_TRY(device->copy(copy.data(), storage.data, storage.bytes, nullptr));
    storage.data = copy.data();
    aligned.push_back(std::move(copy));
  }
  return Status();
}

Status Weights::upload() {
  DeviceScope scope(*device);
  KFUSE_TRY(scope.enter());
  int64_t total = 0;
  std::vector<int64_t> places;
  for (const Storage &storage : storages) {
    places.push_back(total);
    total += (storage.bytes + KFUSE_ARENA_ALIGNMENT - 1) /
             KFUSE_ARENA_ALIGNMENT * KFUSE_ARENA_ALIGNMENT;
  }
  KFUSE_ASSIGN(buffer, Buffer::allocate(device, total));
  for (size_t i = 0; i < storages.size(); ++i) {
    char *target = buffer.data() + places[i];
    if (storages[i].bytes)
      KFUSE_TRY(
          device->copy(target, storages[i].data, storages[i].bytes, nullptr));
    storages[i].data = target;
  }
  return device->synchronize(nullptr);
}

} // namespace kfuse
