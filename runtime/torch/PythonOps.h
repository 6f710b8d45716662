//===- PythonOps.h - Scalar operators of exported graphs --------*- C++ -*-===//
/// \file
/// Exported programs compute sizes with Python's own operators
/// (`_operator.add`, `math.trunc`, `torch.sym_max`, ...). These are not
/// dispatcher operators; they are evaluated here with Python's semantics on
/// int, float and bool values.

#ifndef KFUSE_RUNTIME_TORCH_PYTHONOPS_H
#define KFUSE_RUNTIME_TORCH_PYTHONOPS_H

#include <ATen/core/ivalue.h>

#include <string_view>
#include <vector>

namespace kfuse::aten {

/// The signature of a scalar operator. Throws std::invalid_argument or
/// std::overflow_error with a message that names the operands.
using PythonOp = c10::IValue (*)(const std::vector<c10::IValue> &args);

/// Whether `target` names a Python function (`python::_operator.add`,
/// `python::math.floor`, `python::torch.sym_max`) and not a dispatcher
/// operator.
bool isPythonTarget(std::string_view target);

/// The implementation of `target`, or null when kfuse does not know it.
PythonOp findPythonOp(std::string_view target);

} // namespace kfuse::aten

#endif // KFUSE_RUNTIME_TORCH_PYTHONOPS_H
