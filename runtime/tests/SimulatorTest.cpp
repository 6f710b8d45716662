//===- SimulatorTest.cpp - devices that run kernels in host memory --------===//
#include "Fixture.h"

using namespace kfuse::test;

/// The usual package with kernels for the simulator too.
static PackageBuilder withSimulatorCode() {
  PackageBuilder builder;
  Json &binaries = builder.plan["kernels"][0]["binaries"];
  binaries["sim"] = {{"member", "kernels/sim/all.mlirbc"},
                     {"entry", "add_mul"}};
  builder.members.emplace_back("kernels/sim/all.mlirbc", "fake code");
  return builder;
}

static KfuseStatus runOnce(Opened &opened, Matrix &x, KfuseArg &out) {
  KfuseArg in = x.arg();
  return kfuse_run(opened.context, &in, 1, &out, 1, nullptr);
}

TEST(Simulator, RunsThePlanInHostMemory) {
  KfuseModelOptions options = {};
  options.fallback = KFUSE_FALLBACK_DENY;
  Opened opened(withSimulatorCode(), getFakeSimulator(), options);
  ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
  Matrix x(3, opened.device());
  KfuseArg out = {};
  ASSERT_EQ(runOnce(opened, x, out), KFUSE_OK) << kfuse_last_error();
  EXPECT_EQ(out.tensor.device.kind, KFUSE_CPU);
  EXPECT_EQ(countersOf(opened).launches, 1);
  for (int64_t i = 0; i < 12; ++i)
    EXPECT_EQ(static_cast<float *>(out.tensor.data)[i], expectedElement(x, i));
}

TEST(Simulator, TakesBinariesOfItsNameOnly) {
  Opened opened(PackageBuilder(), getFakeSimulator());
  ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
  Matrix x(3, opened.device());
  KfuseArg out = {};
  ASSERT_EQ(runOnce(opened, x, out), KFUSE_OK) << kfuse_last_error();
  EXPECT_EQ(countersOf(opened).launches, 0);
  EXPECT_EQ(countersOf(opened).fallbacks[KFUSE_FALLBACK_UNSUPPORTED], 1);
  KfuseModelOptions options = {};
  options.fallback = KFUSE_FALLBACK_DENY;
  Opened denied(PackageBuilder(), getFakeSimulator(), options);
  EXPECT_EQ(denied.status, KFUSE_FALLBACK_DENIED);
  // And a GPU does not take the simulator's.
  PackageBuilder builder = withSimulatorCode();
  builder.plan["kernels"][0]["binaries"].erase("sm_90a");
  Opened device(builder, true);
  int32_t all = 0, runnable = 0;
  kfuse_model_launches(device.model, &all, &runnable);
  EXPECT_EQ(runnable, 0);
}

TEST(Simulator, CannotCapture) {
  Opened opened(withSimulatorCode(), getFakeSimulator());
  Matrix x(3, opened.device());
  KfuseArg in = x.arg(), out = {};
  KfuseGraph *graph = nullptr;
  EXPECT_EQ(kfuse_capture(opened.context, &in, 1, &out, 1, &x, &graph),
            KFUSE_UNSUPPORTED);
}

TEST(Simulator, LearnsWhatPointersStandFor) {
  PackageBuilder builder = withSimulatorCode();
  Json &plan = builder.plan;
  plan["arena_bytes"] = 512;
  for (int offset : {0, 256})
    plan["tensors"].push_back(tensor({4}, {{"arena", offset}}, nullptr, "u8"));
  Json &launch = plan["steps"][0];
  launch["scratch"] = {4, 5};
  launch["variants"][0]["tensors"] = {0, 1, 2, 3, 4};
  plan["kernels"][0]["params"] = {{"pointers", 5}, {"scalars", 1}};
  plan["kernels"][0]["binaries"]["sim"]["entry"] = "empty";
  plan["steps"].insert(plan["steps"].begin(),
                       Json{{"op", "fill"}, {"result", 4}, {"byte", 0}});
  Opened opened(builder, getFakeSimulator());
  ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
  Matrix x(3, opened.device());
  KfuseArg out = {};
  ASSERT_EQ(runOnce(opened, x, out), KFUSE_OK) << kfuse_last_error();
  FakeDeviceCounts &counts = getFakeDeviceCounts();
  ASSERT_EQ(counts.tensorCount, 5u);
  const KfuseAccess expected[] = {KFUSE_ACCESS_READ, KFUSE_ACCESS_READ,
                                  KFUSE_ACCESS_WRITE, KFUSE_ACCESS_READ_WRITE,
                                  KFUSE_ACCESS_SCRATCH};
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(counts.tensors[i].access, expected[i]) << i;
  const KfuseTensor &first = counts.tensors[0].tensor;
  EXPECT_EQ(first.data, x.values.data());
  EXPECT_EQ(first.dtype, KFUSE_F32);
  ASSERT_EQ(first.rank, 2);
  EXPECT_EQ(counts.tensors[2].tensor.data, out.tensor.data);
  EXPECT_EQ(counts.tensors[3].tensor.dtype, KFUSE_U8);
}

/// The caller gives the input's memory for the output.
TEST(Simulator, SeesOutputsInTheMemoryOfInputs) {
  Opened opened(withSimulatorCode(), getFakeSimulator());
  Matrix x(3, opened.device());
  KfuseArg out = x.arg();
  ASSERT_EQ(runOnce(opened, x, out), KFUSE_OK) << kfuse_last_error();
  EXPECT_EQ(getFakeDeviceCounts().tensors[2].access, KFUSE_ACCESS_READ_WRITE);
  Matrix y(3, opened.device());
  out = y.arg();
  ASSERT_EQ(runOnce(opened, x, out), KFUSE_OK) << kfuse_last_error();
  EXPECT_EQ(getFakeDeviceCounts().tensors[2].access, KFUSE_ACCESS_WRITE);
}
