//===- Decoder.h - JSON of exported programs to plain data ------*- C++ -*-===//
/// \file
/// Private to the reader: one decoder object walks one JSON document. Every
/// `read` returns false after the first problem and leaves its message in
/// `getMessage()`; callers just pass the false on.

#ifndef KFUSE_LIB_IMPORT_DECODER_H
#define KFUSE_LIB_IMPORT_DECODER_H

#include "kfuse/Import/Program.h"

#include <simdjson.h>

namespace mlir::kfuse::pt2 {

class Decoder {
public:
  using Json = simdjson::dom::element;
  using Object = simdjson::dom::object;
  using Array = simdjson::dom::array;

  /// Decodes the text of `models/<name>.json` into `program`.
  bool readProgram(Bytes text, Program &program);
  /// Decodes a weights or constants config and adds its payloads.
  bool readPayloads(Bytes text, bool areConstants, Program &program);

  const std::string &getMessage() const { return message; }

private:
  // Documents.
  bool parse(Bytes text, Object &root);
  bool readVersion(const Object &root, Program &program);
  bool readRanges(const Object &root, Program &program);
  bool readCallSpec(const Object &graphModule, Program &program);
  bool readPayload(const Object &object, Payload &payload);

  // Signature.
  bool readSignature(const Object &graphModule, Program &program);
  bool readInputSpec(Json json, InputSpec &spec);
  bool readOutputSpec(Json json, OutputSpec &spec);
  bool readConstant(Json json, Argument &argument);

  // Graphs.
  bool readGraph(const Object &object, Graph &graph);
  bool readNode(Json json, Node &node);
  bool readNodeMetadata(const Object &object, Node &node);
  bool readValues(const Object &object, Graph &graph);
  bool readSymValues(const Object &object, const char *key,
                     std::unordered_map<std::string, SymInt> &values);
  bool readTensorMeta(Json json, TensorMeta &meta);
  bool checkTensorMeta(const TensorMeta &meta);
  bool readSymInt(Json json, SymInt &value);
  bool readSymExpr(Json json, SymInt &value);
  bool readSymInts(const Object &object, const char *key,
                   std::vector<SymInt> &values);

  // Arguments.
  bool readArgument(Json json, Argument &argument);
  bool readArguments(const Object &object, const char *key,
                     std::vector<Argument> &arguments);
  bool readScalarArgument(ArgKind kind, Json json, Argument &argument);
  bool readListArgument(ArgKind kind, Json json, Argument &argument);
  bool readNestedArgument(ArgKind kind, Json json, Argument &argument);
  bool readStructArgument(ArgKind kind, Json json, Argument &argument);
  bool readSymArg(ArgKind kind, Json json, SymArg &value);
  bool readTensorName(Json json, std::string &name);
  bool readOptionalTensor(Json json, std::string &name);
  bool readDevice(Json json, Device &device);
  bool readDType(Json json, DType &dtype);

  // JSON values. `what` names the value in messages.
  bool asObject(Json json, const char *what, Object &value);
  bool asArray(Json json, const char *what, Array &value);
  bool asString(Json json, const char *what, std::string &value);
  bool asInt(Json json, const char *what, int64_t &value);
  /// Numbers, and the strings "Infinity", "-Infinity" and "NaN".
  bool asFloat(Json json, const char *what, double &value);
  bool asBool(Json json, const char *what, bool &value);
  /// The single key of a tagged union and its value.
  bool asUnion(Json json, const char *what, std::string_view &tag, Json &value);
  bool get(const Object &object, const char *key, Json &value);
  /// False when absent or null; never an error.
  static bool getOptional(const Object &object, const char *key, Json &value);
  bool getString(const Object &object, const char *key, std::string &value);
  bool getStrings(const Object &object, const char *key,
                  std::vector<std::string> &values);

  bool fail(const std::string &what);
  bool failTag(const char *what, std::string_view tag);

  std::string message;
  /// The node or value being read, for messages.
  std::string where;
  int64_t minor = 0;
  /// Owns the document that elements point into.
  simdjson::dom::parser parser;
  std::unordered_map<std::string, SymExpr> parsed;
};

} // namespace mlir::kfuse::pt2

#endif // KFUSE_LIB_IMPORT_DECODER_H
