//===- SimulatorToolTest.cpp - tools on the fake simulator ----------------===//
#include "ToolFixture.h"

using namespace kfuse::test;

namespace {
class SimulatorTool : public Tool {
protected:
  /// Writes the usual package with `entry` as the simulator's kernel.
  void usePackage(const char *entry) {
    PackageBuilder builder;
    builder.manifest["targets"].push_back("sim");
    builder.plan["kernels"][0]["binaries"]["sim"] = {
        {"member", "kernels/sim/all.mlirbc"}, {"entry", entry}};
    builder.members.emplace_back("kernels/sim/all.mlirbc", "fake code");
    writePackage(builder);
  }
  int runSimulated(const std::string &arguments) {
    return run("--device=sim --simulator=" KFUSE_FAKE_SIM_PATH
               " --random-inputs " +
               arguments);
  }
  int simulate(const std::string &arguments) {
    return run("--simulator=" KFUSE_FAKE_SIM_PATH " --random-inputs " +
                   arguments,
               KFUSE_SIM_PATH);
  }
  /// The JSON between the messages.
  Json parseReport() const {
    size_t begin = output.find('{'), end = output.rfind('}');
    return Json::parse(output.substr(begin, end + 1 - begin));
  }
};
} // namespace

TEST_F(SimulatorTool, RunsKernels) {
  usePackage("add_mul");
  EXPECT_EQ(runSimulated("--check --check-launches --fallback=deny --stats"), 0)
      << output;
  EXPECT_TRUE(printed("device: fake simulator")) << output;
  EXPECT_TRUE(printed("check y: ok")) << output;
  EXPECT_TRUE(printed("check of kernel add_mul output 0: ok, exact false, "
                      "checks 1, elements 32, different 0"))
      << output;
  EXPECT_TRUE(printed("launches: 1")) << output;
}

TEST_F(SimulatorTool, PrintsFindings) {
  usePackage("add_mul_fast");
  EXPECT_EQ(runSimulated(""), 1) << output;
  EXPECT_TRUE(printed("race in add_mul_fast: two writes")) << output;
  EXPECT_TRUE(printed("    at llvm.store at add_1\n"
                      "    block (0, 0, 0), thread (0, 0, 0), shared memory at "
                      "byte 128, 4 bytes; 3 times\n"
                      "    the other side: llvm.store at mul_1\n"
                      "    block (0, 0, 0), thread (7, 0, 0)\n"))
      << output;
  EXPECT_TRUE(printed("the simulator found faults in kernels")) << output;
  EXPECT_EQ(runSimulated("--json"), 1);
  Json report = parseReport();
  EXPECT_EQ(report["findings"][0]["kind"], "race");
  EXPECT_EQ(report["findings"][0]["other_by"]["thread"][0], 7);
}

TEST_F(SimulatorTool, FindsKernelsThatDiffer) {
  usePackage("add_mul_fast");
  EXPECT_EQ(runSimulated("--check-launches --json"), 1);
  Json row = parseReport()["launch_checks"][0];
  EXPECT_EQ(row["mismatches"], 1);
  EXPECT_EQ(row["first_mismatch"]["position"], 0);
  EXPECT_EQ(row["ok"], false);
}

TEST_F(SimulatorTool, ExplainsMistakes) {
  EXPECT_NE(runSimulated(""), 0);
  EXPECT_TRUE(printed("the package has no code for the simulator; compile it "
                      "with kfuse-compile --simulator"))
      << output;
  usePackage("add_mul");
  EXPECT_NE(run("--device=sim --simulator=/nowhere.so --random-inputs"), 0);
  EXPECT_TRUE(printed("cannot open the simulator: /nowhere.so")) << output;
  EXPECT_NE(run("--device=sim --simulator=" KFUSE_FAKE_PROVIDER_PATH
                " --random-inputs"),
            0);
  EXPECT_TRUE(printed("has no function kfuse_sim_configure")) << output;
  EXPECT_NE(run("--device=cpu --random-inputs --check-launches"), 0);
  EXPECT_TRUE(printed("--check-launches needs a GPU or --device=sim"))
      << output;
}

//===----------------------------------------------------------------------===//
// kfuse-sim
//===----------------------------------------------------------------------===//

