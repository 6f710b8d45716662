//===- CommandLine.cpp - options that several tools have ------------------===//
#include "CommandLine.h"

#include <CLI/CLI.hpp>

namespace kfuse {

static uint64_t parseSeed(const std::string &text) {
  char *end = nullptr;
  uint64_t seed = strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end)
    throw CLI::ValidationError(
        "--random-inputs", "'" + text + "' is not a seed, expected a number");
  return seed;
}

void addInputOptions(CLI::App &app, Options &options) {
  app.add_option("package", options.package, "The .kfuse file")->required();
  app.add_option("--input,-i", options.inputs,
                 "name=file.npy or name=number; name:bf16=file.npy reads the "
                 "file's bits as that dtype");
  app.add_option("--sample-inputs", options.sampleInputs,
                 "The .pt2 file of the export: take the sample inputs in it "
                 "for those not given by --input");
  app.add_option("--symbol", options.symbols,
                 options.takesManySizes
                     ? "name=number: a size for --random-inputs; name=1,7,16 "
                       "runs with each, several symbols with all combinations"
                     : "name=number: a size for --random-inputs");
  app.add_flag("--random-inputs{0}", options.randomInputs,
               "Make up missing inputs; --random-inputs=N sets the seed");
  app.parse_complete_callback([&] {
    if (app.count("--random-inputs"))
      options.randomSeed = parseSeed(options.randomInputs);
  });
  app.add_option("--random-int-limit", options.randomIntLimit,
                 "Random integers are below this number");
}

void addLibraryOptions(CLI::App &app, Options &options) {
  app.add_option("--provider", options.provider,
                 "Library with the ATen operators");
  app.add_option("--weights", options.weights,
                 "File or folder with weights that the package refers to");
  app.add_option("--simulator", options.simulator,
                 "Library of the simulator (default: libkfuse_sim.so beside "
                 "the runtime)");
}

} // namespace kfuse
