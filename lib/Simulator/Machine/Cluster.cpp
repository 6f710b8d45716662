//===- Cluster.cpp - the cluster's barrier and its addresses --------------===//
///
/// \file
/// barrier.cluster (PTX ISA 9.7.13.3) and mapa (9.7.9.23).
///
#include "AsyncOps.h"

namespace kfuse::sim {

static uint32_t countAlive(Machine &machine) {
  uint32_t alive = 0;
  for (Block &block : machine.getBlocks())
    alive += static_cast<uint32_t>(block.threads.size()) - block.exited;
  return alive;
}

static void complete(Machine &machine) {
  ClusterBarrier &barrier = machine.getAsync().barrier;
  if (!barrier.arrived || barrier.arrived < countAlive(machine))
    return;
  ++barrier.phase;
  barrier.arrived = 0;
  barrier.completed = std::exchange(barrier.arriving, Clock());
  for (Thread *thread : std::exchange(barrier.waiting, {}))
    machine.wake(*thread);
}

extern "C" void kfuse_sim_cluster_arrive(uint32_t isRelaxed, uint32_t site) {
  Machine &machine = Machine::get();
  ClusterBarrier &barrier = machine.getAsync().barrier;
  ThreadWork &work = machine.workOf(machine.self());
  if (work.hasArrived) {
    machine.report(KFUSE_SIM_BARRIER, site,
                   "arrives at the cluster's barrier twice, with no wait in "
                   "between");
    return;
  }
  work.hasArrived = true;
  work.arrivedPhase = barrier.phase;
  ++barrier.arrived;
  // A relaxed arrival passes on what the last fence let out.
  if (machine.hasShadows())
    barrier.arriving.join(
        isRelaxed ? machine.self().released[static_cast<size_t>(Scope::Cluster)]
                  : machine.release());
  complete(machine);
}

extern "C" void kfuse_sim_cluster_wait(uint32_t site) {
  Machine &machine = Machine::get();
  ClusterBarrier &barrier = machine.getAsync().barrier;
  ThreadWork &work = machine.workOf(machine.self());
  if (!work.hasArrived) {
    machine.report(KFUSE_SIM_BARRIER, site,
                   "waits at the cluster's barrier without an arrival");
    return;
  }
  if (barrier.phase == work.arrivedPhase) {
    barrier.waiting.push_back(&machine.self());
    machine.wait("the barrier of the cluster", site);
  }
  work.hasArrived = false;
  machine.acquire(barrier.completed);
}

void completeClusterOnExit(Machine &machine, Thread &thread) {
  ClusterBarrier &barrier = machine.getAsync().barrier;
  ThreadWork &work = machine.workOf(thread);
  if (work.hasArrived && work.arrivedPhase == barrier.phase)
    --barrier.arrived;
  complete(machine);
}

char *mapToRank(Machine &machine, char *at, uint32_t rank) {
  Block *from = machine.findBlock(at);
  return machine.getBlocks()[rank].shared + (at - from->shared);
}

extern "C" void *kfuse_sim_mapa(void *address, uint32_t rank, uint32_t site) {
  Machine &machine = Machine::get();
  auto *at = static_cast<char *>(address);
  if (rank < machine.getBlocks().size() && machine.findBlock(at))
    return mapToRank(machine, at, rank);
  machine.report(KFUSE_SIM_OUT_OF_BOUNDS, site,
                 "expected shared memory and a rank below " +
                     std::to_string(machine.getBlocks().size()) +
                     ", found rank " + std::to_string(rank));
  return machine.getTrash();
}

} // namespace kfuse::sim
