//===- Sites.cpp - where operations are and what they touch ---------------===//

#include "Sites.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace kfuse::sim {

/// Places without repetition, in the order of their first appearance.
static void gatherPlaces(Location loc, std::vector<std::string> &places) {
  auto add = [&](std::string place) {
    if (!llvm::is_contained(places, place))
      places.push_back(std::move(place));
  };
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations())
      gatherPlaces(part, places);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    gatherPlaces(call.getCallee(), places);
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    add(("'" + name.getName().getValue() + "'").str());
  } else if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    add((file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
         Twine(file.getColumn()))
            .str());
  }
}

std::string describeLocation(Location loc) {
  std::vector<std::string> places;
  gatherPlaces(loc, places);
  constexpr size_t most = 8;
  std::string text = llvm::join(ArrayRef(places).take_front(most), ", ");
  if (places.size() > most)
    text += " and " + std::to_string(places.size() - most) + " more";
  return text;
}

static Space getSpace(Type pointer) {
  switch (cast<LLVM::LLVMPointerType>(pointer).getAddressSpace()) {
  case 1:
    return Space::Global;
  case 3:
  case 7:
    return Space::Shared;
  case 4:
    return Space::Constant;
  case 5:
    return Space::Local;
  default:
    return Space::Generic;
  }
}

/// What an address is made of: a pointer parameter of a kernel or a shared
/// variable.
static int32_t findObject(Value address, const Kernel *kernel) {
  if (!kernel)
    return Site::noObject;
  for (;;) {
    if (auto argument = dyn_cast<BlockArgument>(address)) {
      Block *block = argument.getOwner();
      return block->isEntryBlock() &&
                     isa<LLVM::LLVMFuncOp>(block->getParentOp())
                 ? static_cast<int32_t>(argument.getArgNumber())
                 : Site::noObject;
    }
    Operation *op = address.getDefiningOp();
    if (auto gep = dyn_cast<LLVM::GEPOp>(op)) {
      address = gep.getBase();
    } else if (auto cast = dyn_cast<LLVM::AddrSpaceCastOp>(op)) {
      address = cast.getArg();
    } else if (auto variable = dyn_cast<LLVM::AddressOfOp>(op)) {
      for (auto [i, shared] : llvm::enumerate(kernel->shared))
        if (variable.getGlobalName() == shared.name)
          return -1 - static_cast<int32_t>(i);
      return Site::noObject;
    } else {
      return Site::noObject;
    }
  }
}

namespace {
/// The memory that an operation touches.
struct Touched {
  Value address;
  Type type;
  unsigned alignment = 0; ///< 0: that of the type
  bool isVolatile = false;
};
} // namespace

static Touched getTouched(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return {load.getAddr(), load.getType(),
            static_cast<unsigned>(load.getAlignment().value_or(0)),
            load.getVolatile_()};
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return {store.getAddr(), store.getValue().getType(),
            static_cast<unsigned>(store.getAlignment().value_or(0)),
            store.getVolatile_()};
  if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op))
    return {atomic.getPtr(), atomic.getType()};
  if (auto exchange = dyn_cast<LLVM::AtomicCmpXchgOp>(op))
    return {exchange.getPtr(), exchange.getVal().getType()};
  return {};
}

/// The address in global memory of a copy; its other side is in shared memory.
static Value getGlobalSide(Operation *op) {
  if (auto copy = dyn_cast<NVVM::CpAsyncOp>(op))
    return copy.getSrc();
  if (auto copy = dyn_cast<NVVM::CpAsyncBulkGlobalToSharedClusterOp>(op))
    return copy.getSrcMem();
  if (auto copy = dyn_cast<NVVM::CpAsyncBulkSharedCTAToGlobalOp>(op))
    return copy.getDstMem();
  return {};
}

/// Bytes that a load or store of a type touches: of three elements, three.
static uint32_t getBytes(Type type, const DataLayout &layout) {
  if (auto vector = dyn_cast<VectorType>(type))
    return llvm::divideCeil(
        vector.getNumElements() *
            layout.getTypeSizeInBits(vector.getElementType()).getFixedValue(),
        8);
  return layout.getTypeSize(type).getFixedValue();
}

/// Of a fence or an atomic.
static Scope getScope(Operation *op) {
  if (isa<NVVM::FenceScClusterOp>(op))
    return Scope::Cluster;
  if (auto barrier = dyn_cast<NVVM::MembarOp>(op))
    return barrier.getScope() == NVVM::MemScopeKind::CTA       ? Scope::Block
           : barrier.getScope() == NVVM::MemScopeKind::CLUSTER ? Scope::Cluster
                                                               : Scope::Device;
  auto name = op->getAttrOfType<StringAttr>("syncscope");
  return llvm::StringSwitch<Scope>(name ? name.getValue() : "")
      .Case("singlethread", Scope::Thread)
      .Case("block", Scope::Block)
      .Case("cluster", Scope::Cluster)
      .Default(Scope::Device);
}

static Site makeSite(Operation *op, const Kernel *kernel,
                     const DataLayout &layout) {
  Site site;
  site.operation = op->getName().getStringRef().str();
  site.place = describeLocation(op->getLoc());
  if (Value global = getGlobalSide(op))
    site.object = findObject(global, kernel);
  site.scope = getScope(op);
  Touched touched = getTouched(op);
  if (touched.address) {
    site.space = getSpace(touched.address.getType());
    site.bytes = getBytes(touched.type, layout);
    // A vector of PTX is aligned as a whole only where the operation says so.
    unsigned natural = layout.getTypeABIAlignment(touched.type);
    site.alignment = touched.alignment ? touched.alignment : natural;
    site.object = findObject(touched.address, kernel);
    site.isVolatile = touched.isVolatile;
    site.isGranule = op->hasAttr("kfuse.granule");
  }
  return site;
}

void collectSites(ModuleOp module,
                  const llvm::DenseMap<Operation *, Kernel *> &kernels,
                  std::vector<Site> &sites) {
  DataLayout layout(module);
  Builder builder(module.getContext());
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    const Kernel *kernel = kernels.lookup(function);
    function.walk([&](Operation *op) {
      bool isHeard = isa_and_nonnull<NVVM::NVVMDialect>(op->getDialect()) ||
                     getTouched(op).address ||
                     isa<LLVM::Trap, LLVM::InlineAsmOp, LLVM::FenceOp>(op);
      if (!isHeard)
        return;
      op->setAttr(siteAttr, builder.getI32IntegerAttr(sites.size()));
      sites.push_back(makeSite(op, kernel, layout));
    });
  }
}

} // namespace kfuse::sim
