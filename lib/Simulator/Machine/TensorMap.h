//===- TensorMap.h - descriptors of tiled tensors --------------*- C++ -*-===//
///
/// \file
/// What a CUtensorMap holds (PTX ISA 5.5, tensors). The driver's encoding is
/// not documented; `kfuse_sim_encode_tensor_map` makes maps of the same size
/// that only the simulator reads.
///
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_TENSORMAP_H
#define KFUSE_LIB_SIMULATOR_MACHINE_TENSORMAP_H

#include "kfuse/Runtime/Simulator.h"
#include <string>

namespace kfuse::sim {

struct TensorMap {
  static constexpr uint64_t expectedMagic = 0x6B66757365746D31; // "kfusetm1"
  static constexpr uint32_t maxRank = 5;

  uint64_t magic;
  char *address;
  uint64_t sizes[maxRank];   ///< in elements, innermost first
  uint64_t strides[maxRank]; ///< in bytes
  uint16_t box[maxRank];     ///< in elements of the tensor
  uint8_t steps[maxRank];    ///< every how many elements one is taken
  uint8_t rank, elementBytes, swizzle, isNanFill, isFloat;
  uint8_t dtype;

  /// Elements of the box along a dimension.
  uint32_t extent(uint32_t d) const {
    return (box[d] + steps[d] - 1u) / steps[d];
  }
  uint32_t rowBytes() const { return extent(0) * elementBytes; }
  uint32_t rows() const;
  uint32_t boxBytes() const { return rows() * rowBytes(); }
  /// Bytes from the first to the last of the tensor.
  uint64_t spanBytes() const;
};
static_assert(sizeof(TensorMap) <= 128, "fits a CUtensorMap");

/// Empty when the map was made, else what is wrong.
std::string encodeTensorMap(const KfuseSimTensorMap &from, TensorMap &map);

/// Where the 16 bytes at an address lie under a swizzle: 0 none, 1 to 3 of 32,
/// 64 and 128 bytes (PTX ISA 5.5.6, swizzling modes).
inline uintptr_t swizzleAddress(uintptr_t at, uint32_t swizzle) {
  return at ^ ((at >> 7 & ((1u << swizzle) - 1)) << 4);
}

/// A row of a box in the tensor.
struct BoxRow {
  char *first;         ///< where element 0 of the row would lie
  bool isIn = false;   ///< within the outer dimensions
  uint32_t begin, end; ///< the elements of the row within the tensor
};
/// Row `index` of the box at the coordinates.
BoxRow getBoxRow(const TensorMap &map, const int32_t *coordinates,
                 uint32_t index);

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_TENSORMAP_H
