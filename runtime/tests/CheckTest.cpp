//===- CheckTest.cpp - launches beside the operators they replace ---------===//
#include "Elements.h"
#include "Fixture.h"

#include <cmath>

using namespace kfuse;
using namespace kfuse::test;

namespace {
/// Runs the usual package with another kernel on a device, and keeps the check.
class Checked {
public:
  Checked(const KfuseDeviceTable *table, const char *entry,
          bool isExact = false)
      : opened(make(entry, isExact), table) {
    KfuseLaunchChecker checker = {};
    checker.checked = [](void *user, const KfuseLaunchCheck *check) {
      static_cast<Checked *>(user)->checks.push_back(*check);
    };
    checker.user = this;
    checker.tolerance = -1;
    EXPECT_EQ(kfuse_context_check(opened.context, &checker), KFUSE_OK);
  }
  /// Runs on `x`, writing to `y`, which may be the same.
  void run(Matrix &x, Matrix &y) {
    KfuseArg in = x.arg(), out = y.arg();
    ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK)
        << kfuse_last_error();
  }
  Opened opened;
  std::vector<KfuseLaunchCheck> checks;

private:
  static PackageBuilder make(const char *entry, bool isExact) {
    PackageBuilder builder;
    Json &binaries = builder.plan["kernels"][0]["binaries"];
    binaries["sm_90a"]["entry"] = entry;
    binaries["sim"] = binaries["sm_90a"];
    builder.plan["steps"][0]["exact"] = isExact;
    return builder;
  }
};

class CheckEverywhere
    : public ::testing::TestWithParam<const KfuseDeviceTable *> {};
} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, CheckEverywhere,
                         ::testing::Values(getFakeDevice(), getFakeSimulator()),
                         [](const auto &info) {
                           return info.param->kind == KFUSE_CPU ? "simulator"
                                                                : "gpu";
                         });

TEST_P(CheckEverywhere, AgreesWithTheOperators) {
  Checked checked(GetParam(), "add_mul");
  Matrix x(3, checked.opened.device()), y(3, checked.opened.device());
  checked.run(x, y);
  ASSERT_EQ(checked.checks.size(), 1u);
  const KfuseLaunchCheck &check = checked.checks[0];
  EXPECT_STREQ(check.launch, "l_add_mul");
  EXPECT_STREQ(check.kernel, "add_mul");
  EXPECT_EQ(check.elements, 12);
  EXPECT_EQ(check.different, 0);
  EXPECT_EQ(check.mismatches, 0);
  EXPECT_EQ(check.firstMismatch, -1);
  EXPECT_EQ(check.dtype, KFUSE_F32);
  EXPECT_EQ(check.tolerance, 1e-4);
  EXPECT_EQ(check.largest, expectedElement(x, 11));
  // The kernel is what ran; the operators left no trace.
  KfuseCounters counters = countersOf(checked.opened);
  EXPECT_EQ(counters.launches, 1);
  EXPECT_EQ(counters.copies, 0);
  EXPECT_EQ(counters.fallbacks[KFUSE_FALLBACK_GENERIC], 0);
  for (int64_t i = 0; i < 12; ++i)
    EXPECT_EQ(y.values[i], expectedElement(x, i));
  EXPECT_EQ(getLiveHandles(), 0);
}

TEST_P(CheckEverywhere, FindsWrongAndUnwrittenElements) {
  Checked wrong(GetParam(), "add_mul_fast");
  Matrix x(3, wrong.opened.device()), y(3, wrong.opened.device());
  wrong.run(x, y);
  ASSERT_EQ(wrong.checks.size(), 1u);
  EXPECT_EQ(wrong.checks[0].mismatches, 1);
  EXPECT_EQ(wrong.checks[0].firstMismatch, 0);
  EXPECT_EQ(wrong.checks[0].expected, expectedElement(x, 0));
  EXPECT_EQ(wrong.checks[0].found, expectedElement(x, 0) + 1000);
  EXPECT_EQ(wrong.checks[0].maxAbs, 1000);
  // Later launches get what the operators gave.
  EXPECT_EQ(y.values[0], expectedElement(x, 0));
  // What nobody wrote is not what the operators left there.
  Checked unwritten(GetParam(), "empty");
  unwritten.run(x, y);
  ASSERT_EQ(unwritten.checks.size(), 1u);
  EXPECT_EQ(unwritten.checks[0].mismatches, 12);
}

TEST_P(CheckEverywhere, KeepsInputsThatAreWrittenTo) {
  Checked checked(GetParam(), "add_mul");
  Matrix x(3, checked.opened.device()), before = x;
  checked.run(x, x);
  ASSERT_EQ(checked.checks.size(), 1u);
  EXPECT_EQ(checked.checks[0].mismatches, 0);
  for (int64_t i = 0; i < 12; ++i)
    EXPECT_EQ(x.values[i], expectedElement(before, i));
}

TEST_P(CheckEverywhere, ExactLaunchesHaveNoTolerance) {
  for (bool isExact : {false, true}) {
    Checked checked(GetParam(), "add_mul_fast", isExact);
    // 1000 of 2e8: within the usual tolerance.
    Matrix x(3, checked.opened.device(), 1e8f), y(3, checked.opened.device());
    checked.run(x, y);
    ASSERT_EQ(checked.checks.size(), 1u);
    EXPECT_EQ(checked.checks[0].isExact, isExact);
    EXPECT_EQ(checked.checks[0].mismatches, isExact ? 1 : 0);
    EXPECT_EQ(checked.checks[0].different, 1);
  }
}

