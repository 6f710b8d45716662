//===- MemoryOps.cpp - loads, stores, atomics and fences ------------------===//

#include "../Machine/Operations.h"
#include "Translate.h"

using namespace mlir;

namespace kfuse::sim {

static Value check(Translator &to, Operation *op, Value address,
                   uint32_t mode) {
  return to.call(op, "kfuse_sim_access", to.pointer,
                 {address, to.constant(op, mode), to.site(op)});
}

static uint32_t getOrder(LLVM::AtomicOrdering ordering) {
  switch (ordering) {
  case LLVM::AtomicOrdering::acquire:
    return AcquireOrder;
  case LLVM::AtomicOrdering::release:
    return ReleaseOrder;
  case LLVM::AtomicOrdering::acq_rel:
  case LLVM::AtomicOrdering::seq_cst:
    return AcquireOrder | ReleaseOrder;
  default:
    return 0;
  }
}

static bool isLocal(Translator &to, Operation *op) {
  return to.siteOf(op).space == Space::Local;
}

static LogicalResult checkSize(Translator &to, Operation *op) {
  if (to.siteOf(op).bytes <= mostAccessBytes)
    return success();
  return op->emitOpError("the simulator has accesses of at most ")
         << mostAccessBytes << " bytes, found one of " << to.siteOf(op).bytes;
}

static LogicalResult translateLoad(Translator &to, Operation *op) {
  auto load = cast<LLVM::LoadOp>(op);
  if (isLocal(to, op))
    return success();
  if (failed(checkSize(to, op)))
    return failure();
  bool isAtomic = load.getOrdering() != LLVM::AtomicOrdering::not_atomic;
  if (isAtomic)
    to.call(op, "kfuse_sim_yield", {}, to.site(op));
  load.getAddrMutable().assign(
      check(to, op, load.getAddr(), isAtomic ? AtomicReadMode : ReadMode));
  if (isAtomic) {
    to.builder.setInsertionPointAfter(op);
    Operation *next = &*to.builder.getInsertionPoint();
    to.call(next, "kfuse_sim_after_load", {},
            {load.getAddr(), to.constant(next, getOrder(load.getOrdering())),
             to.site(op)});
  }
  // The host's code is single threaded: a plain load, which the optimizer may
  // not move across calls.
  load.setOrdering(LLVM::AtomicOrdering::not_atomic);
  load.setSyncscope(std::nullopt);
  load.setVolatile_(false);
  load.setAlignment(1);
  return success();
}

static LogicalResult translateStore(Translator &to, Operation *op) {
  auto store = cast<LLVM::StoreOp>(op);
  if (isLocal(to, op))
    return success();
  if (failed(checkSize(to, op)))
    return failure();
  bool isAtomic = store.getOrdering() != LLVM::AtomicOrdering::not_atomic;
  if (isAtomic) {
    to.call(op, "kfuse_sim_yield", {}, to.site(op));
    to.call(op, "kfuse_sim_before_store", {},
            {store.getAddr(), to.constant(op, getOrder(store.getOrdering())),
             to.site(op)});
  }
  store.getAddrMutable().assign(
      check(to, op, store.getAddr(), isAtomic ? AtomicWriteMode : WriteMode));
  store.setOrdering(LLVM::AtomicOrdering::not_atomic);
  store.setSyncscope(std::nullopt);
  store.setVolatile_(false);
  store.setAlignment(1);
  return success();
}

static FailureOr<AtomicType> getAtomicType(Operation *op, Type type) {
  if (type.isF32())
    return AtomicType::F32;
  if (type.isF64())
    return AtomicType::F64;
  if (type.isF16())
    return AtomicType::F16;
  if (type.isBF16())
    return AtomicType::BF16;
  if (type.isInteger(8))
    return AtomicType::I8;
  if (type.isInteger(16))
    return AtomicType::I16;
  if (type.isInteger(32))
    return AtomicType::I32;
  if (type.isInteger(64))
    return AtomicType::I64;
  return op->emitOpError() << "the simulator has no atomics of " << type;
}

static FailureOr<AtomicOp> getAtomicOp(LLVM::AtomicRMWOp op) {
  using Bin = LLVM::AtomicBinOp;
  static const std::pair<Bin, AtomicOp> known[] = {
      {Bin::xchg, AtomicOp::Exchange},
      {Bin::add, AtomicOp::Add},
      {Bin::sub, AtomicOp::Sub},
      {Bin::_and, AtomicOp::And},
      {Bin::nand, AtomicOp::Nand},
      {Bin::_or, AtomicOp::Or},
      {Bin::_xor, AtomicOp::Xor},
      {Bin::max, AtomicOp::Max},
      {Bin::min, AtomicOp::Min},
      {Bin::umax, AtomicOp::UMax},
      {Bin::umin, AtomicOp::UMin},
      {Bin::fadd, AtomicOp::FAdd},
      {Bin::fsub, AtomicOp::FSub},
      {Bin::fmax, AtomicOp::FMax},
      {Bin::fmin, AtomicOp::FMin},
      {Bin::uinc_wrap, AtomicOp::Increment},
      {Bin::udec_wrap, AtomicOp::Decrement}};
  for (auto [bin, atomic] : known)
    if (op.getBinOp() == bin)
      return atomic;
  return op.emitOpError() << "the simulator has no atomic "
                          << stringifyAtomicBinOp(op.getBinOp());
}

static LogicalResult translateAtomic(Translator &to, Operation *op) {
  auto atomic = cast<LLVM::AtomicRMWOp>(op);
  FailureOr<AtomicType> type = getAtomicType(op, atomic.getType());
  FailureOr<AtomicOp> kind = getAtomicOp(atomic);
  if (failed(type) || failed(kind))
    return failure();
  Value old =
      to.call(op, "kfuse_sim_atomic", to.i64,
              {atomic.getPtr(), to.toBits(op, atomic.getVal(), to.i64),
               to.constant(op, static_cast<int64_t>(*kind)),
               to.constant(op, static_cast<int64_t>(*type)),
               to.constant(op, getOrder(atomic.getOrdering())), to.site(op)});
  Translator::replace(op, to.fromBits(op, old, atomic.getType()));
  return success();
}

static LogicalResult translateExchange(Translator &to, Operation *op) {
  auto exchange = cast<LLVM::AtomicCmpXchgOp>(op);
  Type type = exchange.getVal().getType();
  FailureOr<AtomicType> kind = getAtomicType(op, type);
  if (failed(kind))
    return failure();
  Location loc = op->getLoc();
  Value expected = to.toBits(op, exchange.getCmp(), to.i64);
  Value old = to.call(
      op, "kfuse_sim_compare_exchange", to.i64,
      {exchange.getPtr(), expected, to.toBits(op, exchange.getVal(), to.i64),
       to.constant(op, static_cast<int64_t>(*kind)),
       to.constant(op, getOrder(exchange.getSuccessOrdering())), to.site(op)});
  Value isDone = LLVM::ICmpOp::create(to.builder, loc, LLVM::ICmpPredicate::eq,
                                      old, expected);
  Value pair =
      LLVM::PoisonOp::create(to.builder, loc, op->getResult(0).getType());
  pair = LLVM::InsertValueOp::create(
      to.builder, loc, pair, to.fromBits(op, old, type), ArrayRef<int64_t>{0});
  pair = LLVM::InsertValueOp::create(to.builder, loc, pair, isDone,
                                     ArrayRef<int64_t>{1});
  Translator::replace(op, pair);
  return success();
}

static LogicalResult translateFence(Translator &to, Operation *op) {
  auto fence = cast<LLVM::FenceOp>(op);
  to.call(op, "kfuse_sim_fence", {},
          {to.constant(op, getOrder(fence.getOrdering())), to.site(op)});
  Translator::erase(op);
  return success();
}

static LogicalResult translateTrap(Translator &to, Operation *op) {
  to.call(op, "kfuse_sim_trap", {}, {to.site(op)});
  Translator::erase(op);
  return success();
}

void addMemoryHandlers(Handlers &handlers) {
  handlers["llvm.load"] = translateLoad;
  handlers["llvm.store"] = translateStore;
  handlers["llvm.atomicrmw"] = translateAtomic;
  handlers["llvm.cmpxchg"] = translateExchange;
  handlers["llvm.fence"] = translateFence;
  handlers["llvm.intr.trap"] = translateTrap;
}

} // namespace kfuse::sim
