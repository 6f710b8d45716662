//===- CopyAsync.cpp - cp.async and its groups ----------------------------===//
///
/// \file
/// cp.async, cp.async.commit_group and wait_group (PTX ISA 9.7.9.25.3), and
/// cp.async.mbarrier.arrive (9.7.13.15.17). These copies belong to the generic
/// proxy.
///
#include "Access.h"
#include "AsyncOps.h"
#include "CopyQueue.h"

#include <cstring>

namespace kfuse::sim {

/// Copies are known to be in the order in which groups are waited for.
static Access makeAccess(Machine &machine, uint32_t agent, const Clock &clock,
                         SiteId site) {
  Access access;
  access.agent = machine.agentOf(agent);
  access.time = machine.tick(agent);
  access.clock = &clock;
  access.site = site;
  access.isUnordered = true;
  return access;
}

extern "C" void kfuse_sim_copy_async(void *to, void *from, uint32_t bytes,
                                     uint32_t fromBytes, uint32_t site) {
  Machine &machine = Machine::get();
  Thread &thread = machine.self();
  if (fromBytes > bytes) {
    machine.report(KFUSE_SIM_ASYNC, site,
                   "expected at most " + std::to_string(bytes) +
                       " bytes of source, found " + std::to_string(fromBytes));
    fromBytes = bytes;
  }
  CopyQueue &queue = machine.workOf(thread).copies;
  Clock clock = machine.release();
  startQueue(machine, queue);
  Access read = makeAccess(machine, queue.reader, clock, site);
  Access write = makeAccess(machine, queue.writer, clock, site);
  Touch touch;
  touch.site = site;
  touch.alignment = bytes;
  touch.at = static_cast<char *>(from);
  touch.bytes = fromBytes;
  touch.space = Space::Global;
  touch.object = machine.getSite(site).object;
  touch.agent = &read;
  if (fromBytes && checkAccess(machine, thread, touch) != from)
    fromBytes = 0;
  touch.at = static_cast<char *>(to);
  touch.bytes = bytes;
  touch.space = Space::Shared;
  touch.object = Site::noObject;
  touch.mode = WriteMode;
  touch.agent = &write;
  if (checkAccess(machine, thread, touch) != to)
    return;
  memset(to, 0xFF, bytes);
  auto copy = std::make_shared<Effect>([=] {
    memset(to, 0, bytes);
    memcpy(to, from, fromBytes);
  });
  addCopy(queue, {}, copy, read.time, write.time, site);
  machine.untilWait(copy);
}

extern "C" void kfuse_sim_copy_commit(uint32_t) {
  Machine &machine = Machine::get();
  commit(machine.workOf(machine.self()).copies);
}

extern "C" void kfuse_sim_copy_wait(uint32_t count, uint32_t) {
  Machine &machine = Machine::get();
  waitForGroups(machine, machine.workOf(machine.self()).copies, count, false);
}

/// Arrives once all copies of the thread so far are there.
extern "C" void kfuse_sim_copy_arrive(void *address, uint32_t noIncrement,
                                      uint32_t site) {
  Machine &machine = Machine::get();
  auto *at = static_cast<char *>(address);
  CopyQueue &queue = machine.workOf(machine.self()).copies;
  auto found = machine.getAsync().mbarriers.find(at);
  if (found != machine.getAsync().mbarriers.end() && !noIncrement)
    ++found->second.pending;
  // The arrival stands for copies that take place before it.
  runAll(queue);
  Clock before = machine.self().clock;
  learnAll(machine, queue);
  kfuse_sim_mbarrier_arrive(at, 1, 0, 0, true, site);
  // The thread itself has not waited.
  machine.self().clock = before;
}

} // namespace kfuse::sim
