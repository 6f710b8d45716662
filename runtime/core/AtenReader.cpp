//===- AtenReader.cpp - ATen steps from JSON ------------------------------===//
#include "StepReader.h"

#include <cstdlib>

namespace kfuse {

Status StepReader::readAten(JsonObject object, std::vector<Step> &steps) {
  AtenSpec aten;
  KFUSE_ASSIGN(aten.target, getString(object, "target"));
  KFUSE_ASSIGN(aten.overload, getStringOr(object, "overload", ""));
  aten.display = aten.target;
  if (!aten.overload.empty())
    aten.display += "." + aten.overload;
  KFUSE_ASSIGN(std::string kind, getStringOr(object, "class", "unsupported"));
  if (kind == "library")
    aten.kind = KFUSE_FALLBACK_LIBRARY;
  else if (kind != "unsupported")
    return badJson("unknown class '%s'", kind.c_str());
  KFUSE_ASSIGN(aten.reason, getStringOr(object, "reason", ""));
  KFUSE_ASSIGN(JsonArray args, getArray(object, "args"));
  aten.arguments.resize(args.size());
  KFUSE_TRY(forEach(args, "args", [&](JsonValue value, size_t i) -> Status {
    KFUSE_ASSIGN(JsonObject argument, asObject(value, "argument"));
    KFUSE_ASSIGN(aten.arguments[i].name, getStringOr(argument, "name", ""));
    JsonValue given;
    if (argument.at_key("value").get(given) != simdjson::SUCCESS)
      return badJson("key 'value' is missing");
    return readValue(given, aten.arguments[i].value);
  }));
  KFUSE_ASSIGN(JsonArray results, getArray(object, "results"));
  KFUSE_TRY(readResults(results, aten));
  Step step;
  step.kind = Step::Kind::Aten;
  step.index = static_cast<int32_t>(program.atens.size());
  program.atens.push_back(std::move(aten));
  steps.push_back(std::move(step));
  return Status();
}

Status StepReader::readResults(JsonArray array, AtenSpec &aten) {
  return forEach(array, "results", [&](JsonValue value, size_t) -> Status {
    JsonArray list;
    if (value.get(list) == simdjson::SUCCESS) {
      aten.returns.push_back(static_cast<int32_t>(list.size()));
      for (JsonValue element : list) {
        aten.results.emplace_back();
        KFUSE_TRY(readResult(element, aten.results.back()));
      }
      return Status();
    }
    aten.results.emplace_back();
    KFUSE_TRY(readResult(value, aten.results.back()));
    bool isNone = aten.results.back().kind == ResultSpec::Kind::None;
    aten.returns.push_back(isNone ? KFUSE_RETURN_NONE : KFUSE_RETURN_ONE);
    return Status();
  });
}

Status StepReader::readResult(JsonValue value, ResultSpec &result) {
  if (value.is_null())
    return Status();
  KFUSE_ASSIGN(JsonObject object, asObject(value, "result"));
  if (findKey(object, "t")) {
    result.kind = ResultSpec::Kind::Tensor;
    KFUSE_ASSIGN(result.index, getIndex(object, "t", program.tensors.size()));
    return Status();
  }
  KFUSE_ASSIGN(std::string name, getString(object, "symbol"));
  auto it = program.interface.symbolIndex.find(name);
  if (it == program.interface.symbolIndex.end())
    return badJson("unknown symbol '%s'", name.c_str());
  if (program.interface.symbols[it->second].bind != Symbol::Bind::Step)
    return badJson("symbol '%s' is the result of a step, but bound elsewhere",
                   name.c_str());
  result.kind = ResultSpec::Kind::Symbol;
  result.index = it->second;
  return Status();
}

Status StepReader::readValue(JsonValue value, ValueSpec &spec) {
  switch (value.type()) {
  case simdjson::dom::element_type::NULL_VALUE:
    return Status();
  case simdjson::dom::element_type::BOOL: {
    bool flag = false;
    if (value.get(flag) != simdjson::SUCCESS)
      return badJson("broken boolean");
    spec.kind = KFUSE_VALUE_BOOL;
    spec.number = flag;
    return Status();
  }
  case simdjson::dom::element_type::INT64: {
    spec.kind = KFUSE_VALUE_INT;
    KFUSE_ASSIGN(spec.number, asInt(value, "value"));
    return Status();
  }
  case simdjson::dom::element_type::STRING: {
    spec.kind = KFUSE_VALUE_STRING;
    KFUSE_ASSIGN(spec.text, asString(value, "value"));
    return Status();
  }
  case simdjson::dom::element_type::ARRAY: {
    spec.kind = KFUSE_VALUE_LIST;
    KFUSE_ASSIGN(JsonArray array, asArray(value, "value"));
    spec.elements.resize(array.size());
    return forEach(array, "value", [&](JsonValue element, size_t i) {
      return readValue(element, spec.elements[i]);
    });
  }
  case simdjson::dom::element_type::OBJECT: {
    KFUSE_ASSIGN(JsonObject object, asObject(value, "value"));
    return readTagged(object, spec);
  }
  default:
    return badJson("a bare fraction or a too large integer as argument; "
                   "floats are written as {\"float\": x}");
  }
}

static Status readDevice(const std::string &name, ValueSpec &spec) {
  spec.kind = KFUSE_VALUE_DEVICE;
  if (name == "model") {
    spec.isModelDevice = true;
    return Status();
  }
  if (name == "cpu")
    return Status();
  bool isCuda = name.compare(0, 4, "cuda") == 0;
  if (!isCuda || (name.size() > 4 && name[4] != ':'))
    return badJson("unknown device '%s'", name.c_str());
  spec.device.kind = KFUSE_CUDA;
  spec.device.index = name.size() > 5 ? atoi(name.c_str() + 5) : 0;
  return Status();
}

Status StepReader::readTagged(JsonObject object, ValueSpec &spec) {
  if (object.size() != 1)
    return badJson("an argument value has %zu keys, expected one",
                   object.size());
  auto field = *object.begin();
  std::string_view tag = field.key;
  JsonValue value = field.value;
  if (tag == "float") {
    spec.kind = KFUSE_VALUE_FLOAT;
    KFUSE_ASSIGN(spec.real, asFloat(value, "float"));
  } else if (tag == "t") {
    spec.kind = KFUSE_VALUE_TENSOR;
    KFUSE_ASSIGN(spec.number, asIndex(value, "t", program.tensors.size()));
  } else if (tag == "sym") {
    spec.kind = KFUSE_VALUE_SCALAR;
    KFUSE_ASSIGN(spec.number, readExpr(value, program.interface));
  } else if (tag == "scalar") {
    spec.kind = KFUSE_VALUE_SCALAR;
    KFUSE_ASSIGN(std::string name, asString(value, "scalar"));
    auto it = program.interface.symbolIndex.find(name);
    if (it == program.interface.symbolIndex.end())
      return badJson("unknown symbol '%s'", name.c_str());
    const Symbol &symbol = program.interface.symbols[it->second];
    spec.isSymbol = symbol.bind != Symbol::Bind::Expr;
    spec.number = spec.isSymbol ? it->second : symbol.expr;
  } else if (tag == "dtype") {
    spec.kind = KFUSE_VALUE_DTYPE;
    KFUSE_ASSIGN(std::string name, asString(value, "dtype"));
    spec.number = parseDtype(name);
    if (spec.number == KFUSE_DTYPE_INVALID)
      return badJson("unknown dtype '%s'", name.c_str());
  } else if (tag == "device") {
    KFUSE_ASSIGN(std::string name, asString(value, "device"));
    return readDevice(name, spec);
  } else if (tag == "memory_format" || tag == "layout") {
    spec.kind =
        tag == "layout" ? KFUSE_VALUE_LAYOUT : KFUSE_VALUE_MEMORY_FORMAT;
    KFUSE_ASSIGN(spec.text, asString(value, "name"));
  } else if (tag == "complex") {
    spec.kind = KFUSE_VALUE_COMPLEX;
    KFUSE_ASSIGN(JsonArray parts, asArray(value, "complex"));
    if (parts.size() != 2)
      return badJson("a complex number has %zu parts, expected 2",
                     parts.size());
    KFUSE_ASSIGN(spec.real, asFloat(parts.at(0).value_unsafe(), "complex"));
    KFUSE_ASSIGN(spec.imag, asFloat(parts.at(1).value_unsafe(), "complex"));
  } else {
    return badJson("unknown kind of value '%s'", std::string(tag).c_str());
  }
  return Status();
}

} // namespace kfuse
