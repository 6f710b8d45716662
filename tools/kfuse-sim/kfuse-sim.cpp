//===- kfuse-sim.cpp - runs a package's kernels in the simulator ----------===//
#include "CommandLine.h"
#include "PlanKernels.h"
#include "Progress.h"
#include "SimReport.h"
#include "SimulateKernel.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <set>

using namespace kfuse;

namespace {
struct SimCommand {
  Options options;
  std::string timing = "late", kernel, libdevice;
  uint64_t seed = 1;
  int seeds = 1;
  int32_t optLevel = 0;
  bool isFast = false, hasNoCheck = false;
  KernelCommand one; ///< kernel of an .mlir file
};

/// Inputs of one run. `sizes` is "s0=3, s1=7".
struct InputSet {
  std::string sizes;
  std::vector<HostValue> values;
};

/// A package with its inputs on the simulator.
struct Simulation {
  explicit Simulation(const SimCommand &command);
  void configure(uint64_t seed, const std::string &sizes);
  void run();
  void report(SimReport &result) const;

  const SimCommand &command;
  PackageHandle package;
  std::vector<PlanLaunch> launches;
  std::vector<InputSet> inputs;
  Simulator simulator;
  KernelLog log;
  DeviceSession device;
  WeightsHandle weights;
  Runner runner;
  std::unique_ptr<LaunchChecks> checks;
  int launchesPerRun = 0;
};
} // namespace

static const char *const description =
    "Runs the kernels of a package on the CPU, thread by thread, compares each "
    "with the operators that it replaces, and reports what a GPU would hide: "
    "races, accesses out of bounds, reads of memory that nobody wrote, "
    "deadlocks. The package needs the kernels' IR: kfuse-compile --simulator, "
    "or --target=sim. With --launch, runs one kernel of an .mlir file that is "
    "lowered to LLVM and NVVM. Exit status 1: findings, or kernels that "
    "disagree.";

static void addOptions(CLI::App &app, SimCommand &command) {
  addInputOptions(app, command.options);
  app.add_option("--timing", command.timing,
                 "When asynchronous copies and matrix products take effect: "
                 "as late as the program allows (default), at once, or either")
      ->check(CLI::IsMember({"late", "early", "random"}));
  app.add_option("--seed", command.seed,
                 "Order in which threads, warps and blocks run; 0: in order "
                 "(default: 1)");
  app.add_option("--seeds", command.seeds,
                 "Repeat with this many seeds, counted up from --seed")
      ->check(CLI::PositiveNumber);
  app.add_option("--kernel", command.kernel,
                 "Simulate only kernels with this text in their names; the "
                 "others run as operators");
  app.add_flag("--fast", command.isFast,
               "Leave out the checks for races and unwritten memory");
  app.add_flag("--no-check", command.hasNoCheck,
               "Do not compare kernels with their operators");
  app.add_option("--tolerance", command.options.tolerance,
                 "Largest difference, relative to the largest expected "
                 "magnitude (default: by dtype; integers and kernels that "
                 "round nothing must be equal)");
  app.add_option("--optimize", command.optLevel,
                 "Optimization of the simulating code, 0 to 3")
      ->check(CLI::Range(0, 3));
  app.add_option("--libdevice", command.libdevice,
                 "libdevice.10.bc with the math functions");
  addKernelOptions(app, command.one);
  addLibraryOptions(app, command.options);
  app.add_flag("--json", command.options.json, "Print everything as JSON");
}

static PackageHandle openPackage(const Options &options) {
  PackageHandle package(options.package);
  requireSimulatorCode(package.get());
  return package;
}

/// One for each combination of the sizes.
static std::vector<InputSet> makeInputSets(const Options &options,
                                           const KfusePackage *package) {
  std::vector<std::vector<std::string>> combinations = {{}};
  for (const std::string &symbol : options.symbols) {
    size_t start = symbol.find('=') + 1; // 0 when there is none
    std::string values = symbol.substr(start) + ",";
    std::vector<std::vector<std::string>> longer;
    for (size_t at = 0, end; (end = values.find(',', at)) != std::string::npos;
         at = end + 1)
      for (std::vector<std::string> list : combinations) {
        list.push_back(symbol.substr(0, start) + values.substr(at, end - at));
        longer.push_back(std::move(list));
      }
    combinations = std::move(longer);
  }
  std::vector<InputSet> sets;
  for (const std::vector<std::string> &symbols : combinations) {
    Options one = options;
    one.symbols = symbols;
    InputSet set;
    for (const std::string &symbol : symbols)
      set.sizes += (set.sizes.empty() ? "" : ", ") + symbol;
    set.values = makeInputs(one, package);
    sets.push_back(std::move(set));
  }
  return sets;
}

static KfuseSimTiming parseTiming(const std::string &text) {
  return text == "early"    ? KFUSE_SIM_EARLY
         : text == "random" ? KFUSE_SIM_RANDOM
                            : KFUSE_SIM_LATE;
}

