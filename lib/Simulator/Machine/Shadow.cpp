//===- Shadow.cpp - who wrote and read each byte --------------------------===//
#include "Shadow.h"

#include <algorithm>

namespace kfuse::sim {

bool Shadow::reset(uint64_t bytes, bool isWritten) {
  cells.reset(static_cast<Cell *>(calloc(bytes, sizeof(Cell))));
  crowds.clear();
  start = 1;
  isInitial = isWritten;
  return cells || !bytes;
}

static bool isBefore(Agent agent, Time time, const Access &access) {
  return (agent == access.agent && !access.isUnordered) ||
         access.clock->covers(agent, time);
}

SiteId Shadow::mark(const Access &access) {
  return access.site | (access.isAtomic ? atomicBit : 0) |
         (access.isNarrow ? narrowBit : 0);
}

/// Whether both are atomics that reach each other.
bool Shadow::areAtomic(const Event &earlier, const Access &access) {
  if (!(earlier.site & atomicBit) || !access.isAtomic)
    return false;
  bool isNarrow = (earlier.site & narrowBit) || access.isNarrow;
  return !isNarrow || Agent(earlier.agent).cluster() == access.agent.cluster();
}

/// Whether an atomic would hide a plain access that its own thread has made
/// since it last made anything known: atomics of others race with that one.
bool Shadow::isHidden(const Event &earlier, const Access &access) const {
  return access.isAtomic && isCurrent(earlier.time) &&
         earlier.site != manyReaders && !(earlier.site & atomicBit) &&
         earlier.agent == access.agent.value && earlier.time == access.time;
}

void Shadow::checkWriter(const Cell &cell, uint64_t offset,
                         const Access &access, Conflict &conflict) const {
  if (conflict.exists || !isCurrent(cell.write.time))
    return;
  Agent writer(cell.write.agent);
  if (areAtomic(cell.write, access) ||
      isBefore(writer, cell.write.time, access))
    return;
  conflict = {true, true, writer, cell.write.site & siteBits, offset};
}

void Shadow::checkReaders(const Cell &cell, uint64_t offset,
                          const Access &access, Conflict &conflict) const {
  auto check = [&](const Event &read) {
    Agent agent(read.agent);
    if (conflict.exists || !isCurrent(read.time) || areAtomic(read, access) ||
        isBefore(agent, read.time, access))
      return;
    conflict = {true, false, agent, read.site & siteBits, offset};
  };
  if (!isCrowded(cell)) {
    check(cell.reads[0]);
    check(cell.reads[1]);
    return;
  }
  auto it = crowds.find(offset);
  if (it == crowds.end())
    return;
  for (const Event &read : it->second)
    check(read);
}

void Shadow::addToCrowd(Cell &cell, uint64_t offset, const Event &read) {
  std::vector<Event> &crowd = crowds[offset];
  if (!isCrowded(cell)) {
    crowd.assign(std::begin(cell.reads), std::end(cell.reads));
    cell.reads[0].site = manyReaders;
  }
  cell.reads[0].time = std::max(cell.reads[0].time, read.time);
  for (Event &other : crowd)
    if (other.agent == read.agent) {
      other = read;
      return;
    }
  crowd.push_back(read);
}

/// Takes the place of a read that happened before.
void Shadow::addReader(Cell &cell, uint64_t offset, const Access &access) {
  Event read = {access.agent.value, access.time, mark(access)};
  if (isCrowded(cell))
    return addToCrowd(cell, offset, read);
  auto isOver = [&](const Event &other) {
    return !isCurrent(other.time) ||
           isBefore(Agent(other.agent), other.time, access);
  };
  if (isHidden(cell.reads[0], access) || isHidden(cell.reads[1], access))
    return;
  if (isOver(cell.reads[0])) {
    cell.reads[0] = read;
    if (isOver(cell.reads[1]))
      cell.reads[1] = Event();
  } else if (isOver(cell.reads[1])) {
    cell.reads[1] = read;
  } else {
    addToCrowd(cell, offset, read);
  }
}

Conflict Shadow::read(uint64_t offset, uint64_t bytes, const Access &access) {
  Conflict conflict;
  for (uint64_t i = offset; i < offset + bytes; ++i) {
    checkWriter(cells[i], i, access, conflict);
    addReader(cells[i], i, access);
  }
  return conflict;
}

Conflict Shadow::write(uint64_t offset, uint64_t bytes, const Access &access) {
  Conflict conflict;
  for (uint64_t i = offset; i < offset + bytes; ++i) {
    Cell &cell = cells[i];
    checkWriter(cell, i, access, conflict);
    checkReaders(cell, i, access, conflict);
    if (cell.reads[0].site == manyReaders)
      crowds.erase(i);
    Event keptRead = isHidden(cell.reads[0], access) ? cell.reads[0] : Event();
    Event write = {access.agent.value, access.time,
                   mark(access) | (access.isProxy ? proxyBit : 0)};
    if (isHidden(cell.write, access))
      write = cell.write;
    cell = {write, {keptRead, {}}};
  }
  return conflict;
}

Conflict Shadow::findUnfenced(uint64_t offset, uint64_t bytes,
                              const Access &access) const {
  for (uint64_t i = offset; i < offset + bytes; ++i) {
    const Cell &cell = cells[i];
    if (!isCurrent(cell.write.time) || (cell.write.site & proxyBit))
      continue;
    Agent writer(cell.write.agent);
    if (!access.clock->isFenced(writer, cell.write.time))
      return {true, true, writer, cell.write.site & siteBits, i};
  }
  return {};
}

int64_t Shadow::findUnwritten(uint64_t offset, uint64_t bytes) const {
  if (!isInitial)
    for (uint64_t i = offset; i < offset + bytes; ++i)
      if (!isCurrent(cells[i].write.time))
        return static_cast<int64_t>(i);
  return -1;
}

} // namespace kfuse::sim
