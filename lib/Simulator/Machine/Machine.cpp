//===- Machine.cpp - threads, blocks and their scheduling -----------------===//
#include "Machine.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace kfuse::sim {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

// Shared windows lie below 4 GiB, so that 32-bit address arithmetic works.
static char *mapWindow() {
  constexpr size_t bytes = Machine::windowBytes * Machine::maxRanks;
  for (uintptr_t at = 0x10000000; at < 0xF0000000; at += bytes) {
    void *found =
        mmap(reinterpret_cast<void *>(at), bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
             -1, 0);
    if (found != MAP_FAILED)
      return static_cast<char *>(found);
  }
  return nullptr;
}

Machine::Machine() : window(mapWindow()) {}

Machine::~Machine() {
  if (window)
    munmap(window, windowBytes * maxRanks);
}

Machine &Machine::get() {
  static thread_local Machine machine;
  return machine;
}

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

/// First and last function of a fiber.
void runThread(transfer_t from) {
  auto &machine = *static_cast<Machine *>(from.data);
  machine.scheduler = from.fctx;
  machine.kernel->entry(machine.config->params);
  machine.finishThread(machine.self());
  machine.leave();
}

/// Back to the scheduler, which may return here.
void Machine::leave() {
  transfer_t from = jump_fcontext(scheduler, this);
  // Another machine's scheduler never resumes this fiber.
  scheduler = from.fctx;
}

void Machine::switchTo(Thread &thread) {
  ++switches;
  accesses = 0;
  current = &thread;
  if (thread.state == Thread::State::Fresh) {
    thread.stack = stacks.take();
    if (!thread.stack) {
      report(KFUSE_SIM_UNSUPPORTED, noSite, "no memory for another thread");
      isStopped = true;
      return;
    }
    thread.context =
        make_fcontext(thread.stack, StackPool::stackBytes, runThread);
  }
  thread.state = Thread::State::Ready;
  transfer_t from = jump_fcontext(thread.context, this);
  // Where the thread left, unless it is done.
  thread.context = from.fctx;
  if (thread.state == Thread::State::Done) {
    stacks.giveBack(thread.stack);
    thread.stack = nullptr;
  }
}

void Machine::prepareToWait(const char *what, SiteId at) {
  Thread &thread = self();
  thread.state = Thread::State::Waiting;
  thread.waitsFor = what;
  thread.waitsAt = at;
}

void Machine::wait(const char *what, SiteId at) {
  prepareToWait(what, at);
  suspend();
}

void Machine::wake(Thread &thread) {
  if (thread.state != Thread::State::Waiting)
    return;
  idleRounds = 0;
  noteProgress();
  thread.state = Thread::State::Ready;
  ready.push_back(&thread);
}

void Machine::yield(SiteId at) {
  self().waitsAt = at;
  ready.push_back(&self());
  leave();
}

void Machine::giveUp(SiteId at, const char *why) {
  report(KFUSE_SIM_DEADLOCK, at, why);
  stop();
}

void Machine::stop() {
  isStopped = true;
  leave();
  __builtin_unreachable();
}

