//===- TileFusions.cpp - kernels of scheduled fusions ---------------------===//
/// One kernel for each variant of each fusion; equal fusions share kernels.
/// How a kernel is built is in the files TileFusions*.cpp.

#include "TileFusionsEmit.h"
#include "kfuse/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MD5.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::tile;

namespace mlir::kfuse {
#define GEN_PASS_DEF_TILEFUSIONSPASS
#include "kfuse/Transforms/Passes.h.inc"
} // namespace mlir::kfuse

/// Text of what decides a fusion's code.
static std::string getFingerprint(FusionOp fusion) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << fusion->getOperandTypes() << "->" << fusion->getResultTypes();
  for (Operation &op : fusion.getBody().front()) {
    op.print(os, OpPrintingFlags().useLocalScope());
    os << '\n';
  }
  return text;
}

/// The last operators of the fusion, for people who read profiles.
static std::string getReadablePart(FusionOp fusion) {
  SmallVector<StringRef> names;
  for (Operation &op : fusion.getGeneric().front()) {
    auto aten = dyn_cast<AtenOp>(op);
    if (!aten)
      continue;
    StringRef name = aten.getTarget();
    name = name.substr(name.rfind(':') + 1);
    names.push_back(name.take_until([](char c) { return c == '.'; }));
  }
  std::string result;
  for (StringRef name : ArrayRef(names).take_back(3))
    for (char c : ("_" + name).str())
      result += llvm::isAlnum(c) ? c : '_';
  return result;
}

static std::string getKernelName(FusionOp fusion) {
  StringRef kind =
      stringifyFusionKind(fusion.getKind().value_or(FusionKind::Pointwise));
  auto digest =
      llvm::MD5::hash(llvm::arrayRefFromStringRef(getFingerprint(fusion)));
  return (kind + getReadablePart(fusion) + "_" + digest.digest().substr(0, 10))
      .str();
}

/// An empty kernel with one pointer for each operand and result, and one for
/// scratch memory.
static gpu::GPUFuncOp createKernel(OpBuilder &builder, FusionOp fusion,
                                   ScheduleAttr schedule, StringRef name) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext(), 1);
  SmallVector<Type> parameters(
      fusion->getNumOperands() + fusion->getNumResults() + 1, pointer);
  auto kernel = gpu::GPUFuncOp::create(builder, fusion.getLoc(), name,
                                       builder.getFunctionType(parameters, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                  builder.getUnitAttr());
  kernel.setKnownBlockSizeAttr(builder.getDenseI32ArrayAttr(
      {static_cast<int32_t>(schedule.getThreads()), 1, 1}));
  return kernel;
}

/// Kernels have 4 KiB of parameters on all architectures.
static constexpr size_t maxParameters = 4096 / 8;

/// ptxas begins many loads early when several tensors are read in granules, and
/// then few blocks fit. Where it does not, a limit makes it use all that is
/// allowed: softmax went from 56 to 80 registers and from 97 to 94 % of a copy.
static void limitRegisters(gpu::GPUFuncOp kernel, ScheduleAttr schedule) {
  if (schedule.getKind() != "row" || schedule.getLoop())
    return;
  llvm::SmallPtrSet<Value, 4> pointers;
  kernel.walk([&](TileLoadOp load) {
    if (load.getCovered())
      pointers.insert(load.getPointer());
  });
  int64_t blocks = 640 / schedule.getThreads();
  if (pointers.size() > 1 && blocks > 1)
    kernel->setAttr("nvvm.minctasm", Builder(kernel).getI32IntegerAttr(blocks));
}

/// Fills the kernel of one variant and returns the variant, or why not.
static FailureOr<VariantAttr>
emitVariant(FusionOp fusion, const BodyShapes &shapes, ScheduleAttr schedule,
            gpu::GPUFuncOp kernel, int64_t &scratchBytes, std::string &why) {
  Facts facts;
  for (GuardAttr guard : schedule.getGuards()) {
    if (guard.isDivisible())
      facts.addDivisible(guard.getLhs(), guard.getBytes());
    if (guard.isLe() && guard.getLhs().getConstant())
      facts.addAtLeast(guard.getRhs(), *guard.getLhs().getConstant());
  }
  Block &entry = kernel.getBody().front();
  OpBuilder builder = OpBuilder::atBlockEnd(&entry);
  gpu::ReturnOp end = gpu::ReturnOp::create(builder, fusion.getLoc());
  builder.setInsertionPoint(end);
  Emitter emitter(fusion, shapes, schedule, kernel, builder, facts,
                  schedule.getVector());
  FailureOr<LaunchShape> shape = failure();
  bool isEmpty = llvm::all_of(fusion->getResultTypes(), [](Type type) {
    return getLayout(type).getNumElements().isConstant(0);
  });
  if (isEmpty) {
    // A grid of no blocks is not launched.
    ExprAttr one = emitter.indices.getExpr(1);
    shape = LaunchShape{{emitter.indices.getExpr(0), one, one},
                        schedule.getThreads()};
  } else if (schedule.getKind() == "pointwise")
    shape = emitPointwise(emitter);
  else if (schedule.getKind() == "row" || schedule.getKind() == "column")
    shape = emitReduction(emitter);
  else if (schedule.getKind() == "transpose")
    shape = emitTranspose(emitter);
  else
    (void)emitter.fail("schedule kind '" + schedule.getKind() + "'");
  if (failed(shape)) {
    why = emitter.error;
    return failure();
  }
  scratchBytes = std::max(scratchBytes, shape->scratchBytes);
  IRRewriter rewriter(builder);
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  (void)runRegionDCE(rewriter, kernel->getRegions());
  limitRegisters(kernel, schedule);
  SmallVector<int64_t> tensors = emitter.finishParameters();
  if (tensors.size() + emitter.getScalars().size() > maxParameters) {
    why = "more parameters than a kernel can have";
    return failure();
  }
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  auto symbol = SymbolRefAttr::get(
      module.getNameAttr(), FlatSymbolRefAttr::get(kernel.getNameAttr()));
  return VariantAttr::get(fusion.getContext(), symbol, tensors,
                          emitter.getScalars(), shape->grid, shape->block,
                          /*shared_bytes=*/0, schedule.getGuards());
}

