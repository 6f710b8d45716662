//===- pt2-reader-fuzzer.cpp - random input for the .pt2 reader -----------===//
/// \file
/// libFuzzer target. Input that starts with `PK` is a whole archive. Anything
/// else is the JSON of a program, optionally followed by a line `---` and that
/// of a weights config; it is put into an archive with one record of 64 bytes.
/// Whatever the input, the reader returns a program or a message.

#include "../../unittests/Import/TestZip.h"
#include "kfuse/Import/Reader.h"

#include <cstdlib>

using namespace mlir::kfuse::pt2;

static std::string wrap(const std::string &text) {
  constexpr std::string_view separator = "\n---\n";
  size_t at = text.find(separator);
  std::string config = R"({"config": {}})";
  if (at != std::string::npos)
    config = text.substr(at + separator.size());
  return makeZip({{"r/models/model.json", text.substr(0, at)},
                  {"r/data/weights/model_weights_config.json", config},
                  {"r/data/weights/weight_0", std::string(64, '\0')},
                  {"r/archive_format", "pt2"},
                  {"r/archive_version", "0"},
                  {"r/byteorder", "little"}});
}

/// Reads every byte that a weight's view covers, so that a view outside of its
/// record is noticed.
static uint64_t sumWeights(const Program &program) {
  uint64_t sum = 0;
  for (const auto &entry : program.payloads) {
    const Payload &payload = entry.second;
    if (!payload.member)
      continue;
    for (size_t i = 0; i < payload.member->bytes.size; ++i)
      sum += payload.member->bytes.data[i];
  }
  return sum;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // An exact copy, so that reading one byte too many is noticed.
  std::string input(reinterpret_cast<const char *>(data), size);
  std::string zip = input.compare(0, 2, "PK") == 0 ? input : wrap(input);
  auto archive = Archive::fromMemory(getBytes(zip));
  if (!archive) {
    if (archive.message().empty())
      std::abort();
    return 0;
  }
  for (bool allowMissing : {false, true}) {
    ReadOptions options;
    options.allowMissingWeights = allowMissing;
    auto program = readProgram(*archive, options);
    if (program)
      (void)sumWeights(*program);
    else if (program.message().empty())
      std::abort();
  }
  return 0;
}
