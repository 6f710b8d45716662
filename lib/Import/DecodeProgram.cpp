//===- DecodeProgram.cpp - whole programs, signatures and configs ---------===//
/// \file
/// `ExportedProgram`, `GraphSignature` and `PayloadConfig` of the schema.

#include "Decoder.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::pt2;

static constexpr int64_t kMajor = 8;
static constexpr int64_t kOldestMinor = 14;
static constexpr int64_t kNewestMinor = 20;

bool Decoder::readVersion(const Object &root, Program &program) {
  Json json;
  Object version;
  if (!get(root, "schema_version", json) ||
      !asObject(json, "schema_version", version) ||
      !get(version, "major", json) ||
      !asInt(json, "major", program.schemaMajor) ||
      !get(version, "minor", json) ||
      !asInt(json, "minor", program.schemaMinor))
    return false;
  if (getOptional(root, "torch_version", json) &&
      !asString(json, "torch_version", program.torchVersion))
    return false;
  minor = program.schemaMinor;
  std::string found = "schema " + std::to_string(program.schemaMajor) + "." +
                      std::to_string(minor) + " (torch " +
                      program.torchVersion + ")";
  if (program.schemaMajor != kMajor)
    return fail(found + " is not supported, kfuse reads major 8; " +
                (program.schemaMajor < kMajor
                     ? "save the program again with torch 2.9 or newer"
                     : "update kfuse or save with torch 2.14 or older"));
  if (minor < kOldestMinor)
    return fail(found + " is too old, kfuse reads 8.14 and newer; save the "
                        "program again with torch 2.9 or newer");
  if (minor > kNewestMinor)
    program.warnings.push_back(
        found + " is newer than 8.20, the newest that kfuse knows; parts it "
                "does not know are reported where they occur");
  return true;
}

bool Decoder::readRanges(const Object &root, Program &program) {
  Json json;
  Object entries;
  if (!getOptional(root, "range_constraints", json))
    return true;
  if (!asObject(json, "range_constraints", entries))
    return false;
  for (auto field : entries) {
    std::string name(field.key);
    Object bounds;
    SymbolRange range;
    int64_t value = 0;
    if (!asObject(field.value, "range constraint", bounds))
      return false;
    if (getOptional(bounds, "min_val", json)) {
      if (!asInt(json, "min_val", value))
        return false;
      range.min = value;
    }
    if (getOptional(bounds, "max_val", json)) {
      if (!asInt(json, "max_val", value))
        return false;
      range.max = value;
    }
    if (range.min && range.max && *range.min > *range.max)
      return fail("range of symbol '" + name +
                  "' is empty: " + std::to_string(*range.min) + " to " +
                  std::to_string(*range.max));
    program.ranges.emplace(std::move(name), range);
  }
  return true;
}

/// The first entry of the call graph is the program itself.
bool Decoder::readCallSpec(const Object &graphModule, Program &program) {
  Json json;
  Array entries;
  if (!getOptional(graphModule, "module_call_graph", json))
    return true;
  if (!asArray(json, "module_call_graph", entries))
    return false;
  for (Json element : entries) {
    Object entry, signature;
    if (!asObject(element, "module_call_graph", entry))
      return false;
    Json fqn;
    std::string name;
    if (!getOptional(entry, "fqn", fqn) || !asString(fqn, "fqn", name) ||
        !name.empty() || !getOptional(entry, "signature", json))
      continue;
    return asObject(json, "signature", signature) &&
           getString(signature, "in_spec", program.inSpec) &&
           getString(signature, "out_spec", program.outSpec) &&
           getStrings(signature, "forward_arg_names", program.argNames);
  }
  return message.empty();
}

bool Decoder::readConstant(Json json, Argument &argument) {
  // A subset of `Argument` with the same tags.
  if (!readArgument(json, argument))
    return false;
  switch (argument.kind) {
  case ArgKind::None:
  case ArgKind::Int:
  case ArgKind::Float:
  case ArgKind::String:
  case ArgKind::Bool:
    return true;
  default:
    return fail(std::string("tag '") + getTag(argument.kind) +
                "' is not a constant");
  }
}

bool Decoder::readInputSpec(Json json, InputSpec &spec) {
  std::string_view tag;
  Json content;
  Object object;
  if (!asUnion(json, "input spec", tag, content) ||
      !asObject(content, "input spec", object))
    return false;
  using Kind = InputSpec::Kind;
  Json arg;
  if (tag == "constant_input") {
    spec.kind = Kind::Constant;
    return getString(object, "name", spec.target) &&
           get(object, "value", arg) && readConstant(arg, spec.arg);
  }
  if (!get(object, "arg", arg))
    return false;
  if (tag == "user_input") {
    spec.kind = Kind::User;
    return readArgument(arg, spec.arg);
  }
  struct Entry {
    const char *tag;
    Kind kind;
    const char *target;
    ArgKind argKind;
  };
  static const Entry entries[] = {
      {"parameter", Kind::Parameter, "parameter_name", ArgKind::Tensor},
      {"buffer", Kind::Buffer, "buffer_name", ArgKind::Tensor},
      {"tensor_constant", Kind::TensorConstant, "tensor_constant_name",
       ArgKind::Tensor},
      {"custom_obj", Kind::CustomObj, "custom_obj_name", ArgKind::CustomObj},
      {"token", Kind::Token, nullptr, ArgKind::CustomObj},
  };
  for (const Entry &entry : entries) {
    if (tag != entry.tag)
      continue;
    spec.kind = entry.kind;
    spec.arg.kind = entry.argKind;
    spec.arg.names.emplace_back();
    if (!readTensorName(arg, spec.arg.names.back()) ||
        (entry.target && !getString(object, entry.target, spec.target)))
      return false;
    return !getOptional(object, "persistent", arg) ||
           asBool(arg, "persistent", spec.persistent);
  }
  return failTag("kind of input", tag);
}

