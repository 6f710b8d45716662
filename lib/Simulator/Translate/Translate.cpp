//===- Translate.cpp - kernels to host code -------------------------------===//

#include "Translate.h"
#include "Accumulators.h"
#include "Functions.h"
#include "Sites.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kfuse::sim {

//===----------------------------------------------------------------------===//
// Translator
//===----------------------------------------------------------------------===//

Translator::Translator(ModuleOp module, std::vector<Site> &sites)
    : builder(module.getContext()), module(module), sites(sites) {
  i1 = builder.getI1Type();
  i8 = builder.getI8Type();
  i16 = builder.getI16Type();
  i32 = builder.getI32Type();
  i64 = builder.getI64Type();
  f32 = builder.getF32Type();
  pointer = LLVM::LLVMPointerType::get(builder.getContext());
}

Value Translator::constant(Operation *at, int64_t value, Type type) {
  type = type ? type : i32;
  return LLVM::ConstantOp::create(builder, at->getLoc(), type,
                                  builder.getIntegerAttr(type, value));
}

Value Translator::call(Operation *at, StringRef name, Type result,
                       ValueRange arguments) {
  SmallVector<Type> types(arguments.getTypes());
  SmallVector<Value> values(arguments);
  for (auto [value, type] : llvm::zip(values, types))
    if (type == i1) {
      value = LLVM::ZExtOp::create(builder, at->getLoc(), i32, value);
      type = i32;
    }
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto none = LLVM::LLVMVoidType::get(builder.getContext());
    function = LLVM::LLVMFuncOp::create(
        builder, module.getLoc(), name,
        LLVM::LLVMFunctionType::get(result ? result : none, types));
  }
  auto call = LLVM::CallOp::create(builder, at->getLoc(), function, values);
  return result ? call.getResult() : Value();
}

Value Translator::site(Operation *op) {
  return LLVM::ConstantOp::create(builder, op->getLoc(), i32,
                                  op->getAttrOfType<IntegerAttr>(siteAttr));
}

Value Translator::siteFor(Operation *op) {
  if (!op->hasAttr(siteAttr)) {
    op->setAttr(siteAttr, builder.getI32IntegerAttr(sites.size()));
    Site made;
    made.operation = op->getName().getStringRef().str();
    made.place = describeLocation(op->getLoc());
    sites.push_back(std::move(made));
  }
  return site(op);
}

Site &Translator::siteOf(Operation *op) {
  return sites[op->getAttrOfType<IntegerAttr>(siteAttr).getInt()];
}

Value Translator::toBits(Operation *at, Value value, Type type) {
  Location loc = at->getLoc();
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (!isa<IntegerType>(value.getType()))
    value = LLVM::BitcastOp::create(builder, loc, builder.getIntegerType(width),
                                    value);
  if (width < type.getIntOrFloatBitWidth())
    value = LLVM::ZExtOp::create(builder, loc, type, value);
  return value;
}

Value Translator::fromBits(Operation *at, Value bits, Type type) {
  Location loc = at->getLoc();
  unsigned width = type.getIntOrFloatBitWidth();
  if (width < bits.getType().getIntOrFloatBitWidth())
    bits = LLVM::TruncOp::create(builder, loc, builder.getIntegerType(width),
                                 bits);
  if (!isa<IntegerType>(type))
    bits = LLVM::BitcastOp::create(builder, loc, type, bits);
  return bits;
}

Value Translator::slot(Operation *at, Type type) {
  OpBuilder::InsertionGuard guard(builder);
  auto function = at->getParentOfType<LLVM::LLVMFuncOp>();
  builder.setInsertionPointToStart(&function.getBody().front());
  Value one = constant(at, 1);
  return LLVM::AllocaOp::create(builder, at->getLoc(), pointer, type, one,
                                /*alignment=*/64);
}

