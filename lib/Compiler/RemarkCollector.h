//===- RemarkCollector.h - keeps remarks for the ledger ---------*- C++ -*-===//
#ifndef KFUSE_LIB_COMPILER_REMARKCOLLECTOR_H
#define KFUSE_LIB_COMPILER_REMARKCOLLECTOR_H

#include "kfuse/Target/Package.h"
#include "mlir/IR/MLIRContext.h"
#include <memory>
#include <mutex>

namespace mlir::kfuse {

/// Where collected remarks end up; outlives the context's remark engine.
struct CollectedRemarks {
  std::mutex mutex;
  std::vector<Decision> decisions;
};

/// Makes `context` collect every remark of a `kfuse-` category.
LogicalResult collectRemarks(MLIRContext &context,
                             std::shared_ptr<CollectedRemarks> remarks);

/// As a YAML stream, one document a remark.
void printRemarks(ArrayRef<Decision> decisions, raw_ostream &os);

} // namespace mlir::kfuse

#endif
