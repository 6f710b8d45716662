//===- kfuse-compile.cpp - exported program to package --------------------===//
/// The command line of the compiler.

#include "FindCuda.h"
#include "kfuse/Compiler/Compiler.h"
#include "kfuse/Compiler/Registration.h"
#include "kfuse/Runtime/ABI.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
namespace cl = llvm::cl;

namespace {
/// All options, in one object so that none is global.
struct CommandLine {
  cl::OptionCategory category{"kfuse-compile options"};
  cl::opt<std::string> input{cl::Positional, cl::Required,
                             cl::desc("<model.pt2>"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::value_desc("file"),
                              cl::desc("Package to write (default: the input "
                                       "with the extension .kfuse)"),
                              cl::cat(category)};
  cl::list<std::string> targets{
      "target", cl::CommaSeparated, cl::value_desc("sm_90a,sm_80,..."),
      cl::desc("GPU architectures; kernels are scheduled for the first "
               "(default: sm_90a). 'sim' alone packs the kernels' IR and no "
               "GPU code, 'sim' among others is --simulator"),
      cl::cat(category)};
  cl::opt<std::string> numerics{
      "numerics", cl::init("fused"), cl::value_desc("eager|fused|fast"),
      cl::desc("Numerics contract: keep every rounding of eager PyTorch; "
               "compute in f32 within a kernel (default); also use "
               "approximate instructions"),
      cl::cat(category)};
  cl::opt<std::string> model{"model", cl::value_desc("name"),
                             cl::desc("Program of an archive with several"),
                             cl::cat(category)};
  cl::opt<std::string> stopAfter{
      "stop-after", cl::value_desc("phase"),
      cl::desc("Write the IR after this phase instead of a package"),
      cl::cat(category)};
  cl::opt<std::string> startFrom{
      "start-from", cl::value_desc("phase"),
      cl::desc("The input is IR that --stop-after=<phase> wrote"),
      cl::cat(category)};
  cl::opt<std::string> weights{
      "weights", cl::init("embed"), cl::value_desc("embed|reference"),
      cl::desc("Copy the weights into the package (default), or name them as "
               "members of the .pt2 file beside it"),
      cl::cat(category)};
  cl::opt<std::string> weightsFrom{
      "weights-from", cl::value_desc("model.pt2"),
      cl::desc("With --start-from: the exported program with the weights"),
      cl::cat(category)};
  cl::opt<std::string> ptxas{
      "ptxas", cl::value_desc("path"),
      cl::desc("ptxas; searched for in KFUSE_PTXAS, CUDA_HOME, PATH and Python "
               "packages. 'none' packages PTX"),
      cl::cat(category)};
  cl::opt<std::string> simulator{
      "simulator", cl::ValueOptional, cl::value_desc("also|only"),
      cl::desc("Pack the kernels' IR, which kfuse-sim runs without a GPU: "
               "beside the GPU's code (default), or nothing else"),
      cl::cat(category)};
  cl::opt<std::string> libdevice{
      "libdevice", cl::value_desc("path"),
      cl::desc("libdevice.10.bc with the math functions"), cl::cat(category)};
  cl::opt<std::string> dumpDir{
      "dump-dir", cl::value_desc("folder"),
      cl::desc("Write the IR after each phase, PTX, remarks and options here, "
               "and a reproducer on failure"),
      cl::cat(category)};
  cl::opt<std::string> remarks{
      "remarks", cl::ValueOptional, cl::value_desc("file"),
      cl::desc("Write the compiler's decisions as YAML (default: to stderr)"),
      cl::cat(category)};
  cl::opt<bool> verbose{"v", cl::desc("Report each phase and its time"),
                        cl::cat(category)};
  cl::opt<unsigned> threads{
      "j", cl::init(0), cl::value_desc("n"),
      cl::desc("Threads to use (default: one a core); the result is the same"),
      cl::cat(category)};
};
} // namespace

static constexpr StringLiteral kProgram = "kfuse-compile";

static int reportError(const Twine &message) {
  llvm::WithColor::error(llvm::errs(), kProgram) << message << "\n";
  return 1;
}

static std::string getOverview() {
  std::string text =
      "kfuse compiler: an exported PyTorch program (.pt2) to a package "
      "(.kfuse)\n\nExample: kfuse-compile model.pt2 --target=sm_90a -o "
      "model.kfuse\n\nPhases, for --stop-after and --start-from:\n";
  for (kfuse::Phase phase : kfuse::getPhases())
    text += llvm::formatv("  {0,-14} {1}\n", kfuse::getPhaseName(phase),
                          kfuse::getPhaseDescription(phase));
  return text;
}

/// Parses a phase name into `phase`; empty leaves it unset.
static bool parsePhase(StringRef name, std::optional<kfuse::Phase> &phase) {
  if (name.empty())
    return true;
  phase = kfuse::parsePhase(name);
  if (phase)
    return true;
  std::string known;
  for (kfuse::Phase other : kfuse::getPhases())
    known += (known.empty() ? "" : ", ") + kfuse::getPhaseName(other).str();
  reportError("unknown phase '" + name + "', expected one of " + known);
  return false;
}

/// Reads --target and --simulator; false after a message.
static bool readTargets(const CommandLine &line,
                        kfuse::CompileOptions &options) {
  using SimulatorCode = kfuse::CompileOptions::SimulatorCode;
  std::vector<std::string> targets(line.targets.begin(), line.targets.end());
  bool hasSimulator =
      llvm::is_contained(targets, StringRef(KFUSE_SIMULATOR_ARCH));
  llvm::erase(targets, KFUSE_SIMULATOR_ARCH);
  if (hasSimulator)
    options.simulator =
        targets.empty() ? SimulatorCode::Only : SimulatorCode::Beside;
  if (!targets.empty())
    options.targets = std::move(targets);
  if (!line.simulator.getNumOccurrences())
    return true;
  if (line.simulator == "only")
    options.simulator = SimulatorCode::Only;
  else if (line.simulator.empty() || line.simulator == "also")
    options.simulator = SimulatorCode::Beside;
  else {
    reportError("unknown value '" + line.simulator.getValue() +
                "' of --simulator, expected also or only");
    return false;
  }
  return true;
}

static std::string getDefaultOutput(const CommandLine &line, bool isModule) {
  if (isModule)
    return "-";
  StringRef base = line.input.getValue();
  base.consume_back(".pt2");
  base.consume_back(".mlir");
  return base.str() + ".kfuse";
}

/// False after a message when a file that is written is one that is read.
static bool checkFiles(const kfuse::CompileOptions &options) {
  for (StringRef written :
       {StringRef(options.output), StringRef(options.remarksFile)})
    for (StringRef read :
         {StringRef(options.input), StringRef(options.weightsFrom)}) {
      bool isSame = false;
      if (written.empty() || read.empty() || written == "-" ||
          llvm::sys::fs::equivalent(written, read, isSame) || !isSame)
        continue;
      reportError("'" + written +
                  "' is the exported program itself; name "
                  "another file to write to");
      return false;
    }
  return true;
}

/// Fills `options`; false after a message.
static bool readCommandLine(const CommandLine &line, const char *argv0,
                            kfuse::CompileOptions &options) {
  if (!parsePhase(line.stopAfter, options.stopAfter) ||
      !parsePhase(line.startFrom, options.startFrom))
    return false;
  if (options.stopAfter == kfuse::Phase::Emit)
    options.stopAfter.reset();
  if (options.startFrom == kfuse::Phase::Emit) {
    reportError("nothing follows the phase 'emit'");
    return false;
  }
  if (line.weights != "embed" && line.weights != "reference") {
    reportError("unknown value '" + line.weights.getValue() +
                "' of --weights, expected embed or reference");
    return false;
  }
  options.input = line.input;
  options.output = line.output.empty()
                       ? getDefaultOutput(line, options.stopAfter.has_value())
                       : line.output.getValue();
  options.modelName = line.model;
  if (!readTargets(line, options))
    return false;
  options.numerics = line.numerics;
  options.referenceWeights = line.weights == "reference";
  options.weightsFrom = line.weightsFrom;
  options.dumpDir = line.dumpDir;
  if (line.remarks.getNumOccurrences())
    options.remarksFile = line.remarks.empty() ? "-" : line.remarks.getValue();
  if (!checkFiles(options))
    return false;
  options.libdevice = findLibdevice(line.libdevice, argv0);
  if (line.ptxas == "none" ||
      options.simulator == kfuse::CompileOptions::SimulatorCode::Only)
    return true;
  options.ptxas = findPtxas(line.ptxas);
  if (!options.ptxas.empty() && !llvm::sys::fs::can_execute(options.ptxas)) {
    reportError("'" + options.ptxas + "' is not a program; expected ptxas");
    return false;
  }
  if (options.ptxas.empty() && !options.stopAfter)
    llvm::WithColor::warning(llvm::errs(), kProgram)
        << "no ptxas found: the package has PTX, which the driver compiles at "
           "every start; name one with --ptxas\n";
  return true;
}

/// Prints diagnostics as lines of this program.
static LogicalResult printDiagnostic(Diagnostic &diagnostic) {
  raw_ostream *os = &llvm::errs();
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    os = &llvm::WithColor::error(llvm::errs(), kProgram);
    break;
  case DiagnosticSeverity::Warning:
    os = &llvm::WithColor::warning(llvm::errs(), kProgram);
    break;
  case DiagnosticSeverity::Note:
    os = &llvm::WithColor::note(llvm::errs(), kProgram);
    break;
  case DiagnosticSeverity::Remark:
    os = &llvm::WithColor::remark(llvm::errs(), kProgram);
    break;
  }
  Location location = diagnostic.getLocation();
  if (!isa<UnknownLoc>(location))
    *os << "at " << location << ": ";
  *os << diagnostic.str() << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    (void)printDiagnostic(note);
  return success();
}

