//===- ThreadTest.cpp - one model, many contexts --------------------------===//
#include "Fixture.h"

#include <atomic>
#include <thread>

using namespace kfuse::test;

/// Runs the model in several threads at once and checks every value.
static void runInThreads(const Opened &opened) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      KfuseContext *context = nullptr;
      if (kfuse_context_create(opened.model, nullptr, &context) != KFUSE_OK) {
        ++wrong;
        return;
      }
      for (int run = 0; run < 50; ++run) {
        int64_t rows = (number + run) % 7 + 1;
        Matrix x(rows, opened.device(), static_cast<float>(number));
        Matrix y(rows, opened.device());
        KfuseArg in = x.arg(), out = y.arg();
        if (kfuse_run(context, &in, 1, &out, 1, nullptr) != KFUSE_OK)
          ++wrong;
        for (int64_t i = 0; i < rows * 4; ++i)
          wrong += y.values[i] != expectedElement(x, i);
      }
      kfuse_context_release(context);
    });
  // Switching kernels off and on at the same time changes no result.
  for (int i = 0; i < 100; ++i)
    (void)kfuse_model_kill(opened.model, "l_add_mul", i % 2);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, GenericProgram) { runInThreads(Opened{PackageBuilder()}); }

TEST(Threads, PlanOnTheCpu) {
  KfuseModelOptions options = {};
  options.program = KFUSE_PROGRAM_PLAN;
  runInThreads(Opened(PackageBuilder(), false, options));
}

TEST(Threads, PlanOnTheDevice) { runInThreads(Opened(PackageBuilder(), true)); }

TEST(Threads, AContextRefusesASecondThread) {
  // Neither run may go wrong: each succeeds or is refused.
  Opened opened{PackageBuilder()};
  std::atomic<int> unexpected{0};
  auto work = [&] {
    Matrix x(3, opened.device()), y(3, opened.device());
    KfuseArg in = x.arg(), out = y.arg();
    for (int i = 0; i < 100; ++i) {
      KfuseStatus status = kfuse_run(opened.context, &in, 1, &out, 1, nullptr);
      unexpected += status != KFUSE_OK && status != KFUSE_INVALID_ARGUMENT;
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(unexpected, 0);
}
