//===- TileAddress.h - arithmetic on addresses of packets -------*- C++ -*-===//
#ifndef KFUSE_LIB_TRANSFORMS_TILEADDRESS_H
#define KFUSE_LIB_TRANSFORMS_TILEADDRESS_H

#include "mlir/IR/Builders.h"

namespace mlir::kfuse::tile {

/// How many elements of `bytes` bytes the address of element `offsets[0] +
/// offsets[1] + ...` after `pointer` lies beyond a multiple of `modulus`
/// elements, as an i32. Addresses are multiples of the element's size;
/// `modulus` is a power of two.
Value getPhase(OpBuilder &builder, Location loc, Value pointer,
               ValueRange offsets, int64_t bytes, int64_t modulus);

/// Bytes of the aligned pieces of memory that packets of `packetBytes` are read
/// and written in.
inline int64_t getGranule(int64_t packetBytes) {
  return packetBytes < 16 ? packetBytes : 16;
}

} // namespace mlir::kfuse::tile

#endif
