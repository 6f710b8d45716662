//===- StepReader.h - steps of a program from JSON -------------*- C++ -*-===//
///
/// \file
/// Reads the `steps` and `generic` lists of a program.
///
#ifndef KFUSE_RUNTIME_CORE_STEPREADER_H
#define KFUSE_RUNTIME_CORE_STEPREADER_H

#include "JsonReader.h"

namespace kfuse {

class StepReader {
public:
  explicit StepReader(Program &program) : program(program) {}

  /// `isNested`: a `generic` list, which has no launches.
  Status readSteps(JsonArray array, std::vector<Step> &steps, bool isNested);

private:
  Status readStep(JsonObject object, std::vector<Step> &steps, bool isNested);
  Status readLaunch(JsonObject object, std::vector<Step> &steps);
  Status readVariant(JsonObject object, const std::vector<int32_t> &operands,
                     VariantSpec &variant);
  Status readGuard(JsonObject object, const std::vector<int32_t> &operands,
                   GuardSpec &guard);
  Status readAten(JsonObject object, std::vector<Step> &steps);
  Status readResults(JsonArray array, AtenSpec &aten);
  Status readResult(JsonValue value, ResultSpec &result);
  Status readValue(JsonValue value, ValueSpec &spec);
  Status readTagged(JsonObject object, ValueSpec &spec);
  Result<std::vector<int32_t>> readTensorList(JsonObject object,
                                              const char *key, bool required);

  Program &program;
};

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_STEPREADER_H
