//===- BoundOp.cpp - One operator of the host plan, ready to call ---------===//
/// \file
/// Schema lookup, default arguments and the boxed call.

#include "BoundOp.h"

#include <stdexcept>

using c10::IValue;

namespace kfuse::aten {

BoundOp::BoundOp(std::string name, const std::string &overload)
    : label(overload.empty() ? name : name + "." + overload) {
  if (isPythonTarget(name)) {
    python = findPythonOp(name);
    if (!python)
      throw UnknownOperator("unknown scalar operator '" + name + "'");
    return;
  }
  handle = c10::Dispatcher::singleton().findSchema({std::move(name), overload});
  if (!handle)
    throw UnknownOperator(
        "this torch has no operator '" + label +
        "'; load the library that registers it or use the torch version that "
        "exported the model");
  const auto &arguments = handle->schema().arguments();
  prefilled.reserve(arguments.size());
  for (const c10::Argument &argument : arguments) {
    const auto &byDefault = argument.default_value();
    bool optional = argument.type()->kind() == c10::TypeKind::OptionalType;
    given.push_back(byDefault.has_value() || optional);
    prefilled.push_back(byDefault ? coerce(*byDefault, argument.type())
                                  : IValue());
  }
}

size_t BoundOp::argumentIndex(std::string_view name, size_t position) const {
  if (python)
    return position;
  const c10::FunctionSchema &schema = handle->schema();
  if (!name.empty()) {
    if (auto index = schema.argumentIndexWithName(std::string(name).c_str()))
      return static_cast<size_t>(*index);
    throw UnknownOperator(label + " has no argument '" + std::string(name) +
                          "'");
  }
  if (position >= schema.arguments().size())
    throw UnknownOperator(label + " takes " +
                          std::to_string(schema.arguments().size()) +
                          " arguments, found one more");
  return position;
}

c10::TypePtr BoundOp::argumentType(size_t index) const {
  return python ? nullptr : handle->schema().arguments()[index].type();
}

std::string BoundOp::argumentName(size_t index) const {
  return python ? "" : handle->schema().arguments()[index].name() + ": ";
}

void BoundOp::setConstant(size_t index, IValue value) {
  setDynamic(index);
  prefilled[index] = std::move(value);
}

void BoundOp::setDynamic(size_t index) {
  if (index >= prefilled.size()) {
    prefilled.resize(index + 1);
    given.resize(index + 1, false);
  }
  given[index] = true;
}

void BoundOp::finish() {
  for (size_t i = 0; i < given.size(); ++i)
    if (!given[i])
      throw std::invalid_argument(
          label + ": no value for argument " +
          (handle ? "'" + handle->schema().arguments()[i].name() + "'"
                  : std::to_string(i)));
}

void BoundOp::call(torch::jit::Stack &stack) const {
  if (!python)
    return handle->callBoxed(stack);
  IValue result = python(stack);
  stack.clear();
  stack.push_back(std::move(result));
}

std::optional<size_t> BoundOp::missingDevice() const {
  if (!handle)
    return std::nullopt;
  auto index = handle->schema().argumentIndexWithName("device");
  if (!index || !prefilled[*index].isNone())
    return std::nullopt;
  return static_cast<size_t>(*index);
}

size_t BoundOp::numResults() const {
  return python ? 1 : handle->schema().returns().size();
}

} // namespace kfuse::aten
