//===- StepReader.cpp - steps of a program from JSON ----------------------===//
#include "StepReader.h"

namespace kfuse {

Status StepReader::readSteps(JsonArray array, std::vector<Step> &steps,
                             bool isNested) {
  return forEach(array, isNested ? "generic" : "steps",
                 [&](JsonValue value, size_t) -> Status {
                   KFUSE_ASSIGN(JsonObject object, asObject(value, "step"));
                   return readStep(object, steps, isNested);
                 });
}

Status StepReader::readStep(JsonObject object, std::vector<Step> &steps,
                            bool isNested) {
  KFUSE_ASSIGN(std::string op, getString(object, "op"));
  size_t count = program.tensors.size();
  if (op == "aten")
    return readAten(object, steps);
  if (op == "launch") {
    if (isNested)
      return badJson("a launch inside a 'generic' list");
    return readLaunch(object, steps);
  }
  Step step;
  if (op == "view") {
    KFUSE_ASSIGN(step.to, getIndex(object, "result", count));
    if (program.tensors[step.to].storage != StorageKind::View)
      return badJson("result %d of a view step is not stored as a view",
                     step.to);
    return Status();
  }
  if (op == "copy") {
    step.kind = Step::Kind::Copy;
    KFUSE_ASSIGN(step.to, getIndex(object, "result", count));
    KFUSE_ASSIGN(step.from, getIndex(object, "source", count));
  } else if (op == "fill") {
    step.kind = Step::Kind::Fill;
    KFUSE_ASSIGN(step.to, getIndex(object, "result", count));
    KFUSE_ASSIGN(int32_t byte, getIndex(object, "byte", 256));
    step.byte = static_cast<uint8_t>(byte);
  } else {
    return badJson("unknown step '%s'", op.c_str());
  }
  steps.push_back(std::move(step));
  return Status();
}

Result<std::vector<int32_t>>
StepReader::readTensorList(JsonObject object, const char *key, bool required) {
  std::vector<int32_t> list;
  if (!required && !findKey(object, key))
    return list;
  KFUSE_ASSIGN(JsonArray array, getArray(object, key));
  for (JsonValue value : array) {
    KFUSE_ASSIGN(int32_t number, asIndex(value, key, program.tensors.size()));
    list.push_back(number);
  }
  return list;
}

Status StepReader::readLaunch(JsonObject object, std::vector<Step> &steps) {
  LaunchSpec launch;
  KFUSE_ASSIGN(launch.id, getString(object, "id"));
  KFUSE_ASSIGN(launch.isExact, getBoolOr(object, "exact", false));
  KFUSE_ASSIGN(launch.inputs, readTensorList(object, "inputs", true));
  KFUSE_ASSIGN(launch.outputs, readTensorList(object, "outputs", true));
  KFUSE_ASSIGN(launch.scratch, readTensorList(object, "scratch", false));
  std::vector<int32_t> operands = launch.inputs;
  operands.insert(operands.end(), launch.outputs.begin(), launch.outputs.end());
  operands.insert(operands.end(), launch.scratch.begin(), launch.scratch.end());
  KFUSE_ASSIGN(JsonArray variants, getArray(object, "variants"));
  launch.variants.resize(variants.size());
  KFUSE_TRY(
      forEach(variants, "variants", [&](JsonValue value, size_t i) -> Status {
        KFUSE_ASSIGN(JsonObject variant, asObject(value, "variant"));
        return readVariant(variant, operands, launch.variants[i]);
      }));
  if (!launch.variants.empty() && !launch.variants.back().guards.empty())
    return badJson("the last variant of launch '%s' has guards, expected a "
                   "catch-all",
                   launch.id.c_str());
  KFUSE_ASSIGN(JsonArray generic, getArray(object, "generic"));
  KFUSE_TRY(readSteps(generic, launch.generic, /*isNested=*/true));
  Step step;
  step.kind = Step::Kind::Launch;
  step.index = static_cast<int32_t>(program.launches.size());
  program.launches.push_back(std::move(launch));
  steps.push_back(std::move(step));
  return Status();
}

static Status readBlock(JsonValue value, uint32_t (&block)[3]) {
  JsonArray array;
  uint64_t threads = 1;
  if (value.get(array) == simdjson::SUCCESS) {
    if (array.size() != 3)
      return badJson("block has %zu extents, expected 3", array.size());
    int i = 0;
    for (JsonValue extent : array) {
      KFUSE_ASSIGN(int32_t number, asIndex(extent, "block", 1025));
      block[i++] = number;
      threads *= number;
    }
  } else {
    KFUSE_ASSIGN(int32_t number, asIndex(value, "block", 1025));
    block[0] = number;
    threads = number;
  }
  if (threads == 0 || threads > 1024)
    return badJson("block has %llu threads, expected 1 to 1024",
                   static_cast<unsigned long long>(threads));
  return Status();
}

Status StepReader::readVariant(JsonObject object,
                               const std::vector<int32_t> &operands,
                               VariantSpec &variant) {
  KFUSE_ASSIGN(variant.kernel,
               getIndex(object, "kernel", program.kernels.size()));
  KFUSE_ASSIGN(JsonArray tensors, getArray(object, "tensors"));
  for (JsonValue value : tensors) {
    KFUSE_ASSIGN(int32_t i, asIndex(value, "tensors", operands.size()));
    variant.tensors.push_back(operands[i]);
  }
  KFUSE_ASSIGN(JsonValue scalars, getKey(object, "scalars"));
  KFUSE_ASSIGN(variant.scalars, readExprs(scalars, program.interface));
  const KernelSpec &kernel = program.kernels[variant.kernel];
  if (variant.tensors.size() != static_cast<size_t>(kernel.pointers) ||
      variant.scalars.size() != static_cast<size_t>(kernel.scalars))
    return badJson("%zu tensors and %zu scalars for kernel '%s', which takes "
                   "%d and %d",
                   variant.tensors.size(), variant.scalars.size(),
                   kernel.id.c_str(), kernel.pointers, kernel.scalars);
  KFUSE_ASSIGN(JsonValue grid, getKey(object, "grid"));
  KFUSE_ASSIGN(auto extents, readExprs(grid, program.interface));
  if (extents.size() != 3)
    return badJson("grid has %zu extents, expected 3", extents.size());
  std::copy(extents.begin(), extents.end(), variant.grid);
  KFUSE_ASSIGN(JsonValue block, getKey(object, "block"));
  KFUSE_TRY(readBlock(block, variant.block));
  KFUSE_ASSIGN(int32_t shared, getIndex(object, "shared_bytes", 1 << 20));
  variant.sharedBytes = shared;
  auto guards = findKey(object, "guards");
  if (!guards)
    return Status();
  KFUSE_ASSIGN(JsonArray array, asArray(*guards, "guards"));
  variant.guards.resize(array.size());
  return forEach(array, "guards", [&](JsonValue value, size_t i) -> Status {
    KFUSE_ASSIGN(JsonObject guard, asObject(value, "guard"));
    return readGuard(guard, operands, variant.guards[i]);
  });
}

Status StepReader::readGuard(JsonObject object,
                             const std::vector<int32_t> &operands,
                             GuardSpec &guard) {
  KFUSE_ASSIGN(std::string kind, getString(object, "kind"));
  if (kind == "aligned") {
    KFUSE_ASSIGN(int32_t i, getIndex(object, "tensor", operands.size()));
    guard.tensor = operands[i];
    KFUSE_ASSIGN(guard.number, getInt(object, "bytes"));
  } else if (kind == "divisible") {
    guard.kind = GuardSpec::Kind::Divisible;
    KFUSE_ASSIGN(JsonValue expr, getKey(object, "expr"));
    KFUSE_ASSIGN(guard.lhs, readExpr(expr, program.interface));
    KFUSE_ASSIGN(guard.number, getInt(object, "by"));
  } else if (kind == "le") {
    guard.kind = GuardSpec::Kind::LessEqual;
    KFUSE_ASSIGN(JsonValue lhs, getKey(object, "lhs"));
    KFUSE_ASSIGN(guard.lhs, readExpr(lhs, program.interface));
    KFUSE_ASSIGN(JsonValue rhs, getKey(object, "rhs"));
    KFUSE_ASSIGN(guard.rhs, readExpr(rhs, program.interface));
    return Status();
  } else {
    return badJson("unknown guard '%s'", kind.c_str());
  }
  if (guard.number <= 0)
    return badJson("guard with the number %lld, expected a positive one",
                   static_cast<long long>(guard.number));
  return Status();
}

} // namespace kfuse
