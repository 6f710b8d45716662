//===- ReaderTest.cpp - programs, good and bad ----------------------------===//
/// \file
/// The decoder on the fixtures of each torch version, and one message for each
/// kind of bad input.

#include "kfuse/Import/Reader.h"
#include "TestZip.h"

#include <chrono>
#include <gtest/gtest.h>

using namespace mlir::kfuse::pt2;

static Result<Program> readMembers(const std::vector<TestMember> &members,
                                   const ReadOptions &options = {}) {
  // The program keeps the archive, which borrows these bytes.
  static std::vector<std::unique_ptr<std::string>> zips;
  zips.push_back(std::make_unique<std::string>(makeZip(members)));
  auto archive = Archive::fromMemory(getBytes(*zips.back()));
  if (!archive)
    return archive.takeError();
  return readProgram(*archive, options);
}

static std::string getMessage(const TestProgram &program,
                              const ReadOptions &options = {}) {
  auto result = readMembers(program.getMembers(), options);
  return result ? "" : result.message();
}

#define EXPECT_MESSAGE(program, part)                                          \
  EXPECT_NE(getMessage(program).find(part), std::string::npos)                 \
      << "found: " << getMessage(program)

TEST(ReaderTest, MinimalProgram) {
  auto program = readMembers(TestProgram().getMembers());
  ASSERT_TRUE(program) << program.message();
  EXPECT_EQ(program->graph.nodes.size(), 1u);
  EXPECT_EQ(program->graph.nodes[0].name, "add");
  EXPECT_EQ(program->modelName, "model");
  const Payload &weight = program->payloads.at("m.w");
  ASSERT_NE(weight.member, nullptr);
  EXPECT_EQ(weight.path, "root/data/weights/weight_0");
  EXPECT_EQ(weight.member->bytes.size, 16u);
  EXPECT_TRUE(program->warnings.empty());
}

TEST(ReaderTest, Versions) {
  TestProgram program;
  program.version = R"({"major": 8, "minor": 99})";
  auto result = readMembers(program.getMembers());
  ASSERT_TRUE(result) << result.message();
  ASSERT_EQ(result->warnings.size(), 1u);
  EXPECT_NE(result->warnings[0].find("8.99"), std::string::npos);
  program.version = R"({"major": 9, "minor": 1})";
  EXPECT_MESSAGE(program, "update kfuse or save with torch 2.14 or older");
  program.version = R"({"major": 7, "minor": 1})";
  EXPECT_MESSAGE(program, "save the program again with torch 2.9 or newer");
  program.version = R"({"major": 8, "minor": 8})";
  EXPECT_MESSAGE(program, "8.8 (torch 2.11.0) is too old");
}

TEST(ReaderTest, Markers) {
  TestProgram program;
  program.byteOrder = "big";
  EXPECT_MESSAGE(program, "byteorder is 'big', expected 'little'");
  program = {};
  program.archiveVersion = "1";
  EXPECT_MESSAGE(program, "archive_version is '1', expected '0'");
  program = {};
  program.archiveFormat = "pt3";
  EXPECT_MESSAGE(program, "archive_format is 'pt3', expected 'pt2'");
}

TEST(ReaderTest, RenamedMembers) {
  for (size_t i = 0; i < 7; ++i) {
    auto members = TestProgram().getMembers();
    members[i].name += "_renamed";
    auto result = readMembers(members);
    // Constants may be absent: this program has none.
    if (i == 2) {
      EXPECT_TRUE(result);
      continue;
    }
    ASSERT_FALSE(result) << members[i].name;
    EXPECT_NE(result.message().find(i == 3 ? "models/<name>.json" : "missing"),
              std::string::npos)
        << result.message();
  }
}

TEST(ReaderTest, OtherKindsOfArchives) {
  auto old = readMembers({{"serialized_exported_program.json", "{}"}});
  ASSERT_FALSE(old);
  EXPECT_NE(old.message().find("torch 2.7 or older"), std::string::npos);
  auto script = readMembers({{"m/data.pkl", "x"}, {"m/constants.pkl", "x"}});
  ASSERT_FALSE(script);
  EXPECT_NE(script.message().find("TorchScript"), std::string::npos);
  auto members = TestProgram().getMembers();
  members[1] = {"root/data/weights/model.pt", "x"};
  auto pickled = readMembers(members);
  ASSERT_FALSE(pickled);
  EXPECT_NE(pickled.message().find("torch 2.8"), std::string::npos);
}

TEST(ReaderTest, SeveralPrograms) {
  auto members = TestProgram().getMembers();
  members.push_back({"root/models/other.json", TestProgram().getJson()});
  EXPECT_TRUE(readMembers(members)); // `model` is the default
  ReadOptions options;
  options.modelName = "third";
  auto result = readMembers(members, options);
  ASSERT_FALSE(result);
  EXPECT_NE(result.message().find("'model', 'other'"), std::string::npos);
}

