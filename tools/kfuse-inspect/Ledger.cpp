//===- Ledger.cpp - what a package says about itself ----------------------===//

#include "Ledger.h"
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

static Json parseMember(const PackageFile &package, const std::string &name,
                        bool isOptional) {
  const kfuse::ZipMember *member = package.archive->find(name);
  if (!member && isOptional)
    return nullptr;
  if (!member)
    throw std::runtime_error("'" + package.path + "' has no member '" + name +
                             "'; expected a package that kfuse-compile wrote");
  try {
    return Json::parse(member->data);
  } catch (const Json::exception &error) {
    throw std::runtime_error("'" + package.path + "': member '" + name +
                             "' is not JSON: " + error.what());
  }
}

PackageFile openPackage(const std::string &path) {
  PackageFile package;
  package.path = path;
  auto archive = kfuse::ZipArchive::open(path);
  if (!archive.ok())
    throw std::runtime_error(archive.takeStatus().message());
  package.archive = *archive;
  package.manifest = parseMember(package, "manifest.json", false);
  package.plan = parseMember(package, "plan.json", false);
  package.generic = parseMember(package, "generic.json", true);
  package.ledger = parseMember(package, "ledger.json", true);
  return package;
}

Symbols getSymbols(const PackageFile &package,
                   const std::vector<std::string> &given) {
  Symbols symbols;
  if (package.ledger.is_object() && package.ledger.contains("hints"))
    for (const auto &[name, value] : package.ledger["hints"].items())
      symbols[name] = value.get<int64_t>();
  for (const std::string &text : given) {
    size_t split = text.find('=');
    char *end = nullptr;
    int64_t value = split == std::string::npos
                        ? 0
                        : std::strtoll(text.c_str() + split + 1, &end, 10);
    if (!end || *end || end == text.c_str() + split + 1)
      throw std::runtime_error("expected name=number after --symbol, found '" +
                               text + "'");
    symbols[text.substr(0, split)] = value;
  }
  return symbols;
}

static std::optional<double> apply(const std::string &op, double lhs,
                                   double rhs) {
  if (op == "add")
    return lhs + rhs;
  if (op == "mul")
    return lhs * rhs;
  if (op == "min")
    return std::min(lhs, rhs);
  if (op == "max")
    return std::max(lhs, rhs);
  if (rhs == 0)
    return std::nullopt;
  if (op == "floordiv")
    return std::floor(lhs / rhs);
  if (op == "ceildiv")
    return std::ceil(lhs / rhs);
  if (op == "mod")
    return lhs - std::floor(lhs / rhs) * rhs;
  return std::nullopt;
}

std::optional<double> evaluate(const Json &expr, const Symbols &symbols) {
  if (expr.is_number())
    return expr.get<double>();
  if (expr.is_string()) {
    auto it = symbols.find(expr.get<std::string>());
    return it == symbols.end() ? std::nullopt
                               : std::optional<double>(it->second);
  }
  if (!expr.is_array() || expr.size() < 2 || !expr[0].is_string())
    return std::nullopt;
  std::optional<double> result = evaluate(expr[1], symbols);
  for (size_t i = 2; result && i < expr.size(); ++i) {
    std::optional<double> next = evaluate(expr[i], symbols);
    result =
        next ? apply(expr[0].get<std::string>(), *result, *next) : std::nullopt;
  }
  return result;
}

std::string printExpr(const Json &expr) {
  if (expr.is_string())
    return expr.get<std::string>();
  if (!expr.is_array() || expr.empty() || !expr[0].is_string())
    return expr.dump();
  std::string op = expr[0].get<std::string>();
  bool isInfix = op == "add" || op == "mul";
  std::string separator = op == "add" ? " + " : op == "mul" ? "*" : ", ";
  std::string text = isInfix ? "(" : op + "(";
  for (size_t i = 1; i < expr.size(); ++i)
    text += (i > 1 ? separator : "") + printExpr(expr[i]);
  return text + ")";
}

