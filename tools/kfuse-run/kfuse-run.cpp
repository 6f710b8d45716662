//===- kfuse-run.cpp - runs a package -------------------------------------===//
#include "Bench.h"
#include "CommandLine.h"
#include "LaunchChecks.h"
#include "Nvtx.h"
#include "Progress.h"
#include "Simulator.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <sys/stat.h>

using namespace kfuse;
using Json = nlohmann::ordered_json;

static void addRunOptions(CLI::App &app, Options &options) {
  app.add_option("--device", options.device,
                 "cpu, cuda:N or sim, the kernel simulator (default: cuda:0 if "
                 "there is one, else cpu)");
  app.add_option("--program", options.program,
                 "auto (the plan where kernels run, the exported program on "
                 "the CPU), plan or generic")
      ->check(CLI::IsMember({"auto", "plan", "generic"}));
  app.add_option("--fallback", options.fallback,
                 "What to do when something runs outside a compiled kernel "
                 "without having been planned to")
      ->check(CLI::IsMember({"allow", "warn", "deny"}));
  app.add_option("--fallback-budget", options.fallbackBudget,
                 "Fail when a run has more of these")
      ->check(CLI::PositiveNumber);
  app.add_option("--kill", options.kill, "Id of a launch or kernel to avoid");
  app.add_option("--kill-file", options.killFile, "File with such ids");
  app.add_option("--output-dir", options.outputFolder,
                 "Write each output to <name>.npy there");
  app.add_flag("--check", options.check,
               "Compare with the exported program, run by the provider");
  app.add_flag("--check-launches", options.checkLaunches,
               "Compare each kernel with the operators that it replaces, on "
               "the same inputs");
  app.add_option("--tolerance", options.tolerance,
                 "Largest difference for these checks, relative to the largest "
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
  if (options.device == "cpu" || options.device == "sim")
    return {KFUSE_CPU, 0};
  if (options.device == "cuda")
    return {KFUSE_CUDA, 0};
  if (options.device.compare(0, 5, "cuda:") == 0) {
    char *end = nullptr;
    long index = strtol(options.device.c_str() + 5, &end, 10);
    if (end != options.device.c_str() + 5 && !*end && index >= 0)
      return {KFUSE_CUDA, static_cast<int32_t>(index)};
  }
  fail("unknown device '" + options.device + "', expected cpu, cuda:N or sim");
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
struct Verdict {
  bool outputsAgree = true;
  bool launchesAgree = true;
  bool hasFindings = false;
};

/// A package on a device with its inputs, ready to run.
struct Subject {
  explicit Subject(const Options &options);

  Options options;
  PackageHandle package;
  std::vector<HostValue> inputs;
  std::unique_ptr<Simulator> simulator; ///< null on other devices
  DeviceSession device;
  LaunchRecorder recorder;
  WeightsHandle weights;
  DeviceInputs deviceInputs;
  Runner runner;
  std::unique_ptr<LaunchChecks> launchChecks;
  std::unique_ptr<GraphHandle> graph;
};
} // namespace

static PackageHandle openPackage(const Options &options) {
  PackageHandle package(options.package);
  if (options.verify)
    package.verify();
  return package;
}

static std::unique_ptr<Simulator> openSimulator(const Options &options,
                                                const PackageHandle &package) {
  if (options.device != "sim")
    return nullptr;
  requireSimulatorCode(package.get());
  return std::make_unique<Simulator>(options.simulator);
}

Subject::Subject(const Options &options)
    : options(options), package(openPackage(options)),
      inputs(makeInputs(options, package.get())),
      simulator(openSimulator(options, package)),
      device(chooseDevice(options), simulator ? simulator->table() : nullptr),
      recorder(*device.table),
      weights(package, device.device,
              options.weights.empty() ? nullptr : options.weights.c_str(),
              recorder.table()),
      deviceInputs(device, inputs),
      runner(options, package, weights, chooseProgram(options), device) {
  if (!options.nvtx.empty())
    runner.context.trace(openNvtx(options.nvtx));
  if (options.checkLaunches && !device.runsKernels())
    fail("--check-launches needs a GPU or --device=sim: " +
         std::string(device.info.name) + " runs no kernels");
  if (options.checkLaunches)
    launchChecks =
        std::make_unique<LaunchChecks>(runner.context, options.tolerance);
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

/// What was checked so far; later runs are not checked.
static Json takeLaunchChecks(Subject &subject, Verdict &verdict) {
  Json rows = Json::array();
  for (const OutputCheck &output : subject.launchChecks->outputs())
    rows.push_back(output.json());
  if (rows.empty())
    std::cerr << "kfuse-run: no kernel was launched, so none was checked\n";
  verdict.launchesAgree = subject.launchChecks->ok();
  subject.runner.context.checkLaunches({});
  return rows;
}

/// A run that fails says what the simulator found until then.
static void runSubject(Subject &subject) {
  try {
    runOften("running the package", subject.options.runs, subject.runner,
             subject.deviceInputs);
  } catch (...) {
    if (subject.simulator)
      for (const Finding &finding : subject.simulator->findings())
        std::cerr << "kfuse-run: " << finding.text();
    throw;
  }
}

static Json takeFindings(const Simulator &simulator, Verdict &verdict) {
  Json rows = Json::array();
  for (const Finding &finding : simulator.findings()) {
    std::cerr << "kfuse-run: " << finding.text();
    rows.push_back(finding.json());
    verdict.hasFindings = true;
  }
  return rows;
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

static Json runPackage(const Options &options, Verdict &verdict) {
  Subject subject(options);
  Json report;
  report["device"] = subject.device.info.name;
  runSubject(subject);
  std::vector<HostValue> outputs = subject.runner.fetch();
  if (subject.launchChecks)
    report["launch_checks"] = takeLaunchChecks(subject, verdict);
  if (options.stats || options.json)
    report["stats"] = statistics(subject.runner);
  if (options.cudaGraph)
    outputs = replayGraph(subject);
  report["outputs"] = describeOutputs(outputs);
  if (options.check)
    report["check"] = checkOutputs(subject, outputs, verdict.outputsAgree);
  if (!options.outputFolder.empty())
    writeOutputs(options, outputs);
  if (options.bench || options.benchHost || options.benchOpen)
    report["bench"] = measure(subject);
  if (subject.simulator)
    report["findings"] = takeFindings(*subject.simulator, verdict);
  return report;
}

static void printChecks(const char *what, const Json &rows) {
  for (const Json &row : rows) {
    std::cout << what << " ";
    if (row.contains("kernel"))
      std::cout << row["kernel"].get<std::string>() << " output "
                << row["output"];
    else
      std::cout << row["name"].get<std::string>();
    std::cout << ": " << (row["ok"].get<bool>() ? "ok" : "FAILED");
    for (auto &[key, value] : row.items())
      if (key != "name" && key != "ok" && key != "dtype" && key != "sizes" &&
          key != "kernel" && key != "launch" && key != "output")
        std::cout << ", " << key << " " << value;
    std::cout << "\n";
  }
}

static void printStatistics(const Json &stats) {
  for (auto &[key, value] : stats.items())
    if (key != "operators")
      std::cout << key << ": " << value << "\n";
  for (const Json &row : stats["operators"])
    std::cout << "fallback " << row["name"].get<std::string>() << " ("
              << row["class"].get<std::string>() << "): " << row["count"]
              << (row["reason"].get<std::string>().empty() ? "" : ", ")
              << row["reason"].get<std::string>() << "\n";
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
    printChecks("check", report["check"]);
  if (report.contains("launch_checks"))
    printChecks("check of kernel", report["launch_checks"]);
  if (report.contains("stats"))
    printStatistics(report["stats"]);
  if (report.contains("bench"))
    for (const Json &row : report["bench"])
      std::cout << "bench: " << row << "\n";
}

/// Says what is wrong; the exit status.
static int conclude(const Verdict &verdict) {
  if (!verdict.outputsAgree)
    std::cerr << "kfuse-run: the outputs differ from the exported program's "
                 "by more than the tolerance\n";
  if (!verdict.launchesAgree)
    std::cerr << "kfuse-run: kernels differ from the operators that they "
                 "replace by more than the tolerance\n";
  if (verdict.hasFindings)
    std::cerr << "kfuse-run: the simulator found faults in kernels\n";
  bool isGood =
      verdict.outputsAgree && verdict.launchesAgree && !verdict.hasFindings;
  return isGood ? 0 : 1;
}

int main(int argc, char **argv) {
  CLI::App app("Runs a compiled package and says what happened");
  Options options;
  addInputOptions(app, options);
  addRunOptions(app, options);
  addLibraryOptions(app, options);
  addReportOptions(app, options);
  CLI11_PARSE(app, argc, argv);
  try {
    Verdict verdict;
    Json report = runPackage(options, verdict);
    if (options.json)
      std::cout << printJson(report) << "\n";
    else
      printText(report);
    return conclude(verdict);
  } catch (const std::exception &error) {
    std::cerr << "kfuse-run: error: " << error.what() << "\n";
    return 1;
  }
}
