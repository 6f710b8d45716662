//===- BenchTest.cpp - kfuse-run's measurements on the fakes --------------===//
#include "Bench.h"
#include "Fixture.h"

#include <cstdlib>
#include <fstream>
#include <unistd.h>

using namespace kfuse;
using namespace kfuse::test;

namespace {
/// A package of two launches on the fake device, as kfuse-run sets it up.
class Bench : public ::testing::Test {
protected:
  static std::string writePackage() {
    char path[] = "kfuse-bench-test-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0)
      abort();
    close(fd);
    PackageBuilder builder;
    builder.plan["steps"].push_back(builder.plan["steps"][0]);
    std::ofstream(path, std::ios::binary) << builder.build();
    return path;
  }
  static Options makeOptions() {
    Options options;
    options.provider = KFUSE_FAKE_PROVIDER_PATH;
    options.iterations = 4;
    options.warmup = 1;
    return options;
  }
  static std::vector<HostValue> makeValues() {
    HostValue x;
    x.tensor.dtype = KFUSE_F32;
    x.tensor.sizes = {3, 4};
    x.tensor.setRowMajor();
    x.tensor.data.resize(3 * 4 * sizeof(float));
    return {x};
  }
  ~Bench() override { unlink(path.c_str()); }

  std::string path = writePackage();
  Options options = makeOptions();
  PackageHandle package{path};
  DeviceSession device{{KFUSE_CUDA, 0}, getFakeDevice()};
  LaunchRecorder recorder{*device.table};
  WeightsHandle weights{package, {KFUSE_CUDA, 0}, nullptr, recorder.table()};
  std::vector<HostValue> values = makeValues();
  DeviceInputs inputs{device, values};
  Runner runner{options, package, weights, KFUSE_PROGRAM_PLAN, device};
};
} // namespace

TEST_F(Bench, RecordedLaunchesDoTheSameWork) {
  runner.run(inputs);
  EXPECT_TRUE(recorder.launches().empty());
  recorder.start();
  runner.run(inputs);
  recorder.stop();
  runner.run(inputs);
  ASSERT_EQ(recorder.launches().size(), 2u);
  EXPECT_EQ(recorder.launches()[0].launch.paramCount, 4u);
  auto *y = static_cast<float *>(runner.outputs[0].tensor.data);
  EXPECT_EQ(y[1], 4);
  y[1] = 0;
  device.launch(recorder.launches()[1].launch);
  EXPECT_EQ(y[1], 4);
}

TEST_F(Bench, ComparesARunWithBareLaunches) {
  int before = getFakeDeviceCounts().launches;
  auto result = benchHost(options, runner, inputs, device, recorder);
  EXPECT_EQ(result["kernels"], 2);
  EXPECT_EQ(result["other_calls"], 0);
  EXPECT_EQ(result["calls_per_round"], 64);
  EXPECT_GT(result["run"]["median_ns"].get<double>(), 0);
  EXPECT_GT(result["bare"]["median_ns"].get<double>(), 0);
  EXPECT_EQ(result["allowed_extra_ns"], 1300);
  // Two runs to begin with, then rounds of both kinds.
  EXPECT_EQ(getFakeDeviceCounts().launches - before, 2 * (2 + 5 * 2 * 64));
}

TEST_F(Bench, NeedsLaunches) {
  check(kfuse_model_kill(runner.model.get(), "l_add_mul", 1));
  EXPECT_THROW(benchHost(options, runner, inputs, device, recorder), Error);
}

TEST_F(Bench, TimesOpening) {
  options.package = path;
  auto result = benchOpen(options, device);
  EXPECT_EQ(result["iterations"], 4);
  // On the fake device the plan runs by default.
  EXPECT_EQ(result["fusions_with_kernel"], 2);
  for (const char *step : {"package", "weights", "model", "context"})
    EXPECT_GE(result[step]["first_ms"].get<double>(), 0) << step;
  EXPECT_GT(result["without_weights"]["median_ms"].get<double>(), 0);
}
