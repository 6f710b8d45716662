//===- kfuse-run.cpp - runs a package -------------------------------------===//
#include "Bench.h"
#include "Nvtx.h"
#include "Progress.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <sys/stat.h>

using namespace kfuse;
using Json = nlohmann::ordered_json;

static void addInputOptions(CLI::App &app, Options &options,
                            std::string &seed) {
  app.add_option("package", options.package, "The .kfuse file")->required();
  app.add_option("--input,-i", options.inputs,
                 "name=file.npy or name=number; name:bf16=file.npy reads the "
                 "file's bits as that dtype");
  app.add_option("--sample-inputs", options.sampleInputs,
                 "The .pt2 file of the export: take the sample inputs in it "
                 "for those not given by --input");
  app.add_option("--symbol", options.symbols,
                 "name=number: a size for --random-inputs");
  app.add_flag("--random-inputs{0}", seed,
               "Make up missing inputs; --random-inputs=N sets the seed");
  app.add_option("--random-int-limit", options.randomIntLimit,
                 "Random integers are below this number");
}

static void addRunOptions(CLI::App &app, Options &options) {
  app.add_option("--device", options.device,
                 "cpu or cuda:N (default: cuda:0 if there is one)");
  app.add_option("--program", options.program,
                 "auto (the plan on a GPU, the exported program on the CPU), "
                 "plan or generic")
      ->check(CLI::IsMember({"auto", "plan", "generic"}));
  app.add_option("--fallback", options.fallback,
                 "What to do when something runs outside a compiled kernel "
                 "without having been planned to")
      ->check(CLI::IsMember({"allow", "warn", "deny"}));
  app.add_option("--fallback-budget", options.fallbackBudget,
                 "Fail when a run has more of these")
      ->check(CLI::PositiveNumber);
  app.add_option("--provider", options.provider,
                 "Library with the ATen operators");
  app.add_option("--weights", options.weights,
                 "File or folder with weights that the package refers to");
  app.add_option("--kill", options.kill, "Id of a launch or kernel to avoid");
  app.add_option("--kill-file", options.killFile, "File with such ids");
  app.add_option("--output-dir", options.outputFolder,
                 "Write each output to <name>.npy there");
  app.add_flag("--check", options.check,
               "Compare with the exported program, run by the provider");
  app.add_option("--tolerance", options.tolerance,
                 "Largest difference for --check, relative to the largest "
                 "expected magnitude");
  app.add_option("--runs", options.runs, "Number of runs")
      ->check(CLI::PositiveNumber);
  app.add_flag("--cuda-graph", options.cudaGraph,
               "Capture the run and replay it");
  app.add_flag("--reserve", options.reserve,
               "Set memory aside before the first run, for the sizes of "
               "--symbol and otherwise the largest that are declared");
  app.add_flag("--verify", options.verify,
               "Compare the package with its checksums first");
}

static void addReportOptions(CLI::App &app, Options &options) {
  app.add_flag("--bench", options.bench, "Measure times");
  app.add_flag("--bench-host", options.benchHost,
               "Measure the host's time for a call beside that for bare "
               "launches of the same kernels");
  app.add_flag("--bench-open", options.benchOpen,
               "Measure how long opening the package takes, step by step");
  app.add_option("--iterations", options.iterations,
                 "Measured runs (--bench-host: rounds of runs, --bench-open: "
                 "times to open)")
      ->check(CLI::PositiveNumber);
  app.add_option("--warmup", options.warmup, "Runs before measuring");
  app.add_flag("--nvtx{auto}", options.nvtx,
               "Mark runs and their steps with NVTX ranges; --nvtx=FILE names "
               "the library");
  app.add_flag("--stats", options.stats, "Print counters and fallbacks");
  app.add_flag("--json", options.json, "Print everything as JSON");
}

static uint64_t parseSeed(const std::string &text) {
  char *end = nullptr;
  uint64_t seed = strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end)
    fail("'" + text + "' is not a seed, expected a number");
  return seed;
}

