//===- Device.cpp - the simulator as a device table -----------------------===//

#include "Jit.h"
#include "Machine/Machine.h"
#include "Machine/TensorMap.h"
#include "kfuse/Runtime/Simulator.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <cstring>
#include <mutex>

using namespace mlir;

namespace kfuse::sim {

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
/// The options of launches that begin, and where their strings live.
struct Options {
  std::mutex mutex;
  KfuseSimOptions values = {};
  std::string libdevice;
};

struct SimModule {
  std::unique_ptr<JitModule> code;
};

/// A kernel that may be launched.
struct SimFunction {
  const Kernel *kernel;
};

struct SimDevice {
  std::mutex mutex;
  /// Allocations, for launches that do not say what their pointers are.
  std::map<char *, int64_t> allocations;
  std::vector<std::unique_ptr<SimModule>> modules;
  std::vector<std::unique_ptr<SimFunction>> functions;
};
} // namespace

static Options &getOptions() {
  static Options options;
  return options;
}

static int32_t fail(KfuseDeviceError *error, const std::string &message) {
  error->code = 1;
  snprintf(error->message, sizeof(error->message), "%s", message.c_str());
  return error->code;
}

static SimDevice &get(void *device) {
  return *static_cast<SimDevice *>(device);
}

//===----------------------------------------------------------------------===//
// Memory, streams and events
//===----------------------------------------------------------------------===//

static int32_t open(int32_t index, void **device, KfuseDeviceInfo *info,
                    KfuseDeviceError *error) {
  if (index != 0)
    return fail(error, "expected simulator 0, found " + std::to_string(index));
  *device = new SimDevice;
  *info = KfuseDeviceInfo();
  snprintf(info->name, sizeof(info->name), "kfuse simulator");
  snprintf(info->arch, sizeof(info->arch), "%s", KFUSE_SIMULATOR_ARCH);
  info->processors = 1;
  return 0;
}
static void close(void *device) { delete static_cast<SimDevice *>(device); }
static int32_t enter(void *, void **, KfuseDeviceError *) { return 0; }
static void leave(void *, void *) {}

static int32_t allocate(void *device, int64_t bytes, void **pointer,
                        KfuseDeviceError *error) {
  constexpr size_t alignment = KFUSE_ARENA_ALIGNMENT;
  size_t rounded = llvm::alignTo(std::max<int64_t>(bytes, 1), alignment);
  *pointer = aligned_alloc(alignment, rounded);
  if (!*pointer)
    return fail(error, "cannot allocate " + std::to_string(bytes) + " bytes");
  // Not a number in any type.
  memset(*pointer, 0xFF, rounded);
  std::lock_guard<std::mutex> lock(get(device).mutex);
  get(device).allocations[static_cast<char *>(*pointer)] = bytes;
  return 0;
}
static void release(void *device, void *pointer) {
  {
    std::lock_guard<std::mutex> lock(get(device).mutex);
    get(device).allocations.erase(static_cast<char *>(pointer));
  }
  free(pointer);
}
static int32_t copy(void *, void *to, const void *from, int64_t bytes, void *,
                    KfuseDeviceError *) {
  memmove(to, from, bytes);
  return 0;
}
static int32_t fill(void *, void *to, uint8_t byte, int64_t bytes, void *,
                    KfuseDeviceError *) {
  memset(to, byte, bytes);
  return 0;
}

static int32_t synchronize(void *, void *, KfuseDeviceError *) { return 0; }
static int32_t createStream(void *, void **stream, KfuseDeviceError *) {
  *stream = nullptr;
  return 0;
}
static void destroyStream(void *, void *) {}
static int32_t createEvent(void *, void **event, KfuseDeviceError *) {
  *event = nullptr;
  return 0;
}
static void destroyEvent(void *, void *) {}
static int32_t onEvent(void *, void *, void *, KfuseDeviceError *) { return 0; }
static int32_t elapsed(void *, void *, void *, double *,
                       KfuseDeviceError *error) {
  return fail(error, "the simulator has no times");
}
static int32_t beginCapture(void *, void *, KfuseDeviceError *error) {
  return fail(error, "the simulator captures no graphs");
}
static int32_t endCapture(void *, void *, int32_t, void **,
                          KfuseDeviceError *error) {
  return fail(error, "the simulator captures no graphs");
}
static int32_t launchGraph(void *, void *, void *, KfuseDeviceError *error) {
  return fail(error, "the simulator captures no graphs");
}
static void destroyGraph(void *, void *) {}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static std::string getLibdevice() {
  Options &options = getOptions();
  std::lock_guard<std::mutex> lock(options.mutex);
  return options.libdevice;
}

