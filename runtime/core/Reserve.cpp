//===- Reserve.cpp - memory set aside beforehand --------------------------===//
#include "Context.h"

#include <algorithm>

namespace kfuse {

Status Context::setAllocator(const KfuseAllocator &allocator) {
  if (!allocator.allocate != !allocator.release)
    return makeError(KFUSE_INVALID_ARGUMENT,
                     "an allocator with one of its two functions, expected "
                     "both or none");
  int64_t held = arena.size();
  for (const auto *buffers :
       {&inputBuffers, &outputBuffers, &mutationBuffers, &retired})
    for (const Buffer &buffer : *buffers)
      held += buffer.size();
  if (held)
    return makeError(KFUSE_INVALID_ARGUMENT,
                     "the context holds %lld bytes already; set its allocator "
                     "before its first run",
                     static_cast<long long>(held));
  source.allocator = allocator;
  return Status();
}

/// For all sizes within the declared bounds and the limits.
Result<std::vector<Interval>> Context::boundSizes(const int64_t *limits) const {
  const Interface &interface = model->program.interface;
  size_t shared = model->package->manifest.interface.symbols.size();
  std::vector<Interval> symbols;
  for (size_t i = 0; i < interface.symbols.size(); ++i) {
    const Symbol &symbol = interface.symbols[i];
    symbols.push_back({symbol.min, symbol.max});
    if (!limits || i >= shared)
      continue;
    if (limits[i] < symbol.min)
      return makeError(KFUSE_INVALID_ARGUMENT,
                       "limit %lld of size %s, expected %lld or more",
                       static_cast<long long>(limits[i]), symbol.name.c_str(),
                       static_cast<long long>(symbol.min));
    symbols.back().max = std::min(symbol.max, limits[i]);
  }
  return boundExpressions(interface.table, symbols);
}

/// Bytes of a tensor with the largest sizes; 0 when one is always 0.
static int64_t largestBytes(const Layout &layout,
                            const std::vector<Interval> &bounds) {
  auto bytes = static_cast<__int128>(getDtypeSize(layout.dtype));
  __int128 last = 0;
  for (int32_t d = 0; d < layout.rank(); ++d) {
    int64_t size = bounds[layout.sizes[d]].max;
    if (size <= 0)
      return 0;
    last += static_cast<__int128>(size - 1) *
            std::max<int64_t>(bounds[layout.strides[d]].max, 0);
    if (last >= INT64_MAX / 16)
      return INT64_MAX;
  }
  return static_cast<int64_t>((last + 1) * bytes);
}

Status Context::reserveMemory(const int64_t *limits, bool withOutputs,
                              void *newStream) {
  const Program &program = model->program;
  const Interface &interface = program.interface;
  KFUSE_ASSIGN(std::vector<Interval> bounds, boundSizes(limits));
  std::vector<std::pair<Buffer *, int64_t>> wanted;
  for (size_t i = 0; i < program.mutations.size(); ++i)
    if (isStaged(program.mutations[i]))
      wanted.emplace_back(
          &mutationBuffers[i],
          largestBytes(program.tensors[program.mutations[i].tensor].layout,
                       bounds));
  for (size_t i = 0; withOutputs && i < interface.outputs.size(); ++i) {
    const OutputSpec &output = interface.outputs[i];
    if (output.kind != OutputSpec::Kind::Tensor || output.argument < 0)
      continue;
    // What the provider allocates is handed on as it is.
    const TensorSpec &tensor = program.tensors[program.outputs[i].index];
    if (tensor.storage != StorageKind::Provider || !outputTensors[i].empty())
      wanted.emplace_back(&outputBuffers[i],
                          largestBytes(output.layout, bounds));
  }
  int64_t arenaBytes = std::max<int64_t>(bounds[program.arenaBytes].max, 0);
  bool isOpen = arenaBytes == INT64_MAX;
  for (auto &[buffer, bytes] : wanted)
    isOpen |= bytes == INT64_MAX;
  if (isOpen)
    return makeError(KFUSE_INVALID_ARGUMENT,
                     "the sizes have no bound that memory could be set aside "
                     "for; declare one in the export or give limits");
  DeviceScope scope(*model->device);
  KFUSE_TRY(scope.enter());
  KFUSE_TRY(switchStream(newStream));
  KFUSE_TRY(growArena(arenaBytes));
  for (auto &[buffer, bytes] : wanted)
    KFUSE_TRY(grow(*buffer, bytes));
  return Status();
}

} // namespace kfuse
