//===- JsonReader.cpp - typed access to JSON ------------------------------===//
#include "JsonReader.h"

#include <cmath>
#include <cstdarg>

namespace kfuse {

Status badJson(const char *fmt, ...) {
  char text[512];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof(text), fmt, args);
  va_end(args);
  return Status(KFUSE_BAD_PACKAGE, text);
}

std::optional<JsonValue> findKey(JsonObject object, const char *key) {
  JsonValue value;
  if (object.at_key(key).get(value) != simdjson::SUCCESS || value.is_null())
    return std::nullopt;
  return value;
}

Result<JsonValue> getKey(JsonObject object, const char *key) {
  auto value = findKey(object, key);
  if (!value)
    return badJson("key '%s' is missing", key);
  return *value;
}

Result<JsonObject> asObject(JsonValue value, const char *what) {
  JsonObject object;
  if (value.get(object) != simdjson::SUCCESS)
    return badJson("%s is not an object", what);
  return object;
}

Result<JsonArray> asArray(JsonValue value, const char *what) {
  JsonArray array;
  if (value.get(array) != simdjson::SUCCESS)
    return badJson("%s is not an array", what);
  return array;
}

Result<int64_t> asInt(JsonValue value, const char *what) {
  int64_t number;
  if (value.get(number) != simdjson::SUCCESS)
    return badJson("%s is not a 64-bit integer", what);
  return number;
}

Result<std::string> asString(JsonValue value, const char *what) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS)
    return badJson("%s is not a string", what);
  return std::string(text);
}

Result<double> asFloat(JsonValue value, const char *what) {
  double number;
  if (value.get(number) == simdjson::SUCCESS)
    return number;
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) {
    if (text == "inf")
      return HUGE_VAL;
    if (text == "-inf")
      return -HUGE_VAL;
    if (text == "nan")
      return std::nan("");
  }
  return badJson("%s is not a number, \"inf\", \"-inf\" or \"nan\"", what);
}

Result<JsonArray> getArray(JsonObject object, const char *key) {
  KFUSE_ASSIGN(JsonValue value, getKey(object, key));
  return asArray(value, key);
}

Result<int64_t> getInt(JsonObject object, const char *key) {
  KFUSE_ASSIGN(JsonValue value, getKey(object, key));
  return asInt(value, key);
}

Result<int64_t> getIntOr(JsonObject object, const char *key, int64_t missing) {
  auto value = findKey(object, key);
  if (!value)
    return missing;
  return asInt(*value, key);
}

Result<std::string> getString(JsonObject object, const char *key) {
  KFUSE_ASSIGN(JsonValue value, getKey(object, key));
  return asString(value, key);
}

Result<std::string> getStringOr(JsonObject object, const char *key,
                                const char *missing) {
  auto value = findKey(object, key);
  if (!value)
    return std::string(missing);
  return asString(*value, key);
}

Result<bool> getBoolOr(JsonObject object, const char *key, bool missing) {
  auto value = findKey(object, key);
  if (!value)
    return bool(missing);
  bool flag;
  if (value->get(flag) != simdjson::SUCCESS)
    return badJson("%s is not a boolean", key);
  return bool(flag);
}

Result<int32_t> asIndex(JsonValue value, const char *what, size_t limit) {
  KFUSE_ASSIGN(int64_t number, asInt(value, what));
  if (number < 0 || static_cast<size_t>(number) >= limit)
    return badJson("%s is %lld, expected a number below %zu", what,
                   static_cast<long long>(number), limit);
  return static_cast<int32_t>(number);
}

Result<int32_t> getIndex(JsonObject object, const char *key, size_t limit) {
  KFUSE_ASSIGN(JsonValue value, getKey(object, key));
  return asIndex(value, key, limit);
}

Result<std::vector<int64_t>> getInts(JsonObject object, const char *key) {
  KFUSE_ASSIGN(JsonArray array, getArray(object, key));
  std::vector<int64_t> numbers;
  KFUSE_TRY(forEach(array, key, [&](JsonValue value, size_t) -> Status {
    KFUSE_ASSIGN(int64_t number, asInt(value, "value"));
    numbers.push_back(number);
    return Status();
  }));
  return numbers;
}

} // namespace kfuse
