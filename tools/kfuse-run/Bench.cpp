//===- Bench.cpp - times of runs ------------------------------------------===//
#include "Bench.h"

#include "Progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <functional>

namespace kfuse {

using Json = nlohmann::ordered_json;

static Json summarize(std::vector<double> times, const std::string &unit) {
  std::sort(times.begin(), times.end());
  auto at = [&](double quantile) {
    auto last = static_cast<double>(times.size() - 1);
    return times[static_cast<size_t>(std::lround(quantile * last))];
  };
  return {{"median_" + unit, at(0.5)},
          {"p10_" + unit, at(0.1)},
          {"p90_" + unit, at(0.9)}};
}

static double microsecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now() - start)
      .count();
}

Json bench(const Options &options, Runner &runner, DeviceInputs &inputs,
           DeviceSession &device, const GraphHandle *graph) {
  bool isGpu = device.device.kind == KFUSE_CUDA;
  auto once = [&] {
    if (graph)
      graph->launch(device.stream);
    else
      runner.run(inputs);
  };
  for (int i = 0; i < options.warmup; ++i)
    once();
  device.synchronize();
  std::vector<double> host, gpu;
  void *from = isGpu ? device.createEvent() : nullptr;
  void *to = isGpu ? device.createEvent() : nullptr;
  Progress progress(graph ? "measuring graph replays" : "measuring runs",
                    options.iterations);
  for (int i = 0; i < options.iterations; ++i) {
    progress.step();
    if (isGpu)
      device.record(from);
    auto start = std::chrono::steady_clock::now();
    once();
    host.push_back(microsecondsSince(start));
    if (isGpu) {
      device.record(to);
      gpu.push_back(device.elapsed(from, to) * 1000);
    }
  }
  // Back to back: what a busy server sees.
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < options.iterations; ++i)
    once();
  device.synchronize();
  double total = microsecondsSince(start);
  if (isGpu) {
    device.destroyEvent(from);
    device.destroyEvent(to);
  }
  Json result;
  result["mode"] = graph ? "cuda-graph" : "run";
  result["iterations"] = options.iterations;
  result["warmup"] = options.warmup;
  result["host"] = summarize(host, "us");
  if (isGpu)
    result["gpu"] = summarize(gpu, "us");
  result["back_to_back_us"] = total / options.iterations;
  return result;
}

//===----------------------------------------------------------------------===//
// Launches by hand
//===----------------------------------------------------------------------===//

LaunchRecorder *LaunchRecorder::active = nullptr;

LaunchRecorder::Launch::Launch(const KfuseLaunch &launch)
    : launch(launch), values(launch.paramCount) {
  for (uint32_t i = 0; i < launch.paramCount; ++i)
    memcpy(&values[i], launch.params[i], sizeof(uint64_t));
  for (uint64_t &value : values)
    params.push_back(&value);
  this->launch.params = params.data();
  this->launch.tensors = nullptr;
  this->launch.tensorCount = 0;
}

void LaunchRecorder::start() {
  recorded.clear();
  active = this;
  copy.launch = record;
}

void LaunchRecorder::stop() {
  copy.launch = base.launch;
  if (active == this)
    active = nullptr;
}

int32_t LaunchRecorder::record(void *device, const KfuseLaunch *launch,
                               KfuseDeviceError *error) {
  active->recorded.emplace_back(*launch);
  return active->base.launch(device, launch, error);
}

/// What a call may cost the host beyond its launches, in nanoseconds.
static constexpr double allowedPerCall = 700, allowedPerKernel = 300;

namespace {
/// The driver's own function for the built-in CUDA table, without our layer
/// around it; null for other tables.
using CuLaunchKernel = int32_t (*)(void *, unsigned, unsigned, unsigned,
                                   unsigned, unsigned, unsigned, unsigned,
                                   void *, void **, void **);
} // namespace

static CuLaunchKernel findDriverLaunch(const KfuseDeviceTable *table) {
  if (table != kfuse_device_table(KFUSE_CUDA))
    return nullptr;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<CuLaunchKernel>(
                       dlsym(library, "cuLaunchKernel"))
                 : nullptr;
}

/// Makes all launches once.
static void launchBare(CuLaunchKernel driverLaunch,
                       const std::vector<LaunchRecorder::Launch> &launches,
                       DeviceSession &device) {
  for (const LaunchRecorder::Launch &recorded : launches) {
    const KfuseLaunch &launch = recorded.launch;
    if (!driverLaunch)
      device.launch(launch);
    else if (driverLaunch(launch.function, launch.grid[0], launch.grid[1],
                          launch.grid[2], launch.block[0], launch.block[1],
                          launch.block[2], launch.sharedBytes, launch.stream,
                          launch.params, nullptr))
      fail("a bare launch failed", KFUSE_DEVICE_ERROR);
  }
}

