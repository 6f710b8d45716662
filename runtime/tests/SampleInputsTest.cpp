//===- SampleInputsTest.cpp - sample inputs of .pt2 files -----------------===//
#include "SampleInputs.h"

#include "PackageBuilder.h"

#include <gtest/gtest.h>

using namespace kfuse;
using namespace kfuse::test;

static std::string fixture(const std::string &version,
                           const std::string &name) {
  return KFUSE_FIXTURES "/../" + version + "/" + name + ".pt2";
}

TEST(SampleInputs, OfEveryTorch) {
  for (const char *version :
       {"2.9.1", "2.10.0", "2.11.0", "2.12.1", "2.13.0", "2.14.0"}) {
    auto samples = readSampleInputs(fixture(version, "dynamic"));
    ASSERT_EQ(samples.size(), 2u) << version;
    EXPECT_EQ(samples[0].kind, SampleInput::Kind::Tensor);
    EXPECT_EQ(samples[0].tensor.dtype, KFUSE_F32);
    EXPECT_EQ(samples[0].tensor.sizes, (std::vector<int64_t>{4, 6}));
    EXPECT_EQ(samples[0].tensor.strides, (std::vector<int64_t>{6, 1}));
    EXPECT_EQ(samples[0].tensor.data.size(), 96u);
    EXPECT_EQ(samples[1].tensor.sizes, (std::vector<int64_t>{8, 6}));
    auto scalars = readSampleInputs(fixture(version, "scalars"));
    ASSERT_EQ(scalars.size(), 2u) << version;
    EXPECT_EQ(scalars[1].tensor.dtype, KFUSE_F32);
    EXPECT_EQ(scalars[1].tensor.sizes.size(), 0u);
    EXPECT_EQ(scalars[1].tensor.data.size(), 4u);
  }
}

namespace {
/// Opcodes of pickles, for reading the tests below.
const std::string proto = "\x80\x02", empty = ")", pair = "\x86", stop = ".";
std::string number(char value) { return std::string("K") + value; }
std::string text(const std::string &value) {
  return "X" + std::string(1, static_cast<char>(value.size())) +
         std::string(3, '\0') + value;
}
std::string global(const std::string &module, const std::string &name) {
  return "c" + module + "\n" + name + "\n";
}
std::string storage(const char *type, const char *key) {
  return "(" + text("storage") + global("torch", type) + text(key) +
         text("cpu") + number(4) + "tQ";
}
/// f32 [2, 2] with strides [1, 2] at `offset`.
std::string tensorOf(const std::string &from, char offset = 0) {
  return global("torch._utils", "_rebuild_tensor_v2") + "(" + from +
         number(offset) + number(2) + number(2) + pair + number(1) + number(2) +
         pair + "\x89" + global("collections", "OrderedDict") + ")RtR";
}
/// A .pt2 file whose sample inputs are (args, {}).
std::string archiveOf(const std::string &pickle) {
  std::string inner =
      makeZip({{"a/data.pkl", pickle},
               {"a/byteorder", "little"},
               {"a/data/0", std::string("\0\0\x80\x3f\0\0\0\x40"
                                        "\0\0\x40\x40\0\0\x80\x40",
                                        16)}});
  return makeZip({{"m/data/sample_inputs/model.pt", inner},
                  {"m/models/model.json", "{}"}});
}
std::string programOf(const std::string &args) {
  return archiveOf(proto + args + "}" + pair + stop);
}
std::vector<SampleInput> read(const std::string &bytes) {
  return readSampleInputs(bytes.data(), bytes.size(), "x.pt2");
}
std::string messageOf(const std::string &bytes) {
  try {
    read(bytes);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}
} // namespace

TEST(SampleInputs, LeavesInOrder) {
  // ([tensor, 7], (None, True)), {"b": 2.5, "a": -3}
  auto samples =
      read(archiveOf(proto + "](" + tensorOf(storage("FloatStorage", "0")) +
                     number(7) + "eN\x88" + pair + pair + "}(" + text("b") +
                     std::string("G\x40\x04\0\0\0\0\0\0", 9) + text("a") +
                     "J\xfd\xff\xff\xffu" + pair + stop));
  ASSERT_EQ(samples.size(), 6u);
  const HostTensor &tensor = samples[0].tensor;
  EXPECT_EQ(tensor.strides, (std::vector<int64_t>{1, 2}));
  ASSERT_EQ(tensor.data.size(), 16u);
  EXPECT_EQ(loadElement(tensor.data.data(), KFUSE_F32, 3), 4);
  EXPECT_EQ(samples[1].integer, 7);
  EXPECT_EQ(samples[2].kind, SampleInput::Kind::Other);
  EXPECT_EQ(samples[3].kind, SampleInput::Kind::Bool);
  EXPECT_EQ(samples[4].real, 2.5);
  EXPECT_EQ(samples[5].integer, -3);
}

TEST(SampleInputs, RefusesWhatIsNotPlain) {
  auto expect = [](const std::string &bytes, const std::string &part) {
    std::string message = messageOf(bytes);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(programOf(global("os", "system") + "(" + text("ls") + "tR"),
         "holds an object of 'os system', expected tensors and numbers");
  expect(programOf(tensorOf(storage("FloatStorage", "0"), 1)),
         "exceeds its storage");
  expect(programOf(tensorOf(storage("FloatStorage", "1"))),
         "no member 'a/data/1'");
  expect(programOf(tensorOf(storage("QInt8Storage", "0"))),
         "tensor of 'torch QInt8Storage'");
  expect(archiveOf(proto + "N" + stop), "no pair of positional and keyword");
  expect(archiveOf(proto + "i"), "has the opcode 105");
  expect(archiveOf(proto + pair + stop), "takes a value that is not there");
  expect(archiveOf("\x80\x05" + stop), "pickle protocol 5, expected 2");
  expect(archiveOf(proto), "ends too early");
  expect(makeZip({{"m/data/sample_inputs/model.pt", ""},
                  {"m/models/model.json", "{}"}}),
         "was saved without sample inputs; give the inputs with --input");
  expect("PK", "not a zip file");
  expect(makeZip({{"m/models/model.json", "{}"}}), "has no sample inputs");
}

TEST(SampleInputs, BoundsWhatSmallPicklesCanMean) {
  // A list within itself, and a tuple of two of a tuple of two of ...
  EXPECT_NE(messageOf(programOf("]q\1h\1a")).find("nested more than"),
            std::string::npos);
  std::string doubled = empty + "q\1";
  for (int i = 0; i < 60; ++i)
    doubled += "h\1h\1" + pair + "q\1";
  EXPECT_NE(messageOf(programOf(doubled)).find("holds more than"),
            std::string::npos);
}
