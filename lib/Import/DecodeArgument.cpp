//===- DecodeArgument.cpp - operands and results of nodes -----------------===//
/// \file
/// The tagged union `Argument` of the schema, one function per shape of value.

#include "Decoder.h"

#include <array>

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::pt2;

namespace {

struct TagEntry {
  const char *tag;
  ArgKind kind;
};

} // namespace

/// In the order of `ArgKind`.
static constexpr std::array<TagEntry, 31> kTags = {{
    {"as_none", ArgKind::None},
    {"as_tensor", ArgKind::Tensor},
    {"as_tensors", ArgKind::Tensors},
    {"as_optional_tensor", ArgKind::OptionalTensor},
    {"as_optional_tensors", ArgKind::OptionalTensors},
    {"as_nested_tensors", ArgKind::NestedTensors},
    {"as_int", ArgKind::Int},
    {"as_ints", ArgKind::Ints},
    {"as_int_lists", ArgKind::IntLists},
    {"as_float", ArgKind::Float},
    {"as_floats", ArgKind::Floats},
    {"as_float_lists", ArgKind::FloatLists},
    {"as_complex", ArgKind::Complex},
    {"as_bool", ArgKind::Bool},
    {"as_bools", ArgKind::Bools},
    {"as_string", ArgKind::String},
    {"as_strings", ArgKind::Strings},
    {"as_sym_int", ArgKind::SymInt},
    {"as_sym_ints", ArgKind::SymInts},
    {"as_sym_float", ArgKind::SymFloat},
    {"as_sym_floats", ArgKind::SymFloats},
    {"as_sym_bool", ArgKind::SymBool},
    {"as_sym_bools", ArgKind::SymBools},
    {"as_scalar_type", ArgKind::ScalarType},
    {"as_memory_format", ArgKind::MemoryFormat},
    {"as_layout", ArgKind::Layout},
    {"as_device", ArgKind::Device},
    {"as_graph", ArgKind::Graph},
    {"as_custom_obj", ArgKind::CustomObj},
    {"as_operator", ArgKind::Operator},
    {"as_string_to_argument", ArgKind::Map},
}};

const char *pt2::getTag(ArgKind kind) {
  return kTags[static_cast<size_t>(kind)].tag;
}

static bool findTag(std::string_view tag, ArgKind &kind) {
  for (const TagEntry &entry : kTags) {
    if (tag == entry.tag) {
      kind = entry.kind;
      return true;
    }
  }
  return false;
}

bool Decoder::readTensorName(Json json, std::string &name) {
  Object object;
  return asObject(json, "tensor argument", object) &&
         getString(object, "name", name);
}

bool Decoder::readOptionalTensor(Json json, std::string &name) {
  std::string_view tag;
  Json value;
  if (!asUnion(json, "optional tensor", tag, value))
    return false;
  if (tag == "as_none")
    return true;
  if (tag == "as_tensor")
    return readTensorName(value, name);
  return failTag("tag of an optional tensor", tag);
}

bool Decoder::readDevice(Json json, Device &device) {
  Object object;
  if (!asObject(json, "device", object) ||
      !getString(object, "type", device.type))
    return false;
  Json index;
  if (!getOptional(object, "index", index))
    return true;
  int64_t value = 0;
  if (!asInt(index, "device index", value))
    return false;
  device.index = value;
  return true;
}

bool Decoder::readDType(Json json, DType &dtype) {
  int64_t number = 0;
  if (!asInt(json, "dtype", number))
    return false;
  std::optional<DType> known = getDType(number);
  if (!known)
    return failTag("dtype number", std::to_string(number));
  dtype = *known;
  return true;
}

bool Decoder::readSymArg(ArgKind kind, Json json, SymArg &value) {
  std::string_view tag;
  Json content;
  if (!asUnion(json, getTag(kind), tag, content))
    return false;
  if (tag == "as_name") {
    if (!asString(content, "as_name", value.name))
      return false;
    return !value.name.empty() || fail("a symbolic argument has no name");
  }
  bool isInt = kind == ArgKind::SymInt || kind == ArgKind::SymInts;
  bool isFloat = kind == ArgKind::SymFloat || kind == ArgKind::SymFloats;
  bool isBool = kind == ArgKind::SymBool || kind == ArgKind::SymBools;
  if (isInt && tag == "as_int")
    return asInt(content, "as_int", value.intValue);
  if (isFloat && tag == "as_float")
    return asFloat(content, "as_float", value.floatValue);
  if (isBool && tag == "as_bool")
    return asBool(content, "as_bool", value.boolValue);
  return failTag("tag of a symbolic argument", tag);
}

