//===- Simulator.cpp - the kernel simulator as a device -------------------===//
#include "Simulator.h"

#include "Tensor.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>

namespace kfuse {

using Json = nlohmann::ordered_json;

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

Finding::Finding(const KfuseSimFinding &finding, std::string kindName)
    : kind(std::move(kindName)), kernel(finding.kernel ? finding.kernel : ""),
      message(finding.message ? finding.message : ""),
      place(finding.place ? finding.place : ""),
      other(finding.other ? finding.other : ""), thread(finding.thread),
      otherThread(finding.otherThread), address(finding.address),
      argument(finding.argument), bytes(finding.bytes), count(finding.count) {}

bool Finding::isLike(const Finding &finding) const {
  return kind == finding.kind && kernel == finding.kernel &&
         place == finding.place && other == finding.other;
}

static std::string triple(const int32_t (&values)[3]) {
  return "(" + std::to_string(values[0]) + ", " + std::to_string(values[1]) +
         ", " + std::to_string(values[2]) + ")";
}

static std::string describe(const KfuseSimThread &thread) {
  if (thread.block[0] < 0)
    return "the whole launch";
  std::string text = "block " + triple(thread.block);
  if (thread.thread[0] < 0)
    return text + ", asynchronous work";
  return text + ", thread " + triple(thread.thread);
}

std::string Finding::text() const {
  std::string result = kind + " in " + kernel + ": " + message + "\n";
  if (!place.empty())
    result += "    at " + place + "\n";
  result += "    " + describe(thread);
  if (argument >= 0)
    result += ", argument " + std::to_string(argument);
  else if (argument == -1)
    result += ", shared memory";
  if (argument >= -1)
    result += " at byte " + std::to_string(static_cast<int64_t>(address)) +
              ", " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  if (count > 1)
    result += "; " + std::to_string(count) + " times";
  if (!when.empty())
    result += "; " + std::string(reports > 1 ? "first with " : "with ") + when;
  result += "\n";
  if (!other.empty())
    result += "    the other side: " + other + "\n    " +
              describe(otherThread) + "\n";
  return result;
}

static Json toJson(const KfuseSimThread &thread) {
  return {{"block", {thread.block[0], thread.block[1], thread.block[2]}},
          {"thread", {thread.thread[0], thread.thread[1], thread.thread[2]}}};
}

Json Finding::json() const {
  Json result = {{"kind", kind},
                 {"kernel", kernel},
                 {"message", message},
                 {"place", place},
                 {"by", toJson(thread)},
                 {"argument", argument},
                 {"address", static_cast<int64_t>(address)},
                 {"bytes", bytes},
                 {"count", count},
                 {"reports", reports},
                 {"when", when}};
  if (!other.empty()) {
    result["other"] = other;
    result["other_by"] = toJson(otherThread);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

static constexpr const char *libraryName = "libkfuse_sim.so";

/// Folder of the file that has `address`, with a slash at the end.
static std::string folderOf(const void *address) {
  Dl_info info;
  if (!address || !dladdr(address, &info) || !info.dli_fname)
    return "";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

static std::string programFolder() {
  return folderOf(reinterpret_cast<const void *>(&folderOf));
}

static void *openLibrary(const std::string &given) {
  std::vector<std::string> paths = {given};
  if (given.empty())
    paths = {folderOf(dlsym(RTLD_DEFAULT, "kfuse_api_version")) + libraryName,
             programFolder() + "../lib/" + libraryName, libraryName};
  std::string reason;
  for (const std::string &path : paths) {
    if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      return library;
    if (const char *error = dlerror())
      reason = error;
  }
  fail("cannot open the simulator: " + reason +
           (given.empty() ? "; name it with --simulator" : ""),
       KFUSE_NO_DEVICE);
}

template <typename Function>
static void find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (!function)
    fail(std::string("the library named for the simulator has no function ") +
             name,
         KFUSE_BAD_VERSION);
}

Simulator::Simulator(const std::string &path, const KfuseSimOptions &options) {
  void *library = openLibrary(path);
  decltype(&kfuse_sim_device_table) tableFunction = nullptr;
  find(library, KFUSE_SIM_CONFIGURE, configureFunction);
  find(library, KFUSE_SIM_DEVICE_TABLE, tableFunction);
  find(library, KFUSE_SIM_KIND_NAME, kindName);
  // Only kernels of .mlir files need it.
  encodeFunction = reinterpret_cast<decltype(encodeFunction)>(
      dlsym(library, KFUSE_SIM_ENCODE_TENSOR_MAP));
  deviceTable = tableFunction(KFUSE_DEVICE_VERSION);
  if (!deviceTable)
    fail("the simulator does not know version " +
             std::to_string(KFUSE_DEVICE_VERSION) +
             " of the device table; expected the library of this kfuse",
         KFUSE_BAD_VERSION);
  libdevice = findLibdevice(
      folderOf(reinterpret_cast<const void *>(configureFunction)));
  configure(options);
}

Simulator::~Simulator() {
  KfuseSimOptions options = {};
  options.structSize = sizeof(options);
  KfuseDeviceError error = {};
  (void)configureFunction(&options, &error);
}

void Simulator::configure(KfuseSimOptions options, const std::string &when) {
  options.structSize = sizeof(options);
  options.sink = take;
  options.user = this;
  if (!options.libdevice)
    options.libdevice = libdevice.c_str();
  this->when = when;
  KfuseDeviceError error = {};
  if (configureFunction(&options, &error))
    fail(error.message, KFUSE_DEVICE_ERROR);
}

void Simulator::take(void *user, const KfuseSimFinding *finding) {
  auto &self = *static_cast<Simulator *>(user);
  const char *name = self.kindName(finding->kind);
  std::lock_guard<std::mutex> lock(self.mutex);
  Finding added(*finding, name ? name : "unknown finding");
  for (Finding &other : self.found)
    if (other.isLike(added)) {
      other.count += added.count;
      ++other.reports;
      return;
    }
  added.when = self.when;
  self.found.push_back(std::move(added));
}

void Simulator::encodeTensorMap(KfuseSimTensorMap map, void *to) const {
  map.structSize = sizeof(map);
  KfuseDeviceError error = {};
  if (!encodeFunction)
    fail("the simulator makes no tensor maps", KFUSE_BAD_VERSION);
  if (encodeFunction(&map, to, &error))
    fail(std::string("tensor map: ") + error.message);
}

std::vector<Finding> Simulator::findings() const {
  std::lock_guard<std::mutex> lock(mutex);
  return found;
}

void requireSimulatorCode(const KfusePackage *package) {
  const void *text = nullptr;
  uint64_t bytes = 0;
  check(kfuse_package_member(package, "plan.json", &text, &bytes));
  auto *begin = static_cast<const char *>(text);
  Json kernels = Json::parse(begin, begin + bytes).value("kernels", Json());
  for (const Json &kernel : kernels)
    if (kernel.value("binaries", Json()).contains(KFUSE_SIMULATOR_ARCH))
      return;
  if (!kernels.empty())
    fail("the package has no code for the simulator; compile it with "
         "kfuse-compile --simulator",
         KFUSE_UNSUPPORTED);
}

} // namespace kfuse
