//===- HostCode.h - what differs between PTX and the host ------*- C++ -*-===//
///
/// \file
/// Makes LLVM IR that was meant for NVPTX right on the host: libdevice and the
/// intrinsics it uses, divisions that would trap, conversions that PTX defines
/// and LLVM does not.
///
#ifndef KFUSE_LIB_SIMULATOR_TRANSLATE_HOSTCODE_H
#define KFUSE_LIB_SIMULATOR_TRANSLATE_HOSTCODE_H

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace kfuse::sim {

/// Links what the module calls of libdevice; the file is not touched when there
/// is nothing.
llvm::Error linkLibdevice(llvm::Module &module, const std::string &path);

/// Replaces `llvm.nvvm.` intrinsics and what LLVM leaves undefined. Intrinsics
/// without a counterpart become calls of `nvvm.<name>`, for the machine to
/// resolve.
llvm::Error adaptToHost(llvm::Module &module);
/// The part of it for inline assembly; removes the call.
llvm::Error adaptInlineAsm(llvm::CallInst &call);

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_TRANSLATE_HOSTCODE_H
