//===- Nvtx.cpp - ranges for NVIDIA's profilers ---------------------------===//
#include "Nvtx.h"

#include "Tensor.h"

#include <dlfcn.h>

namespace kfuse {

namespace {
/// Declared after the NVTX reference manual.
struct Functions {
  int (*rangePush)(const char *message) = nullptr;
  int (*rangePop)() = nullptr;
};
} // namespace

static Functions functions;

static void *openLibrary(const std::string &library) {
  if (library != "auto")
    return dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  // NVTX 3 (CUDA 12.8 and later, torch's wheels), then NVTX 1.
  for (const char *name : {"libnvtx3interop.so.1", "libnvtx3interop.so",
                           "libnvToolsExt.so.1", "libnvToolsExt.so"})
    if (void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return handle;
  return nullptr;
}

KfuseTracer openNvtx(const std::string &library) {
  void *handle = openLibrary(library);
  if (!handle && library == "auto")
    fail("--nvtx found neither libnvtx3interop.so nor libnvToolsExt.so; give "
         "its path (--nvtx=FILE; torch's wheels bring one in nvidia/cu13/lib) "
         "or add its folder to LD_LIBRARY_PATH",
         KFUSE_IO_ERROR);
  if (!handle)
    fail("--nvtx cannot open '" + library + "': " + dlerror(), KFUSE_IO_ERROR);
  functions.rangePush = reinterpret_cast<decltype(functions.rangePush)>(
      dlsym(handle, "nvtxRangePushA"));
  functions.rangePop = reinterpret_cast<decltype(functions.rangePop)>(
      dlsym(handle, "nvtxRangePop"));
  if (!functions.rangePush || !functions.rangePop)
    fail("--nvtx found a library without nvtxRangePushA and nvtxRangePop, "
         "expected NVTX",
         KFUSE_IO_ERROR);
  KfuseTracer tracer = {};
  tracer.begin = [](void *, const char *name) { functions.rangePush(name); };
  tracer.end = [](void *) { functions.rangePop(); };
  return tracer;
}

} // namespace kfuse