void Machine::finishThread(Thread &thread) {
  thread.state = Thread::State::Done;
  noteProgress();
  --alive;
  ++thread.block->exited;
  thread.warp->present &= ~(1u << thread.lane);
  onExit(*this, thread);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Failure Machine::check(const Kernel &what, const LaunchConfig &how) const {
  uint64_t threads = uint64_t(how.block[0]) * how.block[1] * how.block[2];
  if (!window)
    return "no room for shared memory below 4 GiB; too many threads simulate "
           "at once";
  if (!threads || threads > 1024)
    return "expected 1 to 1024 threads a block, found " +
           std::to_string(threads);
  if (what.maxThreads && threads > what.maxThreads)
    return "the kernel was compiled for at most " +
           std::to_string(what.maxThreads) + " threads a block, found " +
           std::to_string(threads);
  // The limits of CUDA's devices.
  constexpr uint32_t mostBlocks[] = {0x7FFFFFFF, 0xFFFF, 0xFFFF};
  if (how.block[2] > 64)
    return "expected at most 64 threads along z, found " +
           std::to_string(how.block[2]);
  for (int i = 0; i < 3; ++i)
    if (how.grid[i] > mostBlocks[i])
      return "expected at most " + std::to_string(mostBlocks[i]) +
             " blocks along " + "xyz"[i] + ", found " +
             std::to_string(how.grid[i]);
  for (int i = 0; i < 3; ++i)
    if (what.block[i] && what.block[i] != how.block[i])
      return "expected blocks of " + std::to_string(what.block[i]) +
             " threads in dimension " + std::to_string(i) + ", found " +
             std::to_string(how.block[i]);
  for (int i = 0; i < 3; ++i)
    if (!how.grid[i] || how.grid[i] % what.cluster[i])
      return "expected a grid that the cluster divides, found " +
             std::to_string(how.grid[i]) + " by " +
             std::to_string(what.cluster[i]);
  uint64_t ranks =
      uint64_t(what.cluster[0]) * what.cluster[1] * what.cluster[2];
  if (ranks > maxRanks)
    return "expected at most 16 blocks a cluster, found " +
           std::to_string(ranks);
  uint64_t shared = uint64_t(what.sharedBytes) + how.dynamicSharedBytes;
  // Of 228 KiB, sm_90 keeps one for itself.
  if (shared > (227u << 10))
    return "expected at most 227 KiB of shared memory, found " +
           std::to_string(shared) + " bytes";
  if (what.sharedBytes > (48u << 10))
    return "expected at most 48 KiB in shared variables of a fixed size, "
           "found " +
           std::to_string(what.sharedBytes) + " bytes";
  return Failure();
}

Failure Machine::launch(const Kernel &what, const LaunchConfig &how,
                        Findings &found) {
  if (Failure failure = check(what, how); !failure.empty())
    return failure;
  kernel = &what;
  config = &how;
  findings = &found;
  random = Random(how.seed);
  if (!memory.begin(how.regions, how.isFast))
    return "no memory to follow every byte of the tensors; leave the checks "
           "for "
           "races out, or take smaller tensors";
  atomics.clear();
  isStopped = false;
  switches = progress = looks = 0;
  accessLimit = how.maxSwitches ? std::min(mostAccesses, how.maxSwitches << 10)
                                : mostAccesses;
  // Times start anew, but never at 0, which is no time.
  startTime = lastTime = 1;
  memset(trash, 0xFF, sizeof(trash));
  uint32_t ranks = what.cluster[0] * what.cluster[1] * what.cluster[2];
  uint64_t clusters = uint64_t(how.grid[0]) * how.grid[1] * how.grid[2] / ranks;
  // A seed runs the clusters from another one on, every other one backwards.
  uint64_t first = random.below(clusters);
  bool isReversed = random.below(2);
  for (uint64_t i = 0; i < clusters && !isStopped; ++i) {
    uint64_t number = (first + (isReversed ? clusters - i : i)) % clusters;
    setUpCluster(static_cast<uint32_t>(number));
    runCluster();
  }
  if (!isStopped && !how.isFast)
    memory.finish(found);
  blocks.clear();
  ready.clear();
  polling.clear();
  effects.clear();
  async.reset();
  stacks.reset();
  return Failure();
}

static void split(uint32_t linear, const uint32_t extent[3], uint32_t to[3]) {
  to[0] = linear % extent[0];
  to[1] = linear / extent[0] % extent[1];
  to[2] = linear / extent[0] / extent[1];
}

void Machine::setUpCluster(uint32_t number) {
  const uint32_t *cluster = kernel->cluster, *grid = config->grid;
  clusterNumber = number;
  uint32_t ranks = cluster[0] * cluster[1] * cluster[2];
  uint32_t threads = config->block[0] * config->block[1] * config->block[2];
  uint32_t extent[3], origin[3];
  for (int i = 0; i < 3; ++i)
    extent[i] = grid[i] / cluster[i];
  split(number, extent, origin);
  blocks.resize(ranks);
  ready.clear();
  polling.clear();
  effects.clear();
  async.reset();
  alive = threadCount = ranks * threads;
  idleRounds = 0;
  // Nothing of this cluster has happened yet.
  startTime = ++lastTime;
  auto times = std::make_shared<Times>(ranks * threads, startTime - 1);
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    Block &block = blocks[rank];
    uint32_t offset[3];
    split(rank, cluster, offset);
    for (int i = 0; i < 3; ++i)
      block.id[i] = origin[i] * cluster[i] + offset[i];
    block.rank = rank;
    setUpBlock(block, threads);
    for (Thread &thread : block.threads) {
      thread.local = rank * threads + thread.linear;
      thread.clock = Clock(clusterNumber & 0xFFFF, times);
      thread.time = startTime;
      ready.push_back(&thread);
    }
  }
}