/// The one `gpu.module` of an image, which is bytecode or text.
static OwningOpRef<ModuleOp> parseImage(StringRef image, MLIRContext &context) {
  DialectRegistry registry;
  registry.insert<gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect,
                  DLTIDialect>();
  context.appendDialectRegistry(registry);
  context.allowUnregisteredDialects();
  context.loadAllAvailableDialects();
  return parseSourceString<ModuleOp>(image, ParserConfig(&context));
}

static int32_t loadModule(void *device, const void *image, int64_t bytes,
                          void **module, KfuseDeviceError *error) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (messages.empty()) {
      llvm::raw_string_ostream stream(messages);
      stream << diagnostic.getLocation() << ": " << diagnostic;
    }
    return success();
  });
  OwningOpRef<ModuleOp> parsed =
      parseImage(StringRef(static_cast<const char *>(image), bytes), context);
  if (!parsed)
    return fail(error, "the kernels' IR cannot be read: " + messages);
  auto kernels = parsed->getOps<gpu::GPUModuleOp>();
  if (!llvm::hasSingleElement(kernels))
    return fail(error, "expected one gpu.module in the kernels' IR");
  FailureOr<TranslatedModule> translated = translate(*kernels.begin());
  if (failed(translated))
    return fail(error, "the kernels cannot be simulated: " + messages);
  JitOptions options;
  options.libdevice = getLibdevice();
  {
    std::lock_guard<std::mutex> lock(getOptions().mutex);
    options.optLevel = getOptions().values.optLevel;
  }
  auto code = JitModule::compile(std::move(*translated), options);
  if (!code)
    return fail(error, llvm::toString(code.takeError()));
  auto result = std::make_unique<SimModule>();
  result->code = std::move(*code);
  *module = result.get();
  std::lock_guard<std::mutex> lock(get(device).mutex);
  get(device).modules.push_back(std::move(result));
  return 0;
}

static void unloadModule(void *device, void *module) {
  SimDevice &simulator = get(device);
  std::lock_guard<std::mutex> lock(simulator.mutex);
  llvm::erase_if(simulator.modules,
                 [&](auto &known) { return known.get() == module; });
}

