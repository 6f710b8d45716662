//===- Operator.h - Prepared operators of the provider ----------*- C++ -*-===//
/// \file
/// `KfuseOp`: an operator bound to the arguments of one exported call.

#ifndef KFUSE_RUNTIME_TORCH_OPERATOR_H
#define KFUSE_RUNTIME_TORCH_OPERATOR_H

#include "BoundOp.h"
#include "kfuse/Runtime/Provider.h"

#include <string>
#include <vector>

namespace kfuse::aten {

/// A copy of a `KfuseValue` tree that outlives `prepare`. Leaves that do not
/// depend on the call are boxed already.
struct ValueTree {
  KfuseValueKind kind = KFUSE_VALUE_NONE;
  int64_t index = 0;
  c10::IValue constant;
  std::vector<ValueTree> elements;
};

} // namespace kfuse::aten

/// A prepared operator. Immutable; calls from many threads are fine.
struct KfuseOp {
  /// Throws UnknownOperator and std::invalid_argument.
  KfuseOp(const KfuseOpSpec &spec, KfuseDevice modelDevice);

  /// Runs the operator on the current device and stream and fills `results`.
  /// On an exception no handle is left in `results`.
  void call(const KfuseCall &call, KfuseResult *results) const;

  /// `aten::add.Tensor(self: Float[2, 3], other: 4)`, for messages.
  std::string describeCall(const KfuseCall &call) const;

private:
  struct Dynamic {
    size_t argument;
    kfuse::aten::ValueTree value;
  };

  void addArgument(const KfuseArgument &argument, size_t position);
  void checkReturns(const KfuseOpSpec &spec) const;
  torch::jit::Stack makeStack(const KfuseCall &call) const;
  void storeResults(torch::jit::Stack &stack, KfuseResult *results) const;

  kfuse::aten::BoundOp op;
  std::vector<Dynamic> dynamic;
  std::vector<int32_t> returns;
  int32_t resultCount;
};

#endif // KFUSE_RUNTIME_TORCH_OPERATOR_H