void Machine::setUpBlock(Block &block, uint32_t threads) {
  block.shared = getSharedWindow(block.rank) + sharedBase;
  uint32_t bytes = kernel->sharedBytes + config->dynamicSharedBytes;
  if (hasShadows() && block.sharedBytes != bytes)
    block.shadow.reset(bytes, false);
  block.shadow.forgetBefore(startTime);
  block.sharedBytes = bytes;
  memset(block.shared, 0xFF, bytes);
  for (Barrier &barrier : block.barriers)
    barrier = Barrier();
  block.exited = 0;
  block.threads.clear();
  block.threads.resize(threads);
  block.warps.clear();
  block.warps.resize((threads + 31) / 32);
  for (uint32_t i = 0; i < threads; ++i) {
    Thread &thread = block.threads[i];
    thread.block = &block;
    thread.linear = i;
    thread.lane = i % 32;
    split(i, config->block, thread.id);
    thread.warp = &block.warps[i / 32];
    thread.warp->block = &block;
    thread.warp->lanes[thread.lane] = &thread;
    thread.warp->present |= 1u << thread.lane;
  }
}

void Machine::runCluster() {
  uint64_t limit = config->maxSwitches ? config->maxSwitches : 1ull << 40;
  size_t head = 0;
  while (alive && !isStopped) {
    // Threads that spin on memory must not hold up what they wait for.
    bool isDue = switches % (1 << 14) == 0;
    if (!effects.empty() &&
        (isDue || (config->timing == KFUSE_SIM_RANDOM && random.below(4) == 1)))
      completeOne();
    if (head == ready.size()) {
      if (goOn(head))
        continue;
      reportDeadlock();
      isStopped = true;
      return;
    }
    size_t chosen = head + random.below(ready.size() - head);
    Thread *next = ready[chosen];
    ready[chosen] = ready[head++];
    if (head > 4096) {
      ready.erase(ready.begin(), ready.begin() + head);
      head = 0;
    }
    switchTo(*next);
    if (switches > limit) {
      report(KFUSE_SIM_DEADLOCK, next->waitsAt,
             "the launch ran " + std::to_string(switches) +
                 " fiber switches, more than allowed");
      isStopped = true;
    } else if (switches - progress > mostIdleSwitches) {
      report(KFUSE_SIM_DEADLOCK, next->waitsAt,
             "threads look at memory again and again that nobody changes");
      isStopped = true;
    }
  }
  if (!isStopped)
    finishCluster();
}

/// When no thread is ready: effects first, then those who only look whether
/// something has happened.
bool Machine::goOn(size_t &head) {
  constexpr uint32_t mostIdleRounds = 1000;
  ready.clear();
  head = 0;
  if (completeOne())
    return true;
  if (polling.empty() || ++idleRounds > mostIdleRounds)
    return false;
  uint32_t rounds = idleRounds;
  for (Thread *thread : std::exchange(polling, {}))
    wake(*thread);
  idleRounds = rounds;
  return true;
}

void Machine::poll(const char *what, SiteId at) {
  Thread &thread = self();
  polling.push_back(&thread);
  wait(what, at);
  polling.erase(std::remove(polling.begin(), polling.end(), &thread),
                polling.end());
}

bool Machine::completeOne() {
  if (effects.empty())
    return false;
  size_t chosen =
      config->timing == KFUSE_SIM_RANDOM ? random.below(effects.size()) : 0;
  idleRounds = 0;
  std::function<void()> effect = std::move(effects[chosen]);
  effects.erase(effects.begin() + static_cast<ptrdiff_t>(chosen));
  effect();
  return true;
}

void Machine::later(std::function<void()> effect) {
  if (config->timing == KFUSE_SIM_EARLY)
    effect();
  else
    effects.push_back(std::move(effect));
}

//===----------------------------------------------------------------------===//
// Time, places and reports
//===----------------------------------------------------------------------===//

