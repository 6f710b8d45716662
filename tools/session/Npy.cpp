//===- Npy.cpp - NumPy's .npy files ---------------------------------------===//
///
/// \file
/// Format: numpy.org, NEP 1 ("A simple file format for NumPy arrays").
///
#include "Tensor.h"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace kfuse {

namespace {
struct NpyType {
  const char *descr;
  KfuseDtype dtype;
};
} // namespace

/// The first row with a dtype is how it is written.
static const NpyType npyTypes[] = {
    {"<f8", KFUSE_F64},        {"<f4", KFUSE_F32},
    {"<f2", KFUSE_F16},        {"<i8", KFUSE_I64},
    {"<i4", KFUSE_I32},        {"<i2", KFUSE_I16},
    {"|i1", KFUSE_I8},         {"|u1", KFUSE_U8},
    {"|b1", KFUSE_BOOL},       {"<u2", KFUSE_U16},
    {"<u4", KFUSE_U32},        {"<u8", KFUSE_U64},
    {"<c8", KFUSE_C64},        {"<c16", KFUSE_C128},
    {"<u2", KFUSE_BF16},       {"|u1", KFUSE_F8E4M3FN},
    {"|u1", KFUSE_F8E5M2},     {"|u1", KFUSE_F8E4M3FNUZ},
    {"|u1", KFUSE_F8E5M2FNUZ}, {"|u1", KFUSE_F8E8M0FNU},
    {"<u4", KFUSE_C32}};

/// The text after `'key':` in the header's dictionary.
static std::string headerValue(const std::string &header, const char *key,
                               const std::string &path) {
  size_t at = header.find(std::string("'") + key + "'");
  if (at != std::string::npos)
    at = header.find(':', at);
  if (at == std::string::npos)
    fail("'" + path + "' has no '" + key + "' in its header");
  at = header.find_first_not_of(" ", at + 1);
  return at == std::string::npos ? "" : header.substr(at);
}

static std::vector<int64_t> parseShape(const std::string &text,
                                       const std::string &path) {
  std::vector<int64_t> sizes;
  size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string::npos)
    fail("'" + path + "' has a broken shape in its header");
  const char *at = text.c_str() + 1;
  const char *stop = text.c_str() + end;
  while (at < stop) {
    char *next = nullptr;
    long long size = strtoll(at, &next, 10);
    if (next == at)
      break;
    if (size < 0)
      fail("'" + path + "' has a negative size");
    sizes.push_back(size);
    at = next;
    while (at < stop && (*at == ',' || *at == ' '))
      ++at;
  }
  return sizes;
}

static std::string readHeader(std::ifstream &file, const std::string &path) {
  unsigned char start[12] = {};
  file.read(reinterpret_cast<char *>(start), 10);
  if (!file || memcmp(start, "\x93NUMPY", 6) != 0)
    fail("'" + path + "' is not a .npy file", KFUSE_IO_ERROR);
  size_t length = start[8] | start[9] << 8;
  if (start[6] >= 2) {
    file.read(reinterpret_cast<char *>(start) + 10, 2);
    length |= static_cast<size_t>(start[10]) << 16 |
              static_cast<size_t>(start[11]) << 24;
  }
  if (length > 1 << 20)
    fail("'" + path + "' has a header of " + std::to_string(length) +
             " bytes, expected at most a megabyte",
         KFUSE_IO_ERROR);
  std::string header(length, '\0');
  file.read(header.data(), static_cast<std::streamsize>(length));
  if (!file)
    fail("'" + path + "' ends within its header", KFUSE_IO_ERROR);
  return header;
}

HostTensor readNpy(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    fail("cannot open '" + path + "'", KFUSE_IO_ERROR);
  std::string header = readHeader(file, path);
  std::string descr = headerValue(header, "descr", path);
  size_t quote = descr.find('\'', 1);
  descr = quote == std::string::npos ? "" : descr.substr(1, quote - 1);
  HostTensor tensor;
  tensor.dtype = KFUSE_DTYPE_INVALID;
  for (const NpyType &type : npyTypes)
    if (descr == type.descr) {
      tensor.dtype = type.dtype;
      break;
    }
  if (tensor.dtype == KFUSE_DTYPE_INVALID)
    fail("'" + path + "' holds elements of type '" + descr +
         "', expected little-endian numbers or booleans");
  tensor.sizes = parseShape(headerValue(header, "shape", path), path);
  tensor.setRowMajor();
  bool isFortran = headerValue(header, "fortran_order", path)[0] == 'T';
  if (isFortran) {
    int64_t stride = 1;
    for (size_t i = 0; i < tensor.sizes.size(); ++i) {
      tensor.strides[i] = stride;
      stride *= tensor.sizes[i];
    }
  }
  int64_t bytes = tensor.count() * kfuse_dtype_size(tensor.dtype);
  std::streampos begin = file.tellg();
  file.seekg(0, std::ios::end);
  if (file.tellg() - begin < bytes)
    fail("'" + path + "' is shorter than its header says", KFUSE_IO_ERROR);
  file.seekg(begin);
  tensor.data.resize(bytes);
  file.read(tensor.data.data(), bytes);
  return tensor;
}

void writeNpy(const std::string &path, const HostTensor &tensor) {
  const char *descr = "";
  for (const NpyType &type : npyTypes)
    if (type.dtype == tensor.dtype) {
      descr = type.descr;
      break;
    }
  std::string header = std::string("{'descr': '") + descr +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.sizes)
    header += std::to_string(size) + ",";
  header += "), }";
  // The data starts at a multiple of 64; the header ends with a newline.
  while ((10 + header.size() + 1) % 64)
    header += ' ';
  header += '\n';
  char length[2] = {static_cast<char>(header.size() & 0xff),
                    static_cast<char>(header.size() >> 8)};
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write("\x93NUMPY\x01\x00", 8);
  file.write(length, 2);
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  file.write(tensor.data.data(),
             static_cast<std::streamsize>(tensor.data.size()));
  file.close();
  if (!file)
    fail("cannot write '" + path + "'", KFUSE_IO_ERROR);
}

} // namespace kfuse