TEST_F(SimulatorTool, ReportsKernelByKernel) {
  usePackage("add_mul");
  EXPECT_EQ(simulate("--symbol s0=5 --seeds=3"), 0) << output;
  EXPECT_TRUE(printed("timing late, seeds 1 to 3")) << output;
  EXPECT_TRUE(printed("kernel   grid  block  launches  seconds  findings"))
      << output;
  EXPECT_TRUE(printed("add_mul     3      8         3")) << output;
  EXPECT_TRUE(printed("0.0e+00    0  equal\n")) << output;
  EXPECT_TRUE(printed("1 kernel, 3 launches in ")) << output;
  EXPECT_TRUE(
      printed("no findings, all outputs agree with the generic operators"))
      << output;
  EXPECT_EQ(simulate("--no-check --fast --timing=random"), 0) << output;
  EXPECT_TRUE(printed("not compared")) << output;
  EXPECT_TRUE(printed("timing random, seed 1, without checks for races"))
      << output;
}

TEST_F(SimulatorTool, SaysWhatIsWrong) {
  usePackage("add_mul_fast");
  EXPECT_EQ(simulate("--symbol s0=5 --seeds=2 --timing=early"), 1) << output;
  EXPECT_TRUE(printed("WRONG: 2 of 40\n")) << output;
  EXPECT_TRUE(printed("add_mul_fast output 0 (f32): 2 of 40 elements differ by "
                      "more than 0.0001 of the largest; the first at [0, 0] of "
                      "[5, 4]: found 10"))
      << output;
  EXPECT_TRUE(printed("race in add_mul_fast: two writes, seed 1, timing 1\n"
                      "    at llvm.store at add_1\n"))
      << output;
  EXPECT_TRUE(printed("6 times; first with s0=5, seed 1\n")) << output;
  EXPECT_TRUE(printed("1 finding, 1 output disagrees")) << output;
  EXPECT_EQ(simulate("--json"), 1);
  Json report = parseReport();
  EXPECT_EQ(report["kernels"][0]["name"], "add_mul_fast");
  EXPECT_EQ(report["kernels"][0]["findings"], 1);
  EXPECT_EQ(report["kernels"][0]["outputs"][0]["mismatches"], 1);
  EXPECT_EQ(report["findings"][0]["kind"], "race");
  EXPECT_EQ(report["ok"], false);
}

TEST_F(SimulatorTool, RunsAllSizes) {
  usePackage("add_mul");
  EXPECT_EQ(simulate("--symbol s0=1,3,64 --seeds=2"), 0) << output;
  EXPECT_TRUE(printed("seeds 1 to 2, 3 sets of sizes")) << output;
  EXPECT_TRUE(printed("32,..")) << output;
  EXPECT_TRUE(printed("1 kernel, 6 launches in ")) << output;
  usePackage("add_mul_fast");
  EXPECT_EQ(simulate("--symbol s0=1,3"), 1) << output;
  EXPECT_TRUE(printed("the first at [0, 0] of [1, 4]: found")) << output;
  EXPECT_TRUE(printed("6 times; first with s0=1, seed 1\n")) << output;
  EXPECT_EQ(simulate("--symbol s0=1,"), 1) << output;
  EXPECT_TRUE(printed("'' is not a 64-bit integer")) << output;
}

TEST_F(SimulatorTool, SelectsKernels) {
  usePackage("add_mul");
  EXPECT_EQ(simulate("--kernel=mul"), 0) << output;
  EXPECT_TRUE(printed("1 kernel, 1 launch in")) << output;
  EXPECT_EQ(simulate("--kernel=softmax"), 1);
  EXPECT_TRUE(printed("no kernel's name contains 'softmax', expected part of "
                      "one of add_mul"))
      << output;
  EXPECT_NE(simulate("--timing=now"), 0);
  EXPECT_NE(simulate("--random-inputs=x"), 0);
  EXPECT_TRUE(printed("'x' is not a seed, expected a number")) << output;
}

TEST_F(SimulatorTool, SaysHowFarTheSimulationIs) {
  usePackage("add_mul");
  setenv("KFUSE_RUN_PROGRESS_MS", "0", 1);
  EXPECT_EQ(simulate("--seeds=2"), 0);
  unsetenv("KFUSE_RUN_PROGRESS_MS");
  EXPECT_TRUE(printed("kfuse-sim: ")) << output;
  EXPECT_TRUE(printed("simulating launches, 1 of 2 (add_mul)\n")) << output;
}