void Translator::replace(Operation *op, ValueRange values) {
  op->replaceAllUsesWith(values);
  op->erase();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static bool isKernel(LLVM::LLVMFuncOp function) {
  return !function.isExternal() &&
         (function->hasAttr("nvvm.kernel") || function->hasAttr("gpu.kernel"));
}

static unsigned getBytes(Type type, const DataLayout &layout) {
  return layout.getTypeSize(type).getFixedValue();
}

/// Lays out the shared variables that a kernel uses, the dynamic one last.
static void layOutShared(LLVM::LLVMFuncOp function, ModuleOp module,
                         Kernel &kernel) {
  DataLayout layout(module);
  llvm::SetVector<LLVM::GlobalOp> used;
  function.walk([&](LLVM::AddressOfOp op) {
    auto global = module.lookupSymbol<LLVM::GlobalOp>(op.getGlobalName());
    if (global && global.getAddrSpace() == 3)
      used.insert(global);
  });
  uint32_t end = 0;
  std::vector<SharedVariable> dynamic;
  uint64_t dynamicAlignment = 16;
  for (LLVM::GlobalOp global : used) {
    uint32_t bytes = getBytes(global.getType(), layout);
    uint64_t alignment = std::max<uint64_t>(
        {global.getAlignment().value_or(1),
         layout.getTypeABIAlignment(global.getType()), bytes ? 1ul : 16ul});
    uint32_t begin = llvm::alignTo(end, alignment);
    SharedVariable variable = {global.getSymName().str(), begin, bytes};
    if (!bytes) {
      dynamic.push_back(variable);
      dynamicAlignment = std::max(dynamicAlignment, alignment);
      continue;
    }
    end = begin + bytes;
    kernel.shared.push_back(variable);
  }
  // Dynamic shared memory follows the rest. The window begins at a multiple of
  // 1 KiB, which swizzles of tensor maps need.
  for (SharedVariable &variable : dynamic) {
    variable.offset = llvm::alignTo(end, dynamicAlignment);
    kernel.shared.push_back(variable);
    end = variable.offset;
  }
  kernel.sharedBytes = end;
}

static Kernel describeKernel(LLVM::LLVMFuncOp function, ModuleOp module) {
  Kernel kernel;
  kernel.name = function.getSymName().str();
  kernel.paramCount = function.getNumArguments();
  auto read = [&](StringRef name) {
    auto list = function->getAttrOfType<DenseI32ArrayAttr>(name);
    return list ? list.asArrayRef() : ArrayRef<int32_t>();
  };
  for (auto [i, extent] : llvm::enumerate(read("nvvm.cluster_dim")))
    kernel.cluster[i] = extent;
  for (auto [i, extent] : llvm::enumerate(read("nvvm.reqntid")))
    kernel.block[i] = extent;
  ArrayRef<int32_t> limit = read("nvvm.maxntid");
  if (!limit.empty()) {
    kernel.maxThreads = 1;
    for (int32_t extent : limit)
      kernel.maxThreads *= extent;
  }
  layOutShared(function, module, kernel);
  return kernel;
}

namespace {
/// What is dropped from a function before the entry is made.
struct Parameters {
  std::vector<bool> isByValue;
};
} // namespace

/// Takes away what is for NVVM only.
static Parameters stripFunction(LLVM::LLVMFuncOp function) {
  Parameters parameters;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    parameters.isByValue.push_back(
        static_cast<bool>(function.getArgAttr(i, "llvm.byval")));
    function.setArgAttrs(i, ArrayRef<NamedAttribute>{});
  }
  SmallVector<StringAttr> names;
  for (NamedAttribute attr : function->getDiscardableAttrs())
    names.push_back(attr.getName());
  for (StringAttr name : names)
    function->removeDiscardableAttr(name);
  return parameters;
}

/// A function that takes the parameters as a launch gives them.
static void addEntry(Translator &to, LLVM::LLVMFuncOp function,
                     const Parameters &parameters) {
  OpBuilder &builder = to.builder;
  Location loc = function.getLoc();
  builder.setInsertionPointAfter(function);
  auto none = LLVM::LLVMVoidType::get(builder.getContext());
  auto entry = LLVM::LLVMFuncOp::create(
      builder, loc, (entryPrefix + function.getSymName()).str(),
      LLVM::LLVMFunctionType::get(none, to.pointer));
  Block *block = entry.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  SmallVector<Value> arguments;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    Value at = LLVM::GEPOp::create(builder, loc, to.pointer, to.pointer,
                                   block->getArgument(0),
                                   ArrayRef<LLVM::GEPArg>{(int32_t)i});
    Value storage = LLVM::LoadOp::create(builder, loc, to.pointer, at);
    arguments.push_back(
        parameters.isByValue[i]
            ? storage
            : LLVM::LoadOp::create(builder, loc, type, storage).getResult());
  }
  LLVM::CallOp::create(builder, loc, function, arguments);
  LLVM::ReturnOp::create(builder, loc, ValueRange());
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static void dropAddressSpaces(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [](LLVM::LLVMPointerType type) -> std::optional<Type> {
        return LLVM::LLVMPointerType::get(type.getContext());
      });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