bool Decoder::readScalarArgument(ArgKind kind, Json json, Argument &argument) {
  switch (kind) {
  case ArgKind::Int:
  case ArgKind::MemoryFormat:
  case ArgKind::Layout:
    return asInt(json, getTag(kind), argument.intValue);
  case ArgKind::Float:
    return asFloat(json, getTag(kind), argument.floatValue);
  case ArgKind::Bool: {
    bool value = false;
    if (!asBool(json, getTag(kind), value))
      return false;
    argument.intValue = value;
    return true;
  }
  case ArgKind::String:
  case ArgKind::Operator:
    argument.names.emplace_back();
    return asString(json, getTag(kind), argument.names.back());
  case ArgKind::Tensor:
    argument.names.emplace_back();
    return readTensorName(json, argument.names.back());
  case ArgKind::OptionalTensor:
    argument.names.emplace_back();
    return readOptionalTensor(json, argument.names.back());
  case ArgKind::SymInt:
  case ArgKind::SymFloat:
  case ArgKind::SymBool:
    argument.syms.emplace_back();
    return readSymArg(kind, json, argument.syms.back());
  case ArgKind::ScalarType:
    return readDType(json, argument.dtype);
  case ArgKind::Device:
    return readDevice(json, argument.device);
  default:
    return readStructArgument(kind, json, argument);
  }
}

bool Decoder::readListArgument(ArgKind kind, Json json, Argument &argument) {
  Array array;
  if (!asArray(json, getTag(kind), array))
    return false;
  for (Json element : array) {
    bool ok = true;
    switch (kind) {
    case ArgKind::Ints:
      argument.ints.emplace_back();
      ok = asInt(element, getTag(kind), argument.ints.back());
      break;
    case ArgKind::Bools: {
      bool value = false;
      ok = asBool(element, getTag(kind), value);
      argument.ints.push_back(value);
      break;
    }
    case ArgKind::Floats:
      argument.floats.emplace_back();
      ok = asFloat(element, getTag(kind), argument.floats.back());
      break;
    case ArgKind::Strings:
      argument.names.emplace_back();
      ok = asString(element, getTag(kind), argument.names.back());
      break;
    case ArgKind::Tensors:
      argument.names.emplace_back();
      ok = readTensorName(element, argument.names.back());
      break;
    case ArgKind::OptionalTensors:
      argument.names.emplace_back();
      ok = readOptionalTensor(element, argument.names.back());
      break;
    default: // SymInts, SymFloats, SymBools
      argument.syms.emplace_back();
      ok = readSymArg(kind, element, argument.syms.back());
      break;
    }
    if (!ok)
      return false;
  }
  return true;
}

bool Decoder::readNestedArgument(ArgKind kind, Json json, Argument &argument) {
  Array array;
  if (!asArray(json, getTag(kind), array))
    return false;
  ArgKind inner = kind == ArgKind::IntLists     ? ArgKind::Ints
                  : kind == ArgKind::FloatLists ? ArgKind::Floats
                                                : ArgKind::Tensors;
  for (Json element : array) {
    argument.items.emplace_back();
    argument.items.back().kind = inner;
    if (!readListArgument(inner, element, argument.items.back()))
      return false;
  }
  return true;
}

bool Decoder::readStructArgument(ArgKind kind, Json json, Argument &argument) {
  Object object;
  if (!asObject(json, getTag(kind), object))
    return false;
  Json part;
  if (kind == ArgKind::Complex)
    return get(object, "real", part) &&
           asFloat(part, "real", argument.floatValue) &&
           get(object, "imag", part) &&
           asFloat(part, "imag", argument.imagValue);
  if (kind == ArgKind::Map) {
    for (auto field : object) {
      argument.names.emplace_back(field.key);
      argument.items.emplace_back();
      if (!readArgument(field.value, argument.items.back()))
        return false;
    }
    return true;
  }
  argument.names.emplace_back();
  if (!getString(object, "name", argument.names.back()))
    return false;
  if (kind == ArgKind::CustomObj) {
    argument.names.emplace_back();
    return getString(object, "class_fqn", argument.names.back());
  }
  // Graph.
  Object graphObject;
  if (!get(object, "graph", part) || !asObject(part, "graph", graphObject))
    return false;
  auto graph = std::make_shared<Graph>();
  if (!readGraph(graphObject, *graph))
    return false;
  argument.graph = std::move(graph);
  return true;
}

bool Decoder::readArgument(Json json, Argument &argument) {
  std::string_view tag;
  Json value;
  if (!asUnion(json, "argument", tag, value))
    return false;
  ArgKind kind = ArgKind::None;
  if (!findTag(tag, kind))
    return failTag("argument tag", tag);
  argument.kind = kind;
  switch (kind) {
  case ArgKind::None:
    return true;
  case ArgKind::Ints:
  case ArgKind::Bools:
  case ArgKind::Floats:
  case ArgKind::Strings:
  case ArgKind::Tensors:
  case ArgKind::OptionalTensors:
  case ArgKind::SymInts:
  case ArgKind::SymFloats:
  case ArgKind::SymBools:
    return readListArgument(kind, value, argument);
  case ArgKind::IntLists:
  case ArgKind::FloatLists:
  case ArgKind::NestedTensors:
    return readNestedArgument(kind, value, argument);
  default:
    return readScalarArgument(kind, value, argument);
  }
}

bool Decoder::readArguments(const Object &object, const char *key,
                            std::vector<Argument> &arguments) {
  Json json;
  Array array;
  if (!get(object, key, json) || !asArray(json, key, array))
    return false;
  for (Json element : array) {
    arguments.emplace_back();
    if (!readArgument(element, arguments.back()))
      return false;
  }
  return true;
}
