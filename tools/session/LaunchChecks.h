//===- LaunchChecks.h - agreement of launches with operators ---*- C++ -*-===//
#ifndef KFUSE_TOOLS_SESSION_LAUNCHCHECKS_H
#define KFUSE_TOOLS_SESSION_LAUNCHCHECKS_H

#include "kfuse/Runtime/kfuse.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kfuse {

/// The worst of all checks of one output of a kernel.
struct OutputCheck {
  std::string kernel, launch;
  int32_t output = 0;
  KfuseDtype dtype = KFUSE_DTYPE_INVALID;
  bool isExact = false;
  int64_t checks = 0;
  int64_t elements = 0, different = 0, mismatches = 0; ///< sums
  double maxAbs = 0, maxRel = 0, maxUlp = 0, tolerance = 0;
  double error = 0; ///< largest difference over largest magnitude
  /// The first mismatch of all.
  std::vector<int64_t> sizes;
  int64_t position = -1;
  double found = 0, expected = 0;

  bool ok() const { return mismatches == 0; }
  /// "[3, 17] of [4, 32]": place of the first mismatch, sizes of the output.
  std::string place() const;
  nlohmann::ordered_json json() const;
};

/// Collects the checks of a context's launches.
class LaunchChecks {
public:
  /// `tolerance` as in KfuseLaunchChecker.
  LaunchChecks(const ContextHandle &context, double tolerance);
  LaunchChecks(const LaunchChecks &) = delete;
  LaunchChecks &operator=(const LaunchChecks &) = delete;

  /// By kernel and output, in order of first appearance.
  const std::vector<OutputCheck> &outputs() const { return list; }
  bool ok() const;

private:
  static void take(void *user, const KfuseLaunchCheck *check);
  std::vector<OutputCheck> list;
};

/// A number or, as JSON has no infinities, its name.
nlohmann::ordered_json jsonNumber(double value);
/// With indentation; bytes that are no UTF-8, of names and paths, are replaced.
std::string printJson(const nlohmann::ordered_json &json);

} // namespace kfuse

#endif // KFUSE_TOOLS_SESSION_LAUNCHCHECKS_H
