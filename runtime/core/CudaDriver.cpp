//===- CudaDriver.cpp - the CUDA driver through dlopen --------------------===//
#include "CudaDriver.h"

#include <dlfcn.h>

namespace kfuse {

static CudaDriver loadDriver() {
  CudaDriver driver;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    driver.problem = "no CUDA driver on this machine (libcuda.so.1 does not "
                     "load)";
    return driver;
  }
#define KFUSE_CUDA_LOAD(name, params)                                          \
  driver.name =                                                                \
      reinterpret_cast<decltype(driver.name)>(dlsym(library, #name));          \
  if (!driver.name)                                                            \
    driver.problem = "the CUDA driver has no " #name ", it is too old";
  KFUSE_CUDA_ENTRIES(KFUSE_CUDA_LOAD)
#undef KFUSE_CUDA_LOAD
  if (!driver.problem.empty())
    return driver;
  CuResult result = driver.cuInit(0);
  if (result == 0)
    result = driver.cuDeviceGetCount(&driver.deviceCount);
  if (result != 0) {
    const char *text = nullptr;
    driver.cuGetErrorString(result, &text);
    driver.problem = std::string("the CUDA driver does not start: ") +
                     (text ? text : "unknown error");
    driver.deviceCount = 0;
  }
  return driver;
}

const CudaDriver &CudaDriver::get() {
  static const CudaDriver driver = loadDriver();
  return driver;
}

} // namespace kfuse
