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