static KfuseDevice chooseDevice(const Options &options) {
  if (options.device.empty()) {
    if (kfuse_cuda_device_count() > 0)
      return {KFUSE_CUDA, 0};
    bool isPlan = options.program == "plan";
    std::cerr << "kfuse-run: no GPU found, running "
              << (isPlan ? "the operators behind the plan"
                         : "the exported operators")
              << " on the CPU\n";
    return {KFUSE_CPU, 0};
  }
  if (options.device == "cpu")
    return {KFUSE_CPU, 0};
  if (options.device == "cuda")
    return {KFUSE_CUDA, 0};
  if (options.device.compare(0, 5, "cuda:") == 0) {
    char *end = nullptr;
    long index = strtol(options.device.c_str() + 5, &end, 10);
    if (end != options.device.c_str() + 5 && !*end && index >= 0)
      return {KFUSE_CUDA, static_cast<int32_t>(index)};
  }
  fail("unknown device '" + options.device + "', expected cpu or cuda:N");
}

static void writeOutputs(const Options &options,
                         const std::vector<HostValue> &outputs) {
  if (mkdir(options.outputFolder.c_str(), 0777) != 0 && errno != EEXIST)
    fail("cannot make the folder '" + options.outputFolder + "'",
         KFUSE_IO_ERROR);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].isTensor)
      continue;
    std::string name = outputs[i].name;
    std::replace(name.begin(), name.end(), '/', '_');
    writeNpy(options.outputFolder + "/" + name + ".npy", outputs[i].tensor);
  }
}

