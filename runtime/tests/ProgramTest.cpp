//===- ProgramTest.cpp - mutations, views, data-dependent sizes -----------===//
#include "Fixture.h"

using namespace kfuse::test;

/// A program of ATen steps alone, both as plan and as generic one.
static PackageBuilder withProgram(Json tensors, Json steps, Json outputs) {
  PackageBuilder builder;
  builder.plan = {{"version", 1},
                  {"kind", "plan"},
                  {"tensors", tensors},
                  {"steps", steps},
                  {"outputs", outputs}};
  builder.generic = builder.plan;
  builder.generic["kind"] = "generic";
  return builder;
}

static Json t(int number) { return {{"t", number}}; }

static const Json rows = Json::array({"s0", 4});

TEST(Program, BuffersChangeInTheStateAlone) {
  PackageBuilder builder = withProgram(
      {{{"storage", {{"weight", 0}}}},
       tensor(rows, {{"input", 0}}),
       tensor(Json::array({4}), "provider"),
       tensor(rows, "provider")},
      {aten("aten::add_", "Tensor",
            {{"self", t(0)}, {"other", {{"float", 1.0}}}}, Json::array({t(2)})),
       aten("aten::add", "Tensor", {{"self", t(1)}, {"other", t(2)}},
            Json::array({t(3)}))},
      Json::array({t(3)}));
  builder.manifest["weights"][0]["mutable"] = true;
  Opened opened(builder);
  ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
  Matrix x(1, opened.device());
  KfuseArg in = x.arg(), out = {};
  for (int run = 1; run <= 3; ++run) {
    out = {};
    ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK)
        << kfuse_last_error();
    EXPECT_EQ(static_cast<float *>(out.tensor.data)[0], 1.0f + run);
  }
  // Another context starts from the exported values.
  KfuseContext *other = nullptr;
  ASSERT_EQ(kfuse_context_create(opened.model, nullptr, &other), KFUSE_OK);
  out = {};
  ASSERT_EQ(kfuse_run(other, &in, 1, &out, 1, nullptr), KFUSE_OK);
  EXPECT_EQ(static_cast<float *>(out.tensor.data)[0], 2.0f);
  kfuse_context_release(other);
  EXPECT_EQ(getLiveHandles(), 1) << "only the lent output is alive";
}

TEST(Program, StateIsSharedAndReset) {
  PackageBuilder builder = withProgram(
      {{{"storage", {{"weight", 0}}}},
       tensor(Json::array({4}), "provider"),
       tensor(rows, {{"input", 0}}),
       tensor(rows, "provider")},
      {aten("aten::add_", "Tensor",
            {{"self", t(0)}, {"other", {{"float", 1.0}}}}, Json::array({t(1)})),
       aten("aten::add", "Tensor", {{"self", t(2)}, {"other", t(0)}},
            Json::array({t(3)}))},
      Json::array({t(3)}));
  builder.manifest["weights"][0]["mutable"] = true;
  Opened opened(builder);
  KfuseState *state = nullptr;
  ASSERT_EQ(kfuse_state_create(opened.model, &state), KFUSE_OK);
  KfuseContext *contexts[2];
  for (KfuseContext *&context : contexts)
    ASSERT_EQ(kfuse_context_create(opened.model, state, &context), KFUSE_OK);
  Matrix x(1, opened.device());
  KfuseArg in = x.arg(), out = {};
  ASSERT_EQ(kfuse_run(contexts[0], &in, 1, &out, 1, nullptr), KFUSE_OK);
  out = {};
  ASSERT_EQ(kfuse_run(contexts[1], &in, 1, &out, 1, nullptr), KFUSE_OK);
  EXPECT_EQ(static_cast<float *>(out.tensor.data)[0], 3.0f);
  ASSERT_EQ(kfuse_state_reset(state, nullptr), KFUSE_OK);
  out = {};
  ASSERT_EQ(kfuse_run(contexts[0], &in, 1, &out, 1, nullptr), KFUSE_OK);
  EXPECT_EQ(static_cast<float *>(out.tensor.data)[0], 2.0f);
  for (KfuseContext *context : contexts)
    kfuse_context_release(context);
  kfuse_state_release(state);
}

