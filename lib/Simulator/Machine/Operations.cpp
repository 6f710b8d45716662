//===- Operations.cpp - registers, exits and the table of operations ------===//
#include "Operations.h"
#include "AsyncOps.h"
#include "MatrixOps.h"

namespace kfuse::sim {

void completeBarriersOnExit(Machine &machine, Thread &thread);
void completeMeetingsOnExit(Machine &machine, Thread &thread);
void finishAsyncOnExit(Machine &machine, Thread &thread);

void onExit(Machine &machine, Thread &thread) {
  finishAsyncOnExit(machine, thread);
  completeMeetingsOnExit(machine, thread);
  completeBarriersOnExit(machine, thread);
}

/// A register of three, or -1 beyond.
static int64_t readTriple(const Machine &machine, const Thread &thread,
                          uint32_t group, uint32_t i) {
  const LaunchConfig &config = machine.getConfig();
  const uint32_t *cluster = machine.getKernel().cluster;
  const Block &block = *thread.block;
  switch (group) {
  case 0:
    return thread.id[i];
  case 1:
    return config.block[i];
  case 2:
    return block.id[i];
  case 3:
    return config.grid[i];
  case 4:
    return block.id[i] / cluster[i];
  case 5:
    return config.grid[i] / cluster[i];
  case 6:
    return block.id[i] % cluster[i];
  case 7:
    return cluster[i];
  default:
    return -1;
  }
}

extern "C" uint32_t kfuse_sim_register(uint32_t which) {
  Machine &machine = Machine::get();
  const Thread &thread = machine.self();
  auto reg = static_cast<Register>(which);
  if (reg == Register::Clock)
    return machine.readClock();
  auto first = static_cast<uint32_t>(Register::LaneId);
  if (which < first)
    return readTriple(machine, thread, which / 3, which % 3);
  auto cluster = static_cast<uint32_t>(Register::ClusterIdX);
  if (reg >= Register::ClusterIdX && reg <= Register::ClusterNctaidZ)
    return readTriple(machine, thread, 4 + (which - cluster) / 3,
                      (which - cluster) % 3);
  uint32_t lane = thread.lane;
  switch (reg) {
  case Register::LaneId:
    return lane;
  case Register::WarpId:
    return thread.linear / 32;
  case Register::WarpSize:
    return 32;
  case Register::ClusterCtaRank:
    return thread.block->rank;
  case Register::ClusterNctaRank:
    return static_cast<uint32_t>(machine.getBlocks().size());
  case Register::LanemaskEq:
    return 1u << lane;
  case Register::LanemaskLe:
    return (2u << lane) - 1;
  case Register::LanemaskLt:
    return (1u << lane) - 1;
  case Register::LanemaskGe:
    return ~((1u << lane) - 1);
  case Register::LanemaskGt:
    return ~((2u << lane) - 1);
  default:
    return 0;
  }
}

extern "C" void *kfuse_sim_shared(uint32_t offset) {
  return Machine::get().self().block->shared + offset;
}

extern "C" void kfuse_sim_yield(uint32_t site) { Machine::get().yield(site); }

extern "C" void kfuse_sim_trap(uint32_t site) {
  Machine &machine = Machine::get();
  machine.report(KFUSE_SIM_TRAP, site, "the kernel stopped itself");
  machine.stop();
}

#define KFUSE_OPERATION(NAME)                                                  \
  table.emplace_back(#NAME, reinterpret_cast<void *>(&NAME))

void addCoreOperations(OperationTable &table) {
  KFUSE_OPERATION(kfuse_sim_register);
  KFUSE_OPERATION(kfuse_sim_access);
  KFUSE_OPERATION(kfuse_sim_shared);
  KFUSE_OPERATION(kfuse_sim_barrier);
  KFUSE_OPERATION(kfuse_sim_barrier_arrive);
  KFUSE_OPERATION(kfuse_sim_warp);
  KFUSE_OPERATION(kfuse_sim_atomic);
  KFUSE_OPERATION(kfuse_sim_compare_exchange);
  KFUSE_OPERATION(kfuse_sim_before_store);
  KFUSE_OPERATION(kfuse_sim_after_load);
  KFUSE_OPERATION(kfuse_sim_fence);
  KFUSE_OPERATION(kfuse_sim_yield);
  KFUSE_OPERATION(kfuse_sim_trap);
}

void addAsyncOperations(OperationTable &table) {
  KFUSE_OPERATION(kfuse_sim_mbarrier_init);
  KFUSE_OPERATION(kfuse_sim_mbarrier_inval);
  KFUSE_OPERATION(kfuse_sim_mbarrier_arrive);
  KFUSE_OPERATION(kfuse_sim_mbarrier_expect);
  KFUSE_OPERATION(kfuse_sim_mbarrier_wait);
  KFUSE_OPERATION(kfuse_sim_copy_async);
  KFUSE_OPERATION(kfuse_sim_copy_commit);
  KFUSE_OPERATION(kfuse_sim_copy_wait);
  KFUSE_OPERATION(kfuse_sim_copy_arrive);
  KFUSE_OPERATION(kfuse_sim_bulk_load);
  KFUSE_OPERATION(kfuse_sim_bulk_store);
  KFUSE_OPERATION(kfuse_sim_bulk_commit);
  KFUSE_OPERATION(kfuse_sim_bulk_wait);
  KFUSE_OPERATION(kfuse_sim_tensor_load);
  KFUSE_OPERATION(kfuse_sim_tensor_store);
  KFUSE_OPERATION(kfuse_sim_cluster_arrive);
  KFUSE_OPERATION(kfuse_sim_cluster_wait);
  KFUSE_OPERATION(kfuse_sim_mapa);
  KFUSE_OPERATION(kfuse_sim_fence_proxy);
  KFUSE_OPERATION(kfuse_sim_fence_mbarrier_init);
}

void addMatrixOperations(OperationTable &table) {
  KFUSE_OPERATION(kfuse_sim_wgmma);
  KFUSE_OPERATION(kfuse_sim_wgmma_fence);
  KFUSE_OPERATION(kfuse_sim_wgmma_commit);
  KFUSE_OPERATION(kfuse_sim_wgmma_wait);
  KFUSE_OPERATION(kfuse_sim_wgmma_register);
  KFUSE_OPERATION(kfuse_sim_wgmma_registers);
  KFUSE_OPERATION(kfuse_sim_ldmatrix);
  KFUSE_OPERATION(kfuse_sim_stmatrix);
  KFUSE_OPERATION(kfuse_sim_mma);
}
#undef KFUSE_OPERATION

} // namespace kfuse::sim