static Json describeOutputs(const std::vector<HostValue> &outputs) {
  Json rows = Json::array();
  for (const HostValue &output : outputs) {
    Json row;
    row["name"] = output.name;
    if (output.isTensor) {
      row["dtype"] = kfuse_dtype_name(output.tensor.dtype);
      row["sizes"] = output.tensor.sizes;
    } else if (output.scalar.kind == KFUSE_SCALAR_FLOAT) {
      row["value"] = output.scalar.value.f;
    } else {
      row["value"] = output.scalar.value.i;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

namespace {
/// A package on a device with its inputs, ready to run.
struct Subject {
  explicit Subject(const Options &options);

  Options options;
  PackageHandle package;
  std::vector<HostValue> inputs;
  DeviceSession device;
  LaunchRecorder recorder;
  WeightsHandle weights;
  DeviceInputs deviceInputs;
  Runner runner;
  std::unique_ptr<GraphHandle> graph;
};
} // namespace

static PackageHandle openPackage(const Options &options) {
  PackageHandle package(options.package);
  if (options.verify)
    package.verify();
  return package;
}

Subject::Subject(const Options &options)
    : options(options), package(openPackage(options)),
      inputs(makeInputs(options, package.get())), device(chooseDevice(options)),
      recorder(*device.table),
      weights(package, device.device,
              options.weights.empty() ? nullptr : options.weights.c_str(),
              recorder.table()),
      deviceInputs(device, inputs),
      runner(options, package, weights, chooseProgram(options), device) {
  if (!options.nvtx.empty())
    runner.context.trace(openNvtx(options.nvtx));
  if (options.reserve)
    runner.context.reserve(symbolLimits(options, package.get()).data(),
                           /*withOutputs=*/true, device.stream);
}

static void runOften(const char *what, int runs, Runner &runner,
                     DeviceInputs &inputs) {
  Progress progress(what, runs);
  for (int i = 0; i < runs; ++i) {
    runner.run(inputs);
    progress.step();
  }
}

static std::vector<HostValue> replayGraph(Subject &subject) {
  subject.deviceInputs.restore();
  subject.graph = std::make_unique<GraphHandle>(
      subject.runner.context, subject.deviceInputs.args, subject.runner.outputs,
      subject.device.stream);
  subject.deviceInputs.restore();
  subject.graph->launch(subject.device.stream);
  return subject.runner.fetch();
}

static Json checkOutputs(Subject &subject,
                         const std::vector<HostValue> &outputs, bool &ok) {
  subject.deviceInputs.restore();
  Options generic = subject.options;
  generic.fallback = "allow";
  generic.fallbackBudget = 0;
  Runner oracle(generic, subject.package, subject.weights,
                KFUSE_PROGRAM_GENERIC, subject.device);
  runOften("running the exported program to compare", generic.runs, oracle,
           subject.deviceInputs);
  return compare(outputs, oracle.fetch(), generic.tolerance, ok);
}

static Json measure(Subject &subject) {
  const Options &options = subject.options;
  Json rows = Json::array();
  auto addRuns = [&](const GraphHandle *graph) {
    rows.push_back(bench(options, subject.runner, subject.deviceInputs,
                         subject.device, graph));
  };
  if (options.bench)
    addRuns(nullptr);
  if (options.bench && subject.graph)
    addRuns(subject.graph.get());
  if (options.benchHost)
    rows.push_back(benchHost(options, subject.runner, subject.deviceInputs,
                             subject.device, subject.recorder));
  if (options.benchOpen)
    rows.push_back(benchOpen(options, subject.device));
  return rows;
}

static Json runPackage(const Options &options, bool &ok) {
  Subject subject(options);
  Json report;
  report["device"] = subject.device.info.name;
  runOften("running the package", options.runs, subject.runner,
           subject.deviceInputs);
  std::vector<HostValue> outputs = subject.runner.fetch();
  if (options.stats || options.json)
    report["stats"] = statistics(subject.runner);
  if (options.cudaGraph)
    outputs = replayGraph(subject);
  report["outputs"] = describeOutputs(outputs);
  if (options.check)
    report["check"] = checkOutputs(subject, outputs, ok);
  if (!options.outputFolder.empty())
    writeOutputs(options, outputs);
  if (options.bench || options.benchHost || options.benchOpen)
    report["bench"] = measure(subject);
  return report;
}

static void printText(const Json &report) {
  std::cout << "device: " << report["device"].get<std::string>() << "\n";
  for (const Json &row : report["outputs"]) {
    std::cout << "output " << row["name"].get<std::string>() << ": ";
    if (row.contains("value"))
      std::cout << row["value"] << "\n";
    else
      std::cout << row["dtype"].get<std::string>() << " " << row["sizes"]
                << "\n";
  }
  if (report.contains("check"))
    for (const Json &row : report["check"]) {
      std::cout << "check " << row["name"].get<std::string>() << ": "
                << (row["ok"].get<bool>() ? "ok" : "FAILED");
      for (auto &[key, value] : row.items())
        if (key != "name" && key != "ok" && key != "dtype" && key != "sizes")
          std::cout << ", " << key << " " << value;
      std::cout << "\n";
    }
  if (report.contains("stats")) {
    for (auto &[key, value] : report["stats"].items())
      if (key != "operators")
        std::cout << key << ": " << value << "\n";
    for (const Json &row : report["stats"]["operators"])
      std::cout << "fallback " << row["name"].get<std::string>() << " ("
                << row["class"].get<std::string>() << "): " << row["count"]
                << (row["reason"].get<std::string>().empty() ? "" : ", ")
                << row["reason"].get<std::string>() << "\n";
  }
  if (report.contains("bench"))
    for (const Json &row : report["bench"])
      std::cout << "bench: " << row << "\n";
}

int main(int argc, char **argv) {
  CLI::App app("Runs a compiled package and says what happened");
  Options options;
  std::string seed;
  addInputOptions(app, options, seed);
  addRunOptions(app, options);
  addReportOptions(app, options);
  CLI11_PARSE(app, argc, argv);
  try {
    if (app.count("--random-inputs"))
      options.randomSeed = parseSeed(seed);
    bool ok = true;
    Json report = runPackage(options, ok);
    if (options.json)
      std::cout << report.dump(2) << "\n";
    else
      printText(report);
    if (!ok)
      std::cerr << "kfuse-run: the outputs differ from the exported program's "
                   "by more than the tolerance\n";
    return ok ? 0 : 1;
  } catch (const std::exception &error) {
    std::cerr << "kfuse-run: error: " << error.what() << "\n";
    return 1;
  }
}
