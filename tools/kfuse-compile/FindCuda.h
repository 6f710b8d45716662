//===- FindCuda.h - where ptxas and libdevice are ---------------*- C++ -*-===//
#ifndef KFUSE_TOOLS_KFUSE_COMPILE_FINDCUDA_H
#define KFUSE_TOOLS_KFUSE_COMPILE_FINDCUDA_H

#include <string>

/// Path of ptxas, empty when there is none. Looks at `option`, KFUSE_PTXAS,
/// CUDA_HOME, PATH, kfuse's cache, Python packages.
std::string findPtxas(const std::string &option);

/// Path of libdevice.10.bc, empty when there is none. Looks at `option`,
/// KFUSE_LIBDEVICE, beside the program, kfuse's cache, Python packages,
/// CUDA_HOME: the pinned one before that of a toolkit.
std::string findLibdevice(const std::string &option, const char *argv0);

#endif
