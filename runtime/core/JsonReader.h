//===- JsonReader.h - typed access to JSON ---------------------*- C++ -*-===//
///
/// \file
/// Small helpers over simdjson's DOM that turn type mismatches into messages.
/// Private to the readers.
///
#ifndef KFUSE_RUNTIME_CORE_JSONREADER_H
#define KFUSE_RUNTIME_CORE_JSONREADER_H

#include "Program.h"

#include <simdjson.h>

namespace kfuse {

using JsonValue = simdjson::dom::element;
using JsonObject = simdjson::dom::object;
using JsonArray = simdjson::dom::array;

Status badJson(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/// The value of `key`, nothing when it is missing or null.
std::optional<JsonValue> findKey(JsonObject object, const char *key);
Result<JsonValue> getKey(JsonObject object, const char *key);

Result<JsonObject> asObject(JsonValue value, const char *what);
Result<JsonArray> asArray(JsonValue value, const char *what);
Result<int64_t> asInt(JsonValue value, const char *what);
Result<std::string> asString(JsonValue value, const char *what);
/// A JSON number, or "inf", "-inf" or "nan".
Result<double> asFloat(JsonValue value, const char *what);

Result<JsonArray> getArray(JsonObject object, const char *key);
Result<int64_t> getInt(JsonObject object, const char *key);
Result<int64_t> getIntOr(JsonObject object, const char *key, int64_t missing);
Result<std::string> getString(JsonObject object, const char *key);
Result<std::string> getStringOr(JsonObject object, const char *key,
                                const char *missing);
Result<bool> getBoolOr(JsonObject object, const char *key, bool missing);
/// An integer in [0, limit).
Result<int32_t> getIndex(JsonObject object, const char *key, size_t limit);
Result<int32_t> asIndex(JsonValue value, const char *what, size_t limit);
Result<std::vector<int64_t>> getInts(JsonObject object, const char *key);

/// Parses an EXPR; with `defer`, unknown symbols are added as deferred ones.
Result<ExprId> readExpr(JsonValue value, Interface &interface,
                        bool defer = false);
Result<std::vector<ExprId>> readExprs(JsonValue value, Interface &interface,
                                      bool defer = false);
/// Parses `dtype`, `sizes` and `strides` (row-major when missing).
Result<Layout> readLayout(JsonObject object, Interface &interface,
                          bool defer = false);
/// Parses a list of symbols into the interface. `tensors` is how many tensors
/// the program has, 0 for the manifest.
Status readSymbols(JsonArray array, Interface &interface, size_t tensors);
/// Row-major strides of `sizes`.
Result<std::vector<ExprId>> rowMajor(const std::vector<ExprId> &sizes,
                                     ExpressionTable &table);

/// Calls `fn(value, index)` for each element, adds "key[index]" to errors.
template <typename Fn>
Status forEach(JsonArray array, const char *key, Fn fn) {
  size_t index = 0;
  for (JsonValue value : array) {
    Status status = fn(value, index);
    if (!status.ok())
      return std::move(status).within(format("%s[%zu]", key, index));
    ++index;
  }
  return Status();
}

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_JSONREADER_H
