//===- Diff.cpp - what changed between two packages -----------------------===//

#include "Report.h"
#include <cstdio>
#include <map>
#include <ostream>

namespace {
/// Lines to compare, with how often each occurs.
using Lines = std::map<std::string, int64_t>;
} // namespace

static Lines describe(const PackageFile &package, const Symbols &symbols) {
  Lines lines;
  for (const LaunchInfo &launch : getLaunches(package, symbols)) {
    std::string line = "launch " + launch.id + " (" + launch.kind + "):";
    for (const std::string &op : launch.ops)
      line += " " + op;
    line += "; " + printBytes(launch.bytesRead) + " read, " +
            printBytes(launch.bytesWritten) + " written";
    ++lines[line];
  }
  for (const LeftOperator &op : getLeftOperators(package))
    lines["left " + op.target + " (" + op.kind +
          (op.reason.empty() ? "" : ": " + op.reason) + ")"] += op.count;
  for (const Refusal &refusal : getRefusals(package))
    lines["refused " + refusal.category + " " + refusal.name + ": " +
          refusal.reason] += refusal.count;
  lines["arena " + printExpr(package.plan.value("arena_bytes", Json(0)))] = 1;
  for (const char *key : {"inputs", "outputs", "targets", "numerics"})
    lines[std::string(key) + " " +
          package.manifest.value(key, Json(nullptr)).dump()] = 1;
  return lines;
}

static double getTime(const PackageFile &package, const Symbols &symbols) {
  double time = 0;
  for (const LaunchInfo &launch : getLaunches(package, symbols))
    time += launch.microseconds.value_or(0);
  return time;
}

bool printDiff(const PackageFile &before, const PackageFile &after,
               const Symbols &symbols, std::ostream &os) {
  Lines all = describe(after, symbols);
  for (const auto &[line, count] : describe(before, symbols))
    all[line] -= count;
  bool alike = true;
  for (const auto &[line, count] : all) {
    if (count == 0)
      continue;
    alike = false;
    os << (count < 0 ? "- " : "+ ");
    if (std::abs(count) > 1)
      os << std::abs(count) << " x ";
    os << line << "\n";
  }
  if (alike) {
    os << "no difference\n";
    return true;
  }
  char text[96];
  std::snprintf(text, sizeof(text),
                "predicted kernel time: %.1f us before, %.1f us after\n",
                getTime(before, symbols), getTime(after, symbols));
  os << text;
  return false;
}
