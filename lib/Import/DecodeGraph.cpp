//===- DecodeGraph.cpp - graphs, nodes and the types of values ------------===//
/// \file
/// `Graph`, `Node`, `TensorMeta` and `SymInt` of the schema.

#include "Decoder.h"

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::pt2;

bool Decoder::readSymExpr(Json json, SymInt &value) {
  Object object;
  std::string text;
  if (!asObject(json, "as_expr", object) ||
      !getString(object, "expr_str", text))
    return false;
  auto known = parsed.find(text);
  if (known == parsed.end()) {
    Result<SymExpr> expr = parseSymExpr(text);
    if (!expr)
      return fail(expr.message());
    known = parsed.emplace(text, *expr).first;
  }
  value.expr = known->second;
  Json hint, content;
  std::string_view tag;
  if (!getOptional(object, "hint", hint))
    return true;
  if (!asUnion(hint, "hint", tag, content))
    return false;
  int64_t number = 0;
  if (tag == "as_int" && !content.get(number))
    value.hint = number;
  return true;
}

bool Decoder::readSymInt(Json json, SymInt &value) {
  std::string_view tag;
  Json content;
  if (!asUnion(json, "symbolic integer", tag, content))
    return false;
  if (tag == "as_int") {
    int64_t number = 0;
    if (!asInt(content, "as_int", number))
      return false;
    value.expr = SymExpr::integer(number);
    return true;
  }
  if (tag == "as_expr")
    return readSymExpr(content, value);
  return failTag("tag of a symbolic integer", tag);
}

bool Decoder::readSymInts(const Object &object, const char *key,
                          std::vector<SymInt> &values) {
  Json json;
  Array array;
  if (!get(object, key, json) || !asArray(json, key, array))
    return false;
  for (Json element : array) {
    values.emplace_back();
    if (!readSymInt(element, values.back()))
      return false;
  }
  return true;
}

/// Constants must describe a tensor that can exist.
bool Decoder::checkTensorMeta(const TensorMeta &meta) {
  if (meta.sizes.size() != meta.strides.size())
    return fail("tensor has " + std::to_string(meta.sizes.size()) +
                " sizes but " + std::to_string(meta.strides.size()) +
                " strides; export the program again");
  // Sizes of a tensor are limited by its bytes, even when one of them is 0.
  int64_t bytes = getByteSize(meta.dtype);
  for (const SymInt &size : meta.sizes) {
    if (!size.isConstant())
      continue;
    if (size.getValue() < 0)
      return fail("tensor has a negative size " +
                  std::to_string(size.getValue()));
    int64_t factor = size.getValue() == 0 ? 1 : size.getValue();
    if (__builtin_mul_overflow(bytes, factor, &bytes))
      return fail("the tensor's sizes overflow 64 bits; the program is damaged "
                  "or was edited, export it again");
  }
  for (const SymInt &stride : meta.strides)
    if (stride.isConstant() && stride.getValue() < 0)
      return fail("tensor has a negative stride " +
                  std::to_string(stride.getValue()));
  if (meta.offset.isConstant() && meta.offset.getValue() < 0)
    return fail("tensor has a negative storage offset " +
                std::to_string(meta.offset.getValue()));
  return true;
}

bool Decoder::readTensorMeta(Json json, TensorMeta &meta) {
  Object object;
  Json part;
  if (!asObject(json, "tensor type", object) || !get(object, "dtype", part) ||
      !readDType(part, meta.dtype))
    return false;
  int64_t layout = 7;
  if (!get(object, "layout", part) || !asInt(part, "layout", layout))
    return false;
  if (layout != static_cast<int64_t>(Layout::Strided))
    return fail("layout number " + std::to_string(layout) +
                " is not supported, only strided tensors are (7); convert "
                "sparse tensors with to_dense() before exporting");
  if (!readSymInts(object, "sizes", meta.sizes) ||
      !readSymInts(object, "strides", meta.strides) ||
      !get(object, "storage_offset", part) || !readSymInt(part, meta.offset) ||
      !get(object, "device", part) || !readDevice(part, meta.device))
    return false;
  if (getOptional(object, "requires_grad", part) &&
      !asBool(part, "requires_grad", meta.requiresGrad))
    return false;
  return checkTensorMeta(meta);
}

