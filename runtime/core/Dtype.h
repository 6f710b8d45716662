//===- Dtype.h - element types ---------------------------------*- C++ -*-===//
///
/// \file
/// Names and sizes of element types.
///
#ifndef KFUSE_RUNTIME_CORE_DTYPE_H
#define KFUSE_RUNTIME_CORE_DTYPE_H

#include "kfuse/Runtime/ABI.h"

#include <string_view>

namespace kfuse {

/// Null for an unknown code.
const char *getDtypeName(KfuseDtype dtype);
/// KFUSE_DTYPE_INVALID for an unknown name.
KfuseDtype parseDtype(std::string_view name);
/// Bytes of an element, 0 for an unknown code.
int32_t getDtypeSize(KfuseDtype dtype);

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_DTYPE_H
