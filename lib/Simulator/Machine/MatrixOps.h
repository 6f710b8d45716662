//===- MatrixOps.h - operations on matrices --------------------*- C++ -*-===//
///
/// \file
/// The functions behind matrix operations of NVVM (see Operations.h).
///
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_MATRIXOPS_H
#define KFUSE_LIB_SIMULATOR_MACHINE_MATRIXOPS_H

#include <cstdint>

namespace kfuse::sim {

/// Types of elements.
enum class MatrixType : uint32_t {
  F16,
  BF16,
  TF32,
  E4M3,
  E5M2,
  S8,
  U8,
  F32,
  S32,
  F64
};

/// A product of matrices as translated code describes it, in one word.
struct ProductKind {
  uint32_t n : 9;
  uint32_t typeA : 4, typeB : 4, typeD : 4;
  uint32_t accumulates : 1;
  uint32_t negatesA : 1, negatesB : 1;
  /// M- or N-major: the first index runs fastest.
  uint32_t isATransposed : 1, isBTransposed : 1;
  uint32_t saturates : 1;
  uint32_t isTall : 1;     ///< of mma.sync: m is 16, else 8
  uint32_t kRegisters : 2; ///< of mma.sync: registers of B

  MatrixType a() const { return static_cast<MatrixType>(typeA); }
  MatrixType b() const { return static_cast<MatrixType>(typeB); }
  MatrixType d() const { return static_cast<MatrixType>(typeD); }
};
static_assert(sizeof(ProductKind) == 4, "one word");

extern "C" {
/// `registers`: the accumulator's, in and out.
void kfuse_sim_wgmma(uint64_t a, uint64_t b, uint32_t *registers,
                     uint32_t count, uint32_t kind, uint32_t site);
void kfuse_sim_wgmma_fence(uint32_t site);
void kfuse_sim_wgmma_commit(uint32_t site);
void kfuse_sim_wgmma_wait(uint32_t count, uint32_t site);
/// The value of a register that may belong to an accumulator.
uint32_t kfuse_sim_wgmma_register(uint32_t bits, uint32_t site);
/// `isTied`: of operands of inline assembly that nothing moves across the wait.
void kfuse_sim_wgmma_registers(uint32_t *registers, uint32_t count,
                               uint32_t isTied, uint32_t site);

void kfuse_sim_ldmatrix(void *at, uint32_t *result, uint32_t count,
                        uint32_t isTransposed, uint32_t site);
void kfuse_sim_stmatrix(void *at, uint32_t *values, uint32_t count,
                        uint32_t isTransposed, uint32_t site);
/// mma.sync: d = a * b + c, each in words.
void kfuse_sim_mma(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d,
                   uint32_t kind, uint32_t site);
}

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_MATRIXOPS_H
