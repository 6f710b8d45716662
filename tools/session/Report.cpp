//===- Report.cpp - comparisons, times and counters -----------------------===//
#include "LaunchChecks.h"
#include "Session.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kfuse {

using Json = nlohmann::ordered_json;

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
  auto describe = [](const HostTensor &host) {
    return KfuseTensor{const_cast<char *>(host.data.data()),
                       host.sizes.data(),
                       host.strides.data(),
                       host.dtype,
                       static_cast<int32_t>(host.sizes.size()),
                       {KFUSE_CPU, 0}};
  };
  Comparison result =
      compareElements(describe(found), describe(expected), tolerance);
  bool isClose = result.mismatches == 0;
  row["max_abs"] = result.maxAbs;
  row["max_rel"] = result.maxRel;
  row["max_ulp"] = result.maxUlp;
  row["largest"] = result.largest;
  row["different"] = result.different;
  row["non_finite_mismatches"] = result.nonFinite;
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
      row["found"] = isFloat ? jsonNumber(a.f) : Json(a.i);
      row["expected"] = isFloat ? jsonNumber(b.f) : Json(b.i);
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