bool Decoder::readSymValues(const Object &object, const char *key,
                            std::unordered_map<std::string, SymInt> &values) {
  Json json;
  Object entries;
  if (!getOptional(object, key, json))
    return true;
  if (!asObject(json, key, entries))
    return false;
  for (auto field : entries) {
    std::string name(field.key);
    where = "value '" + name + "'";
    std::string_view tag;
    Json content;
    SymInt value;
    if (!asUnion(field.value, key, tag, content))
      return false;
    if (tag == "as_expr") {
      if (!readSymExpr(content, value))
        return false;
    } else if (tag == "as_int") {
      int64_t number = 0;
      if (!asInt(content, "as_int", number))
        return false;
      value.expr = SymExpr::integer(number);
    } else if (tag == "as_bool" || tag == "as_float") {
      // A constant; nodes carry it, the table is only asked for expressions.
      value.expr.kind = SymExpr::Kind::Other;
      value.expr.name = "constant";
    } else {
      return failTag("tag of a symbolic value", tag);
    }
    if (!values.emplace(std::move(name), std::move(value)).second)
      return fail("occurs twice in " + std::string(key));
  }
  where.clear();
  return true;
}

bool Decoder::readValues(const Object &object, Graph &graph) {
  Json json;
  Object entries;
  if (!get(object, "tensor_values", json) ||
      !asObject(json, "tensor_values", entries))
    return false;
  for (auto field : entries) {
    std::string name(field.key);
    where = "tensor '" + name + "'";
    TensorMeta meta;
    if (!readTensorMeta(field.value, meta))
      return false;
    if (!graph.tensors.emplace(std::move(name), std::move(meta)).second)
      return fail("occurs twice in tensor_values");
  }
  where.clear();
  return readSymValues(object, "sym_int_values", graph.symInts) &&
         readSymValues(object, "sym_bool_values", graph.symBools) &&
         readSymValues(object, "sym_float_values", graph.symFloats);
}

bool Decoder::readNodeMetadata(const Object &object, Node &node) {
  Json json;
  Object metadata;
  if (!getOptional(object, "metadata", json))
    return true;
  if (!asObject(json, "metadata", metadata))
    return false;
  // The stack trace is the bulk of a program and names files of the machine
  // that exported it; the module stack says the same in the model's terms.
  struct Kept {
    const char *key;
    std::string &value;
  };
  const Kept kept[] = {{"nn_module_stack", node.moduleStack},
                       {"torch_fn", node.torchFn},
                       {"from_node", node.fromNode}};
  for (const Kept &entry : kept)
    if (getOptional(metadata, entry.key, json) &&
        !asString(json, entry.key, entry.value))
      return false;
  return true;
}

bool Decoder::readNode(Json json, Node &node) {
  Object object;
  if (!asObject(json, "node", object) ||
      !getString(object, "target", node.target))
    return false;
  if (getOptional(object, "name", json) && !asString(json, "name", node.name))
    return false;
  if (!readArguments(object, "outputs", node.outputs))
    return false;
  // Archives of torch 2.9 and 2.10 have no node names.
  if (node.name.empty() && !node.outputs.empty()) {
    const Argument &first = node.outputs.front();
    if (!first.names.empty())
      node.name = first.names.front();
    else if (!first.syms.empty())
      node.name = first.syms.front().name;
  }
  where = "node '" + node.name + "' (" + node.target + ")";
  Array inputs;
  if (!get(object, "inputs", json) || !asArray(json, "inputs", inputs))
    return false;
  for (Json element : inputs) {
    Object input;
    node.inputs.emplace_back();
    NamedArgument &argument = node.inputs.back();
    Json value;
    if (!asObject(element, "node input", input) ||
        !getString(input, "name", argument.name) || !get(input, "arg", value) ||
        !readArgument(value, argument.value))
      return false;
    int64_t kind = 1;
    if (getOptional(input, "kind", value) && !asInt(value, "kind", kind))
      return false;
    argument.keyword = kind == 2;
  }
  return readNodeMetadata(object, node);
}

bool Decoder::readGraph(const Object &object, Graph &graph) {
  Json json;
  Array nodes;
  std::string outer = where;
  if (!readArguments(object, "inputs", graph.inputs) ||
      !readArguments(object, "outputs", graph.outputs) ||
      !get(object, "nodes", json) || !asArray(json, "nodes", nodes))
    return false;
  graph.nodes.reserve(nodes.size());
  for (Json element : nodes) {
    graph.nodes.emplace_back();
    where = "node " + std::to_string(graph.nodes.size() - 1);
    if (!readNode(element, graph.nodes.back()))
      return false;
  }
  where.clear();
  if (!readValues(object, graph))
    return false;
  if (getOptional(object, "is_single_tensor_return", json) &&
      !asBool(json, "is_single_tensor_return", graph.singleTensorReturn))
    return false;
  where = outer;
  return true;
}