TEST(Program, WritesMutationsBack) {
  PackageBuilder builder =
      withProgram({tensor(rows, {{"input", 0}}), tensor(rows, "provider")},
                  {aten("aten::mul", "Tensor",
                        {{"self", t(0)}, {"other", {{"float", 3.0}}}},
                        Json::array({t(1)}))},
                  Json::array({t(0)}));
  builder.plan["mutations"] = Json::array({{{"input", 0}, {"t", 1}}});
  builder.generic["mutations"] = builder.plan["mutations"];
  builder.manifest["inputs"][0]["mutated"] = true;
  Opened opened(builder);
  ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
  Matrix x(2, opened.device()), y(2, opened.device());
  KfuseArg in = x.arg(), out = y.arg();
  ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK);
  EXPECT_EQ(y.values[5], 5) << "outputs are written first";
  EXPECT_EQ(x.values[5], 15);
  x.strides[0] = 1;
  x.strides[1] = 2;
  in = x.arg();
  EXPECT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr),
            KFUSE_GUARD_FAILED);
}

TEST(Program, PlannedViewsNeedPlannedStrides) {
  // t() returns other strides than the plan says, so it is copied before the
  // plan's view of it is read.
  Json view = tensor(Json::array({2}), {{"view", 1}});
  view["offset"] = 2;
  PackageBuilder builder = withProgram(
      {tensor(rows, {{"input", 0}}), tensor(Json::array({4, "s0"}), "provider"),
       view, tensor(Json::array({2}), "provider")},
      {aten("aten::t", "", {{"self", t(0)}}, Json::array({t(1)})),
       {{"op", "view"}, {"result", 2}, {"source", 1}},
       aten("aten::relu", "", {{"self", t(2)}}, Json::array({t(3)}))},
      Json::array({t(3)}));
  builder.manifest["outputs"][0]["sizes"] = {2};
  builder.manifest["outputs"][0]["strides"] = {1};
  Opened opened(builder);
  ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
  Matrix x(2, opened.device());
  KfuseArg in = x.arg(), out = {};
  ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK)
      << kfuse_last_error();
  // Row-major [4, 2]: elements 2 and 3 are row 1, which is column 1 of x.
  auto *y = static_cast<float *>(out.tensor.data);
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(y[1], 5);
  EXPECT_EQ(countersOf(opened).copies, 1);
}

TEST(Program, SizesThatDependOnData) {
  PackageBuilder builder = withProgram(
      {tensor(rows, {{"input", 0}}),
       tensor(Json::array({"u0", 1}), "provider", nullptr, "i64")},
      {aten("aten::nonzero", "", {{"self", t(0)}}, Json::array({t(1)}))},
      Json::array({t(1), {{"sym", Json::array({"mul", "u0", 2})}}}));
  builder.plan["symbols"] =
      Json::array({{{"name", "u0"}, {"bind", {{"tensor", 1}, {"dim", 0}}}}});
  builder.generic["symbols"] = builder.plan["symbols"];
  builder.manifest["outputs"] =
      Json::array({{{"name", "i"},
                    {"kind", "tensor"},
                    {"dtype", "i64"},
                    {"sizes", {"u0", 1}},
                    {"strides", {1, 1}}},
                   {{"name", "n"}, {"kind", "scalar"}, {"type", "int"}}});
  Opened opened(builder);
  ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
  Matrix x(2, opened.device());
  KfuseArg in = x.arg(), out[2] = {};
  ASSERT_EQ(kfuse_infer(opened.context, &in, 1, out, 2), KFUSE_OK);
  EXPECT_EQ(out[0].tensor.sizes[0], -1);
  for (int64_t zeros : {1, 4, 2}) {
    for (int64_t i = 0; i < 8; ++i)
      x.values[i] = i < zeros ? 0 : 1;
    out[0] = out[1] = {};
    ASSERT_EQ(kfuse_run(opened.context, &in, 1, out, 2, nullptr), KFUSE_OK)
        << kfuse_last_error();
    EXPECT_EQ(out[0].tensor.sizes[0], 8 - zeros);
    EXPECT_EQ(static_cast<int64_t *>(out[0].tensor.data)[0], zeros);
    EXPECT_EQ(out[1].scalar.value.i, 2 * (8 - zeros));
  }
  KfuseGraph *graph = nullptr;
  EXPECT_EQ(kfuse_capture(opened.context, &in, 1, out, 2, nullptr, &graph),
            KFUSE_UNSUPPORTED);
}