static KfuseSimOptions makeSimOptions(const SimCommand &command,
                                      uint64_t seed) {
  KfuseSimOptions options = {};
  options.timing = parseTiming(command.timing);
  options.seed = seed;
  options.isFast = command.isFast;
  options.optLevel = command.optLevel;
  options.libdevice =
      command.libdevice.empty() ? nullptr : command.libdevice.c_str();
  return options;
}

Simulation::Simulation(const SimCommand &command)
    : command(command), package(openPackage(command.options)),
      launches(readPlanLaunches(package.get())),
      inputs(makeInputSets(command.options, package.get())),
      simulator(command.options.simulator,
                makeSimOptions(command, command.seed)),
      log(*simulator.table()), device({KFUSE_CPU, 0}, log.table()),
      weights(package, device.device,
              command.options.weights.empty() ? nullptr
                                              : command.options.weights.c_str(),
              log.table()),
      runner(command.options, package, weights, KFUSE_PROGRAM_PLAN, device) {
  launchesPerRun = static_cast<int>(launches.size());
  if (!command.kernel.empty())
    launchesPerRun =
        selectKernels(launches, command.kernel, runner.model.get());
  if (!command.hasNoCheck)
    checks = std::make_unique<LaunchChecks>(runner.context,
                                            command.options.tolerance);
}

void Simulation::configure(uint64_t seed, const std::string &sizes) {
  simulator.configure(makeSimOptions(command, seed),
                      sizes + (sizes.empty() ? "" : ", ") + "seed " +
                          std::to_string(seed));
}

void Simulation::run() {
  Progress progress("simulating launches", launchesPerRun * command.seeds *
                                               static_cast<int>(inputs.size()));
  log.onBegin = [&](const std::string &name) { progress.begin(name); };
  log.onEnd = [&] { progress.step(); };
  for (const InputSet &set : inputs) {
    DeviceInputs deviceInputs(device, set.values);
    for (int i = 0; i < command.seeds; ++i) {
      uint64_t seed = command.seed + i;
      configure(seed, set.sizes);
      deviceInputs.restore();
      runner.run(deviceInputs);
    }
  }
}

void Simulation::report(SimReport &result) const {
  for (const InputSet &set : inputs)
    result.sizes.push_back(set.sizes);
  result.kernels = log.kernels();
  result.findings = simulator.findings();
  if (checks)
    result.outputs = checks->outputs();
  KfuseCounters counters = runner.context.counters();
  result.fallbacks = counters.fallbacks[KFUSE_FALLBACK_UNSUPPORTED];
  std::set<std::string> seen;
  for (const KernelRow &row : result.kernels)
    seen.insert(row.name);
  for (const PlanLaunch &launch : launches)
    for (const std::string &kernel : launch.kernels)
      if (kernel.find(command.kernel) != std::string::npos &&
          seen.insert(kernel).second)
        result.notLaunched.push_back(kernel);
}

static SimReport simulate(const SimCommand &command) {
  SimReport result;
  result.package = command.options.package;
  result.timing = command.timing;
  result.firstSeed = command.seed;
  result.seeds = command.seeds;
  result.isFast = command.isFast;
  result.isChecked = !command.hasNoCheck;
  auto start = std::chrono::steady_clock::now();
  Simulation simulation(command);
  result.openSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  try {
    simulation.run();
  } catch (const Error &error) {
    result.error = error.what();
    if (error.status == KFUSE_NO_PROVIDER && !command.hasNoCheck)
      result.error += "; --no-check leaves the comparison out";
  }
  simulation.report(result);
  return result;
}

/// The kernel of `--launch`, with each seed.
static int simulateOne(const SimCommand &command) {
  Simulator simulator(command.options.simulator,
                      makeSimOptions(command, command.seed));
  KernelSimulation simulation(simulator, command.options.package, command.one);
  for (int i = 0; i < command.seeds; ++i) {
    uint64_t seed = command.seed + i;
    simulator.configure(makeSimOptions(command, seed),
                        "seed " + std::to_string(seed));
    simulation.run();
  }
  std::cout << simulation.finish(command.options.json);
  return simulator.findings().empty() ? 0 : 1;
}

int main(int argc, char **argv) {
  setProgramName("kfuse-sim");
  CLI::App app(description);
  SimCommand command;
  command.options.takesManySizes = true;
  addOptions(app, command);
  CLI11_PARSE(app, argc, argv);
  try {
    if (!command.one.launch.empty())
      return simulateOne(command);
    SimReport report = simulate(command);
    if (command.options.json)
      std::cout << printJson(report.json()) << "\n";
    else
      std::cout << report.text();
    if (!report.error.empty())
      std::cerr << "kfuse-sim: error: " << report.error << "\n";
    return report.ok() ? 0 : 1;
  } catch (const std::exception &error) {
    std::cerr << "kfuse-sim: error: " << error.what() << "\n";
    return 1;
  }
}
