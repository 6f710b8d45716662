//===- AsyncOps.cpp - copies, mbarriers, clusters and fences --------------===//

#include "../Machine/AsyncOps.h"
#include "../Machine/Operations.h"
#include "Translate.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace kfuse::sim {

/// An optional integer operand as i32.
static Value widen(Translator &to, Operation *op, Value value,
                   int64_t otherwise) {
  if (!value)
    return to.constant(op, otherwise);
  if (value.getType() == to.i32)
    return value;
  return LLVM::ZExtOp::create(to.builder, op->getLoc(), to.i32, value);
}

/// Calls an operation without result, the site last.
static LogicalResult become(Translator &to, Operation *op, StringRef name,
                            SmallVector<Value> arguments) {
  arguments.push_back(to.site(op));
  to.call(op, name, {}, arguments);
  Translator::erase(op);
  return success();
}

/// Operations that say nothing about what is computed.
static LogicalResult dropOperation(Translator &, Operation *op) {
  Translator::erase(op);
  return success();
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

static LogicalResult translateInit(Translator &to, Operation *op) {
  auto init = cast<NVVM::MBarrierInitOp>(op);
  return become(
      to, op, "kfuse_sim_mbarrier_init",
      {init.getAddr(), init.getCount(), widen(to, op, init.getPredicate(), 1)});
}

static LogicalResult translateInval(Translator &to, Operation *op) {
  return become(to, op, "kfuse_sim_mbarrier_inval", {op->getOperand(0)});
}

template <typename Op>
static LogicalResult translateExpect(Translator &to, Operation *op) {
  auto expect = cast<Op>(op);
  bool isCompletion = std::is_same_v<Op, NVVM::MBarrierCompleteTxOp>;
  return become(
      to, op, "kfuse_sim_mbarrier_expect",
      {expect.getAddr(), expect.getTxcount(), to.constant(op, isCompletion)});
}

namespace {
/// An arrival in its parts.
struct Arrival {
  Value address, count, bytes, predicate;
  uint32_t flags = 0;
};
} // namespace

static LogicalResult arrive(Translator &to, Operation *op, Arrival arrival) {
  Value state =
      to.call(op, "kfuse_sim_mbarrier_arrive", to.i64,
              {arrival.address, widen(to, op, arrival.count, 1),
               widen(to, op, arrival.bytes, 0), to.constant(op, arrival.flags),
               widen(to, op, arrival.predicate, 1), to.site(op)});
  if (op->getNumResults())
    Translator::replace(op, state);
  else
    Translator::erase(op);
  return success();
}

template <typename Op>
static uint32_t getFlags(Op op) {
  bool isCluster = op.getScope() == NVVM::MemScopeKind::CLUSTER;
  return (op.getRelaxed() ? RelaxedArrival : 0) |
         (isCluster ? ClusterArrival : 0);
}

template <typename Op, uint32_t flags>
static LogicalResult translateArrive(Translator &to, Operation *op) {
  auto found = cast<Op>(op);
  return arrive(
      to, op,
      {found.getAddr(), found.getCount(), {}, {}, flags | getFlags(found)});
}

template <typename Op, uint32_t flags>
static LogicalResult translateNoComplete(Translator &to, Operation *op) {
  auto found = cast<Op>(op);
  return arrive(
      to, op,
      {found.getAddr(), found.getCount(), {}, {}, flags | NoCompleteArrival});
}

static LogicalResult translateArriveExpect(Translator &to, Operation *op) {
  auto found = cast<NVVM::MBarrierArriveExpectTxOp>(op);
  return arrive(to, op,
                {found.getAddr(),
                 {},
                 found.getTxcount(),
                 found.getPredicate(),
                 getFlags(found)});
}

static LogicalResult translateDropExpect(Translator &to, Operation *op) {
  auto found = cast<NVVM::MBarrierArriveDropExpectTxOp>(op);
  return arrive(to, op,
                {found.getAddr(),
                 {},
                 found.getTxcount(),
                 {},
                 getFlags(found) | DropArrival});
}

static Value callWait(Translator &to, Operation *op, Value address, Value state,
                      WaitKind kind, bool isRelaxed) {
  bool isParity = state.getType() == to.i32;
  if (isParity)
    state = LLVM::ZExtOp::create(to.builder, op->getLoc(), to.i64, state);
  return to.call(op, "kfuse_sim_mbarrier_wait", to.i32,
                 {address, state, to.constant(op, isParity),
                  to.constant(op, static_cast<int64_t>(kind)),
                  to.constant(op, isRelaxed), to.site(op)});
}

static LogicalResult translateWaitParity(Translator &to, Operation *op) {
  auto wait = cast<NVVM::MBarrierTryWaitParityOp>(op);
  callWait(to, op, wait.getAddr(), wait.getPhase(), WaitKind::UntilComplete,
           false);
  Translator::erase(op);
  return success();
}

template <typename Op, WaitKind kind>
static LogicalResult translateWait(Translator &to, Operation *op) {
  auto wait = cast<Op>(op);
  Value isOver = callWait(to, op, wait.getAddr(), wait.getStateOrPhase(), kind,
                          wait.getRelaxed());
  Translator::replace(
      op, LLVM::TruncOp::create(to.builder, op->getLoc(), to.i1, isOver)
              .getResult());
  return success();
}

static void addBarrierHandlers(Handlers &handlers) {
  using namespace NVVM;
  handlers["nvvm.mbarrier.init"] = translateInit;
  handlers["nvvm.mbarrier.inval"] = translateInval;
  handlers["nvvm.mbarrier.expect_tx"] = translateExpect<MBarrierExpectTxOp>;
  handlers["nvvm.mbarrier.complete_tx"] = translateExpect<MBarrierCompleteTxOp>;
  handlers["nvvm.mbarrier.arrive"] = translateArrive<MBarrierArriveOp, 0>;
  handlers["nvvm.mbarrier.arrive_drop"] =
      translateArrive<MBarrierArriveDropOp, DropArrival>;
  handlers["nvvm.mbarrier.arrive.nocomplete"] =
      translateNoComplete<MBarrierArriveNocompleteOp, 0>;
  handlers["nvvm.mbarrier.arrive_drop.nocomplete"] =
      translateNoComplete<MBarrierArriveDropNocompleteOp, DropArrival>;
  handlers["nvvm.mbarrier.arrive.expect_tx"] = translateArriveExpect;
  handlers["nvvm.mbarrier.arrive_drop.expect_tx"] = translateDropExpect;
  handlers["nvvm.mbarrier.try_wait.parity"] = translateWaitParity;
  handlers["nvvm.mbarrier.try_wait"] =
      translateWait<MBarrierTryWaitOp, WaitKind::Try>;
  handlers["nvvm.mbarrier.test.wait"] =
      translateWait<MBarrierTestWaitOp, WaitKind::Test>;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static LogicalResult translateCopy(Translator &to, Operation *op) {
  auto copy = cast<NVVM::CpAsyncOp>(op);
  return become(to, op, "kfuse_sim_copy_async",
                {copy.getDst(), copy.getSrc(), to.constant(op, copy.getSize()),
                 widen(to, op, copy.getCpSize(), copy.getSize())});
}

static LogicalResult translateCopyCommit(Translator &to, Operation *op) {
  return become(to, op, "kfuse_sim_copy_commit", {});
}

static LogicalResult translateCopyWait(Translator &to, Operation *op) {
  return become(to, op, "kfuse_sim_copy_wait",
                {to.constant(op, cast<NVVM::CpAsyncWaitGroupOp>(op).getN())});
}

static LogicalResult translateCopyArrive(Translator &to, Operation *op) {
  auto copy = cast<NVVM::CpAsyncMBarrierArriveOp>(op);
  return become(to, op, "kfuse_sim_copy_arrive",
                {copy.getAddr(), to.constant(op, copy.getNoinc())});
}

static LogicalResult translateBulkCommit(Translator &to, Operation *op) {
  return become(to, op, "kfuse_sim_bulk_commit", {});
}

static LogicalResult translateBulkWait(Translator &to, Operation *op) {
  auto wait = cast<NVVM::CpAsyncBulkWaitGroupOp>(op);
  return become(to, op, "kfuse_sim_bulk_wait",
                {to.constant(op, wait.getGroup()),
                 to.constant(op, wait.getRead().value_or(false))});
}

static LogicalResult translateBulkLoad(Translator &to, Operation *op) {
  auto copy = cast<NVVM::CpAsyncBulkGlobalToSharedClusterOp>(op);
  return become(to, op, "kfuse_sim_bulk_load",
                {copy.getDstMem(), copy.getSrcMem(), copy.getMbar(),
                 copy.getSize(), widen(to, op, copy.getMulticastMask(), 0)});
}

static LogicalResult translateBulkExchange(Translator &to, Operation *op) {
  auto copy = cast<NVVM::CpAsyncBulkSharedCTAToSharedClusterOp>(op);
  return become(to, op, "kfuse_sim_bulk_load",
                {copy.getDstMem(), copy.getSrcMem(), copy.getMbar(),
                 copy.getSize(), to.constant(op, 0)});
}

static LogicalResult translateBulkStore(Translator &to, Operation *op) {
  auto copy = cast<NVVM::CpAsyncBulkSharedCTAToGlobalOp>(op);
  if (copy.getByteMask())
    return op->emitOpError("the simulator has no bulk stores with byte masks");
  return become(to, op, "kfuse_sim_bulk_store",
                {copy.getDstMem(), copy.getSrcMem(), copy.getSize()});
}

/// Coordinates in memory, and their number.
static std::pair<Value, Value> passCoordinates(Translator &to, Operation *op,
                                               ValueRange coordinates) {
  Value slot = to.slot(op, LLVM::LLVMArrayType::get(to.i32, 5));
  for (auto [i, value] : llvm::enumerate(coordinates)) {
    Value at = LLVM::GEPOp::create(to.builder, op->getLoc(), to.pointer, to.i32,
                                   slot, ArrayRef<LLVM::GEPArg>{(int32_t)i});
    LLVM::StoreOp::create(to.builder, op->getLoc(), value, at);
  }
  return {slot, to.constant(op, coordinates.size())};
}

static LogicalResult translateTensorLoad(Translator &to, Operation *op) {
  auto copy = cast<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(op);
  if (copy.getMode() != NVVM::TMALoadMode::TILE ||
      !copy.getIm2colOffsets().empty() || copy.getGroup())
    return op->emitOpError("the simulator loads tiles only: no im2col, no "
                           "gather, no pairs of blocks");
  auto [coordinates, rank] = passCoordinates(to, op, copy.getCoordinates());
  return become(to, op, "kfuse_sim_tensor_load",
                {copy.getDstMem(), copy.getTmaDescriptor(), copy.getMbar(),
                 coordinates, rank, widen(to, op, copy.getMulticastMask(), 0),
                 widen(to, op, copy.getPredicate(), 1)});
}

static LogicalResult translateTensorStore(Translator &to, Operation *op) {
  auto copy = cast<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp>(op);
  if (copy.getMode() != NVVM::TMAStoreMode::TILE)
    return op->emitOpError("the simulator stores tiles only");
  auto [coordinates, rank] = passCoordinates(to, op, copy.getCoordinates());
  return become(to, op, "kfuse_sim_tensor_store",
                {copy.getTmaDescriptor(), copy.getSrcMem(), coordinates, rank,
                 to.constant(op, static_cast<int64_t>(BulkReduction::None)),
                 widen(to, op, copy.getPredicate(), 1)});
}

static LogicalResult translateTensorReduce(Translator &to, Operation *op) {
  auto copy = cast<NVVM::CpAsyncBulkTensorReduceOp>(op);
  if (copy.getMode() != NVVM::TMAStoreMode::TILE)
    return op->emitOpError("the simulator reduces tiles only");
  using Kind = NVVM::TMAReduxKind;
  static const std::pair<Kind, BulkReduction> kinds[] = {
      {Kind::ADD, BulkReduction::Add}, {Kind::MAX, BulkReduction::Max},
      {Kind::MIN, BulkReduction::Min}, {Kind::INC, BulkReduction::Inc},
      {Kind::DEC, BulkReduction::Dec}, {Kind::AND, BulkReduction::And},
      {Kind::OR, BulkReduction::Or},   {Kind::XOR, BulkReduction::Xor}};
  auto reduction = BulkReduction::None;
  for (auto [known, kind] : kinds)
    if (copy.getRedKind() == known)
      reduction = kind;
  auto [coordinates, rank] = passCoordinates(to, op, copy.getCoordinates());
  return become(to, op, "kfuse_sim_tensor_store",
                {copy.getTmaDescriptor(), copy.getSrcMem(), coordinates, rank,
                 to.constant(op, static_cast<int64_t>(reduction)),
                 to.constant(op, 1)});
}

static void addCopyHandlers(Handlers &handlers) {
  handlers["nvvm.cp.async.shared.global"] = translateCopy;
  handlers["nvvm.cp.async.commit.group"] = translateCopyCommit;
  handlers["nvvm.cp.async.wait.group"] = translateCopyWait;
  handlers["nvvm.cp.async.mbarrier.arrive"] = translateCopyArrive;
  handlers["nvvm.cp.async.bulk.commit.group"] = translateBulkCommit;
  handlers["nvvm.cp.async.bulk.wait_group"] = translateBulkWait;
  handlers["nvvm.cp.async.bulk.shared.cluster.global"] = translateBulkLoad;
  handlers["nvvm.cp.async.bulk.shared.cluster.shared.cta"] =
      translateBulkExchange;
  handlers["nvvm.cp.async.bulk.global.shared.cta"] = translateBulkStore;
  handlers["nvvm.cp.async.bulk.tensor.shared.cluster.global"] =
      translateTensorLoad;
  handlers["nvvm.cp.async.bulk.tensor.global.shared.cta"] =
      translateTensorStore;
  handlers["nvvm.cp.async.bulk.tensor.reduce"] = translateTensorReduce;
}

//===----------------------------------------------------------------------===//
// Clusters and fences
//===----------------------------------------------------------------------===//

static LogicalResult translateClusterArrive(Translator &to, Operation *op) {
  bool isRelaxed = isa<NVVM::ClusterArriveRelaxedOp>(op);
  return become(to, op, "kfuse_sim_cluster_arrive",
                {to.constant(op, isRelaxed)});
}

static LogicalResult translateClusterWait(Translator &to, Operation *op) {
  return become(to, op, "kfuse_sim_cluster_wait", {});
}

static LogicalResult translateMapa(Translator &to, Operation *op) {
  Translator::replace(
      op, to.call(op, "kfuse_sim_mapa", to.pointer,
                  {op->getOperand(0), op->getOperand(1), to.site(op)}));
  return success();
}

static LogicalResult translateProxyFence(Translator &to, Operation *op) {
  using Kind = NVVM::ProxyKind;
  Kind kind = cast<NVVM::FenceProxyOp>(op).getKind();
  // The others order proxies that the simulator does not tell apart.
  if (kind != Kind::async && kind != Kind::async_global &&
      kind != Kind::async_shared)
    return dropOperation(to, op);
  return become(to, op, "kfuse_sim_fence_proxy", {});
}

static LogicalResult translateInitFence(Translator &to, Operation *op) {
  return become(to, op, "kfuse_sim_fence_mbarrier_init", {});
}

static LogicalResult translateFullFence(Translator &to, Operation *op) {
  return become(to, op, "kfuse_sim_fence",
                {to.constant(op, AcquireOrder | ReleaseOrder)});
}

static LogicalResult translateSleep(Translator &to, Operation *op) {
  to.call(op, "kfuse_sim_yield", {}, to.site(op));
  Translator::erase(op);
  return success();
}

void addAsyncHandlers(Handlers &handlers) {
  addBarrierHandlers(handlers);
  addCopyHandlers(handlers);
  handlers["nvvm.cluster.arrive"] = translateClusterArrive;
  handlers["nvvm.cluster.arrive.relaxed"] = translateClusterArrive;
  handlers["nvvm.cluster.wait"] = translateClusterWait;
  handlers["nvvm.mapa"] = translateMapa;
  handlers["nvvm.fence.proxy"] = translateProxyFence;
  handlers["nvvm.fence.mbarrier.init"] = translateInitFence;
  handlers["nvvm.fence.sc.cluster"] = translateFullFence;
  handlers["nvvm.memory.barrier"] = translateFullFence;
  handlers["nvvm.nanosleep"] = translateSleep;
  for (const char *name :
       {"nvvm.fence.proxy.acquire", "nvvm.fence.proxy.release",
        "nvvm.setmaxregister", "nvvm.griddepcontrol", "nvvm.prefetch",
        "nvvm.cp.async.bulk.prefetch", "nvvm.cp.async.bulk.tensor.prefetch",
        "nvvm.pmevent"})
    handlers[name] = dropOperation;
}

} // namespace kfuse::sim
