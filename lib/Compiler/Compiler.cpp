//===- Compiler.cpp - from an exported program to a package ---------------===//
/// Runs the phases one by one and keeps what a package needs from them.

#include "kfuse/Compiler/Compiler.h"
#include "AnnotateCosts.h"
#include "EmitKernels.h"
#include "MarkExactLaunches.h"
#include "MarkMutations.h"
#include "RemarkCollector.h"
#include "RemoveDead.h"
#include "kfuse/Analysis/TargetInfo.h"
#include "kfuse/Import/Import.h"
#include "kfuse/Import/Reader.h"
#include "kfuse/Runtime/ABI.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include <chrono>

using namespace mlir;
using namespace mlir::kfuse;

std::string kfuse::getProducer() { return "kfuse " KFUSE_VERSION; }

static std::string getCodeKinds(const CompileOptions &options) {
  using SimulatorCode = CompileOptions::SimulatorCode;
  if (options.simulator == SimulatorCode::Only)
    return "ir";
  std::string kinds = options.ptxas.empty() ? "ptx" : "cubin";
  return options.simulator == SimulatorCode::None ? kinds : kinds + ",ir";
}

std::string kfuse::getCacheKey(const CompileOptions &options) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "producer: " << getProducer() << "\n"
     << "package: " << KFUSE_PACKAGE_VERSION << "\n"
     << "targets: " << llvm::join(options.targets, ",") << "\n"
     << "numerics: " << options.numerics << "\n"
     << "weights: " << (options.referenceWeights ? "reference" : "embed")
     << "\n"
     << "model: " << options.modelName << "\n"
     << "code: " << getCodeKinds(options) << "\n";
  return text;
}

/// Attribute of a module: the last phase that it has been through.
static constexpr StringLiteral kPhaseAttr = "kfuse.phase";

namespace {
class Compilation {
public:
  Compilation(const CompileOptions &options, MLIRContext &context)
      : options(options), context(context) {}

  LogicalResult run();

private:
  LogicalResult checkOptions();
  LogicalResult prepareDumps();
  LogicalResult readInput();
  LogicalResult checkPhase();
  LogicalResult readProgram(StringRef path);
  LogicalResult runPhase(Phase phase);
  LogicalResult emit();
  LogicalResult writeModule(StringRef path);
  LogicalResult writeText(StringRef path, StringRef text);
  /// Writes a file of the dump folder, if there is one.
  LogicalResult dump(const Twine &name, StringRef text);
  LogicalResult dumpRemarks();
  InFlightDiagnostic error() { return emitError(UnknownLoc::get(&context)); }
  bool isDone(Phase phase) const { return options.stopAfter == phase; }

