//===- RunTest.cpp - running programs on the fakes ------------------------===//
#include "Fixture.h"

using namespace kfuse::test;

namespace {
/// Where a program runs: generic program, plan on the CPU, plan with kernels.
struct Place {
  const char *name;
  bool onDevice;
  KfuseProgramChoice program;
};
class RunEverywhere : public ::testing::TestWithParam<Place> {};
} // namespace

INSTANTIATE_TEST_SUITE_P(
    Places, RunEverywhere,
    ::testing::Values(Place{"generic", false, KFUSE_PROGRAM_GENERIC},
                      Place{"plan", false, KFUSE_PROGRAM_PLAN},
                      Place{"device", true, KFUSE_PROGRAM_PLAN}),
    [](const auto &info) { return info.param.name; });

TEST_P(RunEverywhere, GivesTheSameValues) {
  KfuseModelOptions options = {};
  options.program = GetParam().program;
  Opened opened(PackageBuilder(), GetParam().onDevice, options);
  ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
  for (int64_t rows : {3, 64, 0, 1, 3}) {
    Matrix x(rows, opened.device()), y(rows, opened.device());
    KfuseArg in = x.arg(), out = y.arg();
    ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK)
        << kfuse_last_error();
    for (int64_t i = 0; i < rows * 4; ++i)
      ASSERT_EQ(y.values[i], expectedElement(x, i)) << i;
    // Beyond the end nothing is written.
    EXPECT_EQ(y.values[rows * 4], static_cast<float>(rows * 4));
  }
  EXPECT_EQ(getLiveHandles(), 0);
}

TEST_P(RunEverywhere, LendsOutputMemory) {
  KfuseModelOptions options = {};
  options.program = GetParam().program;
  Opened opened(PackageBuilder(), GetParam().onDevice, options);
  Matrix x(3, opened.device());
  KfuseArg in = x.arg(), out = {};
  ASSERT_EQ(kfuse_infer(opened.context, &in, 1, &out, 1), KFUSE_OK);
  EXPECT_EQ(out.tensor.sizes[0], 3);
  EXPECT_EQ(out.tensor.strides[0], 4);
  EXPECT_EQ(out.tensor.data, nullptr);
  ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
  for (int64_t i = 0; i < 12; ++i)
    EXPECT_EQ(static_cast<float *>(out.tensor.data)[i], expectedElement(x, i));
}

