//===- AnnotateCosts.cpp - predicted cost of each fusion ------------------===//

#include "AnnotateCosts.h"
#include "kfuse/Analysis/CostModel.h"

using namespace mlir;
using namespace mlir::kfuse;

void kfuse::annotateCosts(ModuleOp module, StringRef arch) {
  const TargetInfo *target = TargetInfo::lookup(arch);
  if (!target)
    return;
  SizeHints hints(module);
  Builder builder(module.getContext());
  module.walk([&](FusionOp fusion) {
    FusionCost cost = estimateCost(FusionGroup(fusion), *target, hints);
    fusion->setAttr(
        "kfuse.cost",
        builder.getDictionaryAttr(
            {builder.getNamedAttr("flops", builder.getF64FloatAttr(cost.flops)),
             builder.getNamedAttr(
                 "microseconds", builder.getF64FloatAttr(cost.microseconds))}));
  });
}
