//===- BoundOp.h - One operator of the host plan, ready to call -*- C++ -*-===//
/// \file
/// A dispatcher operator with its schema defaults filled in, or a Python scalar
/// operator, called with a stack of boxed values.

#ifndef KFUSE_RUNTIME_TORCH_BOUNDOP_H
#define KFUSE_RUNTIME_TORCH_BOUNDOP_H

#include "PythonOps.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kfuse::aten {

/// The operator, the overload or an argument does not exist in this torch.
class UnknownOperator : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// An operator found once and called many times. Immutable once its constants
/// are set, then safe to call from many threads.
class BoundOp {
public:
  /// Finds `name` ("aten::add", "python::_operator.add") with `overload`
  /// ("Tensor", may be empty) and fills in the defaults of its schema. Throws
  /// UnknownOperator when this torch has no such operator.
  BoundOp(std::string name, const std::string &overload);

  /// The stack position of the argument called `name`, or of the
  /// `position`-th one when `name` is empty or the operator is a Python one.
  /// Throws UnknownOperator when there is no such argument.
  size_t argumentIndex(std::string_view name, size_t position) const;

  /// The declared type of argument `index`; null for Python operators.
  c10::TypePtr argumentType(size_t index) const;

  /// `name: ` for messages; empty for Python operators.
  std::string argumentName(size_t index) const;

  /// Fixes an argument for all calls. `value` must already be coerced.
  void setConstant(size_t index, c10::IValue value);

  /// Reserves argument `index` for a value given at each call.
  void setDynamic(size_t index);

  /// Checks that each argument has a value; throws std::invalid_argument that
  /// names the first one that has none.
  void finish();

  /// A stack with the constants in place.
  torch::jit::Stack makeStack() const { return prefilled; }

  /// Replaces the arguments on `stack` by the results. Throws whatever the
  /// operator throws.
  void call(torch::jit::Stack &stack) const;

  /// Number of results per schema; 1 for Python operators.
  size_t numResults() const;

  /// The schema position of an optional device argument that nobody gave.
  std::optional<size_t> missingDevice() const;

  /// `ns::name.overload` for messages.
  const std::string &fullName() const { return label; }

private:
  std::string label;
  std::optional<c10::OperatorHandle> handle;
  PythonOp python = nullptr;
  torch::jit::Stack prefilled;
  std::vector<bool> given;
};

/// Turns a value as the exported graph spells it into one of `type`: numbers
/// into 0-dim tensors that do not take part in type promotion as tensors do,
/// ints into floats, lists (also empty ones) into lists of the declared element
/// type. Ints and floats given as Scalar keep their kind. Returns `value`
/// unchanged when nothing has to be done; throws std::invalid_argument when it
/// cannot be one of `type`.
c10::IValue coerce(c10::IValue value, const c10::TypePtr &type);

/// One line about a boxed value for error messages, e.g. `f32[2, 3]` or `4`.
std::string describe(const c10::IValue &value);

} // namespace kfuse::aten

#endif // KFUSE_RUNTIME_TORCH_BOUNDOP_H
