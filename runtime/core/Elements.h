//===- Elements.h - numbers of any dtype, compared -------------*- C++ -*-===//
///
/// \file
/// Elements of tensors in host memory as doubles, and how far two tensors
/// differ. Needs nothing of the runtime: tools compile it, too.
///
#ifndef KFUSE_RUNTIME_CORE_ELEMENTS_H
#define KFUSE_RUNTIME_CORE_ELEMENTS_H

#include "kfuse/Runtime/ABI.h"

namespace kfuse {

/// Element `index` of a dense array as a double; the real part of a complex.
double loadElement(const char *data, KfuseDtype dtype, int64_t index);
/// Mantissa bits of a floating type with the hidden one, 0 for the rest.
int mantissaBits(KfuseDtype dtype);
/// Same sign convention for all bit patterns: distance in representable values.
double ulpDistance(double a, double b, KfuseDtype dtype);

/// Allowed largest difference relative to the largest expected magnitude; 0
/// for integers.
double defaultTolerance(KfuseDtype dtype);

/// How far `found` is from `expected`. NaN equals NaN, -0 equals 0. Parts of a
/// complex number count as one element.
struct Comparison {
  int64_t elements = 0;
  int64_t different = 0;
  int64_t nonFinite = 0;     ///< of these, with an infinity or NaN on one side
  int64_t mismatches = 0;    ///< of these, beyond the tolerance
  int64_t firstMismatch = 0; ///< its row-major position
  double found = 0, expected = 0; ///< the first mismatch
  double maxAbs = 0, maxRel = 0, maxUlp = 0;
  double largest = 0; ///< expected finite magnitude
  double tolerance = 0;
};

/// Compares elements in host memory. The tensors have the same dtype and sizes.
/// `tolerance` is relative to the largest expected magnitude; negative: that of
/// the dtype.
Comparison compareElements(const KfuseTensor &found,
                           const KfuseTensor &expected, double tolerance);

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_ELEMENTS_H
