//===- EmitKernels.cpp - device code of all kernels -----------------------===//

#include "EmitKernels.h"
#include "kfuse/Runtime/ABI.h"
#include "kfuse/Target/PTX.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;
using namespace mlir::kfuse;

/// Few enough files to load fast, enough to keep some cores busy. The number
/// must not depend on the machine: it is part of the output.
static constexpr size_t kMaxFiles = 4;
static constexpr size_t kModulesPerFile = 8;

static bool isKernel(Operation *op) {
  return op->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()) ||
         op->hasAttr("nvvm.kernel");
}

/// Gives `symbol` a name that `target` does not have.
static LogicalResult makeUnique(Operation *symbol, gpu::GPUModuleOp source,
                                SymbolTable &target) {
  std::string base = SymbolTable::getSymbolName(symbol).str();
  unsigned number = 0;
  std::string name = base;
  while (target.lookup(name) || SymbolTable::lookupSymbolIn(source, name))
    name = base + "_" + std::to_string(number++);
  auto attr = StringAttr::get(symbol->getContext(), name);
  if (failed(SymbolTable::replaceAllSymbolUses(symbol, attr, source)))
    return symbol->emitOpError("cannot be renamed");
  SymbolTable::setSymbolName(symbol, attr);
  return success();
}

/// Moves what is in `source` into `target`.
static LogicalResult mergeModule(gpu::GPUModuleOp source, SymbolTable &table) {
  auto target = cast<gpu::GPUModuleOp>(table.getOp());
  SmallVector<Operation *> ops;
  for (Operation &op : source.getBody()->getOperations())
    ops.push_back(&op);
  for (Operation *op : ops) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (Operation *other = symbol ? table.lookup(symbol.getName()) : nullptr) {
      auto declared = dyn_cast<FunctionOpInterface>(op);
      if (declared && declared.isExternal() && isa<FunctionOpInterface>(other))
        continue;
      if (isKernel(op))
        return op->emitOpError("is a second kernel of that name");
      if (failed(makeUnique(op, source, table)))
        return failure();
    }
    op->remove();
    if (symbol)
      table.insert(op);
    else
      target.getBody()->push_back(op);
  }
  return success();
}

/// Gathers the kernel modules of a copy of `module` in a few.
static LogicalResult gatherModules(ModuleOp module,
                                   SmallVectorImpl<gpu::GPUModuleOp> &result) {
  SmallVector<gpu::GPUModuleOp> sources(module.getOps<gpu::GPUModuleOp>());
  if (sources.empty())
    return success();
  size_t count =
      std::min(kMaxFiles, llvm::divideCeil(sources.size(), kModulesPerFile));
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  for (size_t i = 0; i < count; ++i) {
    auto target = gpu::GPUModuleOp::create(builder, module.getLoc(),
                                           "kernels" + std::to_string(i));
    for (NamedAttribute attr : sources.front()->getDiscardableAttrs())
      target->setAttr(attr.getName(), attr.getValue());
    result.push_back(target);
  }
  for (auto [i, target] : llvm::enumerate(result)) {
    SymbolTable table(target);
    size_t begin = sources.size() * i / count;
    size_t end = sources.size() * (i + 1) / count;
    for (gpu::GPUModuleOp source :
         ArrayRef(sources).slice(begin, end - begin)) {
      if (failed(mergeModule(source, table)))
        return failure();
      source.erase();
    }
  }
  return success();
}

static std::vector<std::string> getEntries(gpu::GPUModuleOp module) {
  std::vector<std::string> entries;
  for (Operation &op : module.getBody()->getOperations())
    if (isKernel(&op))
      entries.push_back(SymbolTable::getSymbolName(&op).str());
  return entries;
}

namespace {
/// ptxas at work on one file.
struct Assembly {
  size_t code;
  std::string error;
  std::string cubin, log;
};
} // namespace

/// The number before `unit` in a line of ptxas, 0 when there is none.
static int64_t getNumberBefore(StringRef line, StringRef unit) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return 0;
  StringRef head = line.take_front(end).rtrim();
  int64_t number = 0;
  if (head.take_back(head.size() - (head.find_last_not_of("0123456789") + 1))
          .getAsInteger(10, number))
    return 0;
  return number;
}

