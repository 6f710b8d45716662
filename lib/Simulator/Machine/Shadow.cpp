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
  if (conflict.exists || !isCurrent(cell.writeTime))
    return;
  Agent writer(cell.writer);
  bool isAtomic = cell.writeSite & atomicBit;
  if ((isAtomic && access.isAtomic) || isBefore(writer, cell.writeTime, access))
    return;
  conflict = {true, true, writer, cell.writeSite & siteBits, offset};
}

void Shadow::checkReaders(const Cell &cell, uint64_t offset,
                          const Access &access, Conflict &conflict) const {
  if (conflict.exists || !isCurrent(cell.readTime))
    return;
  auto check = [&](Agent agent, Time time, SiteId site) {
    bool isAtomic = site & atomicBit;
    if (conflict.exists || !isCurrent(time) || (isAtomic && access.isAtomic) ||
        isBefore(agent, time, access))
      return;
    conflict = {true, false, agent, site & ~atomicBit, offset};
  };
  if (cell.readSite != manyReaders)
    return check(Agent(cell.reader), cell.readTime, cell.readSite);
  auto it = crowds.find(offset);
  if (it == crowds.end())
    return;
  for (const Reader &reader : it->second)
    check(reader.agent, reader.time, reader.site);
}

void Shadow::addReader(Cell &cell, uint64_t offset, const Access &access) {
  SiteId site = access.site | (access.isAtomic ? atomicBit : 0);
  bool isAlone = !isCurrent(cell.readTime);
  if (!isAlone && cell.readSite != manyReaders)
    isAlone = isBefore(Agent(cell.reader), cell.readTime, access);
  if (isAlone) {
    cell.reader = access.agent.value;
    cell.readTime = access.time;
    cell.readSite = site;
    return;
  }
  std::vector<Reader> &crowd = crowds[offset];
  if (cell.readSite != manyReaders) {
    crowd.assign(1, {Agent(cell.reader), cell.readTime, cell.readSite});
    cell.readSite = manyReaders;
  }
  cell.readTime = std::max(cell.readTime, access.time);
  for (Reader &reader : crowd)
    if (reader.agent == access.agent) {
      reader = {access.agent, access.time, site};
      return;
    }
  crowd.push_back({access.agent, access.time, site});
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
    if (cell.readSite == manyReaders)
      crowds.erase(i);
    cell = {access.agent.value,
            access.time,
            access.site | (access.isAtomic ? atomicBit : 0) |
                (access.isProxy ? proxyBit : 0),
            0,
            0,
            0};
  }
  return conflict;
}

Conflict Shadow::findUnfenced(uint64_t offset, uint64_t bytes,
                              const Access &access) const {
  for (uint64_t i = offset; i < offset + bytes; ++i) {
    const Cell &cell = cells[i];
    if (!isCurrent(cell.writeTime) || (cell.writeSite & proxyBit))
      continue;
    Agent writer(cell.writer);
    if (!access.clock->isFenced(writer, cell.writeTime))
      return {true, true, writer, cell.writeSite & siteBits, i};
  }
  return {};
}

int64_t Shadow::findUnwritten(uint64_t offset, uint64_t bytes) const {
  if (!isInitial)
    for (uint64_t i = offset; i < offset + bytes; ++i)
      if (!isCurrent(cells[i].writeTime))
        return static_cast<int64_t>(i);
  return -1;
}

} // namespace kfuse::sim
