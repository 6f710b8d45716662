//===- MatrixOps.cpp - operations on matrices -----------------------------===//

#include "../Machine/MatrixOps.h"
#include "Accumulators.h"
#include "Translate.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include <cstring>

using namespace mlir;

namespace kfuse::sim {

static Value passKind(Translator &to, Operation *op, const ProductKind &kind) {
  uint32_t bits;
  memcpy(&bits, &kind, sizeof(bits));
  return to.constant(op, static_cast<int32_t>(bits));
}

/// Values one after another in memory of the thread.
static Value passValues(Translator &to, Operation *op, ValueRange values) {
  SmallVector<Type> types(values.getTypes());
  auto type = LLVM::LLVMStructType::getLiteral(op->getContext(), types);
  Value slot = to.slot(op, type);
  for (auto [i, value] : llvm::enumerate(values)) {
    Value at = LLVM::GEPOp::create(to.builder, op->getLoc(), to.pointer, type,
                                   slot, ArrayRef<LLVM::GEPArg>{0, (int32_t)i});
    LLVM::StoreOp::create(to.builder, op->getLoc(), value, at);
  }
  return slot;
}

static Value load(Translator &to, Operation *op, Type type, Value slot) {
  return LLVM::LoadOp::create(to.builder, op->getLoc(), type, slot);
}

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

static FailureOr<MatrixType> getType(Operation *op, NVVM::WGMMATypes type) {
  using Type = NVVM::WGMMATypes;
  static const std::pair<Type, MatrixType> known[] = {
      {Type::f16, MatrixType::F16},   {Type::bf16, MatrixType::BF16},
      {Type::tf32, MatrixType::TF32}, {Type::e4m3, MatrixType::E4M3},
      {Type::e5m2, MatrixType::E5M2}, {Type::s8, MatrixType::S8},
      {Type::u8, MatrixType::U8},     {Type::f32, MatrixType::F32},
      {Type::s32, MatrixType::S32}};
  for (auto [from, to] : known)
    if (type == from)
      return to;
  return op->emitOpError() << "the simulator has no wgmma of "
                           << NVVM::stringifyWGMMATypes(type);
}

static FailureOr<ProductKind> describeWgmma(NVVM::WgmmaMmaAsyncOp op) {
  FailureOr<MatrixType> a = getType(op, op.getTypeA());
  FailureOr<MatrixType> b = getType(op, op.getTypeB());
  FailureOr<MatrixType> d = getType(op, op.getTypeD());
  if (failed(a) || failed(b) || failed(d))
    return failure();
  ProductKind kind = {};
  kind.n = op.getShape().getN();
  kind.typeA = static_cast<uint32_t>(*a);
  kind.typeB = static_cast<uint32_t>(*b);
  kind.typeD = static_cast<uint32_t>(*d);
  kind.accumulates = op.getScaleD() == NVVM::WGMMAScaleOut::one;
  kind.negatesA = op.getScaleA() == NVVM::WGMMAScaleIn::neg;
  kind.negatesB = op.getScaleB() == NVVM::WGMMAScaleIn::neg;
  kind.isATransposed = op.getLayoutA() == NVVM::MMALayout::col;
  kind.isBTransposed = op.getLayoutB() == NVVM::MMALayout::row;
  bool isHalf = *a == MatrixType::F16 || *a == MatrixType::BF16;
  if (!isHalf && (kind.isATransposed || kind.isBTransposed))
    return op.emitOpError("only 16-bit matrices may be transposed in a wgmma");
  if (op.getSatfinite() &&
      *op.getSatfinite() == NVVM::MMAIntOverflow::satfinite)
    return op.emitOpError("the simulator has no wgmma that saturates");
  return kind;
}

static LogicalResult translateWgmma(Translator &to, Operation *op) {
  auto product = cast<NVVM::WgmmaMmaAsyncOp>(op);
  FailureOr<ProductKind> kind = describeWgmma(product);
  if (failed(kind))
    return failure();
  auto type = cast<LLVM::LLVMStructType>(product.getInouts().getType());
  unsigned expected = kind->n / (kind->d() == MatrixType::F16 ? 4 : 2);
  for (Type element : type.getBody())
    if (!element.isF32() && !element.isInteger(32))
      return op->emitOpError("the simulator expects accumulators in 32-bit "
                             "registers, found ")
             << element;
  if (type.getBody().size() != expected)
    return op->emitOpError("expected ")
           << expected << " registers, found " << type.getBody().size();
  Value slot = to.slot(op, type);
  LLVM::StoreOp::create(to.builder, op->getLoc(), product.getInouts(), slot);
  to.call(op, "kfuse_sim_wgmma", {},
          {product.getDescriptorA(), product.getDescriptorB(), slot,
           to.constant(op, expected), passKind(to, op, *kind), to.site(op)});
  Translator::replace(op, load(to, op, type, slot));
  return success();
}

static LogicalResult translateWgmmaFence(Translator &to, Operation *op) {
  to.call(op, "kfuse_sim_wgmma_fence", {}, {to.site(op)});
  Translator::erase(op);
  return success();
}

static LogicalResult translateWgmmaCommit(Translator &to, Operation *op) {
  to.call(op, "kfuse_sim_wgmma_commit", {}, {to.site(op)});
  Translator::erase(op);
  return success();
}

static LogicalResult translateWgmmaWait(Translator &to, Operation *op) {
  int64_t count = cast<NVVM::WgmmaWaitGroupSyncOp>(op).getGroup();
  to.call(op, "kfuse_sim_wgmma_wait", {},
          {to.constant(op, count), to.site(op)});
  Translator::erase(op);
  return success();
}

/// Inline PTX that ties registers to a wait; what else there is, the LLVM IR's
/// part of the translation knows or refuses.
static LogicalResult translateTie(Translator &to, Operation *op) {
  std::optional<Tie> tie = getTie(op);
  if (!tie)
    return success();
  if (tie->wait)
    to.call(op, "kfuse_sim_wgmma_wait", {},
            {to.constant(op, *tie->wait), to.site(op)});
  if (!op->getNumOperands()) {
    Translator::erase(op);
    return success();
  }
  Value slot = passValues(to, op, op->getOperands());
  to.call(op, "kfuse_sim_wgmma_registers", {},
          {slot, to.constant(op, op->getNumOperands()),
           to.constant(op, tie->isFixed), to.site(op)});
  if (op->getNumResults())
    Translator::replace(op, load(to, op, op->getResult(0).getType(), slot));
  else
    Translator::erase(op);
  return success();
}

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix and mma.sync
//===----------------------------------------------------------------------===//

template <typename Op>
static LogicalResult checkMatrices(Op op) {
  bool isPlain = op.getShape().getM() == 8 && op.getShape().getN() == 8 &&
                 op.getEltType() == NVVM::LdStMatrixEltType::B16;
  if (isPlain)
    return success();
  return op.emitOpError("the simulator moves 8 by 8 matrices of 16 bits only");
}

static LogicalResult translateLoadMatrix(Translator &to, Operation *op) {
  auto matrix = cast<NVVM::LdMatrixOp>(op);
  if (failed(checkMatrices(matrix)))
    return failure();
  Type type = matrix.getRes().getType();
  Value slot = to.slot(op, type);
  to.call(op, "kfuse_sim_ldmatrix", {},
          {matrix.getPtr(), slot, to.constant(op, matrix.getNum()),
           to.constant(op, matrix.getLayout() == NVVM::MMALayout::col),
           to.site(op)});
  Translator::replace(op, load(to, op, type, slot));
  return success();
}

static LogicalResult translateStoreMatrix(Translator &to, Operation *op) {
  auto matrix = cast<NVVM::StMatrixOp>(op);
  if (failed(checkMatrices(matrix)))
    return failure();
  Value slot = passValues(to, op, matrix.getSources());
  to.call(op, "kfuse_sim_stmatrix", {},
          {matrix.getPtr(), slot, to.constant(op, matrix.getSources().size()),
           to.constant(op, matrix.getLayout() == NVVM::MMALayout::col),
           to.site(op)});
  Translator::erase(op);
  return success();
}

static FailureOr<MatrixType> getType(Operation *op, NVVM::MMATypes type) {
  using Type = NVVM::MMATypes;
  static const std::pair<Type, MatrixType> known[] = {
      {Type::f16, MatrixType::F16},   {Type::bf16, MatrixType::BF16},
      {Type::tf32, MatrixType::TF32}, {Type::e4m3, MatrixType::E4M3},
      {Type::e5m2, MatrixType::E5M2}, {Type::s8, MatrixType::S8},
      {Type::u8, MatrixType::U8},     {Type::f32, MatrixType::F32},
      {Type::s32, MatrixType::S32},   {Type::f64, MatrixType::F64}};
  for (auto [from, to] : known)
    if (type == from)
      return to;
  return op->emitOpError() << "the simulator has no mma of "
                           << NVVM::stringifyMMATypes(type);
}

static FailureOr<ProductKind> describeMma(NVVM::MmaOp op) {
  if (!op.getMultiplicandAPtxType() || !op.getMultiplicandBPtxType())
    return op.emitOpError("expected the types of the operands");
  FailureOr<MatrixType> a = getType(op, *op.getMultiplicandAPtxType());
  FailureOr<MatrixType> b = getType(op, *op.getMultiplicandBPtxType());
  FailureOr<MatrixType> c = getType(op, op.accumPtxType());
  FailureOr<MatrixType> d = getType(op, op.resultPtxType());
  if (failed(a) || failed(b) || failed(c) || failed(d))
    return failure();
  bool isPlain = op.getLayoutA() == NVVM::MMALayout::row &&
                 op.getLayoutB() == NVVM::MMALayout::col &&
                 op.getShape().getN() == 8 && *c == *d &&
                 op.getOperandB().size() <= 3;
  bool isSmall = op.getShape().getM() == 8 && *a == MatrixType::F16;
  if (!isPlain || isSmall)
    return op.emitOpError("the simulator does not know this shape or layout of "
                          "mma.sync");
  ProductKind kind = {};
  kind.typeA = static_cast<uint32_t>(*a);
  kind.typeB = static_cast<uint32_t>(*b);
  kind.typeD = static_cast<uint32_t>(*d);
  kind.isTall = op.getShape().getM() == 16;
  kind.kRegisters = op.getOperandB().size();
  kind.saturates =
      op.getIntOverflowBehavior() == NVVM::MMAIntOverflow::satfinite;
  return kind;
}

static LogicalResult translateMma(Translator &to, Operation *op) {
  auto mma = cast<NVVM::MmaOp>(op);
  FailureOr<ProductKind> kind = describeMma(mma);
  if (failed(kind))
    return failure();
  Type type = mma.getRes().getType();
  Value result = to.slot(op, type);
  to.call(op, "kfuse_sim_mma", {},
          {passValues(to, op, mma.getOperandA()),
           passValues(to, op, mma.getOperandB()),
           passValues(to, op, mma.getOperandC()), result,
           passKind(to, op, *kind), to.site(op)});
  Translator::replace(op, load(to, op, type, result));
  return success();
}

void addMatrixHandlers(Handlers &handlers) {
  handlers["nvvm.wgmma.mma_async"] = translateWgmma;
  handlers["nvvm.wgmma.fence.aligned"] = translateWgmmaFence;
  handlers["nvvm.wgmma.commit.group.sync.aligned"] = translateWgmmaCommit;
  handlers["nvvm.wgmma.wait.group.sync.aligned"] = translateWgmmaWait;
  handlers["nvvm.ldmatrix"] = translateLoadMatrix;
  handlers["nvvm.stmatrix"] = translateStoreMatrix;
  handlers["nvvm.mma.sync"] = translateMma;
  handlers["llvm.inline_asm"] = translateTie;
}

} // namespace kfuse::sim
