//===- Api.cpp - C API: packages, weights, models -------------------------===//
#include "Api.h"

#include "DeviceTables.h"

#include <algorithm>
#include <exception>
#include <new>

namespace kfuse {

static std::string &lastError() {
  static thread_local std::string message;
  return message;
}

KfuseStatus report(const Status &status) {
  if (status.ok())
    return KFUSE_OK;
  lastError() = status.message();
  return status.code();
}

KfuseStatus reportException() {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return report(Status(KFUSE_OUT_OF_MEMORY, "out of host memory"));
  } catch (const std::exception &error) {
    return report(Status(KFUSE_INTERNAL_ERROR, error.what()));
  } catch (...) {
    return report(Status(KFUSE_INTERNAL_ERROR, "unknown exception"));
  }
}

KfuseStatus reportNull(const char *what) {
  return report(makeError(KFUSE_INVALID_ARGUMENT, "%s is null", what));
}

} // namespace kfuse

using namespace kfuse;

const char *kfuse_last_error(void) { return lastError().c_str(); }

const char *kfuse_status_name(KfuseStatus status) {
  static const char *const names[] = {
      "ok",          "invalid argument", "I/O error",      "bad package",
      "bad version", "no device",        "guard failed",   "out of memory",
      "no provider", "fallback denied",  "provider error", "device error",
      "unsupported", "internal error"};
  if (status < 0 || status > KFUSE_INTERNAL_ERROR)
    return "unknown status";
  return names[status];
}

int32_t kfuse_api_version(void) { return KFUSE_API_VERSION; }
const char *kfuse_dtype_name(KfuseDtype dtype) { return getDtypeName(dtype); }
KfuseDtype kfuse_dtype_from_name(const char *name) {
  return name ? parseDtype(name) : KFUSE_DTYPE_INVALID;
}
int32_t kfuse_dtype_size(KfuseDtype dtype) { return getDtypeSize(dtype); }

int32_t kfuse_cuda_device_count(void) { return getCudaDeviceCount(); }
const KfuseDeviceTable *kfuse_device_table(KfuseDeviceKind kind) {
  if (kind == KFUSE_CPU)
    return getCpuTable();
  return kind == KFUSE_CUDA ? getCudaTable() : nullptr;
}

static Status openPackage(std::shared_ptr<MappedFile> file, const char *path,
                          KfusePackage **result) {
  KFUSE_ASSIGN(auto package, Package::open(std::move(file), path));
  *result = new KfusePackage{std::move(package)};
  return Status();
}

KfuseStatus kfuse_package_open(const char *path, KfusePackage **package) {
  if (!path || !package)
    return reportNull("path or package");
  *package = nullptr;
  return guarded([&]() -> Status {
    KFUSE_ASSIGN(auto file, MappedFile::open(path));
    return openPackage(std::move(file), path, package)
        .within(std::string("'") + path + "'");
  });
}

KfuseStatus kfuse_package_open_memory(const void *data, uint64_t bytes,
                                      KfusePackage **package) {
  if (!data || !package)
    return reportNull("data or package");
  *package = nullptr;
  return guarded([&] {
    return openPackage(MappedFile::borrow(data, bytes), "", package);
  });
}

void kfuse_package_release(KfusePackage *package) { delete package; }

KfuseStatus kfuse_package_verify(const KfusePackage *package) {
  if (!package)
    return reportNull("package");
  return guarded([&]() -> Status {
    const ZipArchive &archive = *package->object->archive;
    for (const std::string &name : archive.names())
      KFUSE_TRY(archive.verify(name));
    return Status();
  });
}

int32_t kfuse_package_input_count(const KfusePackage *package) {
  return package ? static_cast<int32_t>(package->object->inputs.size()) : 0;
}
int32_t kfuse_package_output_count(const KfusePackage *package) {
  return package ? static_cast<int32_t>(package->object->outputs.size()) : 0;
}

static KfuseStatus giveInfo(const std::vector<KfuseValueInfo> &list,
                            int32_t index, KfuseValueInfo *info) {
  if (index < 0 || static_cast<size_t>(index) >= list.size())
    return report(makeError(KFUSE_INVALID_ARGUMENT,
                            "index %d, expected a number below %zu", index,
                            list.size()));
  *info = list[index];
  return KFUSE_OK;
}

