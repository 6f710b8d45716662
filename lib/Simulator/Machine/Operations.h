//===- Operations.h - what translated kernels call -------------*- C++ -*-===//
///
/// \file
/// The functions behind NVVM operations. Translated code calls them by the
/// names here; `site` is the number of the operation in its module. All run in
/// the fiber of a thread.
///
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_OPERATIONS_H
#define KFUSE_LIB_SIMULATOR_MACHINE_OPERATIONS_H

#include <cstdint>
#include <utility>
#include <vector>

namespace kfuse::sim {

/// Special registers (PTX ISA 10).
enum class Register : uint32_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  WarpSize,
  ClusterIdX,
  ClusterIdY,
  ClusterIdZ,
  NclusterIdX,
  NclusterIdY,
  NclusterIdZ,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtaRank,
  ClusterNctaRank,
  LanemaskEq,
  LanemaskLe,
  LanemaskLt,
  LanemaskGe,
  LanemaskGt,
  Clock
};

/// In an access's `mode`. AtomicMode is an update, which reads and writes.
enum AccessMode : uint32_t {
  ReadMode = 0,
  WriteMode = 1,
  AtomicMode = 2,
  AtomicReadMode = 3,
  AtomicWriteMode = 4
};

/// Types of atomics, in `type`.
enum class AtomicType : uint32_t { I8, I16, I32, I64, F16, BF16, F32, F64 };
/// Operations of atomics.
enum class AtomicOp : uint32_t {
  Exchange,
  Add,
  Sub,
  And,
  Nand,
  Or,
  Xor,
  Max,
  Min,
  UMax,
  UMin,
  FAdd,
  FSub,
  FMax,
  FMin,
  Increment,
  Decrement
};
/// Bits of memory orders.
enum OrderBits : uint32_t { AcquireOrder = 1, ReleaseOrder = 2 };

/// What lanes of a warp do together.
enum class WarpOp : uint32_t {
  Sync,
  ShuffleIdx,
  ShuffleUp,
  ShuffleDown,
  ShuffleBfly,
  VoteAny,
  VoteAll,
  VoteUni,
  Ballot,
  MatchAny,
  MatchAll,
  Elect,
  ReduceAdd,
  ReduceAnd,
  ReduceOr,
  ReduceXor,
  ReduceMin,
  ReduceMax,
  ReduceUMin,
  ReduceUMax,
  ReduceFMin,
  ReduceFMax,
  Together ///< an act of all lanes, of the machine's own
};

extern "C" {
uint32_t kfuse_sim_register(uint32_t which);
/// Checks an access and returns where it may take place.
void *kfuse_sim_access(void *address, uint32_t mode, uint32_t site);
/// Address of a block's shared memory plus `offset`.
void *kfuse_sim_shared(uint32_t offset);
/// `op`: 0 for none, else 1 popc, 2 and, 3 or of the predicates.
uint32_t kfuse_sim_barrier(uint32_t id, uint32_t count, uint32_t op,
                           uint32_t predicate, uint32_t site);
void kfuse_sim_barrier_arrive(uint32_t id, uint32_t count, uint32_t site);
/// A warp operation (WarpOp); the low word is the value, the high one the
/// predicate where there is one.
uint64_t kfuse_sim_warp(uint32_t op, uint32_t mask, uint32_t value,
                        uint32_t offset, uint32_t clamp, uint32_t site);
uint64_t kfuse_sim_atomic(void *address, uint64_t value, uint32_t op,
                          uint32_t type, uint32_t order, uint32_t site);
/// The old value; the exchange took place when it equals `compare`.
uint64_t kfuse_sim_compare_exchange(void *address, uint64_t compare,
                                    uint64_t value, uint32_t type,
                                    uint32_t order, uint32_t site);
/// Around loads and stores that are atomic.
void kfuse_sim_before_store(void *address, uint32_t order, uint32_t site);
void kfuse_sim_after_load(void *address, uint32_t order, uint32_t site);
void kfuse_sim_fence(uint32_t order, uint32_t site);
void kfuse_sim_yield(uint32_t site);
void kfuse_sim_trap(uint32_t site);
}

/// Names and addresses of all operations, for the linker.
using OperationTable = std::vector<std::pair<const char *, void *>>;
void addCoreOperations(OperationTable &table);
/// Copies, mbarriers, clusters and fences; matrix operations.
void addAsyncOperations(OperationTable &table);
void addMatrixOperations(OperationTable &table);
/// `nvvm.<name>`: what `llvm.nvvm.<name>` computes.
void addMathOperations(OperationTable &table);

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_OPERATIONS_H
