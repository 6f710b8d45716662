//===- ManifestReader.cpp - manifest.json ---------------------------------===//
#include "JsonReader.h"

namespace kfuse {

static Result<KfuseScalarKind> scalarKind(const std::string &name) {
  if (name == "float")
    return KfuseScalarKind(KFUSE_SCALAR_FLOAT);
  if (name == "bool")
    return KfuseScalarKind(KFUSE_SCALAR_BOOL);
  if (name == "int")
    return KfuseScalarKind(KFUSE_SCALAR_INT);
  return badJson("unknown kind '%s'", name.c_str());
}

static Status readInput(JsonValue value, Interface &interface) {
  KFUSE_ASSIGN(JsonObject object, asObject(value, "input"));
  InputSpec input;
  KFUSE_ASSIGN(input.name, getStringOr(object, "name", ""));
  KFUSE_ASSIGN(std::string kind, getString(object, "kind"));
  if (kind == "constant") {
    input.kind = InputSpec::Kind::Constant;
  } else if (kind == "tensor") {
    KFUSE_ASSIGN(input.layout, readLayout(object, interface));
    KFUSE_ASSIGN(input.isMutated, getBoolOr(object, "mutated", false));
  } else {
    input.kind = InputSpec::Kind::Scalar;
    KFUSE_ASSIGN(input.scalar, scalarKind(kind));
  }
  if (input.kind != InputSpec::Kind::Constant)
    input.argument = interface.inputArguments++;
  interface.inputs.push_back(std::move(input));
  return Status();
}

static Status readOutput(JsonValue value, Interface &interface) {
  KFUSE_ASSIGN(JsonObject object, asObject(value, "output"));
  OutputSpec output;
  KFUSE_ASSIGN(output.name, getStringOr(object, "name", ""));
  KFUSE_ASSIGN(std::string kind, getString(object, "kind"));
  if (kind == "tensor") {
    KFUSE_ASSIGN(output.layout, readLayout(object, interface, true));
  } else if (kind == "scalar") {
    output.kind = OutputSpec::Kind::Scalar;
    KFUSE_ASSIGN(std::string type, getStringOr(object, "type", "int"));
    KFUSE_ASSIGN(output.scalar, scalarKind(type));
  } else if (kind == "none") {
    output.kind = OutputSpec::Kind::None;
  } else {
    return badJson("unknown kind '%s'", kind.c_str());
  }
  if (output.kind != OutputSpec::Kind::None)
    output.argument = interface.outputArguments++;
  interface.outputs.push_back(std::move(output));
  return Status();
}

/// Number of the storage that `source` names, which is added when it is new.
static Result<int32_t>
readSource(JsonObject source, Manifest &manifest,
           std::unordered_map<std::string, int32_t> &known) {
  WeightStorage storage;
  KFUSE_ASSIGN(storage.file, getStringOr(source, "file", ""));
  KFUSE_ASSIGN(storage.member, getString(source, "member"));
  KFUSE_ASSIGN(storage.declaredBytes, getIntOr(source, "bytes", -1));
  KFUSE_ASSIGN(storage.crc32, getIntOr(source, "crc32", -1));
  if (storage.file.find('/') != std::string::npos)
    return badJson("weight file '%s' has a folder in its name",
                   storage.file.c_str());
  int32_t number = static_cast<int32_t>(manifest.storages.size());
  auto [it, isNew] = known.emplace(storage.file + "/" + storage.member, number);
  if (isNew)
    manifest.storages.push_back(std::move(storage));
  return int32_t(it->second);
}

static Status readWeight(JsonValue value, Manifest &manifest,
                         std::unordered_map<std::string, int32_t> &known) {
  KFUSE_ASSIGN(JsonObject object, asObject(value, "weight"));
  WeightSpec weight;
  KFUSE_ASSIGN(weight.name, getString(object, "name"));
  KFUSE_ASSIGN(std::string dtype, getString(object, "dtype"));
  weight.dtype = parseDtype(dtype);
  if (weight.dtype == KFUSE_DTYPE_INVALID)
    return badJson("unknown dtype '%s'", dtype.c_str());
  KFUSE_ASSIGN(weight.sizes, getInts(object, "sizes"));
  KFUSE_ASSIGN(weight.strides, getInts(object, "strides"));
  KFUSE_ASSIGN(weight.offset, getIntOr(object, "offset", 0));
  KFUSE_ASSIGN(weight.isMutable, getBoolOr(object, "mutable", false));
  if (weight.sizes.size() != weight.strides.size() ||
      weight.sizes.size() > KFUSE_MAX_RANK)
    return badJson("weight '%s' has %zu sizes and %zu strides",
                   weight.name.c_str(), weight.sizes.size(),
                   weight.strides.size());
  KFUSE_ASSIGN(JsonValue source, getKey(object, "source"));
  KFUSE_ASSIGN(JsonObject sourceObject, asObject(source, "source"));
  KFUSE_ASSIGN(weight.storage, readSource(sourceObject, manifest, known));
  if (weight.isMutable)
    manifest.storages[weight.storage].isMutable = true;
  manifest.weights.push_back(std::move(weight));
  return Status();
}

static Status checkVersion(JsonObject root) {
  KFUSE_ASSIGN(std::string formatName, getStringOr(root, "format", ""));
  if (formatName != "kfuse-package")
    return badJson("format is '%s', expected 'kfuse-package'",
                   formatName.c_str());
  KFUSE_ASSIGN(int64_t version, getInt(root, "version"));
  if (version != KFUSE_PACKAGE_VERSION)
    return makeError(KFUSE_BAD_VERSION,
                     "package version %lld, this runtime reads version %d; "
                     "compile the model again or update the runtime",
                     static_cast<long long>(version), KFUSE_PACKAGE_VERSION);
  return Status();
}

static Status checkBinds(const Interface &interface) {
  for (const Symbol &symbol : interface.symbols) {
    bool isDim = symbol.bind == Symbol::Bind::InputDim;
    if (!isDim && symbol.bind != Symbol::Bind::InputScalar)
      continue;
    if (static_cast<size_t>(symbol.index) >= interface.inputs.size())
      return badJson("symbol '%s' is bound to input %d of %zu",
                     symbol.name.c_str(), symbol.index,
                     interface.inputs.size());
    const InputSpec &input = interface.inputs[symbol.index];
    if (isDim ? input.kind != InputSpec::Kind::Tensor ||
                    symbol.dim >= input.layout.rank()
              : input.kind != InputSpec::Kind::Scalar)
      return badJson("symbol '%s' is bound to input %d, which does not have it",
                     symbol.name.c_str(), symbol.index);
  }
  return Status();
}

static Result<Manifest> readRoot(JsonObject root) {
  KFUSE_TRY(checkVersion(root));
  Manifest manifest;
  KFUSE_ASSIGN(manifest.model, getStringOr(root, "model", ""));
  if (auto symbols = findKey(root, "symbols")) {
    KFUSE_ASSIGN(JsonArray array, asArray(*symbols, "symbols"));
    KFUSE_TRY(readSymbols(array, manifest.interface, 0));
  }
  KFUSE_ASSIGN(JsonArray inputs, getArray(root, "inputs"));
  KFUSE_TRY(forEach(inputs, "inputs", [&](JsonValue value, size_t) {
    return readInput(value, manifest.interface);
  }));
  KFUSE_ASSIGN(JsonArray outputs, getArray(root, "outputs"));
  KFUSE_TRY(forEach(outputs, "outputs", [&](JsonValue value, size_t) {
    return readOutput(value, manifest.interface);
  }));
  KFUSE_ASSIGN(JsonArray weights, getArray(root, "weights"));
  std::unordered_map<std::string, int32_t> known;
  KFUSE_TRY(forEach(weights, "weights", [&](JsonValue value, size_t) {
    return readWeight(value, manifest, known);
  }));
  KFUSE_TRY(checkBinds(manifest.interface));
  return manifest;
}

Result<Manifest> readManifest(std::string_view json) {
  simdjson::dom::parser parser;
  JsonObject root;
  if (auto error = parser.parse(json.data(), json.size()).get(root))
    return badJson("manifest.json: %s", simdjson::error_message(error));
  auto manifest = readRoot(root);
  if (!manifest.ok())
    return manifest.takeStatus().within("manifest.json");
  return manifest;
}

} // namespace kfuse
