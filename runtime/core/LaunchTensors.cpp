//===- LaunchTensors.cpp - what a kernel's pointers stand for -------------===//
#include "Context.h"

#include <algorithm>

namespace kfuse {

static bool contains(const std::vector<int32_t> &list, int32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// What a launch may do with one of its tensors, as far as the plan tells:
/// whether an output lies in an input's memory is seen by address.
static KfuseAccess findAccess(const LaunchSpec &launch, int32_t tensor,
                              const std::vector<char> &isFilled) {
  bool isInput = contains(launch.inputs, tensor);
  if (contains(launch.outputs, tensor))
    return isInput ? KFUSE_ACCESS_READ_WRITE : KFUSE_ACCESS_WRITE;
  if (isInput)
    return KFUSE_ACCESS_READ;
  return isFilled[tensor] ? KFUSE_ACCESS_READ_WRITE : KFUSE_ACCESS_SCRATCH;
}

void findLaunchAccess(Program &program) {
  std::vector<char> isFilled(program.tensors.size());
  for (const Step &step : program.steps) {
    if (step.kind == Step::Kind::Fill || step.kind == Step::Kind::Copy)
      isFilled[step.to] = true;
    if (step.kind != Step::Kind::Launch)
      continue;
    LaunchSpec &launch = program.launches[step.index];
    for (VariantSpec &variant : launch.variants)
      for (int32_t tensor : variant.tensors)
        variant.access.push_back(findAccess(launch, tensor, isFilled));
  }
}

bool doOverlap(const KfuseTensor &a, const KfuseTensor &b) {
  auto *first = static_cast<const char *>(a.data);
  auto *second = static_cast<const char *>(b.data);
  return first < second + spanBytes(b) && second < first + spanBytes(a);
}

void Context::describeTensors(const VariantSpec &variant, KfuseLaunch &launch) {
  size_t count = variant.tensors.size();
  for (size_t i = 0; i < count; ++i) {
    launchTensors[i] = KfuseLaunchTensor();
    launchTensors[i].tensor = describe(variant.tensors[i]).tensor;
    launchTensors[i].access = variant.access[i];
  }
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < count; ++j)
      if (variant.access[i] == KFUSE_ACCESS_WRITE &&
          variant.access[j] == KFUSE_ACCESS_READ &&
          doOverlap(launchTensors[i].tensor, launchTensors[j].tensor))
        launchTensors[i].access = KFUSE_ACCESS_READ_WRITE;
  launch.tensors = launchTensors.data();
  launch.tensorCount = static_cast<uint32_t>(count);
}

} // namespace kfuse
