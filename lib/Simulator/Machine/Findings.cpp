//===- Findings.cpp - what a launch found ---------------------------------===//
#include "Findings.h"

namespace kfuse::sim {

void Findings::add(Finding finding) {
  auto key = std::make_tuple(finding.kind, finding.site, finding.otherSite,
                             finding.argument);
  auto [it, isNew] = known.try_emplace(key, list.size());
  if (isNew)
    list.push_back(std::move(finding));
  else
    list[it->second].count += finding.count;
}

const char *getKindName(KfuseSimKind kind) {
  static const char *const names[KFUSE_SIM_KINDS] = {
      "out-of-bounds", "misaligned",  "uninitialized-read",
      "race",          "divergence",  "deadlock",
      "barrier",       "async",       "unwritten-output",
      "trap",          "unsupported", "lint"};
  return kind >= 0 && kind < KFUSE_SIM_KINDS ? names[kind] : nullptr;
}

} // namespace kfuse::sim
