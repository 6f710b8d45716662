//===- PlanKernels.cpp - the launches of a package's plan -----------------===//
#include "PlanKernels.h"

#include "Tensor.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace kfuse {

using Json = nlohmann::json;

std::vector<PlanLaunch> readPlanLaunches(const KfusePackage *package) {
  const void *text = nullptr;
  uint64_t bytes = 0;
  check(kfuse_package_member(package, "plan.json", &text, &bytes));
  auto *begin = static_cast<const char *>(text);
  Json plan = Json::parse(begin, begin + bytes);
  const Json kernels = plan.value("kernels", Json::array());
  std::vector<PlanLaunch> launches;
  for (const Json &step : plan.at("steps")) {
    if (step.at("op") != "launch")
      continue;
    PlanLaunch launch = {step.at("id"), {}};
    for (const Json &variant : step.at("variants")) {
      const Json &kernel = kernels.at(variant.at("kernel").get<size_t>());
      const Json binaries = kernel.value("binaries", Json::object());
      if (binaries.contains(KFUSE_SIMULATOR_ARCH))
        launch.kernels.push_back(binaries.at(KFUSE_SIMULATOR_ARCH).at("entry"));
    }
    launches.push_back(std::move(launch));
  }
  return launches;
}

int selectKernels(const std::vector<PlanLaunch> &launches,
                  const std::string &text, KfuseModel *model) {
  std::set<std::string> chosen, names;
  int count = 0;
  for (const PlanLaunch &launch : launches) {
    names.insert(launch.kernels.begin(), launch.kernels.end());
    bool isChosen = std::any_of(launch.kernels.begin(), launch.kernels.end(),
                                [&](const std::string &kernel) {
                                  return kernel.find(text) != std::string::npos;
                                });
    if (isChosen)
      chosen.insert(launch.id);
    count += isChosen;
  }
  if (chosen.empty()) {
    std::string list;
    for (const std::string &name : names)
      list += (list.empty() ? "" : ", ") + name;
    fail("no kernel's name contains '" + text + "', expected part of one of " +
         (list.empty() ? "none" : list));
  }
  for (const PlanLaunch &launch : launches)
    if (!chosen.count(launch.id))
      check(kfuse_model_kill(model, launch.id.c_str(), 1));
  return count;
}

} // namespace kfuse
