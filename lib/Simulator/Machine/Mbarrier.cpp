//===- Mbarrier.cpp - barrier objects in shared memory --------------------===//
///
/// \file
/// mbarrier.* (PTX ISA 9.7.13.15). The state lies beside the memory, where a
/// magic word shows whether someone has written over it. An arrival with
/// release semantics lets those who wait know all that its thread knows. A
/// relaxed one, or one of CTA scope at another block's barrier, is no release:
/// it only passes on what asynchronous work its thread has waited for, since
/// what is complete cannot come undone (docs/Simulator.md).
///
#include "Access.h"
#include "AsyncOps.h"

#include <algorithm>
#include <cstring>

namespace kfuse::sim {

/// Bounds of counts (PTX ISA 9.7.13.15.2).
static constexpr int64_t mostCount = (1 << 20) - 1;
static constexpr uint64_t magic = 0x6B667573654D4252; // "kfuseMBR"

static std::string describe(const MBarrier &barrier) {
  return "its phase " + std::to_string(barrier.phase) + " lacks " +
         std::to_string(barrier.pending) + " of " +
         std::to_string(barrier.expected) + " arrivals and " +
         std::to_string(barrier.bytes) + " bytes";
}

std::string describeMBarrier(Machine &machine, const void *at) {
  auto &known = machine.getAsync().mbarriers;
  auto it = known.find(static_cast<char *>(const_cast<void *>(at)));
  return it == known.end() ? "" : ": " + describe(it->second);
}

static void reportAt(Machine &machine, const char *at, SiteId site,
                     std::string message) {
  Finding finding;
  finding.kind = KFUSE_SIM_BARRIER;
  finding.site = site;
  finding.thread = machine.nameOf(machine.self());
  finding.message = std::move(message);
  finding.argument = -1;
  finding.bytes = 8;
  if (Block *block = machine.findBlock(at))
    finding.address = at - block->shared;
  machine.report(std::move(finding));
}

/// The barrier at an address; null after a report.
static MBarrier *find(Machine &machine, char *at, SiteId site) {
  auto &known = machine.getAsync().mbarriers;
  auto it = known.find(at);
  if (it == known.end()) {
    reportAt(machine, at, site, "there is no initialized mbarrier");
    return nullptr;
  }
  uint64_t word;
  memcpy(&word, at, sizeof(word));
  if (word != magic)
    reportAt(machine, at, site, "something has written over the mbarrier");
  return &it->second;
}

/// The barrier that the current thread uses, whose initialization must have
/// happened before.
static MBarrier *findForThread(Machine &machine, char *at, SiteId site) {
  MBarrier *barrier = find(machine, at, site);
  if (!barrier || !machine.hasShadows())
    return barrier;
  Thread &thread = machine.self();
  if (!(machine.agentOf(thread.local) == barrier->initializer) &&
      !thread.clock.covers(barrier->initializer, barrier->initTime)) {
    Finding finding;
    finding.kind = KFUSE_SIM_RACE;
    finding.site = site;
    finding.otherSite = barrier->initSite;
    finding.thread = machine.nameOf(thread);
    finding.otherThread = machine.nameOf(barrier->initializer);
    finding.message = "uses an mbarrier that another thread initializes, with "
                      "nothing that orders the two";
    machine.report(std::move(finding));
  }
  Touch touch;
  touch.at = at;
  touch.bytes = touch.alignment = 8;
  touch.mode = AtomicMode;
  touch.site = site;
  touch.space = Space::Shared;
  checkAccess(machine, thread, touch);
  return barrier;
}

/// Ends the phase when nothing is missing.
static void complete(Machine &machine, MBarrier &barrier) {
  if (barrier.pending || barrier.bytes)
    return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  // Phases end one after another: who sees one end knows of those before.
  barrier.completed.join(std::exchange(barrier.arriving, Clock()));
  for (Thread *thread : std::exchange(barrier.waiting, {}))
    machine.wake(*thread);
}

//===----------------------------------------------------------------------===//
// Transactions
//===----------------------------------------------------------------------===//

MBarrier *findForCopy(Machine &machine, char *at, SiteId site) {
  MBarrier *barrier = find(machine, at, site);
  if (barrier && !barrier->isFenced) {
    Finding finding;
    finding.kind = KFUSE_SIM_ASYNC;
    finding.site = site;
    finding.otherSite = barrier->initSite;
    finding.thread = machine.nameOf(machine.self());
    finding.otherThread = machine.nameOf(barrier->initializer);
    finding.message = "completes at an mbarrier with no fence.mbarrier_init or "
                      "fence.proxy.async after its initialization";
    machine.report(std::move(finding));
  }
  return barrier;
}

Time beginTransaction(Machine &machine, MBarrier &barrier, SiteId site) {
  barrier.lastSite = site;
  barrier.lastTime = machine.tick(barrier.agent);
  barrier.flying.insert(barrier.lastTime);
  return barrier.lastTime;
}

void endTransaction(Machine &machine, char *at, Time time, int64_t bytes) {
  auto it = machine.getAsync().mbarriers.find(at);
  if (it == machine.getAsync().mbarriers.end())
    return;
  MBarrier &barrier = it->second;
  barrier.flying.erase(time);
  // Complete are those before the first that still flies.
  Time known =
      barrier.flying.empty() ? barrier.lastTime : *barrier.flying.begin() - 1;
  Clock clock(machine.agentOf(0).cluster(), std::make_shared<Times>());
  clock.set(barrier.agent, known);
  barrier.arriving.join(clock);
  barrier.bytes -= bytes;
  complete(machine, barrier);
}

extern "C" void kfuse_sim_mbarrier_expect(void *address, uint32_t bytes,
                                          uint32_t isCompletion,
                                          uint32_t site) {
  Machine &machine = Machine::get();
  MBarrier *barrier =
      findForThread(machine, static_cast<char *>(address), site);
  if (!barrier)
    return;
  barrier->bytes += isCompletion ? -int64_t(bytes) : int64_t(bytes);
  if (std::abs(barrier->bytes) > mostCount)
    reportAt(machine, static_cast<char *>(address), site,
             "expected at most 1048575 pending bytes, found " +
                 std::to_string(barrier->bytes));
  complete(machine, *barrier);
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

extern "C" void kfuse_sim_mbarrier_init(void *address, uint32_t count,
                                        uint32_t enabled, uint32_t site) {
  Machine &machine = Machine::get();
  auto *at = static_cast<char *>(address);
  if (!enabled)
    return;
  Thread &thread = machine.self();
  if (count < 1 || count > mostCount)
    reportAt(machine, at, site,
             "expected a count of 1 to 1048575, found " +
                 std::to_string(count));
  auto &known = machine.getAsync().mbarriers;
  uint64_t word = 0;
  Touch touch;
  touch.at = at;
  touch.bytes = touch.alignment = 8;
  touch.mode = WriteMode;
  touch.site = site;
  touch.space = Space::Shared;
  if (checkAccess(machine, thread, touch) != at)
    return;
  memcpy(&word, at, sizeof(word));
  if (known.count(at) && word == magic)
    reportAt(machine, at, site,
             "initializes an mbarrier that is in use, expected mbarrier.inval "
             "before");
  MBarrier barrier;
  barrier.expected = barrier.pending = count;
  barrier.agent = machine.addAgent(machine.findBlock(at)->rank);
  barrier.initializer = machine.agentOf(thread.local);
  barrier.initTime = thread.time;
  barrier.initSite = site;
  known[at] = std::move(barrier);
  memcpy(at, &magic, sizeof(magic));
}

extern "C" void kfuse_sim_mbarrier_inval(void *address, uint32_t site) {
  Machine &machine = Machine::get();
  auto *at = static_cast<char *>(address);
  MBarrier *barrier = findForThread(machine, at, site);
  if (!barrier)
    return;
  if (!barrier->waiting.empty() || !barrier->flying.empty())
    reportAt(machine, at, site,
             "invalidates an mbarrier that is in use: " + describe(*barrier));
  machine.getAsync().mbarriers.erase(at);
  memset(at, 0xFF, sizeof(magic));
}

/// By thread: other proxies and blocks see the mbarriers that it initialized.
static void fenceInitializations(Machine &machine) {
  Agent self = machine.agentOf(machine.self().local);
  for (auto &[at, barrier] : machine.getAsync().mbarriers)
    if (barrier.initializer == self)
      barrier.isFenced = true;
}

extern "C" void kfuse_sim_fence_mbarrier_init(uint32_t) {
  Machine &machine = Machine::get();
  fenceInitializations(machine);
  Clock clock = machine.release();
  for (Scope scope : {Scope::Block, Scope::Cluster})
    machine.self().released[static_cast<size_t>(scope)] = clock;
}

extern "C" void kfuse_sim_fence_proxy(uint32_t) {
  Machine &machine = Machine::get();
  fenceInitializations(machine);
  if (!machine.hasShadows())
    return;
  Thread &thread = machine.self();
  thread.clock.fence(thread.local, thread.time);
  machine.advance(thread);
}

//===----------------------------------------------------------------------===//
// Arrivals and waits
//===----------------------------------------------------------------------===//

/// What an arrival lets those know who wait.
static Clock getReleased(Machine &machine, const char *at, uint32_t flags) {
  Thread &thread = machine.self();
  bool isRemote = machine.findBlock(at) != thread.block;
  if (!(flags & RelaxedArrival) && (!isRemote || (flags & ClusterArrival)))
    return machine.release();
  return thread.clock.from(machine.getThreadCount());
}

static void checkAlive(Machine &machine, const char *at, SiteId site) {
  Block *block = machine.findBlock(at);
  if (block && block->exited == block->threads.size())
    reportAt(machine, at, site,
             "arrives at an mbarrier of a block that exited");
}

extern "C" uint64_t kfuse_sim_mbarrier_arrive(void *address, uint32_t count,
                                              uint32_t bytes, uint32_t flags,
                                              uint32_t enabled, uint32_t site) {
  Machine &machine = Machine::get();
  auto *at = static_cast<char *>(address);
  if (!enabled)
    return 0;
  checkAlive(machine, at, site);
  MBarrier *barrier = findForThread(machine, at, site);
  if (!barrier)
    return 0;
  uint64_t state = barrier->phase;
  barrier->bytes += bytes;
  if (barrier->bytes > mostCount)
    reportAt(machine, at, site,
             "expected at most 1048575 pending bytes, found " +
                 std::to_string(barrier->bytes));
  if (count > barrier->pending) {
    reportAt(machine, at, site,
             "arrives " + std::to_string(count) + " times where " +
                 describe(*barrier));
    count = barrier->pending;
  }
  barrier->pending -= count;
  if (flags & DropArrival)
    barrier->expected -= std::min(count, barrier->expected);
  if ((flags & NoCompleteArrival) && !barrier->pending && !barrier->bytes)
    reportAt(machine, at, site,
             "completes the phase, expected that it does not");
  if (machine.hasShadows())
    barrier->arriving.join(getReleased(machine, at, flags));
  complete(machine, *barrier);
  return state;
}

/// Whether the phase that is asked for has ended.
static bool isOver(const MBarrier &barrier, uint64_t state, bool isParity) {
  return isParity ? (barrier.phase & 1) != (state & 1) : barrier.phase > state;
}

/// Waits for the current phase once.
static void waitOnce(Machine &machine, MBarrier &barrier, char *at, bool isPoll,
                     SiteId site) {
  Thread &thread = machine.self();
  barrier.waiting.push_back(&thread);
  thread.waitsOn = at;
  if (isPoll)
    machine.poll("an mbarrier", site);
  else
    machine.wait("an mbarrier", site);
  thread.waitsOn = nullptr;
}

static void forget(MBarrier &barrier, Thread &thread) {
  auto &waiting = barrier.waiting;
  waiting.erase(std::remove(waiting.begin(), waiting.end(), &thread),
                waiting.end());
}

extern "C" uint32_t kfuse_sim_mbarrier_wait(void *address, uint64_t state,
                                            uint32_t isParity, uint32_t kind,
                                            uint32_t isRelaxed, uint32_t site) {
  Machine &machine = Machine::get();
  auto *at = static_cast<char *>(address);
  MBarrier *barrier = findForThread(machine, at, site);
  if (!barrier)
    return true;
  if (!isOver(*barrier, state, isParity)) {
    uint64_t phase = barrier->phase;
    bool isFinal = static_cast<WaitKind>(kind) == WaitKind::UntilComplete;
    waitOnce(machine, *barrier, at, !isFinal, site);
    barrier = find(machine, at, site);
    if (!barrier)
      return true;
    forget(*barrier, machine.self());
    if (barrier->phase > phase + 1)
      reportAt(machine, at, site,
               "a thread that waits for phase " + std::to_string(phase) +
                   " finds phase " + std::to_string(barrier->phase) +
                   ": the mbarrier has lapped it");
    if (barrier->phase == phase)
      return false;
  }
  if (!isRelaxed && machine.hasShadows())
    machine.acquire(barrier->completed);
  return true;
}

} // namespace kfuse::sim
