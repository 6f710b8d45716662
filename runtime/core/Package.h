//===- Package.h - packages and weights ------------------------*- C++ -*-===//
///
/// \file
/// An opened package, and its weights on a device.
///
#ifndef KFUSE_RUNTIME_CORE_PACKAGE_H
#define KFUSE_RUNTIME_CORE_PACKAGE_H

#include "Device.h"
#include "Program.h"
#include "Zip.h"

namespace kfuse {

class Package {
public:
  static Result<std::shared_ptr<Package>> open(std::shared_ptr<MappedFile> file,
                                               const std::string &path);

  std::shared_ptr<ZipArchive> archive;
  Manifest manifest;
  std::string folder; ///< of the package's file, "." when it has none
  /// By argument: what the C API tells of inputs and outputs.
  std::vector<KfuseValueInfo> inputs, outputs;

  /// Text of plan.json or generic.json, null when there is none.
  const ZipMember *findProgram(bool isGeneric) const {
    return archive->find(isGeneric ? "generic.json" : "plan.json");
  }
  Status inputSizes(int32_t input, const int64_t *values, int64_t *sizes) const;

private:
  void describe();
  KfuseValueInfo describeTensor(const std::string &name, const Layout &layout);

  std::vector<std::unique_ptr<int64_t[]>> sizeLists;
};

class Weights {
public:
  static Result<std::shared_ptr<Weights>>
  create(std::shared_ptr<Package> package, const KfuseWeightsOptions &options);

  struct Storage {
    char *data = nullptr;
    int64_t bytes = 0;
  };

  std::shared_ptr<Package> package;
  std::shared_ptr<Device> device;
  std::vector<Storage> storages;

private:
  Status find(const std::string &search);
  Status checkBounds() const;
  Status alignStorages();
  Status upload();

  std::vector<std::shared_ptr<ZipArchive>> files; ///< keep mappings alive
  Buffer buffer;
  std::vector<Buffer> aligned;
};

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_PACKAGE_H
