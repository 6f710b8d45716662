//===- Bind.cpp - from inputs to sizes, grids and parameters --------------===//
#include "Context.h"

#include <algorithm>
#include <cstring>

namespace kfuse {

Status Context::checkArguments(const KfuseArg *inputs, int32_t inputCount,
                               int32_t outputCount) const {
  const Interface &interface = model->program.interface;
  if (inputCount != interface.inputArguments ||
      outputCount != interface.outputArguments)
    return makeError(KFUSE_INVALID_ARGUMENT,
                     "%d inputs and %d outputs given, expected %d and %d",
                     inputCount, outputCount, interface.inputArguments,
                     interface.outputArguments);
  for (const InputSpec &spec : interface.inputs) {
    if (spec.argument < 0)
      continue;
    const KfuseArg &arg = inputs[spec.argument];
    if (spec.kind == InputSpec::Kind::Tensor) {
      KFUSE_TRY(checkInput(spec, arg.tensor));
    } else if (arg.scalar.kind != spec.scalar) {
      return makeError(KFUSE_GUARD_FAILED,
                       "input '%s' is a scalar of kind %d, expected %d",
                       spec.name.c_str(), arg.scalar.kind, spec.scalar);
    }
  }
  return Status();
}

Status Context::checkInput(const InputSpec &spec,
                           const KfuseTensor &tensor) const {
  const char *name = spec.name.c_str();
  if (tensor.dtype != spec.layout.dtype) {
    const char *found = getDtypeName(tensor.dtype);
    return makeError(KFUSE_GUARD_FAILED, "input '%s' is %s, expected %s", name,
                     found ? found : "of unknown dtype",
                     getDtypeName(spec.layout.dtype));
  }
  if (tensor.rank != spec.layout.rank())
    return makeError(KFUSE_GUARD_FAILED,
                     "input '%s' has %d dimensions, expected %d", name,
                     tensor.rank, spec.layout.rank());
  if (tensor.rank && (!tensor.sizes || !tensor.strides))
    return makeError(KFUSE_INVALID_ARGUMENT,
                     "input '%s' has no sizes or strides", name);
  KfuseDevice device = model->device->id;
  if (tensor.device.kind != device.kind ||
      (device.kind == KFUSE_CUDA && tensor.device.index != device.index))
    return makeError(
        KFUSE_GUARD_FAILED, "input '%s' is on %s:%d, the model on %s:%d", name,
        tensor.device.kind == KFUSE_CPU ? "cpu" : "cuda", tensor.device.index,
        device.kind == KFUSE_CPU ? "cpu" : "cuda", device.index);
  // An element's natural alignment; complex numbers have that of their parts.
  int32_t bytes = getDtypeSize(tensor.dtype);
  int32_t alignment = tensor.dtype >= KFUSE_C32 ? bytes / 2 : bytes;
  if (reinterpret_cast<uintptr_t>(tensor.data) % alignment)
    return makeError(KFUSE_GUARD_FAILED,
                     "input '%s' is not aligned to its elements of %d bytes",
                     name, alignment);
  return Status();
}

bool Context::matches(const Frame &frame, const KfuseArg *inputs) const {
  if (!frame.isBound)
    return false;
  const int64_t *expected = frame.inputSizes.data();
  for (const InputSpec &spec : model->program.interface.inputs) {
    if (spec.argument < 0)
      continue;
    const KfuseArg &arg = inputs[spec.argument];
    if (spec.kind == InputSpec::Kind::Scalar) {
      if (spec.scalar != KFUSE_SCALAR_FLOAT && arg.scalar.value.i != *expected)
        return false;
      ++expected;
      continue;
    }
    for (int32_t d = 0; d < arg.tensor.rank; ++d)
      if (arg.tensor.sizes[d] != *expected++)
        return false;
  }
  return true;
}

Status Context::bind(const KfuseArg *inputs) {
  Frame *oldest = &frames[0];
  Frame *found = frame && matches(*frame, inputs) ? frame : nullptr;
  if (!found)
    for (Frame &candidate : frames) {
      if (matches(candidate, inputs)) {
        found = &candidate;
        break;
      }
      if (candidate.lastUse < oldest->lastUse)
        oldest = &candidate;
    }
  if (!found) {
    frame = nullptr;
    oldest->isBound = false;
    KFUSE_TRY(bindSymbols(*oldest, inputs));
    KFUSE_TRY(model->program.interface.table.evaluateStatic(
        oldest->symbols.data(), oldest->values.data()));
    KFUSE_TRY(checkSizes(*oldest, inputs));
    KFUSE_TRY(evaluate(*oldest));
    oldest->isBound = true;
    found = oldest;
  }
  frame = found;
  frame->lastUse = ++clock;
  setScalars(inputs);
  if (model->program.hasDynamic) {
    const Interface &interface = model->program.interface;
    for (size_t i = 0; i < interface.table.size(); ++i)
      frame->valid[i] = !interface.table[static_cast<ExprId>(i)].isDynamic;
    for (size_t i = 0; i < interface.symbols.size(); ++i)
      frame->known[i] = !interface.symbols[i].isDynamic;
    layOutOutputs(*frame);
  }
  return Status();
}

void Context::setScalars(const KfuseArg *inputs) {
  const Interface &interface = model->program.interface;
  if (interface.symbols.empty())
    return;
  for (size_t i = 0; i < interface.symbols.size(); ++i) {
    const Symbol &symbol = interface.symbols[i];
    if (symbol.bind == Symbol::Bind::InputScalar &&
        symbol.type == KFUSE_SCALAR_FLOAT)
      floats[i] =
          inputs[interface.inputs[symbol.index].argument].scalar.value.f;
  }
}

Status Context::checkRange(const Symbol &symbol, int64_t value) const {
  if (value >= symbol.min && value <= symbol.max)
    return Status();
  if (symbol.max == INT64_MAX)
    return makeError(KFUSE_GUARD_FAILED,
                     "size %s is %lld, expected %lld or more",
                     symbol.name.c_str(), static_cast<long long>(value),
                     static_cast<long long>(symbol.min));
  return makeError(KFUSE_GUARD_FAILED, "size %s is %lld, expected %lld to %lld",
                   symbol.name.c_str(), static_cast<long long>(value),
                   static_cast<long long>(symbol.min),
                   static_cast<long long>(symbol.max));
}

Status Context::bindSymbols(Frame &to, const KfuseArg *inputs) {
  const Interface &interface = model->program.interface;
  for (size_t i = 0; i < interface.symbols.size(); ++i) {
    const Symbol &symbol = interface.symbols[i];
    if (symbol.bind != Symbol::Bind::InputDim &&
        symbol.bind != Symbol::Bind::InputScalar)
      continue;
    const InputSpec &input = interface.inputs[symbol.index];
    const KfuseArg &arg = inputs[input.argument];
    if (symbol.type != KFUSE_SCALAR_INT) {
      to.symbols[i] = symbol.type == KFUSE_SCALAR_BOOL ? arg.scalar.value.i : 0;
      continue;
    }
    int64_t given = symbol.bind == Symbol::Bind::InputDim
                        ? arg.tensor.sizes[symbol.dim]
                        : arg.scalar.value.i;
    int64_t rest;
    if (__builtin_sub_overflow(given, symbol.add, &rest) ||
        rest % symbol.mul != 0)
      return makeError(KFUSE_GUARD_FAILED,
                       "size %d of input '%s' is %lld, expected %lld * %s + "
                       "%lld",
                       symbol.dim, input.name.c_str(),
                       static_cast<long long>(given),
                       static_cast<long long>(symbol.mul), symbol.name.c_str(),
                       static_cast<long long>(symbol.add));
    to.symbols[i] = rest / symbol.mul;
    KFUSE_TRY(checkRange(symbol, to.symbols[i]));
  }
  // Derived symbols are replaced by their expressions; only their ranges are
  // left to check, by checkSizes.
  return Status();
}

Status Context::checkSizes(Frame &to, const KfuseArg *inputs) {
  const Interface &interface = model->program.interface;
  for (const Symbol &symbol : interface.symbols)
    if (symbol.bind == Symbol::Bind::Expr &&
        !interface.table[symbol.expr].isDynamic)
      KFUSE_TRY(checkRange(symbol, to.values[symbol.expr]));
  int64_t *stored = to.inputSizes.data();
  for (const InputSpec &spec : interface.inputs) {
    if (spec.argument < 0)
      continue;
    const KfuseArg &arg = inputs[spec.argument];
    if (spec.kind == InputSpec::Kind::Scalar) {
      *stored++ = arg.scalar.value.i;
      continue;
    }
    for (int32_t d = 0; d < arg.tensor.rank; ++d) {
      int64_t expected = to.values[spec.layout.sizes[d]];
      if (arg.tensor.sizes[d] != expected)
        return makeError(
            KFUSE_GUARD_FAILED,
            "size %d of input '%s' is %lld, expected %s = %lld", d,
            spec.name.c_str(), static_cast<long long>(arg.tensor.sizes[d]),
            interface.table
                .toString(spec.layout.sizes[d], interface.symbolNames())
                .c_str(),
            static_cast<long long>(expected));
      *stored++ = expected;
    }
  }
  return Status();
}

Status Context::evaluate(Frame &to) {
  const Program &program = model->program;
  for (size_t i = 0; i < program.tensors.size(); ++i)
    if (!program.tensors[i].isDynamic)
      layOutTensor(to, static_cast<int32_t>(i));
  for (size_t i = 0; i < program.launches.size(); ++i)
    if (!program.launches[i].isDynamic)
      KFUSE_TRY(layOutLaunch(to, static_cast<int32_t>(i)));
  to.arenaBytes = to.values[program.arenaBytes];
  layOutOutputs(to);
  return Status();
}

void Context::layOutTensor(Frame &to, int32_t number) {
  const Program &program = model->program;
  const TensorSpec &tensor = program.tensors[number];
  int64_t *extent = &to.extents[tensor.firstExtent];
  for (ExprId size : tensor.layout.sizes)
    *extent++ = to.values[size];
  for (ExprId stride : tensor.layout.strides)
    *extent++ = to.values[stride];
  const TensorSpec &root = program.tensors[tensor.root];
  int64_t delta = to.values[tensor.offset] * getDtypeSize(tensor.layout.dtype);
  if (root.storage == StorageKind::Arena)
    delta += to.values[root.arenaOffset];
  to.deltas[number] = delta;
}

void Context::layOutOutputs(Frame &to) {
  const Interface &interface = model->program.interface;
  int64_t *extent = to.outputExtents.data();
  auto put = [&](ExprId id) {
    bool isKnown = !interface.table[id].isDynamic || to.valid[id];
    *extent++ = isKnown ? to.values[id] : -1;
  };
  for (const OutputSpec &output : interface.outputs) {
    for (ExprId size : output.layout.sizes)
      put(size);
    for (ExprId stride : output.layout.strides)
      put(stride);
  }
}

Status Context::layOutLaunch(Frame &to, int32_t number) {
  const LaunchSpec &launch = model->program.launches[number];
  for (size_t i = 0; i < launch.variants.size(); ++i)
    KFUSE_TRY(layOutVariant(to, launch.variants[i],
                            to.variants[firstVariant[number] + i]));
  return Status();
}

Status Context::layOutVariant(Frame &from, const VariantSpec &variant,
                              VariantFrame &to) {
  static constexpr int64_t limits[3] = {INT32_MAX, 65535, 65535};
  to.isViable = model->functions[variant.kernel] != nullptr;
  to.isEmpty = false;
  for (const GuardSpec &guard : variant.guards) {
    if (guard.kind == GuardSpec::Kind::Divisible)
      to.isViable &= from.values[guard.lhs] % guard.number == 0;
    else if (guard.kind == GuardSpec::Kind::LessEqual)
      to.isViable &= from.values[guard.lhs] <= from.values[guard.rhs];
  }
  if (!to.isViable)
    return Status();
  for (int i = 0; i < 3; ++i) {
    int64_t extent = from.values[variant.grid[i]];
    if (extent < 0 || extent > limits[i])
      return makeError(KFUSE_GUARD_FAILED,
                       "grid extent %d of kernel '%s' is %lld, expected at "
                       "most %lld",
                       i, model->program.kernels[variant.kernel].id.c_str(),
                       static_cast<long long>(extent),
                       static_cast<long long>(limits[i]));
    to.grid[i] = static_cast<uint32_t>(extent);
    to.isEmpty |= extent == 0;
  }
  uint64_t *param = &from.params[to.firstParam + variant.tensors.size()];
  for (ExprId scalar : variant.scalars)
    *param++ = static_cast<uint64_t>(from.values[scalar]);
  return Status();
}

Status Context::setSymbol(int32_t number, KfuseScalar value) {
  const Program &program = model->program;
  const Symbol &symbol = program.interface.symbols[number];
  if (symbol.type == KFUSE_SCALAR_FLOAT) {
    floats[number] = value.kind == KFUSE_SCALAR_FLOAT
                         ? value.value.f
                         : static_cast<double>(value.value.i);
  } else {
    if (value.kind == KFUSE_SCALAR_FLOAT)
      return makeError(KFUSE_PROVIDER_ERROR,
                       "symbol '%s' got a float, expected an integer",
                       symbol.name.c_str());
    frame->symbols[number] = value.value.i;
    if (symbol.type == KFUSE_SCALAR_INT)
      KFUSE_TRY(checkRange(symbol, value.value.i));
  }
  frame->known[number] = 1;
  KFUSE_TRY(program.interface.table.evaluateDynamic(
      frame->symbols.data(), frame->known.data(), frame->values.data(),
      frame->valid.data()));
  // Which tensors are complete now is not tracked: lay all of them out.
  for (size_t i = 0; i < program.tensors.size(); ++i)
    if (program.tensors[i].isDynamic)
      layOutTensor(*frame, static_cast<int32_t>(i));
  return Status();
}

} // namespace kfuse
