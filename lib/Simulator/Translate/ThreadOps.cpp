//===- ThreadOps.cpp - registers, barriers and warp operations ------------===//

#include "../Machine/Operations.h"
#include "Translate.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace kfuse::sim {

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static const std::pair<StringRef, Register> registers[] = {
    {"tid.x", Register::TidX},
    {"tid.y", Register::TidY},
    {"tid.z", Register::TidZ},
    {"ntid.x", Register::NtidX},
    {"ntid.y", Register::NtidY},
    {"ntid.z", Register::NtidZ},
    {"ctaid.x", Register::CtaidX},
    {"ctaid.y", Register::CtaidY},
    {"ctaid.z", Register::CtaidZ},
    {"nctaid.x", Register::NctaidX},
    {"nctaid.y", Register::NctaidY},
    {"nctaid.z", Register::NctaidZ},
    {"laneid", Register::LaneId},
    {"warpid", Register::WarpId},
    {"warpsize", Register::WarpSize},
    {"clusterid.x", Register::ClusterIdX},
    {"clusterid.y", Register::ClusterIdY},
    {"clusterid.z", Register::ClusterIdZ},
    {"nclusterid.x", Register::NclusterIdX},
    {"nclusterid.y", Register::NclusterIdY},
    {"nclusterid.z", Register::NclusterIdZ},
    {"cluster.ctaid.x", Register::ClusterCtaidX},
    {"cluster.ctaid.y", Register::ClusterCtaidY},
    {"cluster.ctaid.z", Register::ClusterCtaidZ},
    {"cluster.nctaid.x", Register::ClusterNctaidX},
    {"cluster.nctaid.y", Register::ClusterNctaidY},
    {"cluster.nctaid.z", Register::ClusterNctaidZ},
    {"cluster.ctarank", Register::ClusterCtaRank},
    {"cluster.nctarank", Register::ClusterNctaRank},
    {"lanemask.eq", Register::LanemaskEq},
    {"lanemask.le", Register::LanemaskLe},
    {"lanemask.lt", Register::LanemaskLt},
    {"lanemask.ge", Register::LanemaskGe},
    {"lanemask.gt", Register::LanemaskGt},
    {"clock", Register::Clock}};

static const StringRef registerPrefix = "nvvm.read.ptx.sreg.";

