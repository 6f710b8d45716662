//===- Ledger.h - what a package says about itself --------------*- C++ -*-===//
#ifndef KFUSE_TOOLS_KFUSE_INSPECT_LEDGER_H
#define KFUSE_TOOLS_KFUSE_INSPECT_LEDGER_H

#include "Zip.h"
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

using Json = nlohmann::ordered_json;

/// The JSON members of a package. `generic` and `ledger` are null when the
/// package has none.
struct PackageFile {
  std::string path;
  Json manifest, plan, generic, ledger;
  std::shared_ptr<kfuse::ZipArchive> archive;
};

/// Throws std::runtime_error with a message for the user.
PackageFile openPackage(const std::string &path);

/// Values for symbols: the ledger's hints, overridden by `given` (name=number).
using Symbols = std::map<std::string, int64_t>;
Symbols getSymbols(const PackageFile &package,
                   const std::vector<std::string> &given);

/// Value of an expression, nothing when a symbol has none.
std::optional<double> evaluate(const Json &expr, const Symbols &symbols);
/// `s0 * 128 + 1`.
std::string printExpr(const Json &expr);

/// One launch: the plan's step with the ledger's entry.
struct LaunchInfo {
  std::string id, kind;
  std::vector<std::string> ops;
  double bytesRead = 0, bytesWritten = 0;
  std::optional<double> flops, microseconds;
  const Json *step = nullptr;
};
std::vector<LaunchInfo> getLaunches(const PackageFile &package,
                                    const Symbols &symbols);

/// ATen calls of the plan with equal operator, class and reason.
struct LeftOperator {
  std::string target, kind, reason;
  int64_t count = 0;
};
std::vector<LeftOperator> getLeftOperators(const PackageFile &package);

/// Decisions against something with equal name and reason.
struct Refusal {
  std::string category, name, reason;
  int64_t count = 0;
};
std::vector<Refusal> getRefusals(const PackageFile &package);

#endif
