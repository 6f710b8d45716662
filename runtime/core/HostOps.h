//===- HostOps.h - arithmetic on scalars -----------------------*- C++ -*-===//
///
/// \file
/// The Python functions that exported programs apply to sizes and other
/// scalars, with Python's semantics.
///
#ifndef KFUSE_RUNTIME_CORE_HOSTOPS_H
#define KFUSE_RUNTIME_CORE_HOSTOPS_H

#include "Status.h"

#include <vector>

namespace kfuse {

/// Calls the function by its qualified name, e.g. "_operator.add".
Result<KfuseScalar> callHostFunction(const std::string &name,
                                     const std::vector<KfuseScalar> &operands);

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_HOSTOPS_H