/// Reads what `ptxas -v` prints about each kernel.
static std::vector<std::pair<std::string, KernelResources>>
parseResources(StringRef log) {
  std::vector<std::pair<std::string, KernelResources>> result;
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    if (line.contains("Compiling entry function")) {
      StringRef name = line.split('\'').second.split('\'').first;
      result.push_back({name.str(), {}});
    }
    if (result.empty())
      continue;
    KernelResources &used = result.back().second;
    used.spilledBytes += getNumberBefore(line, " bytes spill stores") +
                         getNumberBefore(line, " bytes spill loads");
    if (!line.contains("Used "))
      continue;
    used.registers = getNumberBefore(line, " registers");
    used.sharedBytes = getNumberBefore(line, " bytes smem");
  }
  llvm::sort(result, llvm::less_first());
  return result;
}

/// Runs ptxas on all PTX, in parallel where the context has threads.
static LogicalResult assemble(ModuleOp module, const CompileOptions &options,
                              std::vector<DeviceCode> &codes) {
  std::vector<Assembly> work;
  for (size_t i = 0; i < codes.size(); ++i)
    work.push_back({i, "", "", ""});
  auto run = [&](Assembly &item) {
    const DeviceCode &code = codes[item.code];
    llvm::Expected<std::string> cubin = ::kfuse::target::assemblePTX(
        code.bytes, code.arch, options.ptxas, &item.log);
    if (cubin)
      item.cubin = std::move(*cubin);
    else
      item.error = llvm::toString(cubin.takeError());
  };
  MLIRContext *context = module.getContext();
  if (context->isMultithreadingEnabled()) {
    llvm::ThreadPoolTaskGroup group(context->getThreadPool());
    for (Assembly &item : work)
      group.async([&] { run(item); });
    group.wait();
  } else {
    llvm::for_each(work, run);
  }
  for (Assembly &item : work) {
    DeviceCode cubin = codes[item.code];
    if (!item.error.empty())
      return emitError(UnknownLoc::get(context))
             << "kernels for " << cubin.arch << ": " << item.error;
    cubin.extension = "cubin";
    cubin.bytes = std::move(item.cubin);
    cubin.resources = parseResources(item.log);
    codes.push_back(std::move(cubin));
  }
  return success();
}

/// The kernels as they are after the phase `lower`, with their locations.
static FailureOr<DeviceCode> emitIR(gpu::GPUModuleOp kernels) {
  OwningOpRef<ModuleOp> file =
      ModuleOp::create(UnknownLoc::get(kernels.getContext()));
  file->push_back(kernels.clone());
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  if (failed(
          writeBytecodeToFile(*file, os, BytecodeWriterConfig(getProducer()))))
    return kernels.emitError("cannot be written as bytecode");
  return DeviceCode{KFUSE_SIMULATOR_ARCH, kernels.getName().str(), "mlirbc",
                    std::move(bytes),     getEntries(kernels),     {}};
}

/// PTX of all kernels for all targets.
static LogicalResult emitPTX(ArrayRef<gpu::GPUModuleOp> modules,
                             const CompileOptions &options,
                             std::vector<DeviceCode> &codes) {
  for (const std::string &arch : options.targets)
    for (gpu::GPUModuleOp kernels : modules) {
      ::kfuse::target::PTXOptions ptx;
      ptx.arch = arch;
      ptx.libdevicePath = options.libdevice;
      FailureOr<std::string> text = ::kfuse::target::emitPTX(kernels, ptx);
      if (failed(text))
        return failure();
      codes.push_back({arch,
                       kernels.getName().str(),
                       "ptx",
                       std::move(*text),
                       getEntries(kernels),
                       {}});
    }
  return success();
}

FailureOr<std::vector<DeviceCode>>
mlir::kfuse::emitKernels(ModuleOp module, const CompileOptions &options) {
  using SimulatorCode = CompileOptions::SimulatorCode;
  OwningOpRef<ModuleOp> copy = module.clone();
  SmallVector<gpu::GPUModuleOp> modules;
  if (failed(gatherModules(*copy, modules)))
    return failure();
  std::vector<DeviceCode> codes;
  if (options.simulator != SimulatorCode::Only) {
    if (failed(emitPTX(modules, options, codes)))
      return failure();
    if (!options.ptxas.empty() && failed(assemble(*copy, options, codes)))
      return failure();
  }
  if (options.simulator == SimulatorCode::None)
    return codes;
  for (gpu::GPUModuleOp kernels : modules) {
    FailureOr<DeviceCode> code = emitIR(kernels);
    if (failed(code))
      return failure();
    codes.push_back(std::move(*code));
  }
  return codes;
}