Access Machine::makeAccess(const Thread &thread, SiteId site, bool isAtomic) {
  bool isNarrow = isAtomic && getSite(site).scope < Scope::Device;
  return {Agent(clusterNumber, thread.local),
          thread.time,
          &thread.clock,
          site,
          isAtomic,
          isNarrow};
}

void Machine::advance(Thread &thread) {
  ++thread.time;
  lastTime = std::max(lastTime, thread.time);
}

Clock Machine::release() {
  Thread &thread = self();
  Clock clock = thread.clock;
  clock.set(thread.local, thread.time);
  advance(thread);
  return clock;
}

Known &Machine::getKnown(const void *address) {
  Known &known = atomics[address];
  if (known.number == clusterNumber)
    return known;
  if (isShared(address))
    known.anyone = Clock();
  known.cluster = Clock();
  known.blocks.clear();
  known.number = clusterNumber;
  return known;
}

Block *Machine::findBlock(const void *address) {
  if (!isShared(address))
    return nullptr;
  size_t rank = (static_cast<const char *>(address) - window) / windowBytes;
  return rank < blocks.size() ? &blocks[rank] : nullptr;
}

char *Machine::getTrash() {
  memset(trash, 0xFF, mostAccessBytes);
  return trash;
}

KfuseSimThread Machine::nameOf(const Thread &thread) const {
  KfuseSimThread name;
  for (int i = 0; i < 3; ++i) {
    name.block[i] = static_cast<int32_t>(thread.block->id[i]);
    name.thread[i] = static_cast<int32_t>(thread.id[i]);
  }
  return name;
}

KfuseSimThread Machine::nameOf(Agent agent) const {
  uint32_t threads = config->block[0] * config->block[1] * config->block[2];
  const uint32_t *cluster = kernel->cluster;
  uint32_t ranks = cluster[0] * cluster[1] * cluster[2], extent[3], at[3];
  for (int i = 0; i < 3; ++i)
    extent[i] = config->grid[i] / cluster[i];
  split(agent.cluster(), extent, at);
  uint32_t offset[3] = {0, 0, 0}, thread[3] = {0, 0, 0};
  bool isThread = agent.local() < ranks * threads;
  if (isThread) {
    split(agent.local() / threads, cluster, offset);
    split(agent.local() % threads, config->block, thread);
  } else if (agent.cluster() == (clusterNumber & 0xFFFF) &&
             agent.local() - threadCount < async.agents.size()) {
    split(async.agents[agent.local() - threadCount].rank, cluster, offset);
  }
  KfuseSimThread name;
  for (int i = 0; i < 3; ++i) {
    name.block[i] = static_cast<int32_t>(at[i] * cluster[i] + offset[i]);
    name.thread[i] = isThread ? static_cast<int32_t>(thread[i]) : -1;
  }
  return name;
}

void Machine::report(Finding finding) { findings->add(std::move(finding)); }

void Machine::report(KfuseSimKind kind, SiteId site, std::string message) {
  Finding finding;
  finding.kind = kind;
  finding.site = site;
  finding.message = std::move(message);
  if (current)
    finding.thread = nameOf(*current);
  report(std::move(finding));
}

void Machine::reportDeadlock() {
  // One finding for each place at which threads wait, with their number.
  struct Group {
    const Thread *first;
    uint32_t count;
  };
  std::map<std::pair<std::string, SiteId>, Group> groups;
  auto nameWait = [this](const Thread &thread) {
    std::string what = thread.waitsFor;
    if (thread.waitsOn)
      what += describeMBarrier(*this, thread.waitsOn);
    return what;
  };
  for (Block &block : blocks)
    for (Thread &thread : block.threads)
      if (thread.state == Thread::State::Waiting) {
        auto key = std::make_pair(nameWait(thread), thread.waitsAt);
        groups.try_emplace(key, Group{&thread, 0}).first->second.count++;
      }
  for (const auto &[key, group] : groups) {
    Finding finding;
    finding.kind = KFUSE_SIM_DEADLOCK;
    finding.site = key.second;
    finding.message =
        std::to_string(group.count) + " of " +
        std::to_string(blocks.size() * blocks.front().threads.size()) +
        " threads wait for ever for " + key.first;
    finding.thread = nameOf(*group.first);
    report(std::move(finding));
  }
}

} // namespace kfuse::sim