TEST(Program, ScalarsFlowThroughHostArithmetic) {
  PackageBuilder builder =
      withProgram({tensor(rows, {{"input", 0}}), tensor(rows, "provider")},
                  {aten("aten::item", "", {{"self", t(0)}},
                        Json::array({{{"symbol", "f0"}}})),
                   aten("python::_operator.mul", "",
                        {{"", {{"scalar", "f0"}}}, {"", {{"scalar", "n"}}}},
                        Json::array({{{"symbol", "f1"}}})),
                   aten("aten::mul", "Scalar",
                        {{"self", t(0)}, {"other", {{"scalar", "f1"}}}},
                        Json::array({t(1)}))},
                  Json::array({t(1)}));
  builder.plan["symbols"] = Json::array(
      {{{"name", "f0"}, {"type", "float"}, {"bind", {{"step", true}}}},
       {{"name", "f1"}, {"type", "float"}, {"bind", {{"step", true}}}}});
  builder.generic["symbols"] = builder.plan["symbols"];
  builder.manifest["inputs"].push_back({{"name", "n"}, {"kind", "int"}});
  builder.manifest["symbols"].push_back(
      {{"name", "n"}, {"bind", {{"input", 1}}}});
  Opened opened(builder);
  ASSERT_EQ(opened.status, KFUSE_OK) << opened.message;
  Matrix x(1, opened.device(), 5);
  KfuseArg in[2] = {x.arg(), {}}, out = {};
  for (int64_t n : {3, 4}) {
    in[1].scalar.value.i = n;
    out = {};
    ASSERT_EQ(kfuse_run(opened.context, in, 2, &out, 1, nullptr), KFUSE_OK)
        << kfuse_last_error();
    EXPECT_EQ(static_cast<float *>(out.tensor.data)[1], 6.0f * 5 * n);
  }
}

TEST(Program, OperatorFailuresAreReported) {
  PackageBuilder builder = withProgram(
      {tensor(rows, {{"input", 0}}),
       tensor(Json::array({"s0", 5}), "provider")},
      {aten("aten::relu", "", {{"self", t(0)}}, Json::array({t(1)}))},
      Json::array({t(1)}));
  Opened opened(builder);
  Matrix x(1, opened.device());
  KfuseArg in = x.arg(), out = {};
  EXPECT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK)
      << "the program's idea of the sizes does not matter to ATen alone";
  builder = withProgram(
      {tensor(rows, {{"input", 0}}), tensor(rows, "provider")},
      {aten("aten::relu", "", {{"self", t(1)}}, Json::array({t(1)}))},
      Json::array({t(1)}));
  Opened early(builder);
  EXPECT_EQ(kfuse_run(early.context, &in, 1, &out, 1, nullptr),
            KFUSE_BAD_PACKAGE);
}

TEST(Program, LentOutputsMayBePassedAgain) {
  Opened opened{PackageBuilder()};
  Matrix x(3, opened.device());
  KfuseArg in = x.arg(), out = {};
  for (int run = 0; run < 3; ++run) {
    x.values[0] = static_cast<float>(run);
    ASSERT_EQ(kfuse_run(opened.context, &in, 1, &out, 1, nullptr), KFUSE_OK)
        << kfuse_last_error();
    EXPECT_EQ(static_cast<float *>(out.tensor.data)[0], (run + 1) * 2);
  }
  EXPECT_EQ(getLiveHandles(), 1);
}

TEST(Program, DenyRefusesAPlanWithUnsupportedOperators) {
  KfuseModelOptions options = {};
  options.fallback = KFUSE_FALLBACK_DENY;
  PackageBuilder builder = withProgram(
      {tensor(rows, {{"input", 0}}), tensor(rows, "provider")},
      {aten("aten::relu", "", {{"self", t(0)}}, Json::array({t(1)}))},
      Json::array({t(1)}));
  Opened denied(builder, true, options);
  EXPECT_EQ(denied.status, KFUSE_FALLBACK_DENIED);
  EXPECT_NE(denied.message.find("aten::relu"), std::string::npos);
  builder.plan["steps"][0]["class"] = "library";
  EXPECT_EQ(Opened(builder, true, options).status, KFUSE_OK);
  EXPECT_EQ(Opened(builder, false, options).status, KFUSE_OK);
}