KfuseStatus kfuse_package_input(const KfusePackage *package, int32_t index,
                                KfuseValueInfo *info) {
  if (!package || !info)
    return reportNull("package or info");
  return giveInfo(package->object->inputs, index, info);
}

KfuseStatus kfuse_package_output(const KfusePackage *package, int32_t index,
                                 KfuseValueInfo *info) {
  if (!package || !info)
    return reportNull("package or info");
  return giveInfo(package->object->outputs, index, info);
}

int32_t kfuse_package_symbol_count(const KfusePackage *package) {
  return package ? static_cast<int32_t>(
                       package->object->manifest.interface.symbols.size())
                 : 0;
}

KfuseStatus kfuse_package_symbol(const KfusePackage *package, int32_t index,
                                 KfuseSymbolInfo *info) {
  if (!package || !info)
    return reportNull("package or info");
  const Interface &interface = package->object->manifest.interface;
  if (index < 0 || static_cast<size_t>(index) >= interface.symbols.size())
    return report(makeError(KFUSE_INVALID_ARGUMENT, "no symbol %d", index));
  const Symbol &symbol = interface.symbols[index];
  *info = {symbol.name.c_str(), symbol.min, symbol.max, -1, -1};
  if (symbol.bind == Symbol::Bind::InputDim ||
      symbol.bind == Symbol::Bind::InputScalar) {
    info->input = interface.inputs[symbol.index].argument;
    info->dim = symbol.dim;
  }
  return KFUSE_OK;
}

KfuseStatus kfuse_package_input_sizes(const KfusePackage *package,
                                      int32_t index, const int64_t *values,
                                      int64_t *sizes) {
  if (!package || (!values && kfuse_package_symbol_count(package)))
    return reportNull("package or values");
  KfuseValueInfo info;
  KfuseStatus status = kfuse_package_input(package, index, &info);
  if (status != KFUSE_OK)
    return status;
  if (!sizes && info.rank)
    return reportNull("sizes");
  return guarded(
      [&] { return package->object->inputSizes(index, values, sizes); });
}

KfuseStatus kfuse_package_member(const KfusePackage *package, const char *name,
                                 const void **data, uint64_t *bytes) {
  if (!package || !name || !data || !bytes)
    return reportNull("package, name, data or bytes");
  return guarded([&]() -> Status {
    const ZipMember *member = package->object->archive->find(name);
    if (!member)
      return makeError(KFUSE_INVALID_ARGUMENT, "the package has no member '%s'",
                       name);
    *data = member->data.data();
    *bytes = member->data.size();
    return Status();
  });
}

KfuseStatus kfuse_weights_create(KfusePackage *package,
                                 const KfuseWeightsOptions *options,
                                 KfuseWeights **weights) {
  if (!package || !weights)
    return reportNull("package or weights");
  *weights = nullptr;
  return guarded([&]() -> Status {
    KfuseWeightsOptions defaults = {};
    KFUSE_ASSIGN(auto object, Weights::create(package->object,
                                              options ? *options : defaults));
    *weights = new KfuseWeights{std::move(object)};
    return Status();
  });
}

void kfuse_weights_release(KfuseWeights *weights) { delete weights; }

KfuseStatus kfuse_model_create(KfusePackage *package, KfuseWeights *weights,
                               const KfuseModelOptions *options,
                               KfuseModel **model) {
  if (!package || !weights || !model)
    return reportNull("package, weights or model");
  *model = nullptr;
  return guarded([&]() -> Status {
    KfuseModelOptions defaults = {};
    KFUSE_ASSIGN(auto object, Model::create(package->object, weights->object,
                                            options ? *options : defaults));
    *model = new KfuseModel{std::move(object)};
    return Status();
  });
}

void kfuse_model_release(KfuseModel *model) { delete model; }

KfuseStatus kfuse_model_kill(KfuseModel *model, const char *id, int32_t off) {
  if (!model || !id)
    return reportNull("model or id");
  return guarded([&]() -> Status {
    if (!model->object->kill(id, off != 0))
      return makeError(KFUSE_INVALID_ARGUMENT,
                       "no launch or kernel has the id '%s'", id);
    return Status();
  });
}

void kfuse_model_launches(const KfuseModel *model, int32_t *all,
                          int32_t *runnable) {
  if (all)
    *all = model ? static_cast<int32_t>(model->object->program.launches.size())
                 : 0;
  if (runnable)
    *runnable = model ? model->object->runnableLaunches : 0;
}
