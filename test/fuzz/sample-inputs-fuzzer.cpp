//===- sample-inputs-fuzzer.cpp - random sample inputs --------------------===//
/// \file
/// libFuzzer target. Input that starts with `PK` is a whole .pt2 file, anything
/// else the pickle of its sample inputs. kfuse-run's reader returns tensors
/// within the file or throws a message.

#include "PackageBuilder.h"
#include "SampleInputs.h"

#include <cstdlib>

static std::string wrap(const std::string &pickle) {
  using kfuse::test::makeZip;
  return makeZip({{"m/data/sample_inputs/model.pt",
                   makeZip({{"a/data.pkl", pickle},
                            {"a/data/0", std::string(64, '\0')}})}});
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string input(reinterpret_cast<const char *>(data), size);
  std::string file = input.compare(0, 2, "PK") == 0 ? input : wrap(input);
  try {
    kfuse::readSampleInputs(file.data(), file.size(), "x.pt2");
  } catch (const kfuse::Error &error) {
    if (!*error.what())
      std::abort();
  }
  return 0;
}
