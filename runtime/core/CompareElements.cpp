//===- CompareElements.cpp - how far two tensors differ -------------------===//
#include "Elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kfuse {

double defaultTolerance(KfuseDtype dtype) {
  switch (dtype) {
  case KFUSE_F64:
  case KFUSE_C128:
    return 1e-9;
  case KFUSE_F32:
  case KFUSE_C64:
    return 1e-4;
  case KFUSE_F16:
  case KFUSE_C32:
    return 1e-2;
  case KFUSE_BF16:
    return 4e-2;
  default:
    return mantissaBits(dtype) ? 0.25 : 0;
  }
}

/// The real type of a complex one.
static KfuseDtype partOf(KfuseDtype dtype) {
  switch (dtype) {
  case KFUSE_C128:
    return KFUSE_F64;
  case KFUSE_C64:
    return KFUSE_F32;
  case KFUSE_C32:
    return KFUSE_F16;
  default:
    return dtype;
  }
}

namespace {
/// Walks two tensors of the same sizes in row-major order.
class Walk {
public:
  Walk(const KfuseTensor &found, const KfuseTensor &expected)
      : found(found), expected(expected) {}

  int64_t count() const {
    int64_t total = 1;
    for (int32_t d = 0; d < expected.rank; ++d)
      total *= expected.sizes[d];
    return total;
  }
  void next() {
    for (int32_t d = expected.rank - 1; d >= 0; --d) {
      foundAt += found.strides[d];
      expectedAt += expected.strides[d];
      if (++index[d] < expected.sizes[d])
        return;
      foundAt -= index[d] * found.strides[d];
      expectedAt -= index[d] * expected.strides[d];
      index[d] = 0;
    }
  }
  int64_t foundAt = 0, expectedAt = 0;

private:
  const KfuseTensor &found, &expected;
  int64_t index[KFUSE_MAX_RANK] = {};
};

/// Elements as doubles and as bits.
class Reader {
public:
  Reader(const KfuseTensor &found, const KfuseTensor &expected)
      : part(partOf(expected.dtype)), parts(part == expected.dtype ? 1 : 2),
        isFloat(mantissaBits(part) > 0), bytes(sizeOf(found.dtype)),
        foundData(static_cast<const char *>(found.data)),
        expectedData(static_cast<const char *>(expected.data)) {}

  double loadFound(const Walk &walk, int p) const {
    return loadElement(foundData, part, walk.foundAt * parts + p);
  }
  double loadExpected(const Walk &walk, int p) const {
    return loadElement(expectedData, part, walk.expectedAt * parts + p);
  }
  bool haveSameBits(const Walk &walk) const {
    return memcmp(foundData + walk.foundAt * bytes,
                  expectedData + walk.expectedAt * bytes, bytes) == 0;
  }
  /// How far apart; infinite when one side is no number. Integers that a double
  /// cannot tell apart are at least 1 apart.
  double difference(double a, double b) const {
    if (a == b)
      return isFloat ? 0 : 1;
    if (std::isnan(a) && std::isnan(b))
      return 0;
    if (!std::isfinite(a) || !std::isfinite(b))
      return INFINITY;
    return std::fabs(a - b);
  }
  const KfuseDtype part;
  const int parts;

private:
  static int64_t sizeOf(KfuseDtype dtype);
  const bool isFloat;
  const int64_t bytes;
  const char *const foundData, *const expectedData;
};
} // namespace

int64_t Reader::sizeOf(KfuseDtype dtype) {
  switch (dtype) {
  case KFUSE_C128:
    return 16;
  case KFUSE_F64:
  case KFUSE_I64:
  case KFUSE_U64:
  case KFUSE_C64:
    return 8;
  case KFUSE_F32:
  case KFUSE_I32:
  case KFUSE_U32:
  case KFUSE_C32:
    return 4;
  case KFUSE_BF16:
  case KFUSE_F16:
  case KFUSE_I16:
  case KFUSE_U16:
    return 2;
  default:
    return 1;
  }
}

/// Adds one element to the sums.
static void addElement(const Reader &reader, const Walk &walk,
                       Comparison &result) {
  bool isDifferent = false, isNonFinite = false;
  for (int p = 0; p < reader.parts; ++p) {
    double b = reader.loadExpected(walk, p);
    if (std::isfinite(b))
      result.largest = std::max(result.largest, std::fabs(b));
    if (reader.haveSameBits(walk))
      continue;
    double a = reader.loadFound(walk, p);
    double difference = reader.difference(a, b);
    if (difference == 0)
      continue;
    isDifferent = true;
    if (std::isinf(difference)) {
      isNonFinite = true;
      continue;
    }
    result.maxAbs = std::max(result.maxAbs, difference);
    if (b != 0)
      result.maxRel = std::max(result.maxRel, difference / std::fabs(b));
    result.maxUlp = std::max(result.maxUlp, ulpDistance(a, b, reader.part));
  }
  result.different += isDifferent;
  result.nonFinite += isNonFinite;
}

static void countMismatches(const Reader &reader, Walk walk,
                            Comparison &result) {
  double allowed = result.tolerance * result.largest;
  for (int64_t i = 0; i < result.elements; ++i, walk.next()) {
    if (reader.haveSameBits(walk))
      continue;
    for (int p = 0; p < reader.parts; ++p) {
      double a = reader.loadFound(walk, p), b = reader.loadExpected(walk, p);
      if (reader.difference(a, b) <= allowed)
        continue;
      if (result.mismatches++ == 0) {
        result.firstMismatch = i;
        result.found = a;
        result.expected = b;
      }
      break;
    }
  }
}

Comparison compareElements(const KfuseTensor &found,
                           const KfuseTensor &expected, double tolerance) {
  Comparison result;
  Reader reader(found, expected);
  Walk walk(found, expected);
  result.elements = walk.count();
  result.tolerance =
      tolerance < 0 ? defaultTolerance(expected.dtype) : tolerance;
  for (int64_t i = 0; i < result.elements; ++i, walk.next())
    addElement(reader, walk, result);
  if (result.nonFinite || result.maxAbs > result.tolerance * result.largest)
    countMismatches(reader, Walk(found, expected), result);
  return result;
}

} // namespace kfuse
