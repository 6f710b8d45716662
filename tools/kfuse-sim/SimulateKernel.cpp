//===- SimulateKernel.cpp - one kernel, from the command line -------------===//
#include "SimulateKernel.h"

#include "LaunchChecks.h"

#include <CLI/CLI.hpp>
#include <chrono>

namespace kfuse {

void addKernelOptions(CLI::App &app, KernelCommand &command) {
  app.add_option("--launch", command.launch,
                 "NAME<<<GRID, BLOCK, SHARED>>>(ARGUMENT, ...): runs the "
                 "kernel of an .mlir file. Arguments are tensors, numbers (42, "
                 "1.5, 2:f64) and map(TENSOR, 64x32, swizzle=128, fill=nan)");
  app.add_option("--tensor", command.tensors,
                 "NAME=DTYPE[2x3]:FILL for --launch, where FILL is out, "
                 "scratch, zeros, ones, iota, random or random@SEED; or "
                 "NAME=FILE.npy, NAME=DTYPE:FILE.npy");
  app.add_option("--writable", command.writable,
                 "Tensors of --launch that have values and may be written to");
  app.add_option("--write", command.writes,
                 "NAME=FILE.npy: writes a tensor after the launch");
  app.add_option("--print", command.prints,
                 "Tensors to print after the launch");
}

static NamedTensors parseTensors(const KernelCommand &command) {
  NamedTensors tensors;
  for (const std::string &text : command.tensors) {
    auto [name, tensor] = parseTensor(text);
    if (!tensors.emplace(name, tensor).second)
      fail("tensor '" + name + "' is given twice");
  }
  for (const std::string &name : command.writable) {
    auto it = tensors.find(name);
    if (it == tensors.end())
      fail("there is no tensor '" + name + "' to be writable");
    it->second.access = KFUSE_ACCESS_READ_WRITE;
  }
  return tensors;
}

KernelSimulation::KernelSimulation(Simulator &simulator,
                                   const std::string &path,
                                   const KernelCommand &command)
    : simulator(simulator), command(command),
      launch(parseLaunch(command.launch)),
      kernel(simulator, path, parseTensors(command)) {}

void KernelSimulation::run() {
  auto start = std::chrono::steady_clock::now();
  kernel.run(launch);
  seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  ++launches;
}

std::string KernelSimulation::finish(bool isJson) const {
  for (const std::string &text : command.writes) {
    size_t equal = text.find('=');
    if (equal == std::string::npos)
      fail("'" + text + "' is not of the form NAME=FILE.npy");
    writeNpy(text.substr(equal + 1), kernel.fetch(text.substr(0, equal)));
  }
  std::vector<Finding> findings = simulator.findings();
  if (isJson) {
    nlohmann::ordered_json result = {{"kernel", launch.kernel},
                                     {"launches", launches},
                                     {"seconds", seconds},
                                     {"ok", findings.empty()}};
    result["findings"] = nlohmann::ordered_json::array();
    for (const Finding &finding : findings)
      result["findings"].push_back(finding.json());
    return printJson(result) + "\n";
  }
  std::string text;
  for (const std::string &name : command.prints)
    text += name + ":\n" + printTensor(kernel.fetch(name));
  for (const Finding &finding : findings)
    text += finding.text();
  char time[32];
  snprintf(time, sizeof(time), "%.2f", seconds);
  std::string count = findings.empty() ? "no findings"
                      : findings.size() == 1
                          ? "1 finding"
                          : std::to_string(findings.size()) + " findings";
  return text + launch.kernel + ": " + std::to_string(launches) +
         (launches == 1 ? " launch" : " launches") + " in " + time +
         " s: " + count + "\n";
}

} // namespace kfuse