/// The fake provider's sum is f32, which is not what this plan expects.
TEST(Check, NamesTheLaunchWhoseOperatorsFail) {
  PackageBuilder builder;
  builder.plan["tensors"][2]["dtype"] = "bf16";
  Opened opened(builder, true);
  ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
  Matrix x(3, opened.device());
  KfuseLaunchChecker checker = {};
  checker.checked = [](void *, const KfuseLaunchCheck *) {};
  checker.tolerance = -1;
  ASSERT_EQ(kfuse_context_check(opened.context, &checker), KFUSE_OK);
  KfuseArg in = x.arg(), out = {};
  EXPECT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr),
            KFUSE_PROVIDER_ERROR);
  EXPECT_NE(std::string(kfuse_last_error()).find("check of launch 'l_add_mul'"),
            std::string::npos)
      << kfuse_last_error();
}

TEST_P(CheckEverywhere, ChecksGridsWithoutBlocks) {
  Checked checked(GetParam(), "add_mul");
  Matrix x(0, checked.opened.device()), y(0, checked.opened.device());
  checked.run(x, y);
  ASSERT_EQ(checked.checks.size(), 1u);
  EXPECT_EQ(checked.checks[0].elements, 0);
  EXPECT_EQ(checked.checks[0].mismatches, 0);
}

TEST(Check, ConcernsKernelsOnly) {
  Checked checked(getFakeSimulator(), "add_mul");
  kfuse_model_kill(checked.opened.model, "l_add_mul", 1);
  Matrix x(3, checked.opened.device()), y(3, checked.opened.device());
  checked.run(x, y);
  EXPECT_TRUE(checked.checks.empty());
  EXPECT_EQ(kfuse_context_check(checked.opened.context, nullptr), KFUSE_OK);
  EXPECT_EQ(kfuse_context_check(nullptr, nullptr), KFUSE_INVALID_ARGUMENT);
}

TEST(Check, RefusesCaptures) {
  Checked checked(getFakeDevice(), "add_mul");
  Matrix x(3, checked.opened.device()), y(3, checked.opened.device());
  KfuseArg in = x.arg(), out = y.arg();
  KfuseGraph *graph = nullptr;
  EXPECT_EQ(kfuse_capture(checked.opened.context, &in, 1, &out, 1, &x, &graph),
            KFUSE_UNSUPPORTED);
  EXPECT_STREQ(kfuse_last_error(),
               "a run that checks its launches cannot be captured");
}

template <typename T>
static Comparison compareLists(std::vector<T> found, std::vector<T> expected,
                               KfuseDtype dtype, double tolerance = -1) {
  int64_t sizes[] = {static_cast<int64_t>(found.size())}, strides[] = {1};
  KfuseTensor a = {found.data(), sizes, strides, dtype, 1, {KFUSE_CPU, 0}};
  KfuseTensor b = a;
  b.data = expected.data();
  return compareElements(a, b, tolerance);
}

TEST(Check, MeasuresDifferences) {
  Comparison result = compareLists<float>({1, 2, 4}, {1, 2.5f, 4}, KFUSE_F32);
  EXPECT_EQ(result.maxAbs, 0.5);
  EXPECT_EQ(result.maxRel, 0.2);
  EXPECT_EQ(result.maxUlp, 0.5 / std::ldexp(1, 2 - 24));
  EXPECT_EQ(result.different, 1);
  EXPECT_EQ(result.mismatches, 1);
  EXPECT_EQ(result.firstMismatch, 1);
  float nan = NAN, infinity = INFINITY;
  result = compareLists<float>({nan, -0.0f, infinity}, {nan, 0, infinity},
                               KFUSE_F32);
  EXPECT_EQ(result.different, 0);
  EXPECT_EQ(result.mismatches, 0);
  result = compareLists<float>({nan, 1e38f}, {1, infinity}, KFUSE_F32, 1e30);
  EXPECT_EQ(result.nonFinite, 2);
  EXPECT_EQ(result.mismatches, 2);
  // Doubles cannot tell these apart.
  int64_t large = int64_t(1) << 60;
  result = compareLists<int64_t>({large + 1, 7}, {large, 7}, KFUSE_I64);
  EXPECT_EQ(result.mismatches, 1);
  result = compareLists<float>({1, 2, 3, 4}, {1, 2, 3, 5}, KFUSE_F32);
  EXPECT_EQ(result.firstMismatch, 3);
}

TEST(Check, ComparesComplexNumbersByParts) {
  int64_t sizes[] = {2}, strides[] = {1};
  float found[] = {1, 2, 3, 4}, expected[] = {1, 2, 3, 5};
  KfuseTensor a = {found, sizes, strides, KFUSE_C64, 1, {KFUSE_CPU, 0}}, b = a;
  b.data = expected;
  Comparison result = compareElements(a, b, -1);
  EXPECT_EQ(result.elements, 2);
  EXPECT_EQ(result.mismatches, 1);
  EXPECT_EQ(result.firstMismatch, 1);
  EXPECT_EQ(result.maxAbs, 1);
}
