//===- AllocationTest.cpp - warm runs allocate nothing --------------------===//
#include "Fixture.h"

#include <chrono>
#include <cstdlib>
#include <new>

using namespace kfuse::test;

static thread_local bool isCounting = false;
static thread_local int allocations = 0;

static void *countedAllocate(size_t bytes) {
  if (isCounting)
    ++allocations;
  if (void *pointer = malloc(bytes ? bytes : 1))
    return pointer;
  throw std::bad_alloc();
}
void *operator new(size_t bytes) { return countedAllocate(bytes); }
void *operator new[](size_t bytes) { return countedAllocate(bytes); }
void operator delete(void *pointer) noexcept { free(pointer); }
void operator delete[](void *pointer) noexcept { free(pointer); }
void operator delete(void *pointer, size_t) noexcept { free(pointer); }
void operator delete[](void *pointer, size_t) noexcept { free(pointer); }

/// `count` launches in a row.
static PackageBuilder manyLaunches(int count) {
  PackageBuilder builder;
  Json step = builder.plan["steps"][0];
  for (int i = 1; i < count; ++i)
    builder.plan["steps"].push_back(step);
  return builder;
}

static void expectNoneAfterWarmUp(const KfuseDeviceTable *table) {
  PackageBuilder builder = manyLaunches(100);
  Json &binaries = builder.plan["kernels"][0]["binaries"];
  binaries["sim"] = binaries["sm_90a"];
  Opened opened(builder, table);
  ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
  Matrix small(3, opened.device()), large(60, opened.device());
  Matrix y(60, opened.device());
  auto run = [&](Matrix &x) {
    KfuseArg in = x.arg(), out = x.arg();
    out.tensor.data = y.values.data();
    return kfuse_run(opened.context, &in, 1, &out, 1, nullptr);
  };
  ASSERT_EQ(run(small), KFUSE_OK);
  ASSERT_EQ(run(large), KFUSE_OK);
  int deviceAllocations = getFakeDeviceCounts().allocations;
  allocations = 0;
  isCounting = true;
  KfuseStatus first = run(small), second = run(large), third = run(large);
  isCounting = false;
  EXPECT_EQ(first, KFUSE_OK);
  EXPECT_EQ(second, KFUSE_OK);
  EXPECT_EQ(third, KFUSE_OK);
  EXPECT_EQ(allocations, 0);
  EXPECT_EQ(getFakeDeviceCounts().allocations, deviceAllocations);
  EXPECT_EQ(countersOf(opened).launches, 100);
}

TEST(Allocation, NoneAfterWarmUp) { expectNoneAfterWarmUp(getFakeDevice()); }

TEST(Allocation, NoneToDescribeTensors) {
  expectNoneAfterWarmUp(getFakeSimulator());
}

/// Nanoseconds of a run of `count` kernels that do nothing.
static double measureRun(int count) {
  PackageBuilder builder = manyLaunches(count);
  builder.plan["kernels"][0]["binaries"]["sm_90a"]["entry"] = "empty";
  Opened opened(builder, true);
  Matrix x(3, opened.device()), y(3, opened.device());
  KfuseArg in = x.arg(), out = y.arg();
  constexpr int runs = 2000;
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i)
    EXPECT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now() - start)
             .count() /
         runs;
}

TEST(Allocation, HostCostIsReported) {
  // Numbers, not a bound: test machines are shared.
  double one = measureRun(1), hundred = measureRun(100);
  printf("host cost: %.0f ns a run of 1 kernel, %.0f ns for each further "
         "kernel\n",
         one, (hundred - one) / 99);
}

TEST(Allocation, OpeningManyKernelsIsQuick) {
  PackageBuilder builder = manyLaunches(100);
  Json kernel = builder.plan["kernels"][0];
  for (int i = 1; i < 100; ++i) {
    kernel["id"] = "k" + std::to_string(i);
    builder.plan["kernels"].push_back(kernel);
    builder.plan["steps"][i]["variants"][0]["kernel"] = i;
  }
  auto start = std::chrono::steady_clock::now();
  Opened opened(builder, true);
  double milliseconds = std::chrono::duration<double, std::milli>(
                            std::chrono::steady_clock::now() - start)
                            .count();
  ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
  printf("opening 100 kernels: %.2f ms, making the package included\n",
         milliseconds);
}
