//===- CopyQueue.cpp - groups of copies -----------------------------------===//
#include "CopyQueue.h"

namespace kfuse::sim {

void startQueue(Machine &machine, CopyQueue &queue) {
  if (queue.reader != CopyQueue::noAgent)
    return;
  uint32_t rank = machine.self().block->rank;
  queue.reader = machine.addAgent(rank);
  queue.writer = machine.addAgent(rank);
}

void addCopy(CopyQueue &queue, const SharedEffect &read,
             const SharedEffect &write, Time readTime, Time writeTime,
             SiteId site) {
  CopyGroup &group = queue.open;
  if (group.site == noSite)
    group.site = site;
  if (read)
    group.reads.push_back(read);
  group.writes.push_back(write);
  group.readTime = readTime;
  group.writeTime = writeTime;
}

void commit(CopyQueue &queue) {
  queue.committed.push_back(std::exchange(queue.open, CopyGroup()));
}

static void learn(Machine &machine, const CopyQueue &queue,
                  const CopyGroup &group, bool isRead) {
  if (!group.readTime)
    return;
  Clock &clock = machine.self().clock;
  clock.set(queue.reader, group.readTime);
  if (!isRead)
    clock.set(queue.writer, group.writeTime);
}

void waitForGroups(Machine &machine, CopyQueue &queue, uint32_t count,
                   bool isRead) {
  size_t done =
      queue.committed.size() > count ? queue.committed.size() - count : 0;
  for (size_t i = 0; i < done; ++i) {
    CopyGroup &group = queue.committed[i];
    if (isRead && group.isRead)
      continue;
    for (const SharedEffect &effect : isRead ? group.reads : group.writes)
      effect->run();
    group.isRead = true;
    learn(machine, queue, group, isRead);
  }
  if (!isRead)
    queue.committed.erase(queue.committed.begin(),
                          queue.committed.begin() +
                              static_cast<ptrdiff_t>(done));
}

void runAll(CopyQueue &queue) {
  for (CopyGroup &group : queue.committed)
    for (const SharedEffect &effect : group.writes)
      effect->run();
  for (const SharedEffect &effect : queue.open.writes)
    effect->run();
}

void learnAll(Machine &machine, const CopyQueue &queue) {
  for (const CopyGroup &group : queue.committed)
    learn(machine, queue, group, false);
  learn(machine, queue, queue.open, false);
}

} // namespace kfuse::sim
