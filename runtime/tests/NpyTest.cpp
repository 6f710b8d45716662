//===- NpyTest.cpp - .npy files and elements of kfuse-run -----------------===//
#include "Tensor.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace kfuse;

namespace {
/// A file that goes away with the test.
struct TemporaryFile {
  TemporaryFile() {
    int fd = mkstemp(path);
    close(fd);
  }
  ~TemporaryFile() { unlink(path); }
  char path[32] = "kfuse-npy-test-XXXXXX";
};
} // namespace

static HostTensor makeTensor(KfuseDtype dtype, std::vector<int64_t> sizes) {
  HostTensor tensor;
  tensor.dtype = dtype;
  tensor.sizes = std::move(sizes);
  tensor.setRowMajor();
  std::mt19937_64 random(1);
  fillRandom(tensor, random, 100);
  return tensor;
}

TEST(Npy, RoundTrips) {
  for (KfuseDtype dtype : {KFUSE_F64, KFUSE_F32, KFUSE_F16, KFUSE_I64, KFUSE_I8,
                           KFUSE_BOOL, KFUSE_C64})
    for (const std::vector<int64_t> &sizes :
         {std::vector<int64_t>{}, {3}, {2, 5}, {4, 0, 2}}) {
      TemporaryFile file;
      HostTensor tensor = makeTensor(dtype, sizes);
      writeNpy(file.path, tensor);
      HostTensor read = readNpy(file.path);
      EXPECT_EQ(read.dtype, dtype);
      EXPECT_EQ(read.sizes, sizes);
      EXPECT_EQ(read.data, tensor.data);
    }
}

TEST(Npy, WritesBfloatAsItsBits) {
  TemporaryFile file;
  HostTensor tensor = makeTensor(KFUSE_BF16, {7});
  writeNpy(file.path, tensor);
  HostTensor read = readNpy(file.path);
  EXPECT_EQ(read.dtype, KFUSE_U16);
  EXPECT_EQ(read.data, tensor.data);
}

static std::string messageOf(const std::string &header) {
  TemporaryFile file;
  std::ofstream out(file.path, std::ios::binary);
  out.write("\x93NUMPY\x01\x00", 8);
  char length[2] = {static_cast<char>(header.size()), 0};
  out.write(length, 2);
  out << header;
  out.close();
  try {
    readNpy(file.path);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

TEST(Npy, ExplainsBadFiles) {
  auto has = [](const std::string &text, const char *part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(messageOf("{'descr': '>f4', 'fortran_order': False, "
                            "'shape': (2,)}"),
                  "expected little-endian"));
  EXPECT_TRUE(has(messageOf("{'descr': '<f4', 'fortran_order': False, "
                            "'shape': (2,)}"),
                  "shorter than its header says"));
  EXPECT_TRUE(has(messageOf("{'descr': '<f4', 'fortran_order': False, "
                            "'shape': (9223372036854775807,8)}"),
                  "too many elements"));
  EXPECT_TRUE(has(messageOf("{'descr': '<f4'}"), "no 'shape'"));
  EXPECT_TRUE(has(messageOf("{}"), "no 'descr'"));
  EXPECT_THROW(readNpy("no-such-file.npy"), Error);
}

TEST(Npy, ReadsFortranOrder) {
  TemporaryFile file;
  HostTensor tensor = makeTensor(KFUSE_F32, {2, 3});
  writeNpy(file.path, tensor);
  std::fstream edit(file.path, std::ios::binary | std::ios::in | std::ios::out);
  std::string text(64, '\0');
  edit.read(text.data(), 64);
  size_t at = text.find("False");
  edit.seekp(static_cast<std::streamoff>(at));
  edit << "True ";
  edit.close();
  EXPECT_EQ(readNpy(file.path).strides, (std::vector<int64_t>{1, 2}));
}

TEST(Elements, SmallFloatsDecode) {
  auto load = [](uint16_t bits, KfuseDtype dtype) {
    char data[2] = {static_cast<char>(bits), static_cast<char>(bits >> 8)};
    return loadElement(data, dtype, 0);
  };
  EXPECT_EQ(load(0x3c00, KFUSE_F16), 1.0);
  EXPECT_EQ(load(0xc000, KFUSE_F16), -2.0);
  EXPECT_EQ(load(0x0001, KFUSE_F16), std::ldexp(1.0, -24));
  EXPECT_TRUE(std::isinf(load(0x7c00, KFUSE_F16)));
  EXPECT_EQ(load(0x3f80, KFUSE_BF16), 1.0);
  EXPECT_EQ(load(0x7e, KFUSE_F8E4M3FN), 448.0);
  EXPECT_TRUE(std::isnan(load(0x7f, KFUSE_F8E4M3FN)));
  EXPECT_EQ(load(0x7b, KFUSE_F8E5M2), 57344.0);
  EXPECT_TRUE(std::isnan(load(0x80, KFUSE_F8E4M3FNUZ)));
}

TEST(Elements, UlpDistance) {
  EXPECT_EQ(ulpDistance(1.0, 1.0, KFUSE_F32), 0);
  EXPECT_EQ(ulpDistance(1.0, 1.0 + std::ldexp(1.0, -23), KFUSE_F32), 1);
  EXPECT_EQ(ulpDistance(1.0, 1.0 + std::ldexp(1.0, -7), KFUSE_BF16), 1);
  EXPECT_EQ(ulpDistance(3, 5, KFUSE_I64), 2);
}
