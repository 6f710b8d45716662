//===- MarkMutations.cpp - which arguments a program writes to ------------===//

#include "MarkMutations.h"
#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "kfuse/Import/AtenSchema.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::kfuse;

/// Operators that return a view where they can, though their schemas have no
/// alias set.
static bool isMaybeView(StringRef target) {
  static const llvm::StringSet<> names = {
      "aten::reshape", "aten::contiguous", "aten::flatten", "aten::to",
      "aten::dropout", "aten::reshape_as", "aten::type_as"};
  return names.contains(target.split('.').first);
}

/// Follows views and results of in-place operators back to an argument.
static BlockArgument findRoot(Value value) {
  while (auto op = value.getDefiningOp<AtenOp>()) {
    if (op.getOperands().empty())
      return {};
    auto schema = lookupAtenSchema(op.getTarget().str());
    if (schema && !schema->isView() && !schema->mutates() &&
        !isMaybeView(op.getTarget()))
      return {};
    value = op.getOperand(0);
  }
  return dyn_cast<BlockArgument>(value);
}

void kfuse::markMutatedArguments(ModuleOp module) {
  module.walk([&](AtenOp op) {
    auto schema = lookupAtenSchema(op.getTarget().str());
    if (!schema)
      return;
    for (const AtenArgument &argument : schema->arguments) {
      Value written =
          argument.isWritten
              ? op.getArgValue({argument.name.data(), argument.name.size()})
              : Value();
      BlockArgument root = written ? findRoot(written) : BlockArgument();
      if (!root)
        continue;
      if (auto function =
              dyn_cast<func::FuncOp>(root.getOwner()->getParentOp()))
        function.setArgAttr(root.getArgNumber(), "kfuse.mutated",
                            UnitAttr::get(op.getContext()));
    }
  });
}
