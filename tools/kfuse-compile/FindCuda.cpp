//===- FindCuda.cpp - where ptxas and libdevice are -----------------------===//

#include "FindCuda.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdlib>
#include <vector>

using llvm::StringRef;

static std::string getEnvironment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

static std::string joinPath(StringRef folder, StringRef rest) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, rest);
  return path.str().str();
}

static void addSitePackages(StringRef root, std::vector<std::string> &found) {
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(joinPath(root, "lib"), code), end;
       it != end && !code; it.increment(code))
    if (llvm::sys::path::filename(it->path()).starts_with("python3"))
      found.push_back(joinPath(it->path(), "site-packages"));
}

/// Folders that hold `nvidia/cu13/...` as the PyPI packages lay it out: the
/// pinned copies of the set-up script first.
static std::vector<std::string> getPackageFolders(StringRef cacheName) {
  std::vector<std::string> folders;
  std::string cache = getEnvironment("KFUSE_CACHE");
  if (cache.empty() && !getEnvironment("XDG_CACHE_HOME").empty())
    cache = joinPath(getEnvironment("XDG_CACHE_HOME"), "kfuse");
  if (cache.empty() && !getEnvironment("HOME").empty())
    cache = joinPath(joinPath(getEnvironment("HOME"), ".cache"), "kfuse");
  if (!cache.empty()) {
    folders.push_back(joinPath(cache, cacheName));
    addSitePackages(joinPath(cache, "venv"), folders);
  }
  if (std::string venv = getEnvironment("VIRTUAL_ENV"); !venv.empty())
    addSitePackages(venv, folders);
  return folders;
}

static std::string findInPackages(StringRef cacheName, StringRef relative) {
  for (const std::string &folder : getPackageFolders(cacheName)) {
    std::string path = joinPath(joinPath(folder, "nvidia/cu13"), relative);
    if (llvm::sys::fs::exists(path))
      return path;
  }
  return "";
}

std::string findPtxas(const std::string &option) {
  if (!option.empty())
    return option;
  if (std::string path = getEnvironment("KFUSE_PTXAS"); !path.empty())
    return path;
  if (std::string home = getEnvironment("CUDA_HOME"); !home.empty())
    if (std::string path = joinPath(home, "bin/ptxas");
        llvm::sys::fs::can_execute(path))
      return path;
  if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  return findInPackages("ptxas", "bin/ptxas");
}

std::string findLibdevice(const std::string &option, const char *argv0) {
  static constexpr StringRef name = "libdevice.10.bc";
  if (!option.empty())
    return option;
  if (std::string path = getEnvironment("KFUSE_LIBDEVICE"); !path.empty())
    return path;
  static int anchor;
  std::string program = llvm::sys::fs::getMainExecutable(argv0, &anchor);
  std::string beside = joinPath(
      joinPath(llvm::sys::path::parent_path(program), "../share/kfuse"), name);
  if (llvm::sys::fs::exists(beside))
    return beside;
  if (std::string path =
          findInPackages("nvvm", "nvvm/libdevice/libdevice.10.bc");
      !path.empty())
    return path;
  if (std::string home = getEnvironment("CUDA_HOME"); !home.empty())
    if (std::string path = joinPath(home, "nvvm/libdevice/libdevice.10.bc");
        llvm::sys::fs::exists(path))
      return path;
  return "";
}
