//===- Shadow.h - who wrote and read each byte -----------------*- C++ -*-===//
///
/// \file
/// Shadow memory: for each byte the last write and the reads since, as epochs
/// (Flanagan and Freund, FastTrack, 2009). A byte that was never written since
/// its memory came into being is known as such.
///
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_SHADOW_H
#define KFUSE_LIB_SIMULATOR_MACHINE_SHADOW_H

#include "Clock.h"
#include "Kernel.h"
#include <cstdlib>
#include <unordered_map>

namespace kfuse::sim {

/// One access, by a thread or an asynchronous agent.
struct Access {
  Agent agent;
  Time time = 0;
  const Clock *clock = nullptr; ///< what happened before it
  SiteId site = noSite;
  bool isAtomic = false;
  /// An atomic for the threads of its own cluster only.
  bool isNarrow = false;
  /// By the async proxy (PTX ISA 8.3, proxies).
  bool isProxy = false;
  /// Events of its agent happen in no order of their own.
  bool isUnordered = false;
};

/// The earlier access that an access is not ordered after.
struct Conflict {
  bool exists = false, isWrite = false;
  Agent agent;
  SiteId site = noSite;
  uint64_t offset = 0; ///< of the first byte in conflict
};

class Shadow {
public:
  /// Bytes [0, bytes), all unwritten, or all written before anything here;
  /// false when there is no memory.
  bool reset(uint64_t bytes, bool isWritten);
  /// Forgets what happened before `time`: memory that a new block starts with.
  /// Needs times that grow from block to block.
  void forgetBefore(Time time) { start = time; }

  Conflict read(uint64_t offset, uint64_t bytes, const Access &access);
  Conflict write(uint64_t offset, uint64_t bytes, const Access &access);
  /// The last write of a range by the generic proxy that no proxy fence lets
  /// the async proxy see.
  Conflict findUnfenced(uint64_t offset, uint64_t bytes,
                        const Access &access) const;
  /// Offset of the first byte of a range that nobody wrote; -1 when all are.
  int64_t findUnwritten(uint64_t offset, uint64_t bytes) const;
  bool isUnwritten(uint64_t offset) const {
    return !isInitial && !isCurrent(cells[offset].write.time);
  }

private:
  /// All zero when nothing has happened: cells that are never touched are pages
  /// that the host never makes.
  struct Event {
    uint32_t agent;
    Time time; ///< 0: none
    SiteId site;
  };
  struct Cell {
    Event write;
    /// Those since that are in no order with each other: two warpgroups often
    /// read the same operand. More than two are a crowd.
    Event reads[2];
  };
  struct Free {
    void operator()(Cell *cells) const { free(cells); }
  };
  /// Site of the first read: there is a crowd.
  static constexpr SiteId manyReaders = noSite - 1;
  static constexpr SiteId atomicBit = 1u << 31;
  /// In a writer's site: by the async proxy.
  static constexpr SiteId proxyBit = 1u << 30;
  /// An atomic that is none for other clusters.
  static constexpr SiteId narrowBit = 1u << 29;
  static constexpr SiteId siteBits = narrowBit - 1;

  static SiteId mark(const Access &access);
  static bool areAtomic(const Event &earlier, const Access &access);
  bool isHidden(const Event &earlier, const Access &access) const;

  bool isCrowded(const Cell &cell) const {
    return cell.reads[0].site == manyReaders && isCurrent(cell.reads[0].time);
  }
  void addToCrowd(Cell &cell, uint64_t offset, const Event &read);
  bool isCurrent(Time time) const { return time && time >= start; }
  void checkWriter(const Cell &cell, uint64_t offset, const Access &access,
                   Conflict &conflict) const;
  void checkReaders(const Cell &cell, uint64_t offset, const Access &access,
                    Conflict &conflict) const;
  void addReader(Cell &cell, uint64_t offset, const Access &access);

  std::unique_ptr<Cell[], Free> cells;
  std::unordered_map<uint64_t, std::vector<Event>> crowds;
  Time start = 1;
  bool isInitial = false;
};

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_SHADOW_H