/// Operators of a launch: the ledger's, or those of its generic steps.
static std::vector<std::string> getOperators(const Json &step,
                                             const Json *entry) {
  std::vector<std::string> ops;
  if (entry && entry->contains("ops")) {
    for (const Json &op : (*entry)["ops"])
      ops.push_back(op.value("op", ""));
    return ops;
  }
  for (const Json &inner : step.value("generic", Json::array()))
    if (inner.value("op", "") == "aten")
      ops.push_back(inner.value("target", ""));
  return ops;
}

std::vector<LaunchInfo> getLaunches(const PackageFile &package,
                                    const Symbols &symbols) {
  std::vector<LaunchInfo> launches;
  size_t next = 0;
  Json empty = Json::array();
  const Json &entries =
      package.ledger.is_object() && package.ledger.contains("launches")
          ? package.ledger["launches"]
          : empty;
  for (const Json &step : package.plan.at("steps")) {
    if (step.value("op", "") != "launch")
      continue;
    LaunchInfo info;
    info.step = &step;
    info.id = step.value("id", "");
    info.kind = step.value("kind", "");
    // Launches that run as their operators are in the ledger alone.
    while (next < entries.size() && entries[next].value("id", "") != info.id)
      ++next;
    const Json *entry = next < entries.size() ? &entries[next++] : nullptr;
    info.ops = getOperators(step, entry);
    if (entry) {
      info.bytesRead =
          evaluate(entry->value("bytes_read", Json(0)), symbols).value_or(0);
      info.bytesWritten =
          evaluate(entry->value("bytes_written", Json(0)), symbols).value_or(0);
      if (entry->contains("flops"))
        info.flops = (*entry)["flops"].get<double>();
      if (entry->contains("microseconds"))
        info.microseconds = (*entry)["microseconds"].get<double>();
    }
    launches.push_back(std::move(info));
  }
  return launches;
}

std::vector<LeftOperator> getLeftOperators(const PackageFile &package) {
  std::vector<LeftOperator> result;
  for (const Json &step : package.plan.at("steps")) {
    if (step.value("op", "") != "aten")
      continue;
    LeftOperator left;
    left.target = step.value("target", "");
    if (std::string overload = step.value("overload", ""); !overload.empty())
      left.target += "." + overload;
    left.kind = step.value("class", "unsupported");
    left.reason = step.value("reason", "");
    auto it = std::find_if(
        result.begin(), result.end(), [&](const LeftOperator &other) {
          return other.target == left.target && other.kind == left.kind &&
                 other.reason == left.reason;
        });
    if (it == result.end())
      it = result.insert(it, std::move(left));
    ++it->count;
  }
  std::sort(result.begin(), result.end(),
            [](const LeftOperator &lhs, const LeftOperator &rhs) {
              return std::tie(rhs.count, lhs.target, lhs.reason) <
                     std::tie(lhs.count, rhs.target, rhs.reason);
            });
  return result;
}

std::vector<Refusal> getRefusals(const PackageFile &package) {
  std::vector<Refusal> result;
  if (!package.ledger.is_object())
    return result;
  for (const Json &entry : package.ledger.value("decisions", Json::array())) {
    std::string outcome = entry.value("outcome", "");
    if (outcome != "missed" && outcome != "failed")
      continue;
    Refusal refusal;
    refusal.category = entry.value("category", "");
    refusal.name = entry.value("name", "");
    Json details = entry.value("details", Json::object());
    refusal.reason = details.value("Reason", details.value("Remark", ""));
    auto it =
        std::find_if(result.begin(), result.end(), [&](const Refusal &other) {
          return other.category == refusal.category &&
                 other.name == refusal.name && other.reason == refusal.reason;
        });
    if (it == result.end())
      it = result.insert(it, std::move(refusal));
    ++it->count;
  }
  std::sort(result.begin(), result.end(),
            [](const Refusal &lhs, const Refusal &rhs) {
              return std::tie(rhs.count, lhs.category, lhs.name, lhs.reason) <
                     std::tie(lhs.count, rhs.category, rhs.name, rhs.reason);
            });
  return result;
}
