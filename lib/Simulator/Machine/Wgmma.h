//===- Wgmma.h - matrix products of warpgroups -----------------*- C++ -*-===//
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_WGMMA_H
#define KFUSE_LIB_SIMULATOR_MACHINE_WGMMA_H

#include "Machine.h"
#include "MatrixOps.h"

namespace kfuse::sim {

/// A matrix in shared memory (PTX ISA 9.7.15.5.1, matrix descriptors). It is
/// read in pieces of 16 bytes.
struct MatrixView {
  MatrixView(uint64_t descriptor, bool isTransposed);

  uint32_t start, leading, stride; ///< in bytes
  uint32_t swizzle;                ///< as in `swizzleAddress`
  bool isTransposed;

  /// Offset in the block's window of a piece. Of a matrix whose K runs fastest,
  /// `line` is a row and `piece` 0 or 1; of a transposed one, `line` is an
  /// index in K and a piece holds eight rows.
  uint32_t getOffset(uint32_t line, uint32_t piece) const;
};

/// What a descriptor has wrong; null: nothing.
const char *checkDescriptor(uint64_t descriptor, bool isTransposed);

/// A product and its operands.
struct Product {
  uint64_t a = 0, b = 0;
  ProductKind kind = {};
  /// Lines and pieces of an operand with `rows` rows.
  static uint32_t lines(bool isTransposed, uint32_t rows) {
    return isTransposed ? 16 : rows;
  }
  static uint32_t pieces(bool isTransposed, uint32_t rows) {
    return isTransposed ? rows / 8 : 2;
  }
};

/// d[64][n] = a * b + d, reading the operands of the block whose window begins
/// at `window`; d holds f32, or s32 where that is its type.
void multiply(const Product &product, const char *window, uint32_t *d);
/// The largest value of MatrixView::getOffset + 16 that reads may have.
constexpr uint32_t windowLimit = 1 << 18;

/// The registers of a product that a warpgroup works on.
struct Accumulator {
  std::vector<uint32_t> values; ///< row by row
  ProductKind kind = {};
  uint32_t token = 0;       ///< stands for it in registers
  uint64_t lastProduct = 0; ///< number of the last that writes it, plus one
  std::vector<uint64_t> fencesNeeded; ///< by thread
};

struct PendingProduct {
  Product what;
  Accumulator *accumulator = nullptr;
  uint32_t before = 0; ///< register 0 of its first thread before
  uint32_t token = 0;  ///< of the accumulator after it
  uint32_t arrived = 0;
  std::vector<Clock> clocks; ///< of its warps
  SiteId site = noSite;
};

/// 128 threads that multiply together.
struct WarpGroup {
  Block *block = nullptr;
  uint32_t agent = 0;
  Time firstTime = 0; ///< of product 0
  /// Products `done` to `done + pending.size()`; before `issued`, all threads
  /// have arrived.
  std::deque<PendingProduct> pending;
  uint64_t issued = 0, done = 0;
  std::vector<std::unique_ptr<Accumulator>> accumulators;
  uint32_t nextToken = 1;
  std::vector<Thread *> waiting;
};

void checkProductsOnExit(Machine &machine, Thread &thread);

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_WGMMA_H
