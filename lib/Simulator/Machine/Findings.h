//===- Findings.h - what a launch found ------------------------*- C++ -*-===//
///
/// \file
/// Collects findings: one for each kind and place, with its first occurrence
/// and a number.
///
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_FINDINGS_H
#define KFUSE_LIB_SIMULATOR_MACHINE_FINDINGS_H

#include "Kernel.h"
#include "kfuse/Runtime/Simulator.h"
#include <map>
#include <tuple>

namespace kfuse::sim {

/// Like KfuseSimFinding, with strings of its own.
struct Finding {
  KfuseSimKind kind = KFUSE_SIM_UNSUPPORTED;
  std::string message;
  SiteId site = noSite, otherSite = noSite;
  KfuseSimThread thread = {{-1, -1, -1}, {-1, -1, -1}};
  KfuseSimThread otherThread = {{-1, -1, -1}, {-1, -1, -1}};
  uint64_t address = 0;
  int32_t argument = -2;
  int32_t bytes = 0;
  int64_t count = 1;
};

class Findings {
public:
  void add(Finding finding);
  bool isEmpty() const { return list.empty(); }
  /// In the order in which they were first found.
  const std::vector<Finding> &all() const { return list; }

private:
  std::vector<Finding> list;
  std::map<std::tuple<KfuseSimKind, SiteId, SiteId, int32_t>, size_t> known;
};

/// "race" and so on; null for an unknown kind.
const char *getKindName(KfuseSimKind kind);

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_FINDINGS_H