namespace {
class TileFusions : public kfuse::impl::TileFusionsPassBase<TileFusions> {
public:
  void runOnOperation() override {
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp fusion) {
      if (fusion.getSchedules())
        fusions.push_back(fusion);
    });
    for (FusionOp fusion : fusions)
      tileFusion(fusion);
  }

private:
  void tileFusion(FusionOp fusion);
  /// What a launch of the fusion needs; no variants where it was refused.
  struct Kernels {
    ArrayAttr variants;
    int64_t scratchBytes = 0;
  };
  Kernels emitVariants(FusionOp fusion, StringRef name);
  void refuse(FusionOp fusion, const Twine &why);

  /// By name and schedules.
  std::map<std::pair<std::string, const void *>, Kernels> known;
  std::string reason;
};
} // namespace

/// The fusion stays and runs as its generic form.
void TileFusions::refuse(FusionOp fusion, const Twine &why) {
  fusion->setAttr("kfuse.refused", StringAttr::get(&getContext(), why));
  remark::missed(
      fusion.getLoc(),
      remark::RemarkOpts::name("kfuse-tile-fusions").category("kfuse-fallback"))
      << why.str();
}

TileFusions::Kernels TileFusions::emitVariants(FusionOp fusion,
                                               StringRef name) {
  FailureOr<BodyShapes> shapes = BodyShapes::compute(fusion);
  reason = "sizes of the body are unknown";
  if (failed(shapes))
    return {};
  ModuleOp module = getOperation();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto kernels = gpu::GPUModuleOp::create(builder, fusion.getLoc(), name);
  SymbolTable(module).insert(kernels);
  SmallVector<Attribute> variants;
  int64_t scratchBytes = 0;
  auto schedules = fusion.getSchedulesAttr().getAsRange<ScheduleAttr>();
  for (auto [i, schedule] : llvm::enumerate(schedules)) {
    // After a variant that needs no more guards this one is never reached.
    ArrayRef<GuardAttr> guards = schedule.getGuards();
    bool isReached = llvm::none_of(variants, [guards](Attribute variant) {
      return llvm::all_of(cast<VariantAttr>(variant).getGuards(),
                          [guards](GuardAttr guard) {
                            return llvm::is_contained(guards, guard);
                          });
    });
    if (!isReached)
      continue;
    builder.setInsertionPointToEnd(kernels.getBody());
    std::string kernelName = (kernels.getName() + "_" + Twine(i)).str();
    gpu::GPUFuncOp kernel = createKernel(builder, fusion, schedule, kernelName);
    FailureOr<VariantAttr> variant =
        emitVariant(fusion, *shapes, schedule, kernel, scratchBytes, reason);
    if (succeeded(variant)) {
      variants.push_back(*variant);
      continue;
    }
    kernel.erase();
    // Only the catch-all must exist.
    if (i + 1 == fusion.getSchedulesAttr().size()) {
      variants.clear();
      break;
    }
  }
  if (variants.empty()) {
    kernels.erase();
    return {};
  }
  return {builder.getArrayAttr(variants), scratchBytes};
}

void TileFusions::tileFusion(FusionOp fusion) {
  std::string name = getKernelName(fusion);
  auto [it, inserted] =
      known.try_emplace({name, fusion.getSchedulesAttr().getAsOpaquePointer()});
  if (inserted)
    it->second = emitVariants(fusion, name);
  ArrayAttr variants = it->second.variants;
  if (!variants)
    return refuse(fusion, reason);
  OpBuilder builder(fusion);
  auto launch =
      LaunchOp::create(builder, fusion.getLoc(), fusion->getResultTypes(), name,
                       fusion.getOperands(), variants, fusion.getKindAttr());
  if (int64_t bytes = it->second.scratchBytes)
    launch->setAttr("kfuse.scratch_bytes", builder.getI64IntegerAttr(bytes));
  launch.getGeneric().takeBody(fusion.getGeneric());
  if (Attribute cost = fusion->getAttr("kfuse.cost"))
    launch->setAttr("kfuse.cost", cost);
  fusion->replaceAllUsesWith(launch->getResults());
  remark::passed(
      launch.getLoc(),
      remark::RemarkOpts::name("kfuse-tile-fusions").category("kfuse-tiling"))
      << remark::metric("Kernel", name)
      << remark::metric("Variants", static_cast<int>(variants.size()));
  fusion.erase();
}