/// Addresses of shared variables; casts between address spaces are gone.
static LogicalResult translateAddress(Translator &to, Operation *op,
                                      const Kernel *kernel) {
  if (auto cast = dyn_cast<LLVM::AddrSpaceCastOp>(op)) {
    Translator::replace(op, cast.getArg());
    return success();
  }
  auto address = cast<LLVM::AddressOfOp>(op);
  if (!kernel)
    return success();
  for (const SharedVariable &variable : kernel->shared)
    if (variable.name == address.getGlobalName()) {
      Translator::replace(op, to.call(op, "kfuse_sim_shared", to.pointer,
                                      {to.constant(op, variable.offset)}));
      return success();
    }
  return success();
}

static LogicalResult translateFunction(Translator &to,
                                       LLVM::LLVMFuncOp function,
                                       const Kernel *kernel,
                                       const Handlers &handlers) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) { ops.push_back(op); });
  resolveAccumulators(to, function);
  for (Operation *op : ops) {
    to.builder.setInsertionPoint(op);
    if (isa<LLVM::AddressOfOp, LLVM::AddrSpaceCastOp>(op)) {
      if (failed(translateAddress(to, op, kernel)))
        return failure();
      continue;
    }
    auto handler = handlers.find(op->getName().getStringRef());
    if (handler != handlers.end()) {
      if (failed(handler->second(to, op)))
        return failure();
      continue;
    }
    if (!isPlain(op))
      return op->emitOpError("the simulator does not know this operation");
  }
  return success();
}

/// The functions and variables of the kernels in a module of their own.
static OwningOpRef<ModuleOp> makeHostModule(gpu::GPUModuleOp module) {
  OwningOpRef<ModuleOp> host = ModuleOp::create(module.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(host->getBody());
  for (Operation &op : *module.getBody())
    builder.clone(op);
  return host;
}

static void dropSharedVariables(ModuleOp module) {
  for (auto global :
       llvm::make_early_inc_range(module.getOps<LLVM::GlobalOp>()))
    if (global.getAddrSpace() == 3)
      global.erase();
    else
      global.setAddrSpace(0);
}

static void registerTranslations(MLIRContext *context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  context->appendDialectRegistry(registry);
}

FailureOr<TranslatedModule> translate(gpu::GPUModuleOp module) {
  OwningOpRef<ModuleOp> host = makeHostModule(module);
  registerTranslations(host->getContext());
  std::vector<std::pair<LLVM::LLVMFuncOp, Kernel>> kernels;
  for (auto function : host->getOps<LLVM::LLVMFuncOp>())
    if (isKernel(function))
      kernels.emplace_back(function, describeKernel(function, *host));
  llvm::DenseMap<Operation *, Kernel *> byFunction;
  for (auto &[function, kernel] : kernels)
    byFunction[function] = &kernel;
  if (failed(checkFunctions(*host, byFunction)))
    return failure();
  std::vector<Site> sites;
  collectSites(*host, byFunction, sites);
  dropSharedVariables(*host);
  dropAddressSpaces(*host);

  Handlers handlers;
  addMemoryHandlers(handlers);
  addThreadHandlers(handlers);
  addAsyncHandlers(handlers);
  addMatrixHandlers(handlers);
  Translator translator(*host, sites);
  SmallVector<LLVM::LLVMFuncOp> functions(host->getOps<LLVM::LLVMFuncOp>());
  for (LLVM::LLVMFuncOp function : functions) {
    Kernel *kernel = byFunction.lookup(function);
    Parameters parameters = stripFunction(function);
    if (function.isExternal())
      continue;
    if (failed(translateFunction(translator, function, kernel, handlers)))
      return failure();
    if (kernel)
      addEntry(translator, function, parameters);
  }

  TranslatedModule result;
  result.context = std::make_unique<llvm::LLVMContext>();
  result.code = translateModuleToLLVMIR(*host, *result.context);
  if (!result.code)
    return module.emitError("cannot be translated to LLVM IR for the host");
  auto shared = std::make_shared<const std::vector<Site>>(std::move(sites));
  for (auto &[function, kernel] : kernels) {
    kernel.sites = shared;
    result.kernels.push_back(std::move(kernel));
  }
  return result;
}

} // namespace kfuse::sim
