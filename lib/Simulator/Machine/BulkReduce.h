//===- BulkReduce.h - reductions of bulk copies ----------------*- C++ -*-===//
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_BULKREDUCE_H
#define KFUSE_LIB_SIMULATOR_MACHINE_BULKREDUCE_H

#include "AsyncOps.h"

namespace kfuse::sim {

/// to[i] = to[i] op from[i].
void reduceElements(char *to, const char *from, uint32_t count,
                    KfuseDtype dtype, BulkReduction reduction);

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_BULKREDUCE_H
