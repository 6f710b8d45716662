//===- Accumulators.cpp - registers of matrix products --------------------===//

#include "Accumulators.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace kfuse::sim {

static bool isRegister(Type type) { return type.isF32() || type.isInteger(32); }

std::optional<Tie> getTie(Operation *op) {
  auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
  if (!assembly || !llvm::all_of(op->getOperandTypes(), isRegister))
    return std::nullopt;
  StringRef text = assembly.getAsmString().trim();
  Tie tie;
  tie.isFixed = assembly.getHasSideEffects();
  int64_t count;
  if (text.consume_front("wgmma.wait_group.sync.aligned ") &&
      text.consume_back(";") && !text.trim().getAsInteger(10, count))
    tie.wait = count;
  else if (!text.empty())
    return std::nullopt;
  // Each result is the operand in its place.
  SmallVector<Type> results;
  if (op->getNumResults()) {
    auto many = dyn_cast<LLVM::LLVMStructType>(op->getResult(0).getType());
    if (many)
      results.append(many.getBody().begin(), many.getBody().end());
    else
      results.push_back(op->getResult(0).getType());
  }
  if (!results.empty() && !llvm::equal(results, op->getOperandTypes()))
    return std::nullopt;
  return tie;
}

/// The value that a use passes its registers on to; null when they are used.
static Value getPassedOn(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto extract = dyn_cast<LLVM::ExtractValueOp>(op))
    return extract.getRes();
  if (auto insert = dyn_cast<LLVM::InsertValueOp>(op))
    return insert.getRes();
  if (isa<LLVM::SelectOp, LLVM::FreezeOp>(op))
    return op->getResult(0);
  auto branch = dyn_cast<BranchOpInterface>(op);
  if (!branch)
    return {};
  auto argument = branch.getSuccessorBlockArgument(use.getOperandNumber());
  return argument ? Value(*argument) : Value();
}

static bool isProduct(Operation *op) { return isa<NVVM::WgmmaMmaAsyncOp>(op); }

/// All values that may hold registers of products.
static llvm::SetVector<Value> collectRegisters(LLVM::LLVMFuncOp function) {
  llvm::SetVector<Value> found;
  function.walk(
      [&](NVVM::WgmmaMmaAsyncOp op) { found.insert(op.getResults()); });
  for (size_t i = 0; i < found.size(); ++i)
    for (OpOperand &use : found[i].getUses())
      if (Value next = getPassedOn(use); next && !isProduct(use.getOwner()))
        found.insert(next);
  return found;
}

static Value resolve(Translator &to, Operation *user, Value value) {
  to.builder.setInsertionPoint(user);
  Location loc = user->getLoc();
  Value site = to.siteFor(user);
  if (isRegister(value.getType())) {
    Value bits = to.toBits(user, value, to.i32);
    bits = to.call(user, "kfuse_sim_wgmma_register", to.i32, {bits, site});
    return to.fromBits(user, bits, value.getType());
  }
  auto type = cast<LLVM::LLVMStructType>(value.getType());
  Value slot = to.slot(user, type);
  LLVM::StoreOp::create(to.builder, loc, value, slot);
  to.call(user, "kfuse_sim_wgmma_registers", {},
          {slot, to.constant(user, type.getBody().size()),
           to.constant(user, false), site});
  return LLVM::LoadOp::create(to.builder, loc, type, slot);
}

void resolveAccumulators(Translator &to, LLVM::LLVMFuncOp function) {
  SmallVector<OpOperand *> uses;
  for (Value value : collectRegisters(function))
    for (OpOperand &use : value.getUses())
      if (!getPassedOn(use) && !isProduct(use.getOwner()) &&
          !getTie(use.getOwner()))
        uses.push_back(&use);
  for (OpOperand *use : uses)
    use->set(resolve(to, use->getOwner(), use->get()));
}

} // namespace kfuse::sim