TEST(Run, CountsLaunchesAndGenericRuns) {
  Opened device(PackageBuilder(), true);
  Matrix x(3, device.device());
  KfuseArg in = x.arg(), out = {};
  ASSERT_EQ(kfuse_run(device.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
  EXPECT_EQ(countersOf(device).launches, 1);
  int32_t all = 0, runnable = 0;
  kfuse_model_launches(device.model, &all, &runnable);
  EXPECT_EQ(all, 1);
  EXPECT_EQ(runnable, 1);
  Opened host{PackageBuilder()};
  Matrix xHost(3, host.device());
  in = xHost.arg();
  out = {};
  ASSERT_EQ(kfuse_run(host.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
  EXPECT_EQ(countersOf(host).launches, 0);
  EXPECT_EQ(countersOf(host).fallbacks[KFUSE_FALLBACK_GENERIC], 2);
}

TEST(Run, EmptyGridIsNotLaunched) {
  Opened opened(PackageBuilder(), true);
  Matrix x(0, opened.device());
  KfuseArg in = x.arg(), out = {};
  ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
  EXPECT_EQ(countersOf(opened).launches, 0);
}

TEST(Run, GuardsRefuseWrongInputs) {
  Opened opened(PackageBuilder(), true);
  Matrix x(3, opened.device());
  auto runWith = [&](auto change) {
    KfuseArg in = x.arg(), out = {};
    change(in.tensor);
    KfuseStatus status = kfuse_run(opened.context, &in, 1, &out, 1, nullptr);
    EXPECT_EQ(status, KFUSE_GUARD_FAILED);
    return std::string(kfuse_last_error());
  };
  int64_t wide[] = {3, 5}, many[] = {65, 4};
  EXPECT_EQ(runWith([](KfuseTensor &t) { t.dtype = KFUSE_F64; }),
            "input 'x' is f64, expected f32");
  EXPECT_EQ(runWith([](KfuseTensor &t) { t.rank = 1; }),
            "input 'x' has 1 dimensions, expected 2");
  EXPECT_EQ(runWith([&](KfuseTensor &t) { t.sizes = wide; }),
            "size 1 of input 'x' is 5, expected 4 = 4");
  EXPECT_EQ(runWith([&](KfuseTensor &t) { t.sizes = many; }),
            "size s0 is 65, expected 0 to 64");
  EXPECT_EQ(runWith([](KfuseTensor &t) { t.device.kind = KFUSE_CPU; }),
            "input 'x' is on cpu:0, the model on cuda:0");
  EXPECT_EQ(
      runWith([](KfuseTensor &t) { t.data = static_cast<char *>(t.data) + 2; }),
      "input 'x' is not aligned to its elements of 4 bytes");
  // And the context still works.
  KfuseArg in = x.arg(), out = {};
  EXPECT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
  EXPECT_EQ(kfuse_run(opened.context, &in, 0, &out, 1, nullptr),
            KFUSE_INVALID_ARGUMENT);
  in.tensor.data = nullptr;
  EXPECT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr),
            KFUSE_INVALID_ARGUMENT);
}

TEST(Run, OtherStridesAreCopiedAndCounted) {
  for (bool onDevice : {false, true}) {
    Opened opened(PackageBuilder(), onDevice);
    Matrix x(4, opened.device());
    x.strides[0] = 1;
    x.strides[1] = 4;
    KfuseArg in = x.arg(), out = {};
    ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK)
        << kfuse_last_error();
    auto *y = static_cast<float *>(out.tensor.data);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        EXPECT_EQ(y[i * 4 + j], (x.values[j * 4 + i] + j + 1) * 2);
    EXPECT_EQ(countersOf(opened).fallbacks[KFUSE_FALLBACK_GUARD], 1);
    EXPECT_GE(countersOf(opened).copies, 1);
  }
}

TEST(Run, ExpandedOutputsAreWrittenOnce) {
  for (bool onDevice : {false, true}) {
    PackageBuilder builder;
    builder.hasGeneric = false;
    builder.manifest["outputs"][0]["sizes"] = {3, 4};
    builder.manifest["outputs"][0]["strides"] = {0, 1};
    Json &plan = builder.plan;
    plan["tensors"].push_back(tensor({3, 4}, {{"view", 0}}, {0, 1}));
    plan["outputs"] = {{{"t", plan["tensors"].size() - 1}}};
    plan["steps"] = Json::array();
    KfuseModelOptions options = {};
    options.program = KFUSE_PROGRAM_PLAN;
    Opened opened(builder, onDevice, options);
    ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
    Matrix x(2, opened.device());
    KfuseArg in = x.arg(), out = {};
    ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK)
        << kfuse_last_error();
    EXPECT_EQ(out.tensor.strides[0], 0);
    auto *y = static_cast<float *>(out.tensor.data);
    for (int j = 0; j < 4; ++j)
      EXPECT_EQ(y[j], x.values[j]);
    EXPECT_EQ(countersOf(opened).bytesCopied, 16);
  }
}

TEST(Run, DenyRefusesGuardFallbacks) {
  KfuseModelOptions options = {};
  options.fallback = KFUSE_FALLBACK_DENY;
  Opened opened(PackageBuilder(), true, options);
  Matrix x(4, opened.device());
  KfuseArg in = x.arg(), out = {};
  EXPECT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
  x.strides[0] = 1;
  x.strides[1] = 4;
  in = x.arg();
  EXPECT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr),
            KFUSE_FALLBACK_DENIED);
}

TEST(Run, BudgetsCountFallbacks) {
  KfuseModelOptions options = {};
  options.fallbackBudget = 1;
  Opened opened(PackageBuilder(), true, options);
  Matrix x(4, opened.device());
  x.strides[0] = 1;
  x.strides[1] = 4;
  KfuseArg in = x.arg(), out = {};
  EXPECT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
  EXPECT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK)
      << "each run has its own";
  ASSERT_EQ(kfuse_model_kill(opened.model, "l_add_mul", 1), KFUSE_OK);
  EXPECT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr),
            KFUSE_FALLBACK_DENIED);
  EXPECT_STREQ(kfuse_last_error(),
               "the run exceeds its budget of 1 fallbacks with one of class "
               "killed: l_add_mul, switched off");
}

/// A second variant that marks its result, with a guard.
static PackageBuilder withFastVariant(Json guard) {
  PackageBuilder builder;
  Json kernel = builder.plan["kernels"][0];
  kernel["id"] = "k_fast";
  kernel["binaries"]["sm_90a"]["entry"] = "add_mul_fast";
  builder.plan["kernels"].push_back(kernel);
  auto &variants = builder.plan["steps"][0]["variants"];
  Json fast = variants[0];
  fast["kernel"] = 1;
  fast["guards"] = Json::array({guard});
  variants = Json::array({fast, variants[0]});
  return builder;
}

static bool ranFast(Opened &opened, Matrix &x, size_t skip = 0) {
  KfuseArg in = x.arg(), out = {};
  in.tensor.data = x.values.data() + skip;
  EXPECT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK)
      << kfuse_last_error();
  return static_cast<float *>(out.tensor.data)[0] > 500;
}

