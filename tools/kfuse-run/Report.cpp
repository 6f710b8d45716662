//===- Report.cpp - comparisons, times and counters -----------------------===//
#include "Session.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kfuse {

using Json = nlohmann::ordered_json;

/// Allowed largest difference relative to the largest expected magnitude.
static double defaultTolerance(KfuseDtype dtype) {
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

/// A number or, as JSON has no infinities, its name.
static Json number(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  return value;
}

static Json compareTensors(const HostTensor &found, const HostTensor &expected,
                           double tolerance, bool &ok) {
  Json row;
  row["dtype"] = kfuse_dtype_name(expected.dtype);
  row["sizes"] = expected.sizes;
  if (found.dtype != expected.dtype || found.sizes != expected.sizes) {
    row["found_sizes"] = found.sizes;
    row["ok"] = ok = false;
    return row;
  }
  double maxAbs = 0, maxRel = 0, maxUlp = 0, largest = 0;
  int64_t different = 0, unmatched = 0;
  bool isComplex = expected.dtype >= KFUSE_C32;
  KfuseDtype part = expected.dtype;
  if (isComplex)
    part = part == KFUSE_C128  ? KFUSE_F64
           : part == KFUSE_C64 ? KFUSE_F32
                               : KFUSE_F16;
  int64_t count = expected.count() * (isComplex ? 2 : 1);
  for (int64_t i = 0; i < count; ++i) {
    double a = loadElement(found.data.data(), part, i);
    double b = loadElement(expected.data.data(), part, i);
    if (a == b || (std::isnan(a) && std::isnan(b))) {
      if (std::isfinite(b))
        largest = std::max(largest, std::fabs(b));
      continue;
    }
    ++different;
    if (!std::isfinite(a) || !std::isfinite(b)) {
      ++unmatched;
      continue;
    }
    largest = std::max(largest, std::fabs(b));
    maxAbs = std::max(maxAbs, std::fabs(a - b));
    if (b != 0)
      maxRel = std::max(maxRel, std::fabs(a - b) / std::fabs(b));
    maxUlp = std::max(maxUlp, ulpDistance(a, b, part));
  }
  if (tolerance < 0)
    tolerance = defaultTolerance(expected.dtype);
  bool isClose = unmatched == 0 && maxAbs <= tolerance * largest;
  row["max_abs"] = maxAbs;
  row["max_rel"] = maxRel;
  row["max_ulp"] = maxUlp;
  row["largest"] = largest;
  row["different"] = different;
  row["non_finite_mismatches"] = unmatched;
  row["bit_equal"] = found.data == expected.data;
  row["ok"] = isClose;
  ok &= isClose;
  return row;
}

Json compare(const std::vector<HostValue> &found,
             const std::vector<HostValue> &expected, double tolerance,
             bool &ok) {
  ok = true;
  Json rows = Json::array();
  for (size_t i = 0; i < expected.size(); ++i) {
    Json row;
    if (expected[i].isTensor) {
      row = compareTensors(found[i].tensor, expected[i].tensor, tolerance, ok);
    } else {
      bool isFloat = expected[i].scalar.kind == KFUSE_SCALAR_FLOAT;
      const auto &a = found[i].scalar.value, &b = expected[i].scalar.value;
      bool isSame = isFloat ? a.f == b.f : a.i == b.i;
      row["found"] = isFloat ? number(a.f) : Json(a.i);
      row["expected"] = isFloat ? number(b.f) : Json(b.i);
      row["ok"] = isSame;
      ok &= isSame;
    }
    row["name"] = expected[i].name;
    rows.push_back(std::move(row));
  }
  return rows;
}

Json statistics(Runner &runner) {
  static const char *const classes[KFUSE_FALLBACK_CLASSES] = {
      "library", "unsupported", "guard", "killed", "generic"};
  KfuseCounters counters = runner.context.counters();
  int32_t launches = 0, runnable = 0;
  kfuse_model_launches(runner.model.get(), &launches, &runnable);
  Json result;
  result["fusions"] = launches;
  result["fusions_with_kernel"] = runnable;
  result["launches"] = counters.launches;
  for (int i = 0; i < KFUSE_FALLBACK_CLASSES; ++i)
    result["fallbacks"][classes[i]] = counters.fallbacks[i];
  result["copies"] = counters.copies;
  result["bytes_copied"] = counters.bytesCopied;
  result["bytes_allocated"] = counters.bytesAllocated;
  result["arena_bytes"] = counters.arenaBytes;
  result["host_ns"] = counters.hostNanoseconds;
  // Calls of one operator for one reason are one row, in order of appearance.
  std::vector<KfuseFallbackInfo> rows;
  int32_t count = kfuse_context_fallback_count(runner.context.get());
  for (int32_t i = 0; i < count; ++i) {
    KfuseFallbackInfo info;
    check(kfuse_context_fallback(runner.context.get(), i, &info));
    auto row = std::find_if(rows.begin(), rows.end(), [&](const auto &other) {
      return info.kind == other.kind && !strcmp(info.name, other.name) &&
             !strcmp(info.reason, other.reason);
    });
    if (row == rows.end())
      rows.push_back(info);
    else
      row->count += info.count;
  }
  result["operators"] = Json::array();
  for (const KfuseFallbackInfo &row : rows)
    result["operators"].push_back({{"name", row.name},
                                   {"class", classes[row.kind]},
                                   {"reason", row.reason},
                                   {"count", row.count}});
  return result;
}

} // namespace kfuse