static int32_t getFunction(void *device, void *module, const char *entry,
                           int64_t, void **function, KfuseDeviceError *error) {
  const Kernel *kernel = static_cast<SimModule *>(module)->code->find(entry);
  if (!kernel)
    return fail(error, "there is no kernel '" + std::string(entry) + "'");
  SimDevice &simulator = get(device);
  std::lock_guard<std::mutex> lock(simulator.mutex);
  simulator.functions.push_back(
      std::make_unique<SimFunction>(SimFunction{kernel}));
  *function = simulator.functions.back().get();
  return 0;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// What the pointers of a launch may reach.
static std::vector<Region> getRegions(SimDevice &device,
                                      const KfuseLaunch &launch) {
  std::vector<Region> regions;
  if (launch.tensors) {
    for (uint32_t i = 0; i < launch.tensorCount; ++i)
      regions.push_back(
          Memory::makeRegion(launch.tensors[i], static_cast<int32_t>(i)));
    return regions;
  }
  std::lock_guard<std::mutex> lock(device.mutex);
  for (auto [begin, bytes] : device.allocations) {
    Region region;
    region.begin = begin;
    region.bytes = bytes;
    regions.push_back(region);
  }
  return regions;
}

static std::string describe(const Kernel &kernel, SiteId id) {
  if (id == noSite)
    return "";
  const Site &site = (*kernel.sites)[id];
  return site.operation + (site.place.empty() ? "" : " at " + site.place);
}

static void tell(const KfuseSimOptions &options, const Kernel &kernel,
                 const Finding &finding) {
  std::string place = describe(kernel, finding.site);
  std::string other = describe(kernel, finding.otherSite);
  KfuseSimFinding told = {};
  told.kind = finding.kind;
  told.kernel = kernel.name.c_str();
  told.message = finding.message.c_str();
  told.place = place.c_str();
  told.other = finding.otherSite == noSite ? nullptr : other.c_str();
  told.thread = finding.thread;
  told.otherThread = finding.otherThread;
  told.address = finding.address;
  told.argument = finding.argument;
  told.bytes = finding.bytes;
  told.count = finding.count;
  options.sink(options.user, &told);
}

static int32_t launch(void *device, const KfuseLaunch *what,
                      KfuseDeviceError *error) {
  const Kernel &kernel = *static_cast<SimFunction *>(what->function)->kernel;
  KfuseSimOptions options;
  {
    std::lock_guard<std::mutex> lock(getOptions().mutex);
    options = getOptions().values;
  }
  if (kernel.paramCount != what->paramCount)
    return fail(error, "expected " + std::to_string(kernel.paramCount) +
                           " parameters, found " +
                           std::to_string(what->paramCount));
  LaunchConfig config;
  memcpy(config.grid, what->grid, sizeof(config.grid));
  memcpy(config.block, what->block, sizeof(config.block));
  config.dynamicSharedBytes = what->sharedBytes;
  config.params = what->params;
  config.regions = getRegions(get(device), *what);
  config.timing = options.timing;
  config.seed = options.seed;
  config.isFast = options.isFast;
  config.maxSwitches = options.maxSwitches;
  Findings findings;
  Failure failure = Machine::get().launch(kernel, config, findings);
  if (!failure.empty())
    return fail(error, failure);
  if (findings.isEmpty())
    return 0;
  const Finding &first = findings.all().front();
  if (!options.sink)
    return fail(error, std::string(getKindName(first.kind)) + ": " +
                           first.message + " (" + describe(kernel, first.site) +
                           ")");
  for (const Finding &finding : findings.all())
    tell(options, kernel, finding);
  return 0;
}

} // namespace kfuse::sim

//===----------------------------------------------------------------------===//
// C API
//===----------------------------------------------------------------------===//

using namespace kfuse::sim;

extern "C" int32_t kfuse_sim_configure(const KfuseSimOptions *options,
                                       KfuseDeviceError *error) {
  if (!options || options->structSize != sizeof(KfuseSimOptions))
    return fail(error, "expected options of " +
                           std::to_string(sizeof(KfuseSimOptions)) + " bytes");
  if (options->optLevel < 0 || options->optLevel > 3)
    return fail(error, "expected an optimization level of 0 to 3, found " +
                           std::to_string(options->optLevel));
  Options &current = getOptions();
  std::lock_guard<std::mutex> lock(current.mutex);
  current.values = *options;
  current.libdevice = options->libdevice ? options->libdevice : "";
  return 0;
}

extern "C" int32_t kfuse_sim_encode_tensor_map(const KfuseSimTensorMap *from,
                                               void *map,
                                               KfuseDeviceError *error) {
  if (!from || from->structSize != sizeof(KfuseSimTensorMap))
    return fail(error, "expected a description of " +
                           std::to_string(sizeof(KfuseSimTensorMap)) +
                           " bytes");
  TensorMap made;
  std::string wrong = encodeTensorMap(*from, made);
  if (!wrong.empty())
    return fail(error, wrong);
  memset(map, 0, 128);
  memcpy(map, &made, sizeof(made));
  return 0;
}

extern "C" const KfuseDeviceTable *kfuse_sim_device_table(uint32_t version) {
  static const KfuseDeviceTable table = {KFUSE_DEVICE_VERSION,
                                         sizeof(KfuseDeviceTable),
                                         "sim",
                                         KFUSE_CPU,
                                         /*wantsTensors=*/1,
                                         open,
                                         close,
                                         enter,
                                         leave,
                                         allocate,
                                         release,
                                         copy,
                                         fill,
                                         loadModule,
                                         unloadModule,
                                         getFunction,
                                         launch,
                                         synchronize,
                                         createStream,
                                         destroyStream,
                                         createEvent,
                                         destroyEvent,
                                         onEvent,
                                         onEvent,
                                         elapsed,
                                         beginCapture,
                                         endCapture,
                                         launchGraph,
                                         destroyGraph};
  return version == KFUSE_DEVICE_VERSION ? &table : nullptr;
}

extern "C" const char *kfuse_sim_kind_name(KfuseSimKind kind) {
  return getKindName(kind);
}
