//===- BulkCopy.cpp - bulk and tensor copies ------------------------------===//
///
/// \file
/// cp.async.bulk and cp.async.bulk.tensor (PTX ISA 9.7.9.25.4 and 9.7.9.25.5)
/// in the async proxy. Loads complete at an mbarrier: what they write is poison
/// from the issue on, and appears when no thread can go on, or before. Stores
/// belong to groups: their source is read at the wait for reads, and what they
/// write appears at the full wait.
///
#include "Access.h"
#include "AsyncOps.h"
#include "BulkReduce.h"
#include "CopyQueue.h"
#include "TensorMap.h"

#include <cstring>

namespace kfuse::sim {

/// The map of an operation; null after a report.
static const TensorMap *getMap(Machine &machine, void *map, uint32_t rank,
                               SiteId site) {
  auto *found = static_cast<const TensorMap *>(map);
  std::string wrong;
  if (reinterpret_cast<uintptr_t>(map) % 64)
    wrong = "expected a tensor map at a multiple of 64";
  else if (found->magic != TensorMap::expectedMagic)
    wrong = "expected a tensor map of kfuse_sim_encode_tensor_map";
  else if (found->rank != rank)
    wrong = "expected " + std::to_string(found->rank) +
            " coordinates for the tensor map, found " + std::to_string(rank);
  if (wrong.empty())
    return found;
  machine.report(KFUSE_SIM_UNSUPPORTED, site, wrong);
  return nullptr;
}

namespace {
/// A copy on its way into the shared memory of a block.
struct Destination {
  char *to, *mbarrier;
  Time time;
};

/// A tensor copy, and what it may touch.
struct TensorCopy {
  TensorMap map;
  int32_t coordinates[TensorMap::maxRank];
  char *shared;
};
} // namespace

static Access makeAccess(Machine &machine, uint32_t agent, Time time,
                         const Clock &clock, SiteId site) {
  Access access;
  access.agent = machine.agentOf(agent);
  access.time = time;
  access.clock = &clock;
  access.site = site;
  access.isProxy = access.isUnordered = true;
  return access;
}

/// The places that a load writes to; those in order only.
static std::vector<Destination> getDestinations(Machine &machine, char *to,
                                                char *mbarrier, uint32_t mask,
                                                SiteId site) {
  std::vector<Destination> all;
  if (!mask)
    all.push_back({to, mbarrier, 0});
  for (uint32_t rank = 0; rank < 16; ++rank) {
    if (!(mask >> rank & 1))
      continue;
    if (rank < machine.getBlocks().size() && machine.findBlock(to) &&
        machine.findBlock(mbarrier))
      all.push_back({mapToRank(machine, to, rank),
                     mapToRank(machine, mbarrier, rank), 0});
    else
      machine.report(
          KFUSE_SIM_OUT_OF_BOUNDS, site,
          "expected ranks below " + std::to_string(machine.getBlocks().size()) +
              " in the multicast mask, found " + std::to_string(rank));
  }
  return all;
}

/// Starts the writes of a load; those that may not happen are dropped.
static std::vector<Destination> startLoad(Machine &machine,
                                          std::vector<Destination> all,
                                          uint32_t bytes, uint32_t alignment,
                                          const Clock &clock, SiteId site) {
  std::vector<Destination> started;
  for (Destination &one : all) {
    MBarrier *barrier = findForCopy(machine, one.mbarrier, site);
    if (!barrier)
      continue;
    one.time = beginTransaction(machine, *barrier, site);
    Access access = makeAccess(machine, barrier->agent, one.time, clock, site);
    Touch touch;
    touch.at = one.to;
    touch.bytes = bytes;
    touch.alignment = alignment;
    touch.mode = WriteMode;
    touch.site = site;
    touch.space = Space::Shared;
    touch.agent = &access;
    if (checkAccess(machine, machine.self(), touch) != one.to)
      continue;
    memset(one.to, 0xFF, bytes);
    started.push_back(one);
  }
  return started;
}

static void finishLoad(Machine &machine, const std::vector<Destination> &all,
                       uint32_t bytes) {
  for (const Destination &one : all) {
    if (&one != &all.front())
      memcpy(one.to, all.front().to, bytes);
    endTransaction(machine, one.mbarrier, one.time, bytes);
  }
}

static bool checkBulk(Machine &machine, uint32_t bytes, SiteId site) {
  if (bytes % 16 == 0)
    return true;
  machine.report(KFUSE_SIM_MISALIGNED, site,
                 "expected a multiple of 16 bytes to copy, found " +
                     std::to_string(bytes));
  return false;
}

extern "C" void kfuse_sim_bulk_load(void *to, void *from, void *mbarrier,
                                    uint32_t bytes, uint32_t mask,
                                    uint32_t site) {
  Machine &machine = Machine::get();
  Thread &thread = machine.self();
  if (!checkBulk(machine, bytes, site))
    return;
  Clock clock = machine.release();
  auto destinations =
      startLoad(machine,
                getDestinations(machine, static_cast<char *>(to),
                                static_cast<char *>(mbarrier), mask, site),
                bytes, 16, clock, site);
  if (destinations.empty())
    return;
  // Reading belongs to the same agent: it is over when the copy is complete.
  MBarrier *barrier = findForCopy(machine, destinations[0].mbarrier, site);
  Access access =
      makeAccess(machine, barrier->agent, destinations[0].time, clock, site);
  Touch touch;
  touch.at = static_cast<char *>(from);
  touch.bytes = bytes;
  touch.alignment = 16;
  touch.site = site;
  touch.object = machine.getSite(site).object;
  touch.agent = &access;
  bool isGood = checkAccess(machine, thread, touch) == from;
  machine.later([=, &machine] {
    if (isGood)
      memcpy(destinations[0].to, from, bytes);
    finishLoad(machine, destinations, bytes);
  });
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Checks the elements of the box that lie within the tensor.
static bool checkTensor(Machine &machine, const TensorCopy &copy,
                        const Access &access, uint32_t mode, SiteId site) {
  bool isGood = true;
  for (uint32_t i = 0; i < copy.map.rows(); ++i) {
    BoxRow row = getBoxRow(copy.map, copy.coordinates, i);
    if (!row.isIn || row.begin == row.end)
      continue;
    Touch touch;
    touch.at = row.first + row.begin * copy.map.elementBytes;
    touch.bytes = (row.end - row.begin) * copy.map.elementBytes;
    touch.mode = mode;
    touch.site = site;
    touch.space = Space::Global;
    touch.agent = &access;
    isGood &= checkAccess(machine, machine.self(), touch) == touch.at;
  }
  return isGood;
}

/// What stands for elements beyond the tensor.
static void fillOutside(const TensorMap &map, char *row) {
  memset(row, 0, map.rowBytes());
  if (!map.isNanFill)
    return;
  memset(row, 0xFF, map.rowBytes());
  for (uint32_t i = map.elementBytes - 1; i < map.rowBytes();
       i += map.elementBytes)
    row[i] = 0x7F;
}

/// Calls `act(address, offset in the row)` for each 16 bytes of row `i` of a
/// box in shared memory.
template <typename Act>
static void forEachPiece(const TensorCopy &copy, uint32_t i, Act act) {
  auto begin = reinterpret_cast<uintptr_t>(copy.shared) +
               static_cast<uintptr_t>(i) * copy.map.rowBytes();
  for (uint32_t at = 0; at < copy.map.rowBytes(); at += 16)
    act(reinterpret_cast<char *>(swizzleAddress(begin + at, copy.map.swizzle)),
        at);
}

static void loadTensor(const TensorCopy &copy) {
  std::vector<char> row(copy.map.rowBytes());
  for (uint32_t i = 0; i < copy.map.rows(); ++i) {
    BoxRow from = getBoxRow(copy.map, copy.coordinates, i);
    fillOutside(copy.map, row.data());
    uint32_t first = from.begin * copy.map.elementBytes;
    if (from.isIn)
      memcpy(row.data() + first, from.first + first,
             (from.end - from.begin) * copy.map.elementBytes);
    forEachPiece(copy, i, [&](char *to, uint32_t at) {
      memcpy(to, row.data() + at, 16);
    });
  }
}

static TensorCopy makeCopy(const TensorMap &map, const int32_t *coordinates,
                           char *shared) {
  TensorCopy copy = {map, {}, shared};
  std::copy_n(coordinates, map.rank, copy.coordinates);
  return copy;
}

extern "C" void kfuse_sim_tensor_load(void *to, void *mapAddress,
                                      void *mbarrier,
                                      const int32_t *coordinates, uint32_t rank,
                                      uint32_t mask, uint32_t enabled,
                                      uint32_t site) {
  Machine &machine = Machine::get();
  const TensorMap *map =
      enabled ? getMap(machine, mapAddress, rank, site) : nullptr;
  if (!map)
    return;
  uint32_t bytes = map->boxBytes();
  Clock clock = machine.release();
  auto destinations =
      startLoad(machine,
                getDestinations(machine, static_cast<char *>(to),
                                static_cast<char *>(mbarrier), mask, site),
                bytes, 128, clock, site);
  if (destinations.empty())
    return;
  TensorCopy copy = makeCopy(*map, coordinates, destinations[0].to);
  MBarrier *barrier = findForCopy(machine, destinations[0].mbarrier, site);
  Access access =
      makeAccess(machine, barrier->agent, destinations[0].time, clock, site);
  bool isGood = checkTensor(machine, copy, access, ReadMode, site);
  machine.later([=, &machine] {
    if (isGood)
      loadTensor(copy);
    finishLoad(machine, destinations, bytes);
  });
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

namespace {
/// The two accesses of a store.
struct StoreAccess {
  Clock clock;
  Access read, write;
};
} // namespace

static std::unique_ptr<StoreAccess> startStore(Machine &machine,
                                               CopyQueue &queue, SiteId site) {
  auto access = std::make_unique<StoreAccess>();
  access->clock = machine.release();
  startQueue(machine, queue);
  access->read = makeAccess(machine, queue.reader, machine.tick(queue.reader),
                            access->clock, site);
  access->write = makeAccess(machine, queue.writer, machine.tick(queue.writer),
                             access->clock, site);
  return access;
}

static void addStore(Machine &machine, CopyQueue &queue,
                     const StoreAccess &access, const SharedEffect &read,
                     std::function<void()> write, SiteId site) {
  auto both = std::make_shared<Effect>([read, write = std::move(write)] {
    read->run();
    write();
  });
  addCopy(queue, read, both, access.read.time, access.write.time, site);
  machine.untilWait(read);
  machine.untilWait(both);
}

static bool checkSource(Machine &machine, char *from, uint32_t bytes,
                        uint32_t alignment, const Access &access, SiteId site) {
  Touch touch;
  touch.at = from;
  touch.bytes = bytes;
  touch.alignment = alignment;
  touch.site = site;
  touch.space = Space::Shared;
  touch.agent = &access;
  return checkAccess(machine, machine.self(), touch) == from;
}

extern "C" void kfuse_sim_bulk_store(void *to, void *from, uint32_t bytes,
                                     uint32_t site) {
  Machine &machine = Machine::get();
  if (!checkBulk(machine, bytes, site))
    return;
  CopyQueue &queue = machine.workOf(machine.self()).stores;
  auto access = startStore(machine, queue, site);
  bool isGood = checkSource(machine, static_cast<char *>(from), bytes, 16,
                            access->read, site);
  Touch touch;
  touch.at = static_cast<char *>(to);
  touch.bytes = bytes;
  touch.alignment = 16;
  touch.mode = WriteMode;
  touch.site = site;
  touch.space = Space::Global;
  touch.object = machine.getSite(site).object;
  touch.agent = &access->write;
  isGood &= checkAccess(machine, machine.self(), touch) == to;
  if (!isGood)
    return;
  auto held = std::make_shared<std::vector<char>>(bytes);
  auto read =
      std::make_shared<Effect>([=] { memcpy(held->data(), from, bytes); });
  addStore(
      machine, queue, *access, read, [=] { memcpy(to, held->data(), bytes); },
      site);
}

static void readBox(const TensorCopy &copy, char *to) {
  for (uint32_t i = 0; i < copy.map.rows(); ++i)
    forEachPiece(copy, i, [&](const char *from, uint32_t at) {
      memcpy(to + i * copy.map.rowBytes() + at, from, 16);
    });
}

static void storeTensor(const TensorCopy &copy, const char *from,
                        BulkReduction reduction) {
  for (uint32_t i = 0; i < copy.map.rows(); ++i) {
    BoxRow to = getBoxRow(copy.map, copy.coordinates, i);
    if (!to.isIn)
      continue;
    uint32_t first = to.begin * copy.map.elementBytes;
    const char *row = from + i * copy.map.rowBytes() + first;
    if (reduction == BulkReduction::None)
      memcpy(to.first + first, row,
             (to.end - to.begin) * copy.map.elementBytes);
    else
      reduceElements(to.first + first, row, to.end - to.begin,
                     static_cast<KfuseDtype>(copy.map.dtype), reduction);
  }
}

extern "C" void kfuse_sim_tensor_store(void *mapAddress, void *from,
                                       const int32_t *coordinates,
                                       uint32_t rank, uint32_t reduction,
                                       uint32_t enabled, uint32_t site) {
  Machine &machine = Machine::get();
  const TensorMap *map =
      enabled ? getMap(machine, mapAddress, rank, site) : nullptr;
  if (!map)
    return;
  auto kind = static_cast<BulkReduction>(reduction);
  CopyQueue &queue = machine.workOf(machine.self()).stores;
  auto access = startStore(machine, queue, site);
  access->write.isAtomic = kind != BulkReduction::None;
  TensorCopy copy = makeCopy(*map, coordinates, static_cast<char *>(from));
  bool isGood = checkSource(machine, copy.shared, map->boxBytes(), 128,
                            access->read, site);
  isGood &=
      checkTensor(machine, copy, access->write,
                  kind == BulkReduction::None ? WriteMode : AtomicMode, site);
  if (!isGood)
    return;
  auto held = std::make_shared<std::vector<char>>(map->boxBytes());
  auto read = std::make_shared<Effect>([=] { readBox(copy, held->data()); });
  addStore(
      machine, queue, *access, read,
      [=] { storeTensor(copy, held->data(), kind); }, site);
}

extern "C" void kfuse_sim_bulk_commit(uint32_t) {
  Machine &machine = Machine::get();
  commit(machine.workOf(machine.self()).stores);
}

extern "C" void kfuse_sim_bulk_wait(uint32_t count, uint32_t isRead, uint32_t) {
  Machine &machine = Machine::get();
  waitForGroups(machine, machine.workOf(machine.self()).stores, count, isRead);
}

} // namespace kfuse::sim
