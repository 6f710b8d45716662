//===- AsyncOps.h - copies, mbarriers, clusters and fences -----*- C++ -*-===//
///
/// \file
/// The functions behind asynchronous NVVM operations (see Operations.h), and
/// what they share.
///
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_ASYNCOPS_H
#define KFUSE_LIB_SIMULATOR_MACHINE_ASYNCOPS_H

#include "Machine.h"

namespace kfuse::sim {

/// What an arrival at an mbarrier does beside arriving.
enum ArriveFlags : uint32_t {
  DropArrival = 1,      ///< expect one less from now on
  RelaxedArrival = 2,   ///< order nothing of the thread's own
  ClusterArrival = 4,   ///< of cluster scope
  NoCompleteArrival = 8 ///< must not end the phase
};

/// How a phase of an mbarrier is tested.
enum class WaitKind : uint32_t {
  UntilComplete, ///< does not come back before
  Try,           ///< may wait
  Test           ///< does not wait
};

/// Kinds of bulk reductions, as in `#nvvm.tma_redux_kind`.
enum class BulkReduction : uint32_t {
  None,
  Add,
  Max,
  Min,
  Inc,
  Dec,
  And,
  Or,
  Xor
};

/// A copy that completes at an mbarrier is on its way; its time.
Time beginTransaction(Machine &machine, MBarrier &barrier, SiteId site);
/// It is there.
void endTransaction(Machine &machine, char *barrier, Time time, int64_t bytes);
/// The mbarrier that a copy is to complete at; null after a report.
MBarrier *findForCopy(Machine &machine, char *at, SiteId site);
/// The block's bytes at the place in another block's window.
char *mapToRank(Machine &machine, char *at, uint32_t rank);

void completeClusterOnExit(Machine &machine, Thread &thread);

extern "C" {
void kfuse_sim_mbarrier_init(void *at, uint32_t count, uint32_t enabled,
                             uint32_t site);
void kfuse_sim_mbarrier_inval(void *at, uint32_t site);
/// Arrives `count` times after expecting `bytes` more; the state that it found.
uint64_t kfuse_sim_mbarrier_arrive(void *at, uint32_t count, uint32_t bytes,
                                   uint32_t flags, uint32_t enabled,
                                   uint32_t site);
/// Expects `bytes` more, or less.
void kfuse_sim_mbarrier_expect(void *at, uint32_t bytes, uint32_t isCompletion,
                               uint32_t site);
/// `isParity`: `state` is the parity of the phase, else what an arrival gave.
uint32_t kfuse_sim_mbarrier_wait(void *at, uint64_t state, uint32_t isParity,
                                 uint32_t kind, uint32_t isRelaxed,
                                 uint32_t site);

void kfuse_sim_copy_async(void *to, void *from, uint32_t bytes,
                          uint32_t fromBytes, uint32_t site);
void kfuse_sim_copy_commit(uint32_t site);
void kfuse_sim_copy_wait(uint32_t count, uint32_t site);
/// `noIncrement`: the arrival is among those that the mbarrier expects.
void kfuse_sim_copy_arrive(void *at, uint32_t noIncrement, uint32_t site);

/// `mask`: ranks that get the copy; 0: where `to` is.
void kfuse_sim_bulk_load(void *to, void *from, void *mbarrier, uint32_t bytes,
                         uint32_t mask, uint32_t site);
void kfuse_sim_bulk_store(void *to, void *from, uint32_t bytes, uint32_t site);
void kfuse_sim_bulk_commit(uint32_t site);
void kfuse_sim_bulk_wait(uint32_t count, uint32_t isRead, uint32_t site);
void kfuse_sim_tensor_load(void *to, void *map, void *mbarrier,
                           const int32_t *coordinates, uint32_t rank,
                           uint32_t mask, uint32_t enabled, uint32_t site);
void kfuse_sim_tensor_store(void *map, void *from, const int32_t *coordinates,
                            uint32_t rank, uint32_t reduction, uint32_t enabled,
                            uint32_t site);

void kfuse_sim_cluster_arrive(uint32_t isRelaxed, uint32_t site);
void kfuse_sim_cluster_wait(uint32_t site);
void *kfuse_sim_mapa(void *at, uint32_t rank, uint32_t site);
void kfuse_sim_fence_proxy(uint32_t site);
void kfuse_sim_fence_mbarrier_init(uint32_t site);
}

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_ASYNCOPS_H
