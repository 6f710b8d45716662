//===- DecodeJson.cpp - typed access to JSON values -----------------------===//
/// \file
/// The lowest layer of the decoder: one JSON value in, one C++ value out.

#include "Decoder.h"

#include <limits>

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::pt2;

/// The newest schema whose tags are all known.
static constexpr int64_t kKnownMinor = 20;

bool Decoder::fail(const std::string &what) {
  if (message.empty())
    message = where.empty() ? what : where + ": " + what;
  return false;
}

bool Decoder::failTag(const char *what, std::string_view tag) {
  std::string text = std::string("unknown ") + what + " '" +
                     std::string(tag.substr(0, 60)) + "'";
  if (minor > kKnownMinor)
    text += "; the program uses schema 8." + std::to_string(minor) +
            ", kfuse knows 8.20: update kfuse or save with an older torch";
  else
    text += "; the program is damaged or was edited, export it again";
  return fail(text);
}

bool Decoder::parse(Bytes text, Object &root) {
  // Kept by the decoder: elements point into it.
  static_assert(sizeof(size_t) == 8, "documents are larger than 32 bits allow");
  simdjson::error_code error;
  Json json;
  error = parser.parse(text.text().data(), text.size).get(json);
  if (error)
    return fail(std::string("not valid JSON (") +
                simdjson::error_message(error) +
                "); the archive is damaged, copy or save it again");
  return asObject(json, "document", root);
}

bool Decoder::asObject(Json json, const char *what, Object &value) {
  if (json.get(value))
    return fail(std::string("expected an object for ") + what);
  return true;
}

bool Decoder::asArray(Json json, const char *what, Array &value) {
  if (json.get(value))
    return fail(std::string("expected a list for ") + what);
  return true;
}

bool Decoder::asString(Json json, const char *what, std::string &value) {
  std::string_view text;
  if (json.get(text))
    return fail(std::string("expected a string for ") + what);
  value = std::string(text);
  return true;
}

bool Decoder::asInt(Json json, const char *what, int64_t &value) {
  if (json.get(value))
    return fail(std::string("expected a 64-bit integer for ") + what);
  return true;
}

bool Decoder::asFloat(Json json, const char *what, double &value) {
  if (!json.get(value))
    return true;
  std::string_view text;
  if (!json.get(text)) {
    using Limits = std::numeric_limits<double>;
    if (text == "Infinity")
      return value = Limits::infinity(), true;
    if (text == "-Infinity")
      return value = -Limits::infinity(), true;
    if (text == "NaN")
      return value = Limits::quiet_NaN(), true;
  }
  return fail(std::string("expected a number, 'Infinity', '-Infinity' or "
                          "'NaN' for ") +
              what);
}

bool Decoder::asBool(Json json, const char *what, bool &value) {
  if (json.get(value))
    return fail(std::string("expected true or false for ") + what);
  return true;
}

bool Decoder::asUnion(Json json, const char *what, std::string_view &tag,
                      Json &value) {
  Object object;
  if (!asObject(json, what, object))
    return false;
  if (object.size() != 1)
    return fail(std::string("expected exactly one tag for ") + what +
                ", found " + std::to_string(object.size()));
  auto field = *object.begin();
  tag = field.key;
  value = field.value;
  return true;
}

bool Decoder::get(const Object &object, const char *key, Json &value) {
  if (object[key].get(value))
    return fail(std::string("field '") + key +
                "' is missing; the program is damaged or was edited, export "
                "it again");
  return true;
}

bool Decoder::getOptional(const Object &object, const char *key, Json &value) {
  return !object[key].get(value) && !value.is_null();
}

bool Decoder::getString(const Object &object, const char *key,
                        std::string &value) {
  Json json;
  return get(object, key, json) && asString(json, key, value);
}

bool Decoder::getStrings(const Object &object, const char *key,
                         std::vector<std::string> &values) {
  Json json;
  if (!getOptional(object, key, json))
    return true;
  Array array;
  if (!asArray(json, key, array))
    return false;
  for (Json element : array) {
    values.emplace_back();
    if (!asString(element, key, values.back()))
      return false;
  }
  return true;
}
