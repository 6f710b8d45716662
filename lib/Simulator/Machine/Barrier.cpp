//===- Barrier.cpp - barriers of a block ----------------------------------===//
///
/// \file
/// bar.sync, bar.arrive and bar.red (PTX ISA 9.7.13.1).
///
#include "Machine.h"
#include "Operations.h"

namespace kfuse::sim {

/// Threads that have to arrive. Without a count, those that have exited are not
/// waited for.
static uint32_t getExpected(const Block &block, const Barrier &barrier) {
  if (barrier.expected)
    return barrier.expected;
  return static_cast<uint32_t>(block.threads.size()) - block.exited;
}

/// A barrier counts whole warps: their lanes arrive at it together.
static void checkWarps(Machine &machine, const Block &block,
                       const Barrier &barrier) {
  for (size_t i = 0; i < block.warps.size(); ++i) {
    uint32_t missing = block.warps[i].present & ~barrier.lanes[i];
    if (!barrier.lanes[i] || !missing)
      continue;
    Finding finding;
    finding.kind = KFUSE_SIM_DIVERGENCE;
    finding.site = barrier.site;
    finding.thread =
        machine.nameOf(*block.warps[i].lanes[__builtin_ctz(missing)]);
    finding.message = "a barrier lets other lanes of its warp go on without "
                      "this one having come";
    machine.report(std::move(finding));
  }
}

/// Lets everyone go when all have arrived.
static bool completeBarrier(Machine &machine, Block &block, Barrier &barrier) {
  uint32_t padding = barrier.expected ? barrier.padding : 0;
  if (!barrier.arrived ||
      barrier.arrived + padding < getExpected(block, barrier))
    return false;
  checkWarps(machine, block, barrier);
  Clock clock = Clock::meet(barrier.members);
  for (const Clock &other : barrier.clocks)
    clock.join(other);
  // Both words, since who has exited meanwhile does not count.
  uint64_t result = uint64_t(barrier.arrived) << 32 | barrier.count;
  for (Thread *thread : barrier.waiting) {
    thread->clock = clock;
    thread->result = result;
    machine.advance(*thread);
    machine.wake(*thread);
  }
  barrier = Barrier();
  return true;
}

static Barrier *findBarrier(Machine &machine, uint32_t id, uint32_t count,
                            SiteId site) {
  Block &block = *machine.self().block;
  if (id >= 16) {
    machine.report(KFUSE_SIM_BARRIER, site,
                   "expected a barrier number below 16, found " +
                       std::to_string(id));
    machine.stop();
  }
  Barrier &barrier = block.barriers[id];
  uint32_t threads = static_cast<uint32_t>(block.threads.size());
  if (count % 32 || count > (threads + 31) / 32 * 32)
    machine.report(KFUSE_SIM_BARRIER, site,
                   "expected a multiple of 32 up to the block's " +
                       std::to_string(threads) + " threads, found " +
                       std::to_string(count));
  if (barrier.arrived && barrier.expected != count)
    machine.report(KFUSE_SIM_BARRIER, site,
                   "barrier " + std::to_string(id) + " expects " +
                       std::to_string(barrier.expected) +
                       " threads, and this thread " + std::to_string(count));
  barrier.expected = count;
  return &barrier;
}

static void arrive(const Thread &thread, Barrier &barrier, SiteId site) {
  ++barrier.arrived;
  barrier.site = site;
  barrier.lanes[thread.linear / 32] |= 1u << thread.lane;
  if (thread.linear + 1 == thread.block->threads.size())
    barrier.padding = 31 - thread.lane;
}

/// Lanes of a warp execute one barrier instruction together.
static void checkConverged(Machine &machine, const Barrier &barrier,
                           SiteId site) {
  Thread &thread = machine.self();
  for (const Thread *other : barrier.waiting) {
    if (other->warp != thread.warp || other->waitsAt == site)
      continue;
    Finding finding;
    finding.kind = KFUSE_SIM_DIVERGENCE;
    finding.site = site;
    finding.otherSite = other->waitsAt;
    finding.thread = machine.nameOf(thread);
    finding.otherThread = machine.nameOf(*other);
    finding.message = "lanes of one warp wait at different barriers";
    machine.report(std::move(finding));
    return;
  }
}

extern "C" uint32_t kfuse_sim_barrier(uint32_t id, uint32_t count, uint32_t op,
                                      uint32_t predicate, uint32_t site) {
  Machine &machine = Machine::get();
  Thread &thread = machine.self();
  Barrier *barrier = findBarrier(machine, id, count, site);
  checkConverged(machine, *barrier, site);
  arrive(thread, *barrier, site);
  barrier->count += predicate != 0;
  barrier->members.push_back({&thread.clock, thread.local, thread.time});
  barrier->waiting.push_back(&thread);
  // The last one waits as well: woken at once, it goes on in the seed's order.
  machine.prepareToWait("a barrier of the block", site);
  completeBarrier(machine, *thread.block, *barrier);
  machine.suspend();
  auto total = static_cast<uint32_t>(thread.result);
  switch (op) {
  case 2:
    return total == thread.result >> 32;
  case 3:
    return total != 0;
  default:
    return total;
  }
}

extern "C" void kfuse_sim_barrier_arrive(uint32_t id, uint32_t count,
                                         uint32_t site) {
  Machine &machine = Machine::get();
  if (!count) {
    machine.report(KFUSE_SIM_BARRIER, site,
                   "an arrival needs the number of threads");
    machine.stop();
  }
  Barrier *barrier = findBarrier(machine, id, count, site);
  arrive(machine.self(), *barrier, site);
  barrier->clocks.push_back(machine.release());
  completeBarrier(machine, *machine.self().block, *barrier);
}

void completeBarriersOnExit(Machine &machine, Thread &thread) {
  for (Barrier &barrier : thread.block->barriers)
    if (barrier.arrived && !barrier.expected)
      completeBarrier(machine, *thread.block, barrier);
}

} // namespace kfuse::sim
