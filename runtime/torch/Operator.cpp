//===- Operator.cpp - Prepared operators of the provider ------------------===//
/// \file
/// Binds the arguments of an exported call to a stack and reads results back.

#include "Operator.h"
#include "Tensors.h"

#include <ATen/core/List.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>

#include <stdexcept>

using c10::IValue;
using kfuse::aten::ValueTree;

namespace kfuse::aten {
namespace {

bool isDynamic(const KfuseValue &value) {
  if (value.kind == KFUSE_VALUE_TENSOR || value.kind == KFUSE_VALUE_SCALAR)
    return true;
  for (int32_t i = 0; value.kind == KFUSE_VALUE_LIST && i < value.count; ++i)
    if (isDynamic(value.elements[i]))
      return true;
  return false;
}

IValue memoryFormat(const std::string &name) {
  c10::MemoryFormat format = c10::MemoryFormat::Contiguous;
  if (name == "channels_last")
    format = c10::MemoryFormat::ChannelsLast;
  else if (name == "channels_last_3d")
    format = c10::MemoryFormat::ChannelsLast3d;
  else if (name == "preserve_format")
    format = c10::MemoryFormat::Preserve;
  else if (name != "contiguous_format")
    throw std::invalid_argument("unknown memory format '" + name + "'");
  return static_cast<int64_t>(format);
}

IValue layout(const std::string &name) {
  if (name != "strided")
    throw std::invalid_argument("expected layout 'strided', found '" + name +
                                "'");
  return static_cast<int64_t>(c10::kStrided);
}

/// Boxes a leaf that does not depend on the call.
IValue boxConstant(const KfuseValue &value) {
  switch (value.kind) {
  case KFUSE_VALUE_NONE:
    return IValue();
  case KFUSE_VALUE_INT:
    return value.i;
  case KFUSE_VALUE_FLOAT:
    return value.f;
  case KFUSE_VALUE_BOOL:
    return value.i != 0;
  case KFUSE_VALUE_STRING:
    return std::string(value.s ? value.s : "");
  case KFUSE_VALUE_COMPLEX:
    return c10::complex<double>(value.f, value.imag);
  case KFUSE_VALUE_DTYPE:
    return static_cast<int64_t>(toScalarType(static_cast<KfuseDtype>(value.i)));
  case KFUSE_VALUE_DEVICE:
    return toDevice(value.device);
  case KFUSE_VALUE_MEMORY_FORMAT:
    return memoryFormat(value.s ? value.s : "");
  case KFUSE_VALUE_LAYOUT:
    return layout(value.s ? value.s : "");
  default:
    throw std::invalid_argument("unknown kind of argument value " +
                                std::to_string(value.kind));
  }
}

void checkIndex(int64_t index, int32_t count, const char *what) {
  if (index < 0 || index >= count)
    throw std::invalid_argument(std::string(what) + " index " +
                                std::to_string(index) + " is out of range, " +
                                std::to_string(count) + " are declared");
}

ValueTree copyTree(const KfuseValue &value, const KfuseOpSpec &spec) {
  ValueTree tree;
  tree.kind = value.kind;
  tree.index = value.i;
  if (value.kind == KFUSE_VALUE_LIST) {
    tree.elements.reserve(value.count);
    for (int32_t i = 0; i < value.count; ++i)
      tree.elements.push_back(copyTree(value.elements[i], spec));
  } else if (value.kind == KFUSE_VALUE_TENSOR) {
    checkIndex(value.i, spec.tensorCount, "tensor");
  } else if (value.kind == KFUSE_VALUE_SCALAR) {
    checkIndex(value.i, spec.scalarCount, "scalar");
  } else {
    tree.constant = boxConstant(value);
  }
  return tree;
}

IValue boxScalar(const KfuseScalar &scalar) {
  switch (scalar.kind) {
  case KFUSE_SCALAR_INT:
    return scalar.value.i;
  case KFUSE_SCALAR_FLOAT:
    return scalar.value.f;
  case KFUSE_SCALAR_BOOL:
    return scalar.value.i != 0;
  default:
    throw std::invalid_argument("unknown kind of scalar " +
                                std::to_string(scalar.kind));
  }
}

/// Boxes a whole tree. `call` may be null for trees without dynamic leaves.
IValue box(const ValueTree &tree, const KfuseCall *call) {
  switch (tree.kind) {
  case KFUSE_VALUE_TENSOR:
    return toTensor(call->tensors[tree.index]);
  case KFUSE_VALUE_SCALAR:
    return boxScalar(call->scalars[tree.index]);
  case KFUSE_VALUE_LIST: {
    c10::impl::GenericList list(c10::AnyType::get());
    list.reserve(tree.elements.size());
    for (const ValueTree &element : tree.elements)
      list.push_back(box(element, call));
    return IValue(std::move(list));
  }
  default:
    return tree.constant;
  }
}

void setScalarResult(const IValue &value, KfuseResult &out) {
  out = KfuseResult{};
  out.kind = KFUSE_RESULT_SCALAR;
  if (value.isBool()) {
    out.scalar.kind = KFUSE_SCALAR_BOOL;
    out.scalar.value.i = value.toBool();
  } else if (value.isInt()) {
    out.scalar.kind = KFUSE_SCALAR_INT;
    out.scalar.value.i = value.toInt();
  } else if (value.isDouble()) {
    out.scalar.kind = KFUSE_SCALAR_FLOAT;
    out.scalar.value.f = value.toDouble();
  } else {
    throw std::invalid_argument("expected a tensor or a number as result, "
                                "found " +
                                describe(value));
  }
}

void setResult(const IValue &value, KfuseResult &out) {
  if (value.isNone())
    out = KfuseResult{};
  else if (value.isTensor())
    setTensorResult(value.toTensor(), out);
  else
    setScalarResult(value, out);
}

/// Frees the handles of a call that failed half-way.
class ResultCleanup {
public:
  ResultCleanup(KfuseResult *results, int32_t count)
      : results(results), count(count) {
    for (int32_t i = 0; i < count; ++i)
      results[i] = KfuseResult{};
  }
  ~ResultCleanup() {
    for (int32_t i = 0; i < count; ++i) {
      delete results[i].handle;
      results[i] = KfuseResult{};
    }
  }
  ResultCleanup(const ResultCleanup &) = delete;
  ResultCleanup &operator=(const ResultCleanup &) = delete;
  void keep() { count = 0; }

private:
  KfuseResult *results;
  int32_t count;
};

} // namespace
} // namespace kfuse::aten