static LogicalResult translateRegister(Translator &to, Operation *op) {
  StringRef name = op->getName().getStringRef();
  name.consume_front(registerPrefix);
  for (auto [known, which] : registers) {
    if (name != known)
      continue;
    Value value = to.call(op, "kfuse_sim_register", to.i32,
                          {to.constant(op, static_cast<int64_t>(which))});
    Translator::replace(op, value);
    return success();
  }
  return op->emitOpError("the simulator does not know this register");
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static LogicalResult translateBarrier0(Translator &to, Operation *op) {
  Value zero = to.constant(op, 0);
  to.call(op, "kfuse_sim_barrier", to.i32,
          {zero, zero, zero, zero, to.site(op)});
  Translator::erase(op);
  return success();
}

static LogicalResult translateBarrier(Translator &to, Operation *op) {
  auto barrier = cast<NVVM::BarrierOp>(op);
  auto orZero = [&](Value value) { return value ? value : to.constant(op, 0); };
  int64_t kind = 0;
  if (auto reduction = barrier.getReductionOp())
    kind = 1 + static_cast<int64_t>(*reduction);
  Value result =
      to.call(op, "kfuse_sim_barrier", to.i32,
              {orZero(barrier.getBarrierId()),
               orZero(barrier.getNumberOfThreads()), to.constant(op, kind),
               orZero(barrier.getReductionPredicate()), to.site(op)});
  if (op->getNumResults())
    Translator::replace(op, result);
  else
    Translator::erase(op);
  return success();
}

static LogicalResult translateArrive(Translator &to, Operation *op) {
  auto arrive = cast<NVVM::BarrierArriveOp>(op);
  Value id = arrive.getBarrierId() ? arrive.getBarrierId() : to.constant(op, 0);
  to.call(op, "kfuse_sim_barrier_arrive", {},
          {id, arrive.getNumberOfThreads(), to.site(op)});
  Translator::erase(op);
  return success();
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

namespace {
/// Both words of a warp operation's answer.
struct Answer {
  Value value, predicate;
};
} // namespace

static Answer callWarp(Translator &to, Operation *op, WarpOp kind, Value mask,
                       Value value = {}, Value offset = {}, Value clamp = {}) {
  auto orZero = [&](Value v) { return v ? v : to.constant(op, 0); };
  Value both =
      to.call(op, "kfuse_sim_warp", to.i64,
              {to.constant(op, static_cast<int64_t>(kind)), mask, orZero(value),
               orZero(offset), orZero(clamp), to.site(op)});
  Location loc = op->getLoc();
  Answer answer;
  answer.value = LLVM::TruncOp::create(to.builder, loc, to.i32, both);
  Value high =
      LLVM::LShrOp::create(to.builder, loc, both, to.constant(op, 32, to.i64));
  answer.predicate = LLVM::TruncOp::create(to.builder, loc, to.i1, high);
  return answer;
}

/// Replaces `op` by the value, or by value and predicate.
static void answer(Translator &to, Operation *op, Answer found) {
  Type type = op->getResult(0).getType();
  auto pair = dyn_cast<LLVM::LLVMStructType>(type);
  Type valueType = pair ? pair.getBody()[0] : type;
  Value value =
      valueType.isInteger(1)
          ? LLVM::TruncOp::create(to.builder, op->getLoc(), to.i1, found.value)
                .getResult()
          : to.fromBits(op, found.value, valueType);
  if (!pair)
    return Translator::replace(op, value);
  Value result = LLVM::PoisonOp::create(to.builder, op->getLoc(), type);
  result = LLVM::InsertValueOp::create(to.builder, op->getLoc(), result, value,
                                       ArrayRef<int64_t>{0});
  result = LLVM::InsertValueOp::create(to.builder, op->getLoc(), result,
                                       found.predicate, ArrayRef<int64_t>{1});
  Translator::replace(op, result);
}

static LogicalResult translateShuffle(Translator &to, Operation *op) {
  auto shuffle = cast<NVVM::ShflOp>(op);
  static const std::pair<NVVM::ShflKind, WarpOp> kinds[] = {
      {NVVM::ShflKind::bfly, WarpOp::ShuffleBfly},
      {NVVM::ShflKind::up, WarpOp::ShuffleUp},
      {NVVM::ShflKind::down, WarpOp::ShuffleDown},
      {NVVM::ShflKind::idx, WarpOp::ShuffleIdx}};
  for (auto [known, kind] : kinds)
    if (shuffle.getKind() == known)
      answer(to, op,
             callWarp(to, op, kind, shuffle.getThreadMask(),
                      to.toBits(op, shuffle.getVal(), to.i32),
                      shuffle.getOffset(), shuffle.getMaskAndClamp()));
  return success();
}

static LogicalResult translateSyncWarp(Translator &to, Operation *op) {
  callWarp(to, op, WarpOp::Sync, op->getOperand(0));
  Translator::erase(op);
  return success();
}

static LogicalResult translateElect(Translator &to, Operation *op) {
  Value mask = op->getNumOperands() ? op->getOperand(0) : to.constant(op, -1);
  Translator::replace(op, callWarp(to, op, WarpOp::Elect, mask).predicate);
  return success();
}

static LogicalResult translateVote(Translator &to, Operation *op) {
  auto vote = cast<NVVM::VoteSyncOp>(op);
  static const std::pair<NVVM::VoteSyncKind, WarpOp> kinds[] = {
      {NVVM::VoteSyncKind::any, WarpOp::VoteAny},
      {NVVM::VoteSyncKind::all, WarpOp::VoteAll},
      {NVVM::VoteSyncKind::ballot, WarpOp::Ballot},
      {NVVM::VoteSyncKind::uni, WarpOp::VoteUni}};
  Value predicate =
      LLVM::ZExtOp::create(to.builder, op->getLoc(), to.i32, vote.getPred());
  for (auto [known, kind] : kinds)
    if (vote.getKind() == known)
      answer(to, op, callWarp(to, op, kind, vote.getMask(), predicate));
  return success();
}

static LogicalResult translateMatch(Translator &to, Operation *op) {
  auto match = cast<NVVM::MatchSyncOp>(op);
  if (!match.getVal().getType().isInteger(32))
    return op->emitOpError("the simulator matches 32-bit values only");
  bool isAny = match.getKind() == NVVM::MatchSyncKind::any;
  answer(to, op,
         callWarp(to, op, isAny ? WarpOp::MatchAny : WarpOp::MatchAll,
                  match.getThreadMask(), match.getVal()));
  return success();
}

static LogicalResult translateRedux(Translator &to, Operation *op) {
  auto redux = cast<NVVM::ReduxOp>(op);
  using Kind = NVVM::ReduxKind;
  static const std::pair<Kind, WarpOp> kinds[] = {
      {Kind::ADD, WarpOp::ReduceAdd},   {Kind::AND, WarpOp::ReduceAnd},
      {Kind::OR, WarpOp::ReduceOr},     {Kind::XOR, WarpOp::ReduceXor},
      {Kind::MIN, WarpOp::ReduceMin},   {Kind::MAX, WarpOp::ReduceMax},
      {Kind::UMIN, WarpOp::ReduceUMin}, {Kind::UMAX, WarpOp::ReduceUMax},
      {Kind::FMIN, WarpOp::ReduceFMin}, {Kind::FMAX, WarpOp::ReduceFMax}};
  if (redux.getAbs() || redux.getNan())
    return op->emitOpError("the simulator has no redux with abs or NaN");
  for (auto [known, kind] : kinds)
    if (redux.getKind() == known) {
      answer(to, op,
             callWarp(to, op, kind, redux.getMaskAndClamp(),
                      to.toBits(op, redux.getVal(), to.i32)));
      return success();
    }
  return op->emitOpError("the simulator does not know this reduction");
}

void addThreadHandlers(Handlers &handlers) {
  for (auto [name, which] : registers)
    handlers[(registerPrefix + name).str()] = translateRegister;
  handlers["nvvm.barrier0"] = translateBarrier0;
  handlers["nvvm.barrier"] = translateBarrier;
  handlers["nvvm.barrier.arrive"] = translateArrive;
  handlers["nvvm.shfl.sync"] = translateShuffle;
  handlers["nvvm.bar.warp.sync"] = translateSyncWarp;
  handlers["nvvm.elect.sync"] = translateElect;
  handlers["nvvm.vote.sync"] = translateVote;
  handlers["nvvm.match.sync"] = translateMatch;
  handlers["nvvm.redux.sync"] = translateRedux;
}

} // namespace kfuse::sim