  const CompileOptions &options;
  MLIRContext &context;
  std::shared_ptr<CollectedRemarks> remarks =
      std::make_shared<CollectedRemarks>();
  /// Owns the bytes of the weights.
  std::optional<mlir::kfuse::pt2::Program> program;
  OwningOpRef<ModuleOp> module, exported;
};

/// Times a stretch of work for the progress report.
class Stopwatch {
public:
  double getSeconds() const {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};
} // namespace

LogicalResult Compilation::checkOptions() {
  if (options.targets.empty())
    return error() << "expected at least one target, for instance sm_90a";
  for (const std::string &arch : options.targets) {
    if (TargetInfo::lookup(arch))
      continue;
    std::string known;
    for (const TargetInfo &info : TargetInfo::getAll())
      known += (known.empty() ? "" : ", ") + info.arch.str();
    return error() << "unknown target '" << arch << "', expected one of "
                   << known;
  }
  if (!llvm::is_contained({"eager", "fused", "fast"}, options.numerics))
    return error() << "unknown numerics '" << options.numerics
                   << "', expected eager, fused or fast";
  StringRef file = options.startFrom ? options.weightsFrom : options.input;
  if (options.referenceWeights && !options.stopAfter &&
      llvm::sys::fs::is_directory(file))
    return error() << "weights cannot be referred to in the folder '" << file
                   << "'; expected a .pt2 file, or embed the weights";
  if (options.startFrom && options.stopAfter &&
      *options.stopAfter <= *options.startFrom)
    return error() << "phase '" << getPhaseName(*options.stopAfter)
                   << "' to stop after does not follow '"
                   << getPhaseName(*options.startFrom) << "'";
  return success();
}

LogicalResult Compilation::writeText(StringRef path, StringRef text) {
  std::error_code code;
  llvm::ToolOutputFile file(path, code, llvm::sys::fs::OF_None);
  if (code)
    return error() << "cannot write '" << path << "': " << code.message();
  file.os() << text;
  file.os().flush();
  if (file.os().has_error()) {
    std::string message = file.os().error().message();
    file.os().clear_error();
    return error() << "cannot write '" << path << "': " << message;
  }
  file.keep();
  return success();
}

LogicalResult Compilation::dump(const Twine &name, StringRef text) {
  if (options.dumpDir.empty())
    return success();
  SmallString<128> path(options.dumpDir);
  llvm::sys::path::append(path, name);
  return writeText(path, text);
}

LogicalResult Compilation::prepareDumps() {
  if (options.dumpDir.empty())
    return success();
  if (std::error_code code = llvm::sys::fs::create_directories(options.dumpDir))
    return error() << "cannot make folder '" << options.dumpDir
                   << "': " << code.message();
  return dump("options.txt", getCacheKey(options));
}

LogicalResult Compilation::readProgram(StringRef path) {
  mlir::kfuse::pt2::ReadOptions read;
  read.modelName = options.modelName;
  // Without weights the IR can be looked at, but no package written.
  read.allowMissingWeights = options.stopAfter.has_value();
  auto result = mlir::kfuse::pt2::readProgram(path.str(), read);
  if (!result)
    return error() << result.message();
  program = std::move(*result);
  for (const std::string &warning : program->warnings)
    if (options.warn)
      options.warn(warning);
  return success();
}

/// Says on the module which phase it has been through.
static void markPhase(ModuleOp module, Phase phase) {
  module->setAttr(kPhaseAttr,
                  StringAttr::get(module.getContext(), getPhaseName(phase)));
}

/// IR of another phase than the one named would lose its fusions silently.
LogicalResult Compilation::checkPhase() {
  auto written = (*module)->getAttrOfType<StringAttr>(kPhaseAttr);
  StringRef expected = getPhaseName(*options.startFrom);
  if (!written || written == expected)
    return success();
  return error() << "'" << options.input << "' was written after the phase '"
                 << written.getValue() << "', expected '" << expected
                 << "'; use --start-from=" << written.getValue();
}

LogicalResult Compilation::readInput() {
  if (options.startFrom) {
    if (!options.weightsFrom.empty() &&
        failed(readProgram(options.weightsFrom)))
      return failure();
    ParserConfig config(&context);
    module = parseSourceFile<ModuleOp>(options.input, config);
    if (!module || failed(checkPhase()))
      return failure();
    if (options.startFrom != Phase::Import)
      return success();
  } else {
    if (failed(readProgram(options.input)))
      return failure();
    module = importProgram(*program, &context);
    if (!module)
      return failure();
  }
  markPhase(*module, Phase::Import);
  markMutatedArguments(*module);
  exported = module->clone();
  return success();
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  module.print(os, flags);
  os << "\n";
  return text;
}

LogicalResult Compilation::writeModule(StringRef path) {
  return writeText(path, print(*module));
}

LogicalResult Compilation::dumpRemarks() {
  if (options.dumpDir.empty() && options.remarksFile.empty())
    return success();
  std::string text;
  llvm::raw_string_ostream os(text);
  printRemarks(remarks->decisions, os);
  if (failed(dump("remarks.yaml", text)))
    return failure();
  if (options.remarksFile == "-")
    llvm::errs() << text;
  else if (!options.remarksFile.empty())
    return writeText(options.remarksFile, text);
  return success();
}

LogicalResult Compilation::runPhase(Phase phase) {
  Stopwatch watch;
  if (phase == Phase::Capture)
    removeDeadOperators(*module);
  PassManager manager(&context);
  PhaseOptions phaseOptions;
  phaseOptions.arch = options.targets.front();
  phaseOptions.numerics = options.numerics;
  addPhasePasses(manager, phase, phaseOptions);
  if (!options.dumpDir.empty()) {
    SmallString<128> path(options.dumpDir);
    llvm::sys::path::append(path, "reproducer.mlir");
    manager.enableCrashReproducerGeneration(path);
  }
  if (failed(manager.run(*module)))
    return error() << "phase '" << getPhaseName(phase) << "' failed";
  markPhase(*module, phase);
  if (phase == Phase::Fuse)
    annotateCosts(*module, options.targets.front());
  if (options.progress)
    options.progress(getPhaseName(phase), watch.getSeconds());
  return success();
}

LogicalResult Compilation::emit() {
  Stopwatch watch;
  FailureOr<std::vector<DeviceCode>> code = emitKernels(*module, options);
  if (failed(code))
    return failure();
  for (const DeviceCode &file : *code)
    if (failed(dump(Twine(file.arch) + "-" + file.name + "." + file.extension,
                    file.bytes)))
      return failure();
  if (options.progress)
    options.progress("emit", watch.getSeconds());

  Stopwatch packageWatch;
  markExactLaunches(*module);
  llvm::StringMap<StringRef> records;
  if (program)
    for (const auto &[name, payload] : program->payloads)
      if (payload.member)
        records[payload.path] = {
            reinterpret_cast<const char *>(payload.member->bytes.data),
            payload.member->bytes.size};
  PackageContents contents;
  contents.program = *module;
  if (exported)
    contents.exported = *exported;
  contents.code = *code;
  contents.decisions = remarks->decisions;
  contents.numerics = options.numerics;
  contents.producer = getProducer();
  contents.getRecord = [&](StringRef record) -> std::optional<StringRef> {
    auto it = records.find(record);
    if (it == records.end())
      return std::nullopt;
    return it->second;
  };
  if (options.referenceWeights)
    contents.weightsFile = llvm::sys::path::filename(
        options.startFrom ? options.weightsFrom : options.input);
  if (failed(writePackage(contents, options.output)))
    return failure();
  if (options.progress)
    options.progress("package", packageWatch.getSeconds());
  return success();
}

LogicalResult Compilation::run() {
  if (failed(checkOptions()) || failed(prepareDumps()) ||
      failed(collectRemarks(context, remarks)))
    return failure();
  Stopwatch watch;
  if (failed(readInput()))
    return failure();
  if (options.progress)
    options.progress("import", watch.getSeconds());
  for (auto [index, phase] : llvm::enumerate(getPhases())) {
    bool isInput = options.startFrom ? phase == *options.startFrom
                                     : phase == Phase::Import;
    if (phase == Phase::Emit ||
        (options.startFrom && !isInput && phase < *options.startFrom))
      continue;
    if (!isInput && failed(runPhase(phase))) {
      (void)dumpRemarks();
      return failure();
    }
    std::string number = (index < 10 ? "0" : "") + std::to_string(index);
    if (!options.dumpDir.empty() &&
        failed(
            dump(number + "-" + getPhaseName(phase) + ".mlir", print(*module))))
      return failure();
    if (isDone(phase)) {
      if (failed(dumpRemarks()))
        return failure();
      return writeModule(options.output);
    }
  }
  if (failed(dumpRemarks()))
    return failure();
  return emit();
}

LogicalResult kfuse::compile(const CompileOptions &options,
                             MLIRContext &context) {
  return Compilation(options, context).run();
}
