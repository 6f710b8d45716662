//===- SideEffects.cpp - which operations must stay in order --------------===//

#include "kfuse/Transforms/SideEffects.h"

using namespace mlir;
using namespace mlir::kfuse;

StringRef kfuse::getOperatorName(StringRef target) {
  return target.split("::").second.split('.').first;
}

bool kfuse::isInPlaceTarget(StringRef target) {
  StringRef name = target.rsplit("::").second.split('.').first;
  static constexpr StringLiteral operators[] = {
      "__iand__", "__ior__", "__ixor__", "__ilshift__", "__irshift__"};
  if (llvm::is_contained(operators, name))
    return true;
  // They return their argument, and no value changes.
  if (name == "detach_" || name == "requires_grad_")
    return false;
  return name.ends_with("_") && !name.ends_with("__");
}

/// Operators that draw random numbers, in every overload.
static bool isRandom(StringRef name) {
  static constexpr StringLiteral names[] = {
      "rand",         "randn",      "randint",     "randperm",
      "rand_like",    "randn_like", "bernoulli",   "multinomial",
      "normal",       "uniform",    "exponential", "native_dropout",
      "randint_like", "poisson",    "rrelu",       "rrelu_with_noise"};
  return llvm::is_contained(names, name);
}

bool kfuse::mayWrite(Operation *op) {
  auto aten = dyn_cast<AtenOp>(op);
  if (!aten)
    return false;
  StringRef target = aten.getTarget();
  auto [space, rest] = target.split("::");
  if (space != "aten" && space != "python" && space != "prims")
    return true;
  StringRef overload = rest.split('.').second;
  return (space == "aten" && isInPlaceTarget(target)) || overload == "out" ||
         overload.ends_with("_out");
}

bool kfuse::hasSideEffects(Operation *op) {
  auto aten = dyn_cast<AtenOp>(op);
  if (!aten)
    return false;
  if (mayWrite(op))
    return true;
  StringRef name = getOperatorName(aten.getTarget());
  if (name == "dropout") {
    auto train = dyn_cast_or_null<BoolAttr>(aten.getArg("train"));
    return !train || train.getValue();
  }
  return isRandom(name) || name.starts_with("_assert") ||
         name == "sym_constrain_range" ||
         name == "sym_constrain_range_for_size";
}