TEST(Run, VariantsAreChosenByGuards) {
  Opened divisible(
      withFastVariant({{"kind", "divisible"}, {"expr", "s0"}, {"by", 4}}),
      true);
  ASSERT_EQ(divisible.status, KFUSE_OK) << divisible.message;
  Matrix three(3, divisible.device()), four(4, divisible.device());
  EXPECT_FALSE(ranFast(divisible, three));
  EXPECT_TRUE(ranFast(divisible, four));
  Opened le(withFastVariant({{"kind", "le"}, {"lhs", "s0"}, {"rhs", 3}}), true);
  EXPECT_TRUE(ranFast(le, three));
  EXPECT_FALSE(ranFast(le, four));
  Opened aligned(
      withFastVariant({{"kind", "aligned"}, {"tensor", 0}, {"bytes", 16}}),
      true);
  EXPECT_TRUE(ranFast(aligned, three));
  EXPECT_FALSE(ranFast(aligned, three, 1));
}

TEST(Run, KillSwitches) {
  Opened opened(
      withFastVariant({{"kind", "divisible"}, {"expr", "s0"}, {"by", 4}}),
      true);
  Matrix x(4, opened.device());
  EXPECT_TRUE(ranFast(opened, x));
  ASSERT_EQ(kfuse_model_kill(opened.model, "k_fast", 1), KFUSE_OK);
  EXPECT_FALSE(ranFast(opened, x));
  EXPECT_EQ(countersOf(opened).launches, 1);
  ASSERT_EQ(kfuse_model_kill(opened.model, "l_add_mul", 1), KFUSE_OK);
  EXPECT_FALSE(ranFast(opened, x));
  EXPECT_EQ(countersOf(opened).launches, 0);
  EXPECT_EQ(countersOf(opened).fallbacks[KFUSE_FALLBACK_KILLED], 1);
  ASSERT_EQ(kfuse_context_fallback_count(opened.context), 1);
  KfuseFallbackInfo info;
  ASSERT_EQ(kfuse_context_fallback(opened.context, 0, &info), KFUSE_OK);
  EXPECT_STREQ(info.name, "l_add_mul");
  EXPECT_EQ(info.kind, KFUSE_FALLBACK_KILLED);
  ASSERT_EQ(kfuse_model_kill(opened.model, "l_add_mul", 0), KFUSE_OK);
  ASSERT_EQ(kfuse_model_kill(opened.model, "k_fast", 0), KFUSE_OK);
  EXPECT_TRUE(ranFast(opened, x));
  EXPECT_EQ(kfuse_model_kill(opened.model, "nothing", 1),
            KFUSE_INVALID_ARGUMENT);
}

TEST(Run, LaunchesWithoutCodeRunTheirGenericSteps) {
  PackageBuilder builder;
  builder.plan["kernels"][0]["binaries"] = {
      {"sm_80a", {{"member", "kernels/sm_90a/all.cubin"}, {"entry", "x"}}}};
  Opened opened(builder, true);
  Matrix x(3, opened.device());
  KfuseArg in = x.arg(), out = {};
  ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
  EXPECT_EQ(static_cast<float *>(out.tensor.data)[5], expectedElement(x, 5));
  EXPECT_EQ(countersOf(opened).fallbacks[KFUSE_FALLBACK_UNSUPPORTED], 1);
}

TEST(Run, StreamsWaitForEachOther) {
  Opened opened(PackageBuilder(), true);
  Matrix x(3, opened.device());
  KfuseArg in = x.arg(), out = {};
  int first = 0, second = 0;
  int before = getFakeDeviceCounts().waits;
  ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, &first), KFUSE_OK);
  ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, &first), KFUSE_OK);
  EXPECT_EQ(getFakeDeviceCounts().waits, before);
  ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, &second), KFUSE_OK);
  EXPECT_EQ(getFakeDeviceCounts().waits, before + 1);
}

TEST(Run, CapturesAGraph) {
  Opened opened(PackageBuilder(), true);
  Matrix x(3, opened.device()), y(3, opened.device());
  KfuseArg in = x.arg(), out = y.arg();
  KfuseGraph *graph = nullptr;
  ASSERT_EQ(kfuse_capture(opened.context, &in, 1, &out, 1, &x, &graph),
            KFUSE_OK)
      << kfuse_last_error();
  x.values[0] = 50;
  ASSERT_EQ(kfuse_graph_launch(graph, &x), KFUSE_OK);
  EXPECT_EQ(y.values[0], 102);
  kfuse_graph_release(graph);
}

