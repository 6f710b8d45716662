//===- Async.h - asynchronous work of a cluster ----------------*- C++ -*-===//
///
/// \file
/// What is on its way: copies and stores of threads by group, mbarriers, the
/// cluster's barrier and the matrix products of warpgroups. Asynchronous work
/// accesses memory as an agent with a clock entry of its own; waiting for it
/// takes that entry into the waiting thread's clock.
///
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_ASYNC_H
#define KFUSE_LIB_SIMULATOR_MACHINE_ASYNC_H

#include "Clock.h"
#include "Kernel.h"
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace kfuse::sim {

struct Thread;
struct WarpGroup;

/// Something that happens once: when someone waits for it, or before.
class Effect {
public:
  explicit Effect(std::function<void()> act) : act(std::move(act)) {}
  void run() {
    if (!act)
      return;
    std::function<void()> now = std::move(act);
    act = nullptr;
    now();
  }

private:
  std::function<void()> act;
};
using SharedEffect = std::shared_ptr<Effect>;

/// Copies that are waited for together. Reading their source may be waited for
/// alone.
struct CopyGroup {
  std::vector<SharedEffect> reads, writes;
  Time readTime = 0, writeTime = 0; ///< of the last
  SiteId site = noSite;             ///< of the first
  bool isRead = false;              ///< someone has waited for the reads
};

struct CopyQueue {
  static constexpr uint32_t noAgent = ~0u;
  uint32_t reader = noAgent, writer = noAgent;
  CopyGroup open;
  std::deque<CopyGroup> committed;
};

/// What a thread has asked for.
struct ThreadWork {
  CopyQueue copies; ///< cp.async
  CopyQueue stores; ///< cp.async.bulk with a bulk_group
  /// The cluster barrier's phase that it has arrived at and not waited for.
  uint64_t arrivedPhase = 0;
  bool hasArrived = false;
  /// Of its warpgroup's matrix products: those it has issued, where its groups
  /// end, those it has waited for, and its wgmma.fences.
  uint64_t products = 0, productsWaited = 0, fences = 0;
  std::deque<uint64_t> productGroups;
};

/// A barrier object in shared memory (PTX ISA 9.7.13.15).
struct MBarrier {
  uint32_t expected = 0, pending = 0;
  int64_t bytes = 0; ///< expected less completed
  uint64_t phase = 0;
  Clock arriving, completed; ///< of this phase, and of the one before
  std::vector<Thread *> waiting;
  /// Of the copies that complete here, and those on their way.
  uint32_t agent = 0;
  Time lastTime = 0;
  SiteId lastSite = noSite; ///< of the last copy
  std::set<Time> flying;
  Agent initializer;
  Time initTime = 0;
  SiteId initSite = noSite;
  bool isFenced = false; ///< other proxies and blocks see the initialization
};

struct ClusterBarrier {
  uint64_t phase = 0;
  uint32_t arrived = 0; ///< of those that have not exited
  Clock arriving, completed;
  std::vector<Thread *> waiting;
};

/// An access to a block's shared memory from another block.
struct RemoteAccess {
  Time time;
  SiteId site;
};

struct AsyncState {
  AsyncState();
  ~AsyncState();
  struct AgentState {
    uint32_t rank; ///< of the block it works for
    Time time;
  };
  std::vector<AgentState> agents;
  std::vector<ThreadWork> work; ///< by number of the thread in the cluster
  std::map<char *, MBarrier> mbarriers;
  ClusterBarrier barrier;
  std::vector<std::unique_ptr<WarpGroup>> warpGroups;
  /// By block rank: the last access of each other agent.
  std::map<uint32_t, std::map<uint32_t, RemoteAccess>> remote;
  /// Effects that nobody may wait for.
  std::vector<SharedEffect> atEnd;
  void reset();
};

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_ASYNC_H
