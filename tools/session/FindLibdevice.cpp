//===- FindLibdevice.cpp - where libdevice.10.bc is -----------------------===//
#include "Simulator.h"

#include <cstdlib>
#include <unistd.h>

namespace kfuse {

static std::string getEnvironment(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

/// The places where kfuse-compile looks that need no search: beside the folder
/// of what is installed, the cache of scripts/setup, the CUDA toolkit.
std::string findLibdevice(const std::string &folder) {
  if (std::string path = getEnvironment("KFUSE_LIBDEVICE"); !path.empty())
    return path;
  std::string cache = getEnvironment("KFUSE_CACHE");
  if (cache.empty() && !getEnvironment("XDG_CACHE_HOME").empty())
    cache = getEnvironment("XDG_CACHE_HOME") + "/kfuse";
  if (cache.empty())
    cache = getEnvironment("HOME") + "/.cache/kfuse";
  static const std::string inToolkit = "/nvvm/libdevice/libdevice.10.bc";
  for (const std::string &path : {folder + "../share/kfuse/libdevice.10.bc",
                                  cache + "/nvvm/nvidia/cu13" + inToolkit,
                                  getEnvironment("CUDA_HOME") + inToolkit})
    if (access(path.c_str(), R_OK) == 0)
      return path;
  return "";
}

} // namespace kfuse