/// y = relu(launch), so that the plan calls an operator.
static PackageBuilder withOperator() {
  PackageBuilder builder;
  Json &tensors = builder.plan["tensors"];
  tensors[3]["storage"] = {{"arena", 0}};
  tensors.push_back(tensor(Json::array({"s0", 4}), {{"output", 0}}));
  builder.plan["arena_bytes"] = 1024;
  builder.plan["steps"].push_back(aten("aten::relu", "", {{"self", {{"t", 3}}}},
                                       Json::array({{{"t", 4}}})));
  builder.plan["outputs"] = Json::array({{{"t", 4}}});
  return builder;
}

TEST(Run, CapturesOperatorsOnlyWithPools) {
  KfuseModelOptions options = {};
  for (bool hasPools : {false, true}) {
    options.provider = hasPools ? getCapturingProvider() : getFakeProvider();
    Opened opened(withOperator(), true, options);
    ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
    Matrix x(3, opened.device()), y(3, opened.device());
    KfuseArg in = x.arg(), out = y.arg();
    KfuseGraph *graph = nullptr;
    KfuseStatus status =
        kfuse_capture(opened.context, &in, 1, &out, 1, &x, &graph);
    EXPECT_EQ(status, hasPools ? KFUSE_OK : KFUSE_UNSUPPORTED);
    if (!hasPools)
      EXPECT_NE(std::string(kfuse_last_error()).find("1 operators of provider"),
                std::string::npos)
          << kfuse_last_error();
    kfuse_graph_release(graph);
  }
  EXPECT_EQ(getCaptureCounts().begun, 1);
  EXPECT_EQ(getCaptureCounts().ended, 1);
  EXPECT_EQ(getCaptureCounts().released, 1);
}

TEST(Run, AFailedCaptureGivesItsPoolBack) {
  KfuseModelOptions options = {};
  options.provider = getCapturingProvider();
  Opened opened(withOperator(), true, options);
  Matrix x(3, opened.device()), y(3, opened.device());
  KfuseArg in = x.arg(), out = y.arg();
  KfuseGraph *graph = nullptr;
  CaptureCounts before = getCaptureCounts();
  getFakeDeviceCounts().failsCaptures = true;
  EXPECT_EQ(kfuse_capture(opened.context, &in, 1, &out, 1, &x, &graph),
            KFUSE_DEVICE_ERROR);
  getFakeDeviceCounts().failsCaptures = false;
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(getCaptureCounts().begun - before.begun, 1);
  EXPECT_EQ(getCaptureCounts().ended - before.ended, 1);
  EXPECT_EQ(getCaptureCounts().released - before.released, 1);
  EXPECT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, &x), KFUSE_OK);
}

TEST(Run, ReleasesInAnyOrder) {
  Opened opened(PackageBuilder(), true);
  kfuse_package_release(opened.package);
  kfuse_weights_release(opened.weights);
  kfuse_model_release(opened.model);
  opened.package = nullptr;
  opened.weights = nullptr;
  opened.model = nullptr;
  Matrix x(3, opened.device());
  KfuseArg in = x.arg(), out = {};
  EXPECT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
}

TEST(Run, KillsFromFileAndEnvironment) {
  const char *path = "kfuse-kill-test.txt";
  FILE *file = fopen(path, "w");
  ASSERT_NE(file, nullptr);
  fputs("# these were wrong in March\nl_add_mul # and this\nunknown\n", file);
  fclose(file);
  std::vector<std::string> lines;
  KfuseModelOptions options = {};
  options.killFile = path;
  options.fallback = KFUSE_FALLBACK_WARN;
  options.logUser = &lines;
  options.log = [](void *user, const char *line) {
    static_cast<std::vector<std::string> *>(user)->push_back(line);
  };
  Opened byFile(PackageBuilder(), true, options);
  remove(path);
  ASSERT_EQ(byFile.status, KFUSE_OK) << byFile.message;
  Matrix x(3, byFile.device());
  KfuseArg in = x.arg(), out = {};
  for (int run = 0; run < 3; ++run)
    ASSERT_EQ(kfuse_run(byFile.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
  EXPECT_EQ(countersOf(byFile).fallbacks[KFUSE_FALLBACK_KILLED], 1);
  ASSERT_EQ(lines.size(), 2u) << "an unknown id, and one warning";
  EXPECT_EQ(lines[1], "fallback (killed): l_add_mul, switched off");

  setenv("KFUSE_KILL", "other,k_add_mul", 1);
  Opened byEnvironment(PackageBuilder(), true);
  unsetenv("KFUSE_KILL");
  out = {};
  ASSERT_EQ(kfuse_run(byEnvironment.context, &in, 1, &out, 1, nullptr),
            KFUSE_OK);
  EXPECT_EQ(countersOf(byEnvironment).launches, 0);
}
