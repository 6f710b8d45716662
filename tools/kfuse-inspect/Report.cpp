//===- Report.cpp - tables of a package -----------------------------------===//

#include "Report.h"
#include <algorithm>
#include <cstdio>
#include <ostream>
#include <set>

std::string printBytes(double bytes) {
  static const char *units[] = {"B", "KB", "MB", "GB", "TB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 4) {
    bytes /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof(text), unit ? "%.1f %s" : "%.0f %s", bytes,
                units[unit]);
  return text;
}

static std::string printNumber(const std::optional<double> &value,
                               const char *format) {
  if (!value)
    return "-";
  char text[32];
  std::snprintf(text, sizeof(text), format, *value);
  return text;
}

/// Columns as wide as their longest cell; the last one is not padded.
static void printTable(const std::vector<std::vector<std::string>> &rows,
                       std::ostream &os) {
  std::vector<size_t> widths;
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      widths.resize(std::max(widths.size(), row.size()));
      widths[i] = std::max(widths[i], row[i].size());
    }
  for (const auto &row : rows) {
    os << " ";
    for (size_t i = 0; i < row.size(); ++i) {
      os << " " << row[i];
      if (i + 1 < row.size())
        os << std::string(widths[i] - row[i].size() + 1, ' ');
    }
    os << "\n";
  }
}

static std::string printList(const Json &list) {
  std::string text = "[";
  for (const Json &item : list)
    text += (text.size() > 1 ? ", " : "") + printExpr(item);
  return text + "]";
}

static std::string printSymbols(const Symbols &symbols) {
  std::string text;
  for (const auto &[name, value] : symbols)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return text;
}

static void printHeader(const PackageFile &package, std::ostream &os) {
  const Json &manifest = package.manifest;
  os << package.path << ": " << manifest.value("model", "model") << ", by "
     << manifest.value("producer", "?") << ", exported by torch "
     << manifest.value("torch_version", "?") << "\n"
     << "numerics " << manifest.value("numerics", "?") << ", targets";
  for (const Json &target : manifest.value("targets", Json::array()))
    os << " " << target.get<std::string>();
  if (manifest.value("targets", Json::array()).empty())
    os << " none";
  os << "\n";
}

static void printInterface(const PackageFile &package, std::ostream &os) {
  std::vector<std::vector<std::string>> rows;
  for (const char *key : {"inputs", "outputs"})
    for (const Json &value : package.manifest.value(key, Json::array())) {
      bool isTensor = value.value("kind", "") == "tensor";
      std::string sizes = isTensor ? printList(value["sizes"]) : "";
      rows.push_back({std::string(key, 6) == "inputs" ? "in" : "out",
                      value.value("name", ""),
                      isTensor ? value.value("dtype", "") + sizes
                               : value.value("kind", ""),
                      value.value("mutated", false) ? "mutated" : ""});
    }
  printTable(rows, os);
  for (const Json &symbol : package.manifest.value("symbols", Json::array())) {
    os << "  symbol " << symbol.value("name", "") << " in ["
       << symbol.value("min", int64_t(0)) << ", ";
    if (symbol.contains("max"))
      os << symbol["max"].get<int64_t>() << "]\n";
    else
      os << "any]\n";
  }
}

static double getElementBytes(const std::string &dtype) {
  if (dtype == "bool")
    return 1;
  if (dtype == "c128")
    return 16;
  if (dtype.find("64") != std::string::npos)
    return 8;
  if (dtype == "c32" || dtype.find("32") != std::string::npos)
    return 4;
  return dtype.find("16") != std::string::npos ? 2 : 1;
}

