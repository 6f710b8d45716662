//===- ProviderLibrary.cpp - providers of ATen operators ------------------===//
#include "ProviderLibrary.h"

#include <cstdlib>
#include <dlfcn.h>

namespace kfuse {

Status Provider::toStatus(const KfuseProviderError &error) {
  KfuseStatus code = error.code == KFUSE_PROVIDER_OUT_OF_MEMORY
                         ? KFUSE_OUT_OF_MEMORY
                         : KFUSE_PROVIDER_ERROR;
  return Status(code, error.message);
}

/// libkfuse_torch.so in the folder of this library or program.
static std::string besideThisLibrary() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&besideThisLibrary), &info) ||
      !info.dli_fname)
    return "";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return "";
  return path.substr(0, slash) + "/libkfuse_torch.so";
}

static Result<void *> loadLibrary(const std::string &given) {
  std::string wanted = given;
  const char *environment = getenv("KFUSE_PROVIDER");
  if (wanted.empty() && environment)
    wanted = environment;
  if (!wanted.empty()) {
    void *library = dlopen(wanted.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return makeError(KFUSE_NO_PROVIDER, "cannot load the provider: %s",
                       dlerror());
    return library;
  }
  std::string reason;
  for (const std::string &path :
       {besideThisLibrary(), std::string("libkfuse_torch.so")}) {
    if (path.empty())
      continue;
    if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      return library;
    if (const char *error = dlerror())
      reason = error;
  }
  return makeError(KFUSE_NO_PROVIDER,
                   "no provider of ATen operators (%s); name one by option or "
                   "in KFUSE_PROVIDER, and have torch/lib of the torch that it "
                   "was built for in LD_LIBRARY_PATH",
                   reason.c_str());
}

Result<std::unique_ptr<Provider>>
Provider::create(const KfuseProviderTable *table, const std::string &path,
                 KfuseDevice device) {
  if (!table) {
    KFUSE_ASSIGN(void *library, loadLibrary(path));
    auto get = reinterpret_cast<KfuseProviderGetFn>(
        dlsym(library, KFUSE_PROVIDER_GET));
    if (!get)
      return makeError(KFUSE_NO_PROVIDER,
                       "the provider library does not export %s",
                       KFUSE_PROVIDER_GET);
    table = get(KFUSE_PROVIDER_VERSION);
  }
  if (!table || table->version != KFUSE_PROVIDER_VERSION ||
      table->structSize < sizeof(KfuseProviderTable))
    return makeError(KFUSE_BAD_VERSION,
                     "the provider does not have interface version %d",
                     KFUSE_PROVIDER_VERSION);
  std::unique_ptr<Provider> provider(new Provider);
  KfuseProviderConfig config = {device};
  KfuseProviderError error = {};
  if (table->create(&config, &provider->handle, &error))
    return toStatus(error).within(table->name);
  provider->table = table;
  return provider;
}

Provider::~Provider() {
  if (table)
    table->destroy(handle);
}

} // namespace kfuse
