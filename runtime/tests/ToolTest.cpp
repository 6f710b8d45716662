//===- ToolTest.cpp - kfuse-run as a user calls it ------------------------===//
#include "ToolFixture.h"

using namespace kfuse::test;

TEST_F(Tool, ChecksAPlanAgainstTheExportedProgram) {
  EXPECT_EQ(run("--device=cpu --program=plan --random-inputs=3 --symbol s0=5 "
                "--check --stats"),
            0)
      << output;
  EXPECT_TRUE(printed("check y: ok")) << output;
  EXPECT_TRUE(printed("output y: f32 [5,4]")) << output;
  EXPECT_TRUE(printed("fallback l_add_mul (generic): 1")) << output;
}

TEST_F(Tool, WritesAndReadsArrays) {
  ASSERT_EQ(run("--device=cpu --random-inputs --output-dir " + path("out")), 0)
      << output;
  ASSERT_EQ(run("--device=cpu --input x=" + path("out/y.npy") + " --json"), 0)
      << output;
  Json report = Json::parse(output);
  EXPECT_EQ(report["outputs"][0]["sizes"], Json::array({8, 4}));
  EXPECT_EQ(report["stats"]["launches"], 0);
}

TEST_F(Tool, MeasuresTimes) {
  ASSERT_EQ(run("--device=cpu --random-inputs --bench --iterations 5 "
                "--warmup 1 --json"),
            0)
      << output;
  Json report = Json::parse(output);
  EXPECT_GT(report["bench"][0]["host"]["median_us"].get<double>(), 0);
}

TEST_F(Tool, ExplainsMistakes) {
  EXPECT_NE(run("--device=cpu"), 0);
  EXPECT_TRUE(printed("input 'x' (f32[?, 4]) is not given")) << output;
  EXPECT_NE(run("--device=cpu --random-inputs --symbol s7=1"), 0);
  EXPECT_TRUE(printed("no symbol 's7'")) << output;
  EXPECT_NE(run("--device=cpu --random-inputs --symbol s0=99"), 0);
  EXPECT_TRUE(printed("size s0 is 99, expected 0 to 64")) << output;
  EXPECT_NE(run("--device=tpu --random-inputs"), 0);
  EXPECT_TRUE(printed("unknown device 'tpu'")) << output;
  EXPECT_NE(run("--device=cpu --cuda-graph --random-inputs"), 0);
  EXPECT_TRUE(printed("graph capture needs a GPU")) << output;
  EXPECT_NE(run("--device=cpu --random-inputs --fallback-budget=-1"), 0);
  EXPECT_NE(run("--device=cpu --bench-host --random-inputs"), 0);
  EXPECT_TRUE(printed("needs a GPU and a plan with kernels")) << output;
  EXPECT_NE(run("--device=cpu --random-inputs --weights=/nowhere --kill=x"), 0);
  EXPECT_TRUE(printed("no launch or kernel has the id 'x'")) << output;
}

TEST_F(Tool, TakesSampleInputs) {
  EXPECT_NE(run("--device=cpu --sample-inputs " KFUSE_FIXTURES "/conv.pt2"), 0);
  EXPECT_TRUE(printed("input 'x' has 4 dimensions, expected 2")) << output;
  EXPECT_NE(run("--device=cpu --sample-inputs " KFUSE_FIXTURES "/dynamic.pt2"),
            0);
  EXPECT_TRUE(printed("has 2 sample inputs, the package 1")) << output;
  ASSERT_EQ(run("--device=cpu --random-inputs --output-dir " + path("out")), 0);
  // What is given by name comes first.
  ASSERT_EQ(run("--device=cpu --sample-inputs " KFUSE_FIXTURES
                "/conv.pt2 --input x=" +
                path("out/y.npy")),
            0)
      << output;
}

TEST_F(Tool, MarksRunsForProfilers) {
  std::string arguments = "--device=cpu --program=plan --random-inputs ";
  ASSERT_EQ(run(arguments + "--nvtx=" KFUSE_FAKE_NVTX_PATH), 0) << output;
  EXPECT_TRUE(printed("push test\npush l_add_mul\npush aten::add.Tensor\npop\n"
                      "push aten::mul.Scalar\npop\npop\npop\n"))
      << output;
  EXPECT_NE(run(arguments + "--nvtx=" KFUSE_FAKE_PROVIDER_PATH), 0);
  EXPECT_TRUE(printed("without nvtxRangePushA")) << output;
  EXPECT_NE(run(arguments + "--nvtx=/nowhere.so"), 0);
  EXPECT_TRUE(printed("cannot open '/nowhere.so'")) << output;
}

TEST_F(Tool, SetsMemoryAsideAndVerifies) {
  ASSERT_EQ(run("--device=cpu --program=plan --random-inputs --reserve "
                "--verify --json"),
            0)
      << output;
  EXPECT_EQ(Json::parse(output)["stats"]["bytes_allocated"], 0);
  std::fstream file(path("model.kfuse"),
                    std::ios::in | std::ios::out | std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  file.seekp(static_cast<std::streamoff>(bytes.str().find("fake code")));
  file << "F";
  file.close();
  EXPECT_NE(run("--device=cpu --random-inputs --verify"), 0);
  EXPECT_TRUE(printed("'kernels/sm_90a/all.cubin' has checksum")) << output;
}

TEST_F(Tool, SaysHowFarItIs) {
  setenv("KFUSE_RUN_PROGRESS_MS", "0", 1);
  EXPECT_EQ(run("--device=cpu --random-inputs --bench --iterations=3"), 0);
  unsetenv("KFUSE_RUN_PROGRESS_MS");
  EXPECT_TRUE(printed("running the package, 1 of 1\n")) << output;
  EXPECT_TRUE(printed("measuring runs, 3 of 3\n")) << output;
}
