//===- State.cpp - mutable buffers ----------------------------------------===//
#include "Model.h"

namespace kfuse {

Result<std::shared_ptr<State>> State::create(std::shared_ptr<Weights> from) {
  auto state = std::make_shared<State>();
  const auto &specs = from->package->manifest.storages;
  DeviceScope scope(*from->device);
  KFUSE_TRY(scope.enter());
  state->copies.resize(specs.size());
  for (size_t i = 0; i < specs.size(); ++i) {
    char *data = from->storages[i].data;
    if (specs[i].isMutable) {
      KFUSE_ASSIGN(state->copies[i],
                   Buffer::allocate(from->device, from->storages[i].bytes));
      data = state->copies[i].data();
    }
    state->storages.push_back(data);
  }
  state->weights = std::move(from);
  KFUSE_TRY(state->reset(nullptr));
  KFUSE_TRY(state->weights->device->synchronize(nullptr));
  return state;
}

Status State::reset(void *stream) {
  DeviceScope scope(*weights->device);
  KFUSE_TRY(scope.enter());
  for (size_t i = 0; i < copies.size(); ++i)
    if (copies[i].size())
      KFUSE_TRY(weights->device->copy(copies[i].data(),
                                      weights->storages[i].data,
                                      weights->storages[i].bytes, stream));
  return Status();
}

} // namespace kfuse