static void printMemory(const PackageFile &package, const Symbols &symbols,
                        std::ostream &os) {
  std::set<std::string> sources;
  double bytes = 0;
  bool isReferenced = false;
  Json weights = package.manifest.value("weights", Json::array());
  for (const Json &weight : weights) {
    const Json &source = weight.at("source");
    isReferenced |= source.contains("file");
    if (!sources.insert(source.dump()).second)
      continue;
    const kfuse::ZipMember *member =
        source.contains("file")
            ? nullptr
            : package.archive->find(source.value("member", ""));
    double size = getElementBytes(weight.value("dtype", ""));
    for (const Json &dim : weight.value("sizes", Json::array()))
      size *= dim.get<double>();
    bytes += member                     ? member->data.size()
             : source.contains("bytes") ? source["bytes"].get<double>()
                                        : size;
  }
  os << "weights: " << weights.size() << " tensors, " << sources.size()
     << " storages, " << printBytes(bytes)
     << (isReferenced ? ", in the exported program\n" : ", embedded\n");
  Json arena = package.plan.value("arena_bytes", Json(0));
  os << "arena: " << printExpr(arena) << " bytes";
  if (std::optional<double> value = evaluate(arena, symbols);
      value && !arena.is_number())
    os << " = " << printBytes(*value);
  os << "\n";
}

/// `add, gelu x2`: operators without name space and overload.
static std::string summarize(const std::vector<std::string> &ops) {
  std::string text;
  std::vector<std::pair<std::string, int>> runs;
  for (std::string op : ops) {
    if (op.compare(0, 6, "aten::") == 0)
      op.erase(0, 6);
    op.resize(std::min(op.size(), op.find('.')));
    if (!runs.empty() && runs.back().first == op)
      ++runs.back().second;
    else
      runs.push_back({op, 1});
  }
  for (const auto &[op, count] : runs)
    text += (text.empty() ? "" : ", ") + op +
            (count > 1 ? " x" + std::to_string(count) : "");
  return text;
}

static void printLaunches(const PackageFile &package, const Symbols &symbols,
                          std::ostream &os) {
  std::vector<LaunchInfo> launches = getLaunches(package, symbols);
  size_t fused = 0;
  for (const LaunchInfo &launch : launches)
    fused += launch.ops.size();
  os << "\n" << launches.size() << " launches of " << fused << " operators";
  if (!symbols.empty())
    os << " (predicted for " << printSymbols(symbols) << ")";
  os << "\n";
  if (launches.empty())
    return;
  std::vector<std::vector<std::string>> rows = {
      {"#", "kernel", "kind", "read", "written", "Mflop", "us", "operators"}};
  double read = 0, written = 0, time = 0;
  for (size_t i = 0; i < launches.size(); ++i) {
    const LaunchInfo &launch = launches[i];
    std::optional<double> flops = launch.flops;
    if (flops)
      *flops /= 1e6;
    rows.push_back({std::to_string(i), launch.id, launch.kind,
                    printBytes(launch.bytesRead),
                    printBytes(launch.bytesWritten), printNumber(flops, "%.2f"),
                    printNumber(launch.microseconds, "%.1f"),
                    summarize(launch.ops)});
    read += launch.bytesRead;
    written += launch.bytesWritten;
    time += launch.microseconds.value_or(0);
  }
  rows.push_back({"", "sum", "", printBytes(read), printBytes(written), "",
                  printNumber(time, "%.1f"), ""});
  printTable(rows, os);
}

static void printLeft(const PackageFile &package, std::ostream &os) {
  std::vector<LeftOperator> left = getLeftOperators(package);
  int64_t count = 0;
  for (const LeftOperator &op : left)
    count += op.count;
  os << "\n" << count << " operators left to PyTorch\n";
  std::vector<std::vector<std::string>> rows;
  for (const LeftOperator &op : left)
    rows.push_back({std::to_string(op.count), op.target, op.kind, op.reason});
  printTable(rows, os);
  std::vector<Refusal> refusals = getRefusals(package);
  if (refusals.empty())
    return;
  os << "\ndecisions against a fusion or a kernel\n";
  rows.clear();
  for (const Refusal &refusal : refusals)
    rows.push_back({std::to_string(refusal.count), refusal.category,
                    refusal.name, refusal.reason});
  printTable(rows, os);
}