/// LLVM's libraries register options of their own, some with names that the
/// phases need (`stop-after`).
static void removeLibraryOptions() {
  SmallVector<cl::Option *> options;
  for (auto &entry : cl::getRegisteredOptions())
    if (!llvm::is_contained(entry.second->Categories,
                            &cl::getGeneralCategory()))
      continue;
    else
      options.push_back(entry.second);
  for (cl::Option *option : options)
    option->removeArgument();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();

  removeLibraryOptions();
  CommandLine line;
  cl::HideUnrelatedOptions(line.category);
  cl::SetVersionPrinter(
      [](raw_ostream &os) { os << kfuse::getProducer() << "\n"; });
  cl::ParseCommandLineOptions(argc, argv, getOverview());
  kfuse::CompileOptions options;
  if (!readCommandLine(line, argv[0], options))
    return 1;
  if (line.verbose)
    options.progress = [](StringRef phase, double seconds) {
      llvm::errs() << llvm::formatv("{0,-14} {1,8:f3} s\n", phase, seconds);
    };
  options.warn = [](StringRef text) {
    llvm::WithColor::warning(llvm::errs(), kProgram) << text << "\n";
  };

  DialectRegistry registry;
  kfuse::registerDialects(registry);
  MLIRContext context(registry, line.threads == 1
                                    ? MLIRContext::Threading::DISABLED
                                    : MLIRContext::Threading::ENABLED);
  std::optional<llvm::DefaultThreadPool> pool;
  if (line.threads > 1) {
    context.disableMultithreading();
    pool.emplace(llvm::hardware_concurrency(line.threads));
    context.setThreadPool(*pool);
  }
  // The IR of a kernel module is no help to a user; --dump-dir has it.
  context.printOpOnDiagnostic(false);
  ScopedDiagnosticHandler handler(&context, printDiagnostic);
  return failed(kfuse::compile(options, context)) ? 1 : 0;
}
