//===- Bench.h - times of runs ---------------------------------*- C++ -*-===//
///
/// \file
/// Measures runs, graph replays, and what a run costs the host beyond
/// launching the same kernels by hand.
///
#ifndef KFUSE_TOOLS_KFUSE_RUN_BENCH_H
#define KFUSE_TOOLS_KFUSE_RUN_BENCH_H

#include "Session.h"

namespace kfuse {

/// A device table that does what another one does and can note the launches
/// made through it. While it does not, calls go straight to the other's
/// functions. Only one recorder may be recording at a time.
class LaunchRecorder {
public:
  explicit LaunchRecorder(const KfuseDeviceTable &base)
      : base(base), copy(base) {}
  ~LaunchRecorder() { stop(); }
  LaunchRecorder(const LaunchRecorder &) = delete;
  LaunchRecorder &operator=(const LaunchRecorder &) = delete;

  const KfuseDeviceTable *table() const { return &copy; }
  void start();
  void stop();

  /// A launch with parameters of its own.
  struct Launch {
    explicit Launch(const KfuseLaunch &launch);
    KfuseLaunch launch;

  private:
    std::vector<uint64_t> values;
    std::vector<void *> params;
  };
  const std::vector<Launch> &launches() const { return recorded; }

private:
  static int32_t record(void *device, const KfuseLaunch *launch,
                        KfuseDeviceError *error);
  static LaunchRecorder *active;

  const KfuseDeviceTable &base;
  KfuseDeviceTable copy;
  std::vector<Launch> recorded;
};

/// Times of many runs, and of graph replays when `graph` is given.
nlohmann::ordered_json bench(const Options &options, Runner &runner,
                             DeviceInputs &inputs, DeviceSession &device,
                             const GraphHandle *graph);

/// The host's time for a call of kfuse_run and for bare launches of the
/// kernels that it launches, in turns. `recorder` is the table that the runner
/// works with.
nlohmann::ordered_json benchHost(const Options &options, Runner &runner,
                                 DeviceInputs &inputs, DeviceSession &device,
                                 LaunchRecorder &recorder);

/// Times to make package, weights, model and context. The device is open
/// already, so the driver's own start is not part of them.
nlohmann::ordered_json benchOpen(const Options &options, DeviceSession &device);

} // namespace kfuse

#endif // KFUSE_TOOLS_KFUSE_RUN_BENCH_H
