//===- CopyQueue.h - groups of copies --------------------------*- C++ -*-===//
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_COPYQUEUE_H
#define KFUSE_LIB_SIMULATOR_MACHINE_COPYQUEUE_H

#include "Machine.h"

namespace kfuse::sim {

/// Gives a queue of the current thread its agents.
void startQueue(Machine &machine, CopyQueue &queue);
/// Adds a copy to the open group; `read` may be null.
void addCopy(CopyQueue &queue, const SharedEffect &read,
             const SharedEffect &write, Time readTime, Time writeTime,
             SiteId site);
void commit(CopyQueue &queue);
/// Waits for all but the last `count` groups, or for their reads alone.
void waitForGroups(Machine &machine, CopyQueue &queue, uint32_t count,
                   bool isRead);
/// Lets all copies take place, committed or not.
void runAll(CopyQueue &queue);
/// Takes them into the clock of the current thread.
void learnAll(Machine &machine, const CopyQueue &queue);

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_COPYQUEUE_H
