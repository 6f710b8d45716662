//===- ProgramReader.cpp - plan.json and generic.json ---------------------===//
#include "StepReader.h"

namespace kfuse {

static Status readStorage(JsonValue value, TensorSpec &tensor,
                          Interface &interface, const Manifest &manifest,
                          size_t tensorCount) {
  std::string_view name;
  if (value.get(name) == simdjson::SUCCESS) {
    if (name != "provider")
      return badJson("unknown storage '%s'", std::string(name).c_str());
    tensor.storage = StorageKind::Provider;
    return Status();
  }
  KFUSE_ASSIGN(JsonObject object, asObject(value, "storage"));
  if (auto offset = findKey(object, "arena")) {
    tensor.storage = StorageKind::Arena;
    KFUSE_ASSIGN(tensor.arenaOffset, readExpr(*offset, interface));
    return Status();
  }
  struct Row {
    const char *key;
    StorageKind kind;
    size_t limit;
  };
  const Row rows[] = {{"input", StorageKind::Input, interface.inputs.size()},
                      {"weight", StorageKind::Weight, manifest.weights.size()},
                      {"output", StorageKind::Output, interface.outputs.size()},
                      {"view", StorageKind::View, tensorCount}};
  for (const Row &row : rows) {
    if (!findKey(object, row.key))
      continue;
    tensor.storage = row.kind;
    KFUSE_ASSIGN(tensor.index, getIndex(object, row.key, row.limit));
    return Status();
  }
  return badJson("unknown kind of storage");
}

static void useWeightLayout(TensorSpec &tensor, const WeightSpec &weight,
                            ExpressionTable &table) {
  tensor.layout = Layout();
  tensor.layout.dtype = weight.dtype;
  for (int64_t size : weight.sizes)
    tensor.layout.sizes.push_back(table.constant(size));
  for (int64_t stride : weight.strides)
    tensor.layout.strides.push_back(table.constant(stride));
  tensor.offset = table.constant(weight.offset);
}

static Status readTensor(JsonValue value, TensorSpec &tensor,
                         Interface &interface, const Manifest &manifest,
                         size_t tensorCount) {
  KFUSE_ASSIGN(JsonObject object, asObject(value, "tensor"));
  KFUSE_ASSIGN(tensor.name, getStringOr(object, "name", ""));
  KFUSE_ASSIGN(JsonValue storage, getKey(object, "storage"));
  KFUSE_TRY(readStorage(storage, tensor, interface, manifest, tensorCount));
  if (tensor.storage == StorageKind::Weight) {
    useWeightLayout(tensor, manifest.weights[tensor.index], interface.table);
    return Status();
  }
  KFUSE_ASSIGN(tensor.layout, readLayout(object, interface));
  tensor.offset = interface.table.constant(0);
  if (auto offset = findKey(object, "offset")) {
    KFUSE_ASSIGN(tensor.offset, readExpr(*offset, interface));
  }
  return Status();
}

static Status readKernel(JsonValue value, KernelSpec &kernel) {
  KFUSE_ASSIGN(JsonObject object, asObject(value, "kernel"));
  KFUSE_ASSIGN(kernel.id, getString(object, "id"));
  KFUSE_ASSIGN(JsonValue params, getKey(object, "params"));
  KFUSE_ASSIGN(JsonObject paramObject, asObject(params, "params"));
  KFUSE_ASSIGN(kernel.pointers, getIndex(paramObject, "pointers", 1 << 20));
  KFUSE_ASSIGN(kernel.scalars, getIndex(paramObject, "scalars", 1 << 20));
  auto binaries = findKey(object, "binaries");
  if (!binaries)
    return Status();
  KFUSE_ASSIGN(JsonObject binaryObject, asObject(*binaries, "binaries"));
  for (auto [arch, entry] : binaryObject) {
    KFUSE_ASSIGN(JsonObject entryObject, asObject(entry, "binary"));
    KernelBinary binary;
    binary.arch = std::string(arch);
    KFUSE_ASSIGN(binary.member, getString(entryObject, "member"));
    KFUSE_ASSIGN(binary.entry, getString(entryObject, "entry"));
    kernel.binaries.push_back(std::move(binary));
  }
  return Status();
}

static Status readOutput(JsonValue value, ProgramOutput &output,
                         Program &program) {
  if (value.is_null())
    return Status();
  KFUSE_ASSIGN(JsonObject object, asObject(value, "output"));
  if (findKey(object, "t")) {
    output.kind = ProgramOutput::Kind::Tensor;
    KFUSE_ASSIGN(output.index, getIndex(object, "t", program.tensors.size()));
    return Status();
  }
  if (auto expr = findKey(object, "sym")) {
    output.kind = ProgramOutput::Kind::Expr;
    KFUSE_ASSIGN(output.index, readExpr(*expr, program.interface));
    return Status();
  }
  KFUSE_ASSIGN(std::string name, getString(object, "scalar"));
  auto it = program.interface.symbolIndex.find(name);
  if (it == program.interface.symbolIndex.end())
    return badJson("unknown symbol '%s'", name.c_str());
  const Symbol &symbol = program.interface.symbols[it->second];
  bool isExpr = symbol.bind == Symbol::Bind::Expr;
  output.kind =
      isExpr ? ProgramOutput::Kind::Expr : ProgramOutput::Kind::Symbol;
  output.index = isExpr ? symbol.expr : it->second;
  return Status();
}

static Status readMutation(JsonValue value, MutationSpec &mutation,
                           Program &program, const Manifest &manifest) {
  KFUSE_ASSIGN(JsonObject object, asObject(value, "mutation"));
  KFUSE_ASSIGN(mutation.tensor, getIndex(object, "t", program.tensors.size()));
  mutation.isInput = findKey(object, "input").has_value();
  size_t limit = mutation.isInput ? program.interface.inputs.size()
                                  : manifest.weights.size();
  KFUSE_ASSIGN(mutation.target,
               getIndex(object, mutation.isInput ? "input" : "weight", limit));
  return Status();
}

static Status readTables(JsonObject root, Program &program,
                         const Manifest &manifest) {
  Interface &interface = program.interface;
  KFUSE_ASSIGN(JsonArray tensors, getArray(root, "tensors"));
  size_t count = tensors.size();
  if (auto symbols = findKey(root, "symbols")) {
    KFUSE_ASSIGN(JsonArray array, asArray(*symbols, "symbols"));
    KFUSE_TRY(readSymbols(array, interface, count));
  }
  for (const Symbol &symbol : interface.symbols)
    if (symbol.bind == Symbol::Bind::Deferred)
      return badJson("symbol '%s' of an output is not defined",
                     symbol.name.c_str());
  program.tensors.resize(count);
  KFUSE_TRY(forEach(tensors, "tensors", [&](JsonValue value, size_t i) {
    return readTensor(value, program.tensors[i], interface, manifest, count);
  }));
  if (auto kernels = findKey(root, "kernels")) {
    KFUSE_ASSIGN(JsonArray array, asArray(*kernels, "kernels"));
    program.kernels.resize(array.size());
    KFUSE_TRY(forEach(array, "kernels", [&](JsonValue value, size_t i) {
      return readKernel(value, program.kernels[i]);
    }));
  }
  return Status();
}

static Status readEnds(JsonObject root, Program &program,
                       const Manifest &manifest) {
  KFUSE_ASSIGN(JsonArray outputs, getArray(root, "outputs"));
  program.outputs.resize(outputs.size());
  KFUSE_TRY(forEach(outputs, "outputs", [&](JsonValue value, size_t i) {
    return readOutput(value, program.outputs[i], program);
  }));
  if (auto mutations = findKey(root, "mutations")) {
    KFUSE_ASSIGN(JsonArray array, asArray(*mutations, "mutations"));
    program.mutations.resize(array.size());
    KFUSE_TRY(forEach(array, "mutations", [&](JsonValue value, size_t i) {
      return readMutation(value, program.mutations[i], program, manifest);
    }));
  }
  program.arenaBytes = program.interface.table.constant(0);
  if (auto bytes = findKey(root, "arena_bytes")) {
    KFUSE_ASSIGN(program.arenaBytes, readExpr(*bytes, program.interface));
  }
  return Status();
}

static Result<Program> readRoot(JsonObject root, const Manifest &manifest) {
  KFUSE_ASSIGN(int64_t version, getInt(root, "version"));
  if (version != KFUSE_PACKAGE_VERSION)
    return makeError(KFUSE_BAD_VERSION, "version %lld, expected %d",
                     static_cast<long long>(version), KFUSE_PACKAGE_VERSION);
  Program program;
  KFUSE_ASSIGN(std::string kind, getString(root, "kind"));
  if (kind != "plan" && kind != "generic")
    return badJson("kind is '%s', expected 'plan' or 'generic'", kind.c_str());
  program.isGeneric = kind == "generic";
  program.interface = manifest.interface;
  KFUSE_TRY(readTables(root, program, manifest));
  KFUSE_ASSIGN(JsonArray steps, getArray(root, "steps"));
  StepReader reader(program);
  KFUSE_TRY(reader.readSteps(steps, program.steps, /*isNested=*/false));
  KFUSE_TRY(readEnds(root, program, manifest));
  KFUSE_TRY(analyzeProgram(program));
  return program;
}

Result<Program> readProgram(std::string_view json, const Manifest &manifest) {
  simdjson::dom::parser parser;
  JsonObject root;
  if (auto error = parser.parse(json.data(), json.size()).get(root))
    return badJson("program: %s", simdjson::error_message(error));
  return readRoot(root, manifest);
}

} // namespace kfuse
