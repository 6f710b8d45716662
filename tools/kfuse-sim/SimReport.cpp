//===- SimReport.cpp - what kfuse-sim says --------------------------------===//
#include "SimReport.h"

#include <algorithm>
#include <cmath>

namespace kfuse {

using Json = nlohmann::ordered_json;

static std::string print(const char *format, double value) {
  if (std::isnan(value))
    return "nan";
  char text[64];
  snprintf(text, sizeof(text), format, value);
  return text;
}

static std::string joinExtents(const uint32_t (&extents)[3]) {
  int rank = extents[2] > 1 ? 3 : extents[1] > 1 ? 2 : 1;
  std::string text;
  for (int i = 0; i < rank; ++i)
    text += (i ? "," : "") + std::to_string(extents[i]);
  return text;
}

static int64_t countFindings(const std::vector<Finding> &findings,
                             const std::string &kernel) {
  return std::count_if(
      findings.begin(), findings.end(),
      [&](const Finding &finding) { return finding.kernel == kernel; });
}

bool SimReport::ok() const {
  return error.empty() && findings.empty() &&
         std::all_of(outputs.begin(), outputs.end(),
                     [](const OutputCheck &output) { return output.ok(); });
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

Json SimReport::json() const {
  Json result = {{"package", package},      {"timing", timing},
                 {"first_seed", firstSeed}, {"seeds", seeds},
                 {"sizes", sizes},          {"fast", isFast},
                 {"checked", isChecked},    {"open_seconds", openSeconds}};
  result["kernels"] = Json::array();
  for (const KernelRow &kernel : kernels) {
    Json row = {{"name", kernel.name},
                {"grid", kernel.grid},
                {"block", kernel.block},
                {"many_grids", kernel.hasManyGrids},
                {"launches", kernel.launches},
                {"seconds", kernel.seconds},
                {"findings", countFindings(findings, kernel.name)}};
    row["outputs"] = Json::array();
    for (const OutputCheck &output : outputs)
      if (output.kernel == kernel.name)
        row["outputs"].push_back(output.json());
    result["kernels"].push_back(std::move(row));
  }
  result["findings"] = Json::array();
  for (const Finding &finding : findings)
    result["findings"].push_back(finding.json());
  result["not_launched"] = notLaunched;
  result["fallbacks"] = fallbacks;
  if (!error.empty())
    result["error"] = error;
  result["ok"] = ok();
  return result;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
/// How the outputs of a kernel agree, taken together.
struct Agreement {
  int64_t checks = 0, elements = 0, different = 0, mismatches = 0;
  double error = 0, ulp = 0;

  void add(const OutputCheck &output) {
    checks += output.checks;
    elements += output.elements;
    different += output.different;
    mismatches += output.mismatches;
    error = std::max(error, output.error);
    ulp = std::max(ulp, output.maxUlp);
  }
  std::string verdict() const {
    if (checks == 0)
      return "not compared";
    if (mismatches)
      return "WRONG: " + std::to_string(mismatches) + " of " +
             std::to_string(elements);
    return different ? "agrees" : "equal";
  }
};

using Line = std::vector<std::string>;
} // namespace

/// Lines with columns of equal width; numbers, from the second column to the
/// last but one, are flush right.
static std::string alignColumns(const std::vector<Line> &lines) {
  std::vector<size_t> widths(lines.front().size());
  for (const Line &line : lines)
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const Line &line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      std::string gap(widths[i] - line[i].size(), ' ');
      bool isLast = i + 1 == line.size();
      if (i == 0)
        text += line[i] + gap;
      else
        text += "  " + (isLast ? line[i] : gap + line[i]);
    }
    text += "\n";
  }
  return text;
}

