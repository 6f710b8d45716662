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

void Shadow::checkWriter(const Cell &cell, uint64_t offset,
                         const Access &access, Conflict &conflict) const {
  if (conflict.exists || !isCurrent(cell.write.time))
    return;
  Agent writer(cell.write.agent);
  bool isAtomic = cell.write.site & atomicBit;
  if ((isAtomic && access.isAtomic) ||
      isBefore(writer, cell.write.time, access))
    return;
  conflict = {true, true, writer, cell.write.site & siteBits, offset};
}

void Shadow::checkReaders(const Cell &cell, uint64_t offset,
                          const Access &access, Conflict &conflict) const {
  auto check = [&](const Event &read) {
    bool isAtomic = read.site & atomicBit;
    Agent agent(read.agent);
    if (conflict.exists || !isCurrent(read.time) ||
        (isAtomic && access.isAtomic) || isBefore(agent, read.time, access))
      return;
    conflict = {true, false, agent, read.site & ~atomicBit, offset};
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
  Event read = {access.agent.value, access.time,
                access.site | (access.isAtomic ? atomicBit : 0)};
  if (isCrowded(cell))
    return addToCrowd(cell, offset, read);
  auto isOver = [&](const Event &other) {
    return !isCurrent(other.time) ||
           isBefore(Agent(other.agent), other.time, access);
  };
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
    cell = {{access.agent.value, access.time,
             access.site | (access.isAtomic ? atomicBit : 0) |
                 (access.isProxy ? proxyBit : 0)},
            {}};
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
