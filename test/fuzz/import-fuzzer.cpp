//===- import-fuzzer.cpp - random programs for the graph builder ----------===//
/// \file
/// libFuzzer target. The input is the JSON of a program, optionally followed by
/// a line `---` and that of a weights config, as for pt2-reader-fuzzer. What
/// the reader accepts becomes a module that verifies, or an error.

#include "../../unittests/Import/TestZip.h"
#include "kfuse/Import/Import.h"
#include "kfuse/Import/Reader.h"
#include "mlir/IR/Diagnostics.h"

#include <cstdlib>

using namespace mlir;
using namespace mlir::kfuse;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  constexpr std::string_view separator = "\n---\n";
  size_t at = text.find(separator);
  std::string config = R"({"config": {}})";
  if (at != std::string::npos)
    config = text.substr(at + separator.size());
  std::string zip =
      pt2::makeZip({{"r/models/model.json", text.substr(0, at)},
                    {"r/data/weights/model_weights_config.json", config},
                    {"r/archive_format", "pt2"},
                    {"r/archive_version", "0"},
                    {"r/byteorder", "little"}});
  auto archive = pt2::Archive::fromMemory(pt2::getBytes(zip));
  if (!archive)
    return 0;
  pt2::ReadOptions options;
  options.allowMissingWeights = true;
  auto program = pt2::readProgram(*archive, options);
  if (!program)
    return 0;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  bool hasError = false;
  context.getDiagEngine().registerHandler([&](Diagnostic &) {
    hasError = true;
    return success();
  });
  OwningOpRef<ModuleOp> module = importProgram(*program, &context);
  if (!module && !hasError)
    std::abort();
  return 0;
}
