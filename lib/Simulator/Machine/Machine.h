//===- Machine.h - threads, blocks and their scheduling --------*- C++ -*-===//
///
/// \file
/// Runs the threads of a launch as fibers, cluster by cluster. A machine
/// belongs to one host thread; the operations that translated code calls
/// (Operations.h) find it through `Machine::get()`.
///
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_MACHINE_H
#define KFUSE_LIB_SIMULATOR_MACHINE_MACHINE_H

#include "Async.h"
#include "Fiber.h"
#include "Memory.h"
#include "Random.h"
#include <deque>
#include <functional>
#include <string>

namespace kfuse::sim {

struct Block;
struct Warp;

/// A launch as it is asked for.
struct LaunchConfig {
  uint32_t grid[3], block[3];
  uint32_t dynamicSharedBytes = 0;
  void **params = nullptr;
  std::vector<Region> regions;
  KfuseSimTiming timing = KFUSE_SIM_LATE;
  uint64_t seed = 0;
  bool isFast = false;
  uint64_t maxSwitches = 0; ///< 0: 2^40
};

struct Thread {
  enum class State : uint8_t { Fresh, Ready, Waiting, Done };

  Block *block = nullptr;
  Warp *warp = nullptr;
  uint32_t id[3] = {0, 0, 0};
  uint32_t linear = 0; ///< in the block
  uint32_t lane = 0;
  uint32_t local = 0; ///< number of its agent in the cluster

  State state = State::Fresh;
  Context context = nullptr;
  char *stack = nullptr;
  /// What it waits for, for reports.
  const char *waitsFor = "";
  SiteId waitsAt = noSite;
  const void *waitsOn = nullptr; ///< an mbarrier

  /// What happened before it, and its own time.
  Clock clock;
  Time time = 0;
  /// What its last fence of each scope, or of a wider one, let out, and what
  /// its relaxed atomics saw since.
  Clock released[scopeCount], observed[scopeCount];

  /// What the last collective gave it.
  uint64_t result = 0;
};

/// A barrier of a block: arrivals of one phase.
struct Barrier {
  uint32_t expected = 0; ///< threads; 0: all of the block that have not exited
  uint32_t arrived = 0;
  uint32_t padding = 0;    ///< lanes that the block's last warp lacks
  uint32_t lanes[32] = {}; ///< that arrived, of each warp
  std::vector<Thread *> waiting;
  std::vector<Clock::Member> members;
  std::vector<Clock> clocks; ///< of those that arrived and did not wait
  SiteId site = noSite;
  uint32_t count = 0; ///< of true predicates, for reductions
};

class Machine;
struct Meeting;
/// What lanes do once they have met; each has given a pointer to what is its
/// own (its word of `values`).
using MeetingAct = void (*)(Machine &, Warp &, Meeting &);

/// Lanes of a warp that meet at one operation.
struct Meeting {
  SiteId site;
  int32_t kind; ///< operation, and what must agree between lanes
  uint32_t mask, arrived = 0;
  uint64_t values[32];
  uint32_t sources[32];
  MeetingAct act = nullptr;
};

struct Warp {
  Block *block = nullptr;
  Thread *lanes[32] = {};
  uint32_t present = 0; ///< lanes that exist and have not exited
  std::vector<Meeting> meetings;
};

struct Block {
  uint32_t id[3] = {0, 0, 0};
  uint32_t rank = 0; ///< in its cluster
  char *shared = nullptr;
  uint32_t sharedBytes = 0;
  std::deque<Thread> threads;
  std::deque<Warp> warps;
  Barrier barriers[16];
  uint32_t exited = 0;
  Shadow shadow; ///< of shared memory
};

/// What atomics at an address let others know.
struct Known {
  Clock anyone;
  /// In the cluster `number`, and in its blocks.
  uint32_t number = 0;
  Clock cluster;
  std::map<uint32_t, Clock> blocks;
};

/// What is wrong with a launch as a whole; empty when nothing is.
using Failure = std::string;

class Machine {
public:
  Machine();
  ~Machine();
  Machine(const Machine &) = delete;
  Machine &operator=(const Machine &) = delete;

  /// The machine of the calling host thread.
  static Machine &get();

  /// Runs a launch; what is wrong with the kernel goes to `findings`.
  Failure launch(const Kernel &kernel, const LaunchConfig &config,
                 Findings &findings);

  // For operations, which run in the fiber of a thread.
  Thread &self() { return *current; }
  const Kernel &getKernel() const { return *kernel; }
  const LaunchConfig &getConfig() const { return *config; }
  Memory &getMemory() { return memory; }
  std::deque<Block> &getBlocks() { return blocks; }
  const Site &getSite(SiteId id) const { return (*kernel->sites)[id]; }
  /// What atomics at an address let others know. Of shared memory nothing
  /// outlives its cluster.
  Known &getKnown(const void *address);
  bool hasShadows() const { return !config->isFast; }