bool Decoder::readOutputSpec(Json json, OutputSpec &spec) {
  std::string_view tag;
  Json content, arg;
  Object object;
  if (!asUnion(json, "output spec", tag, content) ||
      !asObject(content, "output spec", object) || !get(object, "arg", arg))
    return false;
  using Kind = OutputSpec::Kind;
  if (tag == "user_output") {
    spec.kind = Kind::User;
    return readArgument(arg, spec.arg);
  }
  struct Entry {
    const char *tag;
    Kind kind;
    const char *target;
  };
  static const Entry entries[] = {
      {"loss_output", Kind::Loss, nullptr},
      {"buffer_mutation", Kind::BufferMutation, "buffer_name"},
      {"parameter_mutation", Kind::ParameterMutation, "parameter_name"},
      {"user_input_mutation", Kind::UserInputMutation, "user_input_name"},
      {"gradient_to_parameter", Kind::GradientToParameter, "parameter_name"},
      {"gradient_to_user_input", Kind::GradientToUserInput, "user_input_name"},
      {"token", Kind::Token, nullptr},
  };
  for (const Entry &entry : entries) {
    if (tag != entry.tag)
      continue;
    spec.kind = entry.kind;
    spec.arg.kind =
        spec.kind == Kind::Token ? ArgKind::CustomObj : ArgKind::Tensor;
    spec.arg.names.emplace_back();
    return readTensorName(arg, spec.arg.names.back()) &&
           (!entry.target || getString(object, entry.target, spec.target));
  }
  return failTag("kind of result", tag);
}

bool Decoder::readSignature(const Object &graphModule, Program &program) {
  Json json;
  Object signature;
  Array specs;
  if (!get(graphModule, "signature", json) ||
      !asObject(json, "signature", signature) ||
      !get(signature, "input_specs", json) ||
      !asArray(json, "input_specs", specs))
    return false;
  for (Json element : specs) {
    program.inputs.emplace_back();
    if (!readInputSpec(element, program.inputs.back()))
      return false;
  }
  if (!get(signature, "output_specs", json) ||
      !asArray(json, "output_specs", specs))
    return false;
  for (Json element : specs) {
    program.outputs.emplace_back();
    if (!readOutputSpec(element, program.outputs.back()))
      return false;
  }
  if (program.inputs.size() != program.graph.inputs.size())
    return fail("the signature has " + std::to_string(program.inputs.size()) +
                " inputs, the graph has " +
                std::to_string(program.graph.inputs.size()));
  if (program.outputs.size() != program.graph.outputs.size())
    return fail("the signature has " + std::to_string(program.outputs.size()) +
                " results, the graph has " +
                std::to_string(program.graph.outputs.size()));
  return true;
}

bool Decoder::readProgram(Bytes text, Program &program) {
  Object root, graphModule, graph;
  Json json;
  if (!parse(text, root) || !readVersion(root, program) ||
      !readRanges(root, program) ||
      !getStrings(root, "guards_code", program.guards) ||
      !get(root, "graph_module", json) ||
      !asObject(json, "graph_module", graphModule) ||
      !get(graphModule, "graph", json) || !asObject(json, "graph", graph))
    return false;
  return readGraph(graph, program.graph) &&
         readSignature(graphModule, program) &&
         readCallSpec(graphModule, program);
}

//===----------------------------------------------------------------------===//
// Weights and constants
//===----------------------------------------------------------------------===//

bool Decoder::readPayload(const Object &object, Payload &payload) {
  Json json;
  if (!getString(object, "path_name", payload.record))
    return false;
  if (getOptional(object, "is_param", json) &&
      !asBool(json, "is_param", payload.isParameter))
    return false;
  if (getOptional(object, "use_pickle", json) &&
      !asBool(json, "use_pickle", payload.pickled))
    return false;
  if (!getOptional(object, "tensor_meta", json))
    return true;
  payload.meta.emplace();
  return readTensorMeta(json, *payload.meta);
}

bool Decoder::readPayloads(Bytes text, bool areConstants, Program &program) {
  minor = program.schemaMinor;
  Object root, config;
  Json json;
  if (!parse(text, root) || !get(root, "config", json) ||
      !asObject(json, "config", config))
    return false;
  for (auto field : config) {
    Payload payload;
    payload.name = std::string(field.key);
    payload.isConstant = areConstants;
    where = "weight '" + payload.name + "'";
    Object object;
    if (!asObject(field.value, "payload", object) ||
        !readPayload(object, payload))
      return false;
    std::string name = payload.name;
    if (!program.payloads.emplace(std::move(name), std::move(payload)).second)
      return fail("is listed twice");
  }
  where.clear();
  return true;
}