/// Nanoseconds for one of `count` calls in a row. They start and end with an
/// idle device, so that nothing is left in its queue from the round before.
static double measureRound(DeviceSession &device, int count,
                           const std::function<void()> &call) {
  device.synchronize();
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i)
    call();
  double time = microsecondsSince(start);
  device.synchronize();
  return time * 1000 / count;
}

Json benchHost(const Options &options, Runner &runner, DeviceInputs &inputs,
               DeviceSession &device, LaunchRecorder &recorder) {
  runner.run(inputs);
  auto run = [&] {
    runner.context.run(inputs.args, runner.outputs, device.stream);
  };
  recorder.start();
  run();
  recorder.stop();
  const std::vector<LaunchRecorder::Launch> &launches = recorder.launches();
  if (launches.empty())
    fail("--bench-host found no launch to compare with: the run made none, "
         "which needs a GPU and a plan with kernels for it");
  CuLaunchKernel driverLaunch = findDriverLaunch(device.table);
  auto bare = [&] { launchBare(driverLaunch, launches, device); };
  auto kernels = static_cast<int>(launches.size());
  // Few enough that the driver's queue, of about a thousand, does not fill up.
  int calls = std::clamp(256 / kernels, 1, 64);
  std::vector<double> runTimes, bareTimes;
  Progress progress("measuring runs and bare launches",
                    options.warmup + options.iterations);
  for (int i = -options.warmup; i < options.iterations; ++i) {
    progress.step();
    // Either may profit from what the other leaves in the caches.
    bool isRunFirst = i % 2 == 0;
    double first = isRunFirst ? measureRound(device, calls, run)
                              : measureRound(device, calls, bare);
    double second = isRunFirst ? measureRound(device, calls, bare)
                               : measureRound(device, calls, run);
    if (i < 0)
      continue;
    runTimes.push_back(isRunFirst ? first : second);
    bareTimes.push_back(isRunFirst ? second : first);
  }
  KfuseCounters counters = runner.context.counters();
  int64_t others = counters.copies;
  for (int64_t count : counters.fallbacks)
    others += count;
  Json result;
  result["mode"] = "host";
  result["rounds"] = options.iterations;
  result["calls_per_round"] = calls;
  result["kernels"] = kernels;
  result["other_calls"] = others;
  result["run"] = summarize(runTimes, "ns");
  result["bare"] = summarize(bareTimes, "ns");
  double extra = result["run"]["median_ns"].get<double>() -
                 result["bare"]["median_ns"].get<double>();
  result["extra_ns"] = extra;
  result["extra_ns_per_kernel"] = extra / kernels;
  result["allowed_extra_ns"] = allowedPerCall + allowedPerKernel * kernels;
  return result;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

namespace {
/// Milliseconds of one step, for each time that the package was opened.
struct OpenTimes {
  std::vector<double> package, weights, model, context, all;
};
} // namespace

static Json describeOpen(const std::vector<double> &times) {
  // The first one finds files and driver cold.
  Json row = {{"first_ms", times.front()}};
  row.update(summarize(times, "ms"));
  return row;
}

Json benchOpen(const Options &options, DeviceSession &device) {
  const char *search =
      options.weights.empty() ? nullptr : options.weights.c_str();
  OpenTimes times;
  int32_t launches = 0, runnable = 0;
  Progress progress("opening the package", options.iterations);
  for (int i = 0; i < options.iterations; ++i) {
    progress.step();
    auto start = std::chrono::steady_clock::now();
    double last = 0;
    auto lap = [&](std::vector<double> &to) {
      double now = microsecondsSince(start) / 1000;
      to.push_back(now - last);
      last = now;
    };
    PackageHandle package(options.package);
    lap(times.package);
    WeightsHandle weights(package, device.device, search, device.table);
    lap(times.weights);
    ModelHandle model(package, weights,
                      makeModelOptions(options, chooseProgram(options)));
    lap(times.model);
    ContextHandle context(model);
    lap(times.context);
    times.all.push_back(last - times.weights.back());
    kfuse_model_launches(model.get(), &launches, &runnable);
  }
  Json result;
  result["mode"] = "open";
  result["iterations"] = options.iterations;
  result["fusions_with_kernel"] = runnable;
  result["without_weights"] = describeOpen(times.all);
  result["package"] = describeOpen(times.package);
  result["weights"] = describeOpen(times.weights);
  result["model"] = describeOpen(times.model);
  result["context"] = describeOpen(times.context);
  return result;
}

} // namespace kfuse