using namespace kfuse::aten;

KfuseOp::KfuseOp(const KfuseOpSpec &spec, KfuseDevice modelDevice)
    : op(spec.name, spec.overload ? spec.overload : ""),
      returns(spec.returns, spec.returns + spec.returnCount),
      resultCount(spec.resultCount) {
  for (int32_t i = 0; i < spec.argumentCount; ++i)
    addArgument(spec.arguments[i], static_cast<size_t>(i));
  for (int32_t i = 0; i < spec.argumentCount; ++i) {
    const KfuseArgument &argument = spec.arguments[i];
    if (!isDynamic(argument.value))
      continue;
    std::string name = argument.name ? argument.name : "";
    dynamic.push_back({op.argumentIndex(name, static_cast<size_t>(i)),
                       copyTree(argument.value, spec)});
  }
  op.finish();
  // Without a tensor to follow, ATen would choose the CPU.
  if (auto device = spec.tensorCount == 0 ? op.missingDevice() : std::nullopt)
    op.setConstant(*device, toDevice(modelDevice));
  checkReturns(spec);
}

void KfuseOp::addArgument(const KfuseArgument &argument, size_t position) {
  std::string name = argument.name ? argument.name : "";
  size_t index = op.argumentIndex(name, position);
  if (isDynamic(argument.value)) {
    op.setDynamic(index);
    return;
  }
  KfuseOpSpec none = {};
  try {
    op.setConstant(index, coerce(box(copyTree(argument.value, none), nullptr),
                                 op.argumentType(index)));
  } catch (const std::invalid_argument &e) {
    throw std::invalid_argument(
        op.fullName() + ": argument " +
        (name.empty() ? std::to_string(position) : "'" + name + "'") + ": " +
        e.what());
  }
}

void KfuseOp::checkReturns(const KfuseOpSpec &spec) const {
  if (returns.size() != op.numResults())
    throw std::invalid_argument(
        op.fullName() + " returns " + std::to_string(op.numResults()) +
        " values, the program expects " + std::to_string(returns.size()));
  int64_t flattened = 0;
  for (int32_t r : returns)
    flattened += r >= 0 ? r : 1;
  if (flattened != spec.resultCount)
    throw std::invalid_argument(
        op.fullName() + ": the declared returns flatten to " +
        std::to_string(flattened) + " results, found a count of " +
        std::to_string(spec.resultCount));
}

torch::jit::Stack KfuseOp::makeStack(const KfuseCall &call) const {
  torch::jit::Stack stack = op.makeStack();
  for (const Dynamic &d : dynamic)
    stack[d.argument] =
        coerce(box(d.value, &call), op.argumentType(d.argument));
  return stack;
}

void KfuseOp::call(const KfuseCall &call, KfuseResult *results) const {
  torch::jit::Stack stack = makeStack(call);
  op.call(stack);
  ResultCleanup cleanup(results, resultCount);
  storeResults(stack, results);
  cleanup.keep();
}

void KfuseOp::storeResults(torch::jit::Stack &stack,
                           KfuseResult *results) const {
  if (stack.size() != returns.size())
    throw std::invalid_argument("expected " + std::to_string(returns.size()) +
                                " results, found " +
                                std::to_string(stack.size()));
  for (size_t i = 0; i < returns.size(); ++i) {
    if (returns[i] == KFUSE_RETURN_NONE) {
      ++results;
      continue;
    }
    if (returns[i] == KFUSE_RETURN_ONE) {
      setResult(stack[i], *results++);
      continue;
    }
    if (!stack[i].isList())
      throw std::invalid_argument("expected a list as result " +
                                  std::to_string(i) + ", found " +
                                  describe(stack[i]));
    std::vector<IValue> items;
    for (const IValue &item : stack[i].toListRef())
      items.push_back(item);
    if (static_cast<int64_t>(items.size()) != returns[i])
      throw std::invalid_argument(
          "expected a list of " + std::to_string(returns[i]) +
          " tensors as result, found " + std::to_string(items.size()));
    for (const IValue &item : items)
      setResult(item, *results++);
  }
}

std::string KfuseOp::describeCall(const KfuseCall &call) const {
  std::string text = op.fullName() + "(";
  torch::jit::Stack stack = makeStack(call);
  for (size_t i = 0; i < stack.size(); ++i)
    text += (i ? ", " : "") + op.argumentName(i) + describe(stack[i]);
  return text + ")";
}
