//===- CheckLaunch.cpp - a kernel beside the operators it replaces --------===//
#include "Context.h"
#include "Elements.h"

#include <algorithm>
#include <cstring>

namespace kfuse {

namespace {
/// An output's bytes, from the first to the last element.
struct CheckedOutput {
  std::vector<char> before, expected, found;
};
} // namespace

/// Copies a tensor's span to the host.
static Status fetch(const Device &device, const KfuseTensor &tensor,
                    void *stream, std::vector<char> &bytes) {
  bytes.resize(spanBytes(tensor));
  if (bytes.empty())
    return Status();
  KFUSE_TRY(device.copy(bytes.data(), tensor.data,
                        static_cast<int64_t>(bytes.size()), stream));
  return device.synchronize(stream);
}

/// Sets all bits of the elements in a tensor's span, but none between them.
static void poison(const KfuseTensor &tensor, std::vector<char> &bytes) {
  int64_t size = getDtypeSize(tensor.dtype), at = 0;
  int64_t index[KFUSE_MAX_RANK] = {};
  for (int64_t i = countElements(tensor); i > 0; --i) {
    memset(&bytes[at * size], 0xff, size);
    for (int32_t d = tensor.rank - 1; d >= 0; --d) {
      at += tensor.strides[d];
      if (++index[d] < tensor.sizes[d])
        break;
      at -= index[d] * tensor.strides[d];
      index[d] = 0;
    }
  }
}

/// Puts an output into a state in which nobody takes it for a result: its
/// elements are bytes of ones, or what they were where an input lies there.
Status Context::resetOutput(const LaunchSpec &launch, int32_t number,
                            std::vector<char> &bytes) {
  KfuseTensor tensor = describe(number).tensor;
  bool isInput = false;
  for (int32_t input : launch.inputs)
    isInput |= doOverlap(tensor, describe(input).tensor);
  if (bytes.empty())
    return Status();
  if (!isInput)
    poison(tensor, bytes);
  return model->device->copy(tensor.data, bytes.data(),
                             static_cast<int64_t>(bytes.size()), stream);
}

/// By the coarsest type that the operators round to on the way: a kernel may
/// leave such a rounding out.
static double toleranceOf(const Program &program, const LaunchSpec &launch,
                          KfuseDtype dtype) {
  double tolerance = defaultTolerance(dtype);
  auto add = [&](int32_t tensor) {
    tolerance = std::max(
        tolerance, defaultTolerance(program.tensors[tensor].layout.dtype));
  };
  for (const Step &step : launch.generic)
    if (step.kind == Step::Kind::Aten)
      for (const ResultSpec &result : program.atens[step.index].results)
        if (result.kind == ResultSpec::Kind::Tensor)
          add(result.index);
  return tolerance;
}

bool Context::reportCheck(int32_t number, int32_t kernel, size_t output,
                          const std::vector<char> &found,
                          const std::vector<char> &expected) {
  const LaunchSpec &launch = model->program.launches[number];
  KfuseTensor tensor = describe(launch.outputs[output]).tensor;
  KfuseTensor foundTensor = tensor, expectedTensor = tensor;
  foundTensor.data = const_cast<char *>(found.data());
  expectedTensor.data = const_cast<char *>(expected.data());
  bool isExact = launch.isExact || mantissaBits(tensor.dtype) == 0;
  double tolerance = checker.tolerance;
  if (isExact)
    tolerance = 0;
  else if (tolerance < 0)
    tolerance = toleranceOf(model->program, launch, tensor.dtype);
  Comparison result = compareElements(foundTensor, expectedTensor, tolerance);
  KfuseLaunchCheck check = {};
  check.launch = launch.id.c_str();
  check.kernel = model->entryOf(kernel);
  check.number = number;
  check.output = static_cast<int32_t>(output);
  check.dtype = tensor.dtype;
  check.rank = tensor.rank;
  check.sizes = tensor.sizes;
  check.isExact = isExact;
  check.elements = result.elements;
  check.different = result.different;
  check.mismatches = result.mismatches;
  check.firstMismatch = result.mismatches ? result.firstMismatch : -1;
  check.found = result.found;
  check.expected = result.expected;
  check.maxAbs = result.maxAbs;
  check.maxRel = result.maxRel;
  check.maxUlp = result.maxUlp;
  check.largest = result.largest;
  check.tolerance = result.tolerance;
  checker.checked(checker.user, &check);
  return result.mismatches == 0;
}

/// The operators come first, on inputs that no kernel has touched. A wrong
/// result gives way to theirs: later launches are checked on good inputs.
Status Context::checkLaunch(int32_t number, const VariantSpec &variant,
                            VariantFrame &to) {
  const LaunchSpec &launch = model->program.launches[number];
  const Device &device = *model->device;
  std::vector<CheckedOutput> outputs(launch.outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i)
    KFUSE_TRY(fetch(device, describe(launch.outputs[i]).tensor, stream,
                    outputs[i].before));
  KfuseCounters unchecked = counters;
  Status status = runSteps(launch.generic, KFUSE_FALLBACK_GENERIC, "a check");
  counters = unchecked;
  if (!status.ok())
    return std::move(status).within("check of launch '" + launch.id + "'");
  for (size_t i = 0; i < outputs.size(); ++i)
    KFUSE_TRY(fetch(device, describe(launch.outputs[i]).tensor, stream,
                    outputs[i].expected));
  // The operators may have returned memory of others.
  for (int32_t output : launch.outputs)
    releaseProvided(output);
  KFUSE_TRY(provideOutputs(launch));
  for (size_t i = 0; i < outputs.size(); ++i)
    KFUSE_TRY(resetOutput(launch, launch.outputs[i], outputs[i].before));
  if (!to.isEmpty)
    KFUSE_TRY(launchVariant(variant, to));
  for (size_t i = 0; i < outputs.size(); ++i) {
    KfuseTensor tensor = describe(launch.outputs[i]).tensor;
    CheckedOutput &output = outputs[i];
    KFUSE_TRY(fetch(device, tensor, stream, output.found));
    if (!reportCheck(number, variant.kernel, i, output.found, output.expected))
      KFUSE_TRY(device.copy(tensor.data, output.expected.data(),
                            static_cast<int64_t>(output.expected.size()),
                            stream));
  }
  KFUSE_TRY(device.synchronize(stream));
  return Status();
}

} // namespace kfuse
