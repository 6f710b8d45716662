//===- Tensor.cpp - elements of host tensors ------------------------------===//
#include "Tensor.h"

#include <cmath>
#include <cstring>

namespace kfuse {

void fail(const std::string &message, KfuseStatus status) {
  throw Error(status, message);
}

int64_t HostTensor::count() const {
  int64_t total = 1;
  for (int64_t size : sizes)
    if (__builtin_mul_overflow(total, size, &total))
      fail("a tensor has too many elements");
  return total;
}

void HostTensor::setRowMajor() {
  strides.assign(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * sizes[i];
}

template <typename T>
static void store(char *data, int64_t index, T value) {
  memcpy(data + index * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

static uint16_t toHalf(float value) {
  int exponent;
  float fraction = std::frexp(std::fabs(value), &exponent);
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (value == 0 || exponent < -13)
    return sign;
  auto mantissa = static_cast<uint16_t>(std::nearbyint(fraction * 2048));
  return sign + static_cast<uint16_t>(((exponent + 13) << 10) + mantissa);
}

static uint16_t toBfloat(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

static void storeFloat(HostTensor &tensor, int64_t index, double value) {
  char *data = tensor.data.data();
  switch (tensor.dtype) {
  case KFUSE_F64:
  case KFUSE_C128:
    return store<double>(data, index, value);
  case KFUSE_F32:
  case KFUSE_C64:
    return store<float>(data, index, static_cast<float>(value));
  case KFUSE_BF16:
    return store<uint16_t>(data, index, toBfloat(static_cast<float>(value)));
  case KFUSE_F16:
  case KFUSE_C32:
    return store<uint16_t>(data, index, toHalf(static_cast<float>(value)));
  default:
    // An 8-bit float: any pattern of moderate size will do.
    return store<uint8_t>(data, index, 0x20 + (index * 7) % 0x20);
  }
}

static void storeInt(HostTensor &tensor, int64_t index, int64_t value) {
  char *data = tensor.data.data();
  switch (kfuse_dtype_size(tensor.dtype)) {
  case 8:
    return store<int64_t>(data, index, value);
  case 4:
    return store<int32_t>(data, index, static_cast<int32_t>(value));
  case 2:
    return store<int16_t>(data, index, static_cast<int16_t>(value));
  default:
    return store<int8_t>(data, index, static_cast<int8_t>(value));
  }
}

void storeNumber(HostTensor &tensor, int64_t index, double value) {
  if (mantissaBits(tensor.dtype))
    storeFloat(tensor, index, value);
  else
    storeInt(tensor, index, static_cast<int64_t>(value));
}

void fillRandom(HostTensor &tensor, std::mt19937_64 &random, int64_t intLimit) {
  int64_t count = tensor.count();
  tensor.data.resize(count * kfuse_dtype_size(tensor.dtype));
  bool isInt = mantissaBits(tensor.dtype) == 0;
  if (isInt) {
    int64_t limit = tensor.dtype == KFUSE_BOOL ? 2 : intLimit;
    std::uniform_int_distribution<int64_t> any(0,
                                               std::max<int64_t>(0, limit - 1));
    for (int64_t i = 0; i < count; ++i)
      storeInt(tensor, i, any(random));
    return;
  }
  std::normal_distribution<double> normal;
  bool isComplex = tensor.dtype >= KFUSE_C32 && tensor.dtype <= KFUSE_C128;
  for (int64_t i = 0; i < count * (isComplex ? 2 : 1); ++i)
    storeFloat(tensor, i, normal(random));
}

} // namespace kfuse
