//===- TensorMap.cpp - descriptors of tiled tensors -----------------------===//
#include "TensorMap.h"

#include <algorithm>

namespace kfuse::sim {

uint32_t TensorMap::rows() const {
  uint32_t count = 1;
  for (uint32_t d = 1; d < rank; ++d)
    count *= extent(d);
  return count;
}

uint64_t TensorMap::spanBytes() const {
  uint64_t last = 0;
  for (uint32_t d = 0; d < rank; ++d)
    last += (sizes[d] - 1) * strides[d];
  return last + elementBytes;
}

BoxRow getBoxRow(const TensorMap &map, const int32_t *coordinates,
                 uint32_t index) {
  BoxRow row;
  row.first = map.address;
  row.isIn = true;
  for (uint32_t d = 1; d < map.rank; ++d) {
    int64_t at = coordinates[d] + int64_t(index % map.extent(d)) * map.steps[d];
    index /= map.extent(d);
    row.isIn &= at >= 0 && at < static_cast<int64_t>(map.sizes[d]);
    row.first += at * static_cast<int64_t>(map.strides[d]);
  }
  int64_t first = coordinates[0], size = static_cast<int64_t>(map.sizes[0]);
  int64_t count = map.extent(0);
  row.first += first * map.elementBytes;
  row.begin = static_cast<uint32_t>(std::clamp<int64_t>(-first, 0, count));
  row.end = static_cast<uint32_t>(
      std::clamp<int64_t>(size - first, row.begin, count));
  return row;
}

static uint32_t getBytes(KfuseDtype dtype) {
  switch (dtype) {
  case KFUSE_F64:
  case KFUSE_I64:
  case KFUSE_U64:
    return 8;
  case KFUSE_F32:
  case KFUSE_I32:
  case KFUSE_U32:
    return 4;
  case KFUSE_F16:
  case KFUSE_BF16:
  case KFUSE_U16:
  case KFUSE_I16:
    return 2;
  case KFUSE_I8:
  case KFUSE_U8:
  case KFUSE_BOOL:
  case KFUSE_F8E4M3FN:
  case KFUSE_F8E5M2:
    return 1;
  default:
    return 0;
  }
}

static std::string expect(const std::string &what, uint64_t found) {
  return "expected " + what + ", found " + std::to_string(found);
}

/// What cuTensorMapEncodeTiled asks of a dimension.
static std::string checkDimension(const KfuseSimTensorMap &from, uint32_t d) {
  std::string of = " of dimension " + std::to_string(d);
  if (from.sizes[d] < 1 || from.sizes[d] > 1ull << 32)
    return expect("a size" + of + " of 1 to 2^32", from.sizes[d]);
  if (from.box[d] < 1 || from.box[d] > 256)
    return expect("a box" + of + " of 1 to 256", from.box[d]);
  if (from.steps[d] > 8)
    return expect("a step" + of + " of 1 to 8", from.steps[d]);
  if (d && (from.strides[d - 1] % 16 || from.strides[d - 1] >= 1ull << 40))
    return expect("a stride" + of + " that is a multiple of 16 below 2^40",
                  from.strides[d - 1]);
  return "";
}

std::string encodeTensorMap(const KfuseSimTensorMap &from, TensorMap &map) {
  map = TensorMap();
  uint32_t bytes = getBytes(from.dtype);
  if (!bytes)
    return expect("a dtype of 1, 2, 4 or 8 bytes",
                  static_cast<uint64_t>(from.dtype));
  if (from.rank < 1 || from.rank > TensorMap::maxRank)
    return expect("1 to 5 dimensions", from.rank);
  if (reinterpret_cast<uintptr_t>(from.address) % 16)
    return "expected an address that is a multiple of 16";
  if (from.swizzle > KFUSE_SIM_SWIZZLE_128)
    return expect("a swizzle of 0 to 3", from.swizzle);
  for (uint32_t d = 0; d < from.rank; ++d) {
    if (std::string wrong = checkDimension(from, d); !wrong.empty())
      return wrong;
    map.sizes[d] = from.sizes[d];
    map.strides[d] = d ? from.strides[d - 1] : bytes;
    map.box[d] = static_cast<uint16_t>(from.box[d]);
    // The innermost dimension is always taken whole.
    map.steps[d] = static_cast<uint8_t>(d && from.steps[d] ? from.steps[d] : 1);
  }
  map.magic = TensorMap::expectedMagic;
  map.address = static_cast<char *>(from.address);
  map.rank = static_cast<uint8_t>(from.rank);
  map.elementBytes = static_cast<uint8_t>(bytes);
  map.swizzle = static_cast<uint8_t>(from.swizzle);
  map.dtype = static_cast<uint8_t>(from.dtype);
  map.isFloat = from.dtype == KFUSE_F64 || from.dtype == KFUSE_F32 ||
                from.dtype == KFUSE_F16 || from.dtype == KFUSE_BF16;
  map.isNanFill = from.isNanFill != 0;
  if (map.isNanFill && !map.isFloat)
    return "expected zeros as fill of what is no floating-point number";
  uint32_t row = map.rowBytes(), span = 16u << map.swizzle;
  if (row % 16)
    return expect("rows of a box that are a multiple of 16 bytes", row);
  if (map.swizzle && row > span)
    return expect("rows of a box of at most the swizzle's " +
                      std::to_string(span) + " bytes",
                  row);
  return "";
}

} // namespace kfuse::sim
