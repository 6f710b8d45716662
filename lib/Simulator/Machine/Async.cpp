//===- Async.cpp - asynchronous work of a cluster -------------------------===//

#include "Async.h"
#include "AsyncOps.h"
#include "Wgmma.h"

#include <algorithm>

namespace kfuse::sim {

AsyncState::AsyncState() = default;
AsyncState::~AsyncState() = default;

void AsyncState::reset() {
  agents.clear();
  work.clear();
  mbarriers.clear();
  barrier = ClusterBarrier();
  warpGroups.clear();
  remote.clear();
  atEnd.clear();
}

//===----------------------------------------------------------------------===//
// Agents
//===----------------------------------------------------------------------===//

ThreadWork &Machine::workOf(const Thread &thread) {
  if (async.work.empty())
    async.work.resize(threadCount);
  return async.work[thread.local];
}

uint32_t Machine::addAgent(uint32_t rank) {
  async.agents.push_back({rank, startTime});
  return threadCount + static_cast<uint32_t>(async.agents.size()) - 1;
}

Time Machine::tick(uint32_t agent) {
  Time &time = async.agents[agent - threadCount].time;
  lastTime = std::max(lastTime, ++time);
  return time;
}

void Machine::untilWait(const SharedEffect &effect) {
  async.atEnd.push_back(effect);
  if (config->timing != KFUSE_SIM_LATE)
    later([effect] { effect->run(); });
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

void Machine::noteRemote(const Block &block, const Access &access) {
  async.remote[block.rank][access.agent.local()] = {access.time, access.site};
}

void Machine::finishCluster() {
  while (completeOne())
    ;
  for (const SharedEffect &effect : async.atEnd)
    effect->run();
  if (!hasShadows())
    return;
  checkRemote();
  checkCopies();
}

/// What had happened when the threads of a block had exited.
Clock Machine::getExit(uint32_t rank) {
  Clock exit;
  for (Thread &thread : blocks[rank].threads) {
    Clock last = thread.clock;
    last.set(thread.local, thread.time);
    exit.join(last);
  }
  return exit;
}

/// Copies into a block's shared memory must be complete before it exits.
void Machine::checkCopies() {
  std::map<uint32_t, Clock> exits;
  for (const auto &[at, barrier] : async.mbarriers) {
    if (barrier.lastSite == noSite)
      continue;
    uint32_t rank = findBlock(at)->rank;
    auto [exit, isNew] = exits.try_emplace(rank);
    if (isNew)
      exit->second = getExit(rank);
    if (exit->second.covers(agentOf(barrier.agent), barrier.lastTime))
      continue;
    Finding finding;
    finding.kind = KFUSE_SIM_ASYNC;
    finding.site = barrier.lastSite;
    finding.thread = nameOf(agentOf(barrier.agent));
    finding.message = "the block exits with a copy into its shared memory that "
                      "none of its threads has waited for";
    report(std::move(finding));
  }
}

/// A block's shared memory is there until its threads exit: what others do with
/// it must happen before (PTX ISA 8, "the lifetime of shared memory").
void Machine::checkRemote() {
  for (const auto &[rank, accesses] : async.remote) {
    Clock exit = getExit(rank);
    for (const auto &[local, access] : accesses) {
      if (exit.covers(agentOf(local), access.time))
        continue;
      Finding finding;
      finding.kind = KFUSE_SIM_RACE;
      finding.site = access.site;
      finding.thread = nameOf(agentOf(local));
      finding.argument = -1;
      finding.message = "accesses the shared memory of block " +
                        std::to_string(rank) +
                        " of the cluster, which may have exited by then";
      report(std::move(finding));
    }
  }
}

static void reportLeak(Machine &machine, SiteId site, const char *message) {
  machine.report(KFUSE_SIM_ASYNC, site, message);
}

static void checkQueue(Machine &machine, const CopyQueue &queue,
                       const char *uncommitted, const char *unread) {
  if (!queue.open.writes.empty())
    reportLeak(machine, queue.open.site, uncommitted);
  for (const CopyGroup &group : queue.committed)
    if (!group.writes.empty() && !group.isRead)
      return reportLeak(machine, group.site, unread);
}

void finishAsyncOnExit(Machine &machine, Thread &thread) {
  AsyncState &async = machine.getAsync();
  if (async.work.empty())
    return;
  ThreadWork &work = machine.workOf(thread);
  checkQueue(machine, work.copies,
             "the thread exits with copies that it has not committed",
             "the thread exits with copies that it has not waited for");
  checkQueue(machine, work.stores,
             "the thread exits with bulk copies that it has not committed",
             "the thread exits while bulk copies may still read its block's "
             "shared memory");
  checkProductsOnExit(machine, thread);
  completeClusterOnExit(machine, thread);
}

} // namespace kfuse::sim
