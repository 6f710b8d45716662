//===- BulkReduce.cpp - reductions of bulk copies -------------------------===//
///
/// \file
/// cp.reduce.async.bulk.tensor (PTX ISA 9.7.9.25.5.3).
///
#include "BulkReduce.h"
#include "Numbers.h"

#include <algorithm>
#include <cstring>

namespace kfuse::sim {

template <typename T>
static T reduceInteger(T a, T b, BulkReduction reduction) {
  switch (reduction) {
  case BulkReduction::Max:
    return std::max(a, b);
  case BulkReduction::Min:
    return std::min(a, b);
  case BulkReduction::Inc:
    return a >= b ? 0 : a + 1;
  case BulkReduction::Dec:
    return a == 0 || a > b ? b : a - 1;
  case BulkReduction::And:
    return a & b;
  case BulkReduction::Or:
    return a | b;
  case BulkReduction::Xor:
    return a ^ b;
  default:
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
}

static float reduceFloat(float a, float b, BulkReduction reduction) {
  return reduction == BulkReduction::Max   ? std::max(a, b)
         : reduction == BulkReduction::Min ? std::min(a, b)
                                           : a + b;
}

template <typename T, typename Reduce>
static void forEach(char *to, const char *from, uint32_t count, Reduce reduce) {
  for (uint32_t i = 0; i < count; ++i) {
    T a, b;
    memcpy(&a, to + i * sizeof(T), sizeof(T));
    memcpy(&b, from + i * sizeof(T), sizeof(T));
    a = reduce(a, b);
    memcpy(to + i * sizeof(T), &a, sizeof(T));
  }
}

void reduceElements(char *to, const char *from, uint32_t count,
                    KfuseDtype dtype, BulkReduction reduction) {
  auto integers = [&](auto zero) {
    using T = decltype(zero);
    forEach<T>(to, from, count,
               [&](T a, T b) { return reduceInteger(a, b, reduction); });
  };
  auto halves = [&](auto widen, auto narrow) {
    forEach<uint16_t>(to, from, count, [&](uint16_t a, uint16_t b) {
      return narrow(reduceFloat(widen(a), widen(b), reduction));
    });
  };
  switch (dtype) {
  case KFUSE_F32:
    return forEach<float>(to, from, count, [&](float a, float b) {
      return reduceFloat(a, b, reduction);
    });
  case KFUSE_F64:
    return forEach<double>(to, from, count,
                           [](double a, double b) { return a + b; });
  case KFUSE_F16:
    return halves(fromHalf, toHalf);
  case KFUSE_BF16:
    return halves(fromBrain, toBrain);
  case KFUSE_I64:
    return integers(int64_t());
  case KFUSE_U64:
    return integers(uint64_t());
  case KFUSE_U32:
    return integers(uint32_t());
  default:
    return integers(int32_t());
  }
}

} // namespace kfuse::sim