static std::string printTable(const SimReport &report) {
  std::vector<Line> lines = {{"kernel", "grid", "block", "launches", "seconds",
                              "findings", "error", "ulp",
                              "with its operators"}};
  for (const KernelRow &kernel : report.kernels) {
    Agreement agreement;
    for (const OutputCheck &output : report.outputs)
      if (output.kernel == kernel.name)
        agreement.add(output);
    int64_t findings = countFindings(report.findings, kernel.name);
    bool isCompared = agreement.checks > 0;
    lines.push_back(
        {kernel.name,
         joinExtents(kernel.grid) + (kernel.hasManyGrids ? ",.." : ""),
         joinExtents(kernel.block), std::to_string(kernel.launches),
         print("%.2f", kernel.seconds),
         findings ? std::to_string(findings) : "-",
         isCompared ? print("%.1e", agreement.error) : "-",
         isCompared ? print("%.3g", agreement.ulp) : "-", agreement.verdict()});
  }
  return alignColumns(lines);
}

static std::string describeMismatch(const OutputCheck &output) {
  std::string text = output.kernel + " output " +
                     std::to_string(output.output) + " (" +
                     kfuse_dtype_name(output.dtype) +
                     "): " + std::to_string(output.mismatches) + " of " +
                     std::to_string(output.elements) + " elements differ";
  if (output.isExact)
    text += ", expected none";
  else
    text +=
        " by more than " + print("%g", output.tolerance) + " of the largest";
  return text + "; the first at " + output.place() + ": found " +
         print("%.9g", output.found) + ", expected " +
         print("%.9g", output.expected) + "\n";
}

static std::string count(int64_t number, const char *one, const char *many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

static std::string describeTotal(const SimReport &report) {
  if (report.kernels.empty())
    return "no kernel was launched\n";
  int64_t launches = 0, wrong = 0;
  double seconds = 0, error = 0;
  for (const KernelRow &kernel : report.kernels) {
    launches += kernel.launches;
    seconds += kernel.seconds;
  }
  for (const OutputCheck &output : report.outputs) {
    wrong += !output.ok();
    error = std::max(error, output.error);
  }
  std::string text =
      count(static_cast<int64_t>(report.kernels.size()), "kernel", "kernels") +
      ", " + count(launches, "launch", "launches") + " in " +
      print("%.2f s", seconds) + ": " +
      (report.findings.empty()
           ? "no findings"
           : count(static_cast<int64_t>(report.findings.size()), "finding",
                   "findings"));
  if (wrong)
    text += ", " + count(wrong, "output disagrees", "outputs disagree") +
            " with the generic operators";
  else if (!report.outputs.empty())
    text += ", all outputs agree with the generic operators (to " +
            print("%.1e", error) + " of their largest values)";
  return text + "\n";
}

static std::string describeRun(const SimReport &report) {
  std::string text =
      report.package + " in the simulator: timing " + report.timing + ", seed";
  text += report.seeds > 1 ? "s " : " ";
  text += std::to_string(report.firstSeed);
  if (report.seeds > 1)
    text += " to " + std::to_string(report.firstSeed + report.seeds - 1);
  if (report.sizes.size() > 1)
    text += ", " + std::to_string(report.sizes.size()) + " sets of sizes";
  if (report.isFast)
    text += ", without checks for races and unwritten memory";
  return text + "; opened in " + print("%.2f s", report.openSeconds) + "\n\n";
}

std::string SimReport::text() const {
  std::string text = describeRun(*this);
  if (!kernels.empty())
    text += printTable(*this) + "\n";
  for (const OutputCheck &output : outputs)
    if (!output.ok())
      text += describeMismatch(output);
  for (const Finding &finding : findings)
    text += finding.text();
  if (fallbacks)
    text += count(fallbacks, "launch has", "launches have") +
            " no kernel and ran as operators\n";
  if (!notLaunched.empty())
    text += count(static_cast<int64_t>(notLaunched.size()), "kernel was",
                  "kernels were") +
            " not chosen for these sizes (--json names them)\n";
  return text + describeTotal(*this);
}

} // namespace kfuse