void printReport(const PackageFile &package, const Symbols &symbols,
                 std::ostream &os) {
  printHeader(package, os);
  printInterface(package, os);
  printMemory(package, symbols, os);
  printLaunches(package, symbols, os);
  printLeft(package, os);
}

static std::string printGuard(const Json &guard) {
  std::string kind = guard.value("kind", "");
  if (kind == "aligned")
    return "tensor " + guard["tensor"].dump() + " aligned to " +
           guard["bytes"].dump();
  if (kind == "divisible")
    return printExpr(guard["expr"]) + " divisible by " + guard["by"].dump();
  return printExpr(guard["lhs"]) + " <= " + printExpr(guard["rhs"]);
}

/// ` (40 registers, 16 bytes spilled)`, empty when the ledger does not know.
static std::string printResources(const PackageFile &package,
                                  const std::string &entry,
                                  const std::string &arch) {
  if (!package.ledger.is_object())
    return "";
  Json used = package.ledger.value("kernels", Json::object())
                  .value(entry, Json::object())
                  .value(arch, Json::object());
  if (used.empty())
    return "";
  std::string text =
      " (" + std::to_string(used.value("registers", int64_t(0))) + " registers";
  if (int64_t bytes = used.value("shared_bytes", int64_t(0)))
    text += ", " + std::to_string(bytes) + " bytes shared";
  if (int64_t bytes = used.value("spilled_bytes", int64_t(0)))
    text += ", " + std::to_string(bytes) + " bytes spilled";
  return text + ")";
}

void printKernels(const PackageFile &package, const Symbols &symbols,
                  std::ostream &os) {
  for (const LaunchInfo &launch : getLaunches(package, symbols)) {
    os << launch.id << " (" << launch.kind << "): " << summarize(launch.ops)
       << "\n";
    for (const Json &variant : launch.step->at("variants")) {
      const Json &kernel =
          package.plan.at("kernels").at(variant.at("kernel").get<size_t>());
      os << "  " << kernel.value("variant", "?") << "  grid "
         << printList(variant.at("grid")) << "  block "
         << variant.at("block").dump() << "  shared "
         << variant.value("shared_bytes", int64_t(0)) << "  for";
      const Json binaries = kernel.value("binaries", Json::object());
      for (const auto &[arch, binary] : binaries.items())
        os << " " << arch
           << printResources(package, binary.value("entry", ""), arch);
      os << "\n";
      for (const Json &guard : variant.value("guards", Json::array()))
        os << "      if " << printGuard(guard) << "\n";
    }
  }
}

Json makeReport(const PackageFile &package, const Symbols &symbols) {
  Json report = {{"manifest", package.manifest},
                 {"arena_bytes", package.plan.value("arena_bytes", Json(0))},
                 {"symbols", symbols}};
  Json launches = Json::array(), left = Json::array(), against = Json::array();
  for (const LaunchInfo &launch : getLaunches(package, symbols)) {
    Json entry = {{"id", launch.id},
                  {"kind", launch.kind},
                  {"ops", launch.ops},
                  {"bytes_read", launch.bytesRead},
                  {"bytes_written", launch.bytesWritten},
                  {"variants", launch.step->at("variants")}};
    if (launch.flops)
      entry["flops"] = *launch.flops;
    if (launch.microseconds)
      entry["microseconds"] = *launch.microseconds;
    launches.push_back(std::move(entry));
  }
  for (const LeftOperator &op : getLeftOperators(package))
    left.push_back({{"target", op.target},
                    {"count", op.count},
                    {"class", op.kind},
                    {"reason", op.reason}});
  for (const Refusal &refusal : getRefusals(package))
    against.push_back({{"category", refusal.category},
                       {"name", refusal.name},
                       {"reason", refusal.reason},
                       {"count", refusal.count}});
  report["launches"] = std::move(launches);
  report["left"] = std::move(left);
  report["refusals"] = std::move(against);
  return report;
}