  /// Leaves the thread until `wake`.
  void wait(const char *what, SiteId at);
  /// The two halves of it: what happens in between may already wake the thread.
  void prepareToWait(const char *what, SiteId at);
  void suspend() { leave(); }
  void wake(Thread &thread);
  /// Lets others run.
  void yield(SiteId at);
  /// Something has happened that others may wait for.
  void noteProgress() { progress = switches; }
  /// Counts an access of the thread whose turn it is.
  void countAccess(SiteId at) {
    if (++accesses > accessLimit)
      giveUp(at, "a thread makes more accesses than anyone would wait for, and "
                 "meets no other");
  }
  /// Gives up the launch; findings so far count.
  [[noreturn]] void stop();

  void report(KfuseSimKind kind, SiteId site, std::string message);
  void report(Finding finding);
  KfuseSimThread nameOf(const Thread &thread) const;
  KfuseSimThread nameOf(Agent agent) const;

  /// An asynchronous effect: runs when no thread can go on, or before.
  void later(std::function<void()> effect);
  /// An effect that someone waits for: runs at that wait, or before.
  void untilWait(const SharedEffect &effect);
  /// Waits until nothing else can go on, or until it is woken.
  void poll(const char *what, SiteId at);

  Access makeAccess(const Thread &thread, SiteId site, bool isAtomic = false);
  /// What the current thread lets others know from here on.
  Clock release();
  void acquire(const Clock &clock) { self().clock.join(clock); }
  void advance(Thread &thread);

  AsyncState &getAsync() { return async; }
  ThreadWork &workOf(const Thread &thread);
  /// Adds an asynchronous agent that works for block `rank`; its number.
  uint32_t addAgent(uint32_t rank);
  /// Time of an agent's next event.
  Time tick(uint32_t agent);
  Agent agentOf(uint32_t local) const { return Agent(clusterNumber, local); }
  bool isThread(Agent agent) const { return agent.local() < threadCount; }
  /// Number of the first agent that is no thread.
  uint32_t getThreadCount() const { return threadCount; }
  /// An access to shared memory of a block from another block.
  void noteRemote(const Block &block, const Access &access);

  /// Address of the shared memory of block `rank` of the cluster.
  char *getSharedWindow(uint32_t rank) const {
    return window + rank * windowBytes;
  }
  bool isShared(const void *address) const {
    return static_cast<const char *>(address) >= window &&
           static_cast<const char *>(address) < window + windowBytes * maxRanks;
  }
  /// The block whose shared memory holds the address; null when there is none.
  Block *findBlock(const void *address);
  /// Where accesses go that may not happen. Reads find poison.
  char *getTrash();
  /// A clock that goes on with each look at it.
  uint32_t readClock() { return ++looks; }

  static constexpr uint32_t maxRanks = 16;
  /// By one thread in one turn.
  static constexpr uint64_t mostAccesses = 1ull << 29;
  /// Fiber switches in which nothing is stored and nobody exits or is woken.
  static constexpr uint64_t mostIdleSwitches = 1ull << 27;
  static constexpr size_t windowBytes = 1 << 24;
  /// Shared addresses of a block begin here: 0 is no address, and sm_90 keeps
  /// the first KiB.
  static constexpr uint32_t sharedBase = 1024;

private:
  friend void runThread(boost::context::detail::transfer_t);
  void setUpCluster(uint32_t number);
  void setUpBlock(Block &block, uint32_t linear);
  void runCluster();
  void switchTo(Thread &thread);
  void finishThread(Thread &thread);
  bool completeOne();
  bool goOn(size_t &head);
  void finishCluster();
  void checkRemote();
  void checkCopies();
  Clock getExit(uint32_t rank);
  void reportDeadlock();
  [[noreturn]] void giveUp(SiteId at, const char *why);
  void leave();
  Failure check(const Kernel &kernel, const LaunchConfig &config) const;

  const Kernel *kernel = nullptr;
  const LaunchConfig *config = nullptr;
  Findings *findings = nullptr;
  Memory memory;
  std::unordered_map<const void *, Known> atomics;
  Random random;
  StackPool stacks;
  std::deque<Block> blocks;
  std::vector<Thread *> ready;
  std::vector<Thread *> polling;
  std::deque<std::function<void()>> effects;
  AsyncState async;
  Thread *current = nullptr;
  Context scheduler = nullptr;
  char *window = nullptr;
  alignas(64) char trash[mostAccessBytes];
  uint32_t clusterNumber = 0, alive = 0, threadCount = 0;
  uint32_t idleRounds = 0, looks = 0;
  uint64_t switches = 0, progress = 0, accesses = 0, accessLimit = 0;
  Time startTime = 0, lastTime = 0;
  bool isStopped = false;
};

/// All lanes of the warp meet at an operation; the last one acts for all.
void meetWarp(Machine &machine, MeetingAct act, void *own, SiteId site);
/// Called when a thread exits: barriers and meetings may be complete now.
void onExit(Machine &machine, Thread &thread);
/// What an mbarrier lacks, for reports.
std::string describeMBarrier(Machine &machine, const void *at);

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_MACHINE_H
