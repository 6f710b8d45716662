//===- Memory.cpp - the memory that a launch may touch --------------------===//
#include "Memory.h"

#include <algorithm>
#include <cstring>

namespace kfuse::sim {

static uint32_t getElementBytes(KfuseDtype dtype) {
  static const uint8_t bytes[KFUSE_DTYPE_COUNT] = {
      0, 8, 4, 2, 2, 8, 4, 2, 1, 1, 1, 2, 4, 8, 1, 1, 1, 1, 1, 4, 8, 16};
  return dtype > 0 && dtype < KFUSE_DTYPE_COUNT ? bytes[dtype] : 1;
}

/// Whether the elements lie one beside the other, in any order of dimensions.
static bool isDense(const KfuseTensor &tensor) {
  std::vector<std::pair<int64_t, int64_t>> dimensions;
  for (int32_t d = 0; d < tensor.rank; ++d)
    if (tensor.sizes[d] != 1 && tensor.strides[d])
      dimensions.emplace_back(tensor.strides[d], tensor.sizes[d]);
  std::sort(dimensions.begin(), dimensions.end());
  int64_t next = 1;
  for (auto [stride, size] : dimensions) {
    if (stride != next)
      return false;
    next *= size;
  }
  return true;
}

Region Memory::makeRegion(const KfuseLaunchTensor &launched, int32_t argument) {
  const KfuseTensor &tensor = launched.tensor;
  Region region;
  region.argument = argument;
  region.access = launched.access;
  region.begin = static_cast<char *>(tensor.data);
  uint64_t width = getElementBytes(tensor.dtype), count = 1, last = 0;
  for (int32_t d = 0; d < tensor.rank; ++d) {
    count *= tensor.sizes[d];
    last += (tensor.sizes[d] - 1) * tensor.strides[d];
  }
  if (!count)
    return region;
  region.bytes = (last + 1) * width;
  if (isDense(tensor))
    return region;
  region.elements.assign(region.bytes, false);
  std::vector<int64_t> index(tensor.rank, 0);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t offset = 0;
    for (int32_t d = 0; d < tensor.rank; ++d)
      offset += index[d] * tensor.strides[d];
    for (uint64_t b = 0; b < width; ++b)
      region.elements[offset * width + b] = true;
    for (int32_t d = tensor.rank - 1; d >= 0; --d) {
      if (++index[d] < tensor.sizes[d])
        break;
      index[d] = 0;
    }
  }
  return region;
}

bool Memory::begin(const std::vector<Region> &given, bool isFast) {
  regions = given;
  shadows.clear();
  poison();
  return isFast || assignShadows();
}

/// One shadow for each stretch of memory that overlapping regions cover, when
/// one of them is written to.
bool Memory::assignShadows() {
  std::vector<Region *> order;
  for (Region &region : regions)
    if (region.bytes)
      order.push_back(&region);
  std::sort(order.begin(), order.end(), [](const Region *a, const Region *b) {
    return a->begin < b->begin;
  });
  for (size_t first = 0; first < order.size();) {
    char *begin = order[first]->begin, *end = begin + order[first]->bytes;
    size_t next = first;
    bool isWritten = false, isFresh = true;
    for (; next < order.size() && order[next]->begin < end; ++next) {
      end = std::max(end, order[next]->begin + order[next]->bytes);
      isWritten |= order[next]->access != KFUSE_ACCESS_READ;
      isFresh &= order[next]->access == KFUSE_ACCESS_WRITE ||
                 order[next]->access == KFUSE_ACCESS_SCRATCH;
    }
    if (isWritten) {
      for (size_t i = first; i < next; ++i) {
        order[i]->shadow = static_cast<int32_t>(shadows.size());
        order[i]->shadowOffset = order[i]->begin - begin;
      }
      shadows.emplace_back();
      if (!shadows.back().reset(end - begin, !isFresh))
        return false;
    }
    first = next;
  }
  return true;
}

void Memory::poison() {
  for (Region &region : regions) {
    if (region.access != KFUSE_ACCESS_WRITE &&
        region.access != KFUSE_ACCESS_SCRATCH)
      continue;
    if (region.elements.empty()) {
      if (region.bytes)
        memset(region.begin, 0xFF, region.bytes);
      continue;
    }
    for (uint64_t i = 0; i < region.bytes; ++i)
      if (region.elements[i])
        region.begin[i] = static_cast<char>(0xFF);
  }
}

void Memory::finish(Findings &findings) const {
  for (const Region &region : regions) {
    if (region.access != KFUSE_ACCESS_WRITE || region.shadow < 0)
      continue;
    const Shadow &shadow = shadows[region.shadow];
    Finding finding;
    finding.kind = KFUSE_SIM_UNWRITTEN;
    finding.argument = region.argument;
    finding.count = 0;
    for (uint64_t i = 0; i < region.bytes; ++i) {
      if (!region.isElement(i) || !shadow.isUnwritten(region.shadowOffset + i))
        continue;
      if (!finding.count++)
        finding.address = i;
    }
    if (!finding.count)
      continue;
    finding.message = "the kernel leaves bytes of an output unwritten, of " +
                      std::to_string(region.bytes) + " in all";
    finding.bytes = 1;
    findings.add(std::move(finding));
  }
}

const Region *Memory::find(int32_t argument, const char *at,
                           uint64_t bytes) const {
  const Region *named = nullptr;
  for (const Region &region : regions) {
    if (argument >= 0 && region.argument != argument)
      continue;
    if (region.contains(at, bytes))
      return &region;
    named = argument >= 0 ? &region : named;
  }
  return named;
}

Shadow *Memory::getShadow(const Region &region) {
  return region.shadow < 0 ? nullptr : &shadows[region.shadow];
}

} // namespace kfuse::sim
