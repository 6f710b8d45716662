//===- RemoveDead.cpp - operators that nothing needs ----------------------===//

#include "RemoveDead.h"
#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "kfuse/Import/AtenSchema.h"
#include "kfuse/Transforms/SideEffects.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::kfuse;

/// Operators without written arguments that do more than compute: assertions,
/// constraints on symbols, and everything that advances the random generator.
static bool hasOtherEffects(StringRef target, const AtenSchema &schema) {
  StringRef name = getOperatorName(target);
  if (name.starts_with("_assert") || name.starts_with("sym_constrain") ||
      name.contains("rand") || name.contains("dropout") ||
      name.contains("normal") || name == "bernoulli" || name == "multinomial" ||
      name == "poisson" || name.starts_with("record_stream"))
    return true;
  return llvm::any_of(schema.arguments, [](const AtenArgument &argument) {
    return argument.type.kind == AtenType::Kind::Generator;
  });
}

static bool isDead(AtenOp op) {
  // A symbol that the call defines may stand in some layout.
  if (!op->use_empty() || op->getNumResults() == 0 ||
      op->hasAttr("kfuse.symbols"))
    return false;
  for (Type type : op->getResultTypes())
    if (!isa<RankedTensorType>(type))
      return false;
  std::optional<AtenSchema> schema = lookupAtenSchema(op.getTarget().str());
  return schema && !schema->mutates() &&
         !hasOtherEffects(op.getTarget(), *schema);
}

/// Symbols that the arguments' layouts determine.
static bool hasOwnSymbols(AtenOp op, const llvm::StringSet<> &known) {
  bool own = false;
  for (Type type : op->getResultTypes())
    if (LayoutAttr layout = getLayout(type))
      for (ExprAttr size : layout.getSizes())
        size.walkSymbols([&](StringRef name) { own |= !known.contains(name); });
  return own;
}

void kfuse::removeDeadOperators(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    llvm::StringSet<> known;
    for (Type type : function.getArgumentTypes())
      if (LayoutAttr layout = getLayout(type))
        for (ExprAttr size : layout.getSizes())
          size.walkSymbols([&](StringRef name) { known.insert(name); });
    for (Block &block : function.getBody())
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (auto aten = dyn_cast<AtenOp>(op);
            aten && isDead(aten) && !hasOwnSymbols(aten, known))
          aten.erase();
  }
}
