//===- ProviderLibrary.h - providers of ATen operators ---------*- C++ -*-===//
///
/// \file
/// Finds, loads and owns a provider (Provider.h).
///
#ifndef KFUSE_RUNTIME_CORE_PROVIDERLIBRARY_H
#define KFUSE_RUNTIME_CORE_PROVIDERLIBRARY_H

#include "Status.h"

namespace kfuse {

class Provider {
public:
  /// `table` may be null: then a library is loaded, `path` or the first that
  /// is found as kfuse.h says. Libraries stay loaded.
  static Result<std::unique_ptr<Provider>>
  create(const KfuseProviderTable *table, const std::string &path,
         KfuseDevice device);
  ~Provider();
  Provider(const Provider &) = delete;
  Provider &operator=(const Provider &) = delete;

  const KfuseProviderTable *table = nullptr;
  KfuseProvider *handle = nullptr;

  static Status toStatus(const KfuseProviderError &error);

private:
  Provider() = default;
};

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_PROVIDERLIBRARY_H
