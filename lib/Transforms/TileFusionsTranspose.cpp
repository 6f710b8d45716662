//===- TileFusionsTranspose.cpp - kernels that transpose ------------------===//

#include "TileFusionsEmit.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::tile;

FailureOr<LaunchShape> tile::emitTranspose(Emitter &emitter) {
  return FailureOr<LaunchShape>(emitter.fail("transpose schedules"));
}
