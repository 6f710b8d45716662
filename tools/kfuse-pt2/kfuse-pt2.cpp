//===- kfuse-pt2.cpp - shows what is in an exported program ---------------===//
/// \file
/// Reads a `.pt2` archive, or a folder with the layout of one, and prints its
/// import form or a summary. For looking at programs and for tests; compiling
/// is `kfuse-compile`.

#include "kfuse/Dialect/Kfuse/IR/Kfuse.h"
#include "kfuse/Import/Import.h"
#include "kfuse/Import/Reader.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/ToolOutputFile.h"

#include <chrono>

using namespace mlir;
using namespace mlir::kfuse;
using namespace llvm;

namespace {
/// Made in main and not static: the dist build has all tools in one binary.
struct CommandLine {
  cl::opt<std::string> inputPath{cl::Positional, cl::Required,
                                 cl::desc("<program.pt2>")};
  cl::opt<std::string> outputPath{"o", cl::desc("Output file"),
                                  cl::value_desc("file"), cl::init("-")};
  cl::opt<std::string> modelName{"model",
                                 cl::desc("Program of the archive (default: "
                                          "the only one, or 'model')"),
                                 cl::value_desc("name")};
  cl::opt<bool> allowMissingWeights{
      "allow-missing-weights",
      cl::desc("Accept an archive whose weights are missing or empty")};
  cl::opt<bool> summary{"summary",
                        cl::desc("Print counts instead of the import form")};
  cl::opt<bool> printLocations{"locations", cl::desc("Print source locations")};
  cl::opt<bool> printTime{
      "time", cl::desc("Print milliseconds to read and to import, to stderr")};
};
} // namespace

static double getMilliseconds() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch())
      .count();
}

static void printSummary(const pt2::Program &program, ModuleOp module,
                         raw_ostream &os) {
  os << "schema " << program.schemaMajor << "." << program.schemaMinor
     << ", torch " << program.torchVersion << "\n";
  os << program.inputs.size() << " inputs, " << program.outputs.size()
     << " results, " << program.payloads.size() << " weights and constants, "
     << program.graph.nodes.size() << " nodes\n";
  MapVector<StringRef, unsigned> counts;
  module.walk([&](AtenOp op) { ++counts[op.getTarget()]; });
  SmallVector<std::pair<StringRef, unsigned>> sorted(counts.begin(),
                                                     counts.end());
  llvm::sort(sorted, [](auto &a, auto &b) {
    return std::tie(b.second, a.first) < std::tie(a.second, b.first);
  });
  for (auto &[target, count] : sorted)
    os << count << " " << target << "\n";
}

static int run(const CommandLine &line) {
  pt2::ReadOptions options;
  options.modelName = line.modelName;
  options.allowMissingWeights = line.allowMissingWeights;
  double start = getMilliseconds();
  pt2::Result<pt2::Program> program = pt2::readProgram(line.inputPath, options);
  if (!program) {
    errs() << "error: " << program.message() << "\n";
    return 1;
  }
  for (const std::string &warning : program->warnings)
    errs() << "warning: " << line.inputPath << ": " << warning << "\n";
  double afterRead = getMilliseconds();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = importProgram(*program, &context);
  if (!module)
    return 1;
  if (line.printTime)
    errs() << llvm::format("read %.1f ms, import %.1f ms\n", afterRead - start,
                           getMilliseconds() - afterRead);
  std::error_code error;
  ToolOutputFile output(line.outputPath, error, llvm::sys::fs::OF_None);
  if (error) {
    errs() << "error: cannot write '" << line.outputPath
           << "': " << error.message() << "\n";
    return 1;
  }
  if (line.summary) {
    printSummary(*program, *module, output.os());
  } else {
    OpPrintingFlags flags;
    if (line.printLocations)
      flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
    module->print(output.os(), flags);
  }
  output.keep();
  return 0;
}

int main(int argc, char **argv) {
  CommandLine line;
  cl::ParseCommandLineOptions(argc, argv,
                              "shows what is in an exported program\n");
  return run(line);
}