TEST(ReaderTest, Weights) {
  TestProgram program;
  program.weight.resize(12);
  EXPECT_MESSAGE(program, "its view ends at byte 16, but record "
                          "'root/data/weights/weight_0' has 12");
  program.weight.clear();
  EXPECT_MESSAGE(program, "is empty");
  ReadOptions allow;
  allow.allowMissingWeights = true;
  EXPECT_EQ(getMessage(program, allow), "");
  program = {};
  program.config = R"({"config": {}})";
  EXPECT_MESSAGE(program, "weight 'm.w' is in no weights or constants config");
  EXPECT_EQ(getMessage(program, allow), "");
  program = {};
  program.config.replace(program.config.find("false"), 5, "true");
  EXPECT_MESSAGE(program, "pickled tensor subclass");
  program = {};
  auto at = program.config.find(R"("dtype": 7)");
  program.config.replace(at, 10, R"("dtype": 4)");
  EXPECT_MESSAGE(program, "another type in the archive than in the graph");
}

TEST(ReaderTest, TensorTypes) {
  TestProgram program;
  program.meta = TestProgram::getMeta("77", "[]", "[]");
  EXPECT_MESSAGE(program, "unknown dtype number '77'");
  program.meta = TestProgram::getMeta(
      "7", R"([{"as_int": 4611686018427387904}, {"as_int": 8}])",
      R"([{"as_int": 8}, {"as_int": 1}])");
  EXPECT_MESSAGE(program, "overflow 64 bits");
  program.meta = TestProgram::getMeta(
      "7", R"([{"as_int": 99999999999999999999}])", R"([{"as_int": 1}])");
  EXPECT_NE(getMessage(program), "");
  program.meta =
      TestProgram::getMeta("7", R"([{"as_int": -4}])", R"([{"as_int": 1}])");
  EXPECT_MESSAGE(program, "negative size -4");
  program.meta = TestProgram::getMeta("7", R"([{"as_int": 4}])", "[]");
  EXPECT_MESSAGE(program, "1 sizes but 0 strides");
  program.meta =
      TestProgram::getMeta("7", R"([{"as_expr": {"expr_str": "Add("}}])", "[]");
  EXPECT_MESSAGE(program, "in expression 'Add('");
}

TEST(ReaderTest, Nodes) {
  TestProgram program;
  size_t at = program.node.find("as_tensor");
  program.node.replace(at, 9, "as_banana");
  EXPECT_MESSAGE(program, "node 'add' (torch.ops.aten.add.Tensor): unknown "
                          "argument tag 'as_banana'");
  program.version = R"({"major": 8, "minor": 30})";
  EXPECT_MESSAGE(program, "the program uses schema 8.30, kfuse knows 8.20");
  program = {};
  program.node = R"({"target": 5})";
  EXPECT_MESSAGE(program, "expected a string for target");
  program.node = "{";
  EXPECT_MESSAGE(program, "not valid JSON");
  std::string deep;
  for (int i = 0; i < 100000; ++i)
    deep += "[";
  program.node = deep;
  EXPECT_MESSAGE(program, "not valid JSON");
}

TEST(ReaderTest, Fixtures) {
  const std::string root = KFUSE_FIXTURES "/";
  for (const char *version :
       {"2.9.1", "2.10.0", "2.11.0", "2.12.1", "2.13.0", "2.14.0"}) {
    auto read = [&](const char *name) {
      return readProgram(root + version + "/" + name + ".pt2");
    };
    auto tied = read("tied-weights");
    ASSERT_TRUE(tied) << tied.message();
    EXPECT_EQ(tied->payloads.at("embedding.weight").member,
              tied->payloads.at("head.weight").member);
    const Payload &rows = tied->payloads.at("first_rows");
    EXPECT_EQ(rows.member, tied->payloads.at("head.weight").member);
    EXPECT_EQ(rows.meta->offset.getValue(), 16);

    auto infinities = read("infinities");
    ASSERT_TRUE(infinities) << infinities.message();
    const Node &fill = infinities->graph.nodes[0];
    EXPECT_EQ(fill.inputs[2].value.kind, ArgKind::Float);
    EXPECT_EQ(fill.inputs[2].value.floatValue,
              -std::numeric_limits<double>::infinity());

    auto dynamic = read("dynamic");
    ASSERT_TRUE(dynamic) << dynamic.message();
    const TensorMeta &y = dynamic->graph.tensors.at("y");
    EXPECT_EQ(y.sizes[0].expr.kind, SymExpr::Kind::Mul);
    EXPECT_EQ(dynamic->argNames, (std::vector<std::string>{"x", "y"}));

    auto mutations = read("core-mutations");
    ASSERT_TRUE(mutations) << mutations.message();
    EXPECT_EQ(mutations->outputs[0].kind, OutputSpec::Kind::BufferMutation);
    EXPECT_EQ(mutations->outputs[0].target, "count");
  }
}

TEST(ReaderTest, FiveMegabytesInAThirdOfASecond) {
  TestProgram program;
  std::string one = program.node;
  size_t at = one.find("\"metadata\": {}");
  one.replace(at, 14,
              "\"metadata\": {\"stack_trace\": \"" + std::string(1200, 's') +
                  "\"}");
  program.node = one;
  while (program.node.size() < 5000000) {
    std::string name = "add_" + std::to_string(program.node.size());
    std::string next = one;
    next.replace(next.rfind("\"add\""), 5, "\"" + name + "\"");
    program.node += "," + next;
  }
  auto members = program.getMembers();
  auto start = std::chrono::steady_clock::now();
  auto result = readMembers(members);
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(result) << result.message();
  EXPECT_GT(result->graph.nodes.size(), 2500u);
  // Sanitizers make it several times slower.
  EXPECT_LT(time.count(), 0.3);
}
