//===- Session.h - one package on one device -------------------*- C++ -*-===//
///
/// \file
/// What tools need around the C API: options, a device with memory and
/// events, inputs on the device, outputs back on the host.
///
#ifndef KFUSE_TOOLS_SESSION_SESSION_H
#define KFUSE_TOOLS_SESSION_SESSION_H

#include "Tensor.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

namespace kfuse {

struct Options {
  std::string package;
  std::vector<std::string> inputs;  ///< name[:dtype]=file or number
  std::vector<std::string> symbols; ///< name=number
  bool takesManySizes = false;      ///< of the tool: name=1,7,16
  std::string sampleInputs;         ///< .pt2 file
  std::string randomInputs;         ///< as given: the seed
  std::optional<uint64_t> randomSeed;
  int64_t randomIntLimit = 2;
  std::string device;
  std::string program = "auto";
  std::string fallback = "allow";
  int64_t fallbackBudget = 0;
  std::string provider;
  std::string weights;
  std::string simulator; ///< library; empty: where it usually is
  std::vector<std::string> kill;
  std::string killFile;
  std::string outputFolder;
  double tolerance = -1;
  int runs = 1;
  int iterations = 100;
  int warmup = 10;
  bool check = false;
  bool checkLaunches = false;
  bool bench = false;
  bool benchHost = false;
  bool benchOpen = false;
  std::string nvtx; ///< "auto", a library, or empty
  bool reserve = false;
  bool verify = false;
  bool cudaGraph = false;
  bool stats = false;
  bool json = false;
};

/// A device opened through its table, and a stream on it. Current for the
/// thread as long as it lives.
class DeviceSession {
public:
  /// `table` may be null for the built-in one.
  explicit DeviceSession(KfuseDevice device,
                         const KfuseDeviceTable *table = nullptr);
  ~DeviceSession();
  DeviceSession(const DeviceSession &) = delete;
  DeviceSession &operator=(const DeviceSession &) = delete;

  void *allocate(int64_t bytes);
  void release(void *pointer) { table->release(handle, pointer); }
  void copy(void *to, const void *from, int64_t bytes);
  void synchronize();
  void *createEvent();
  void destroyEvent(void *event) { table->destroyEvent(handle, event); }
  void record(void *event);
  double elapsed(void *from, void *to); ///< milliseconds

  bool runsKernels() const { return info.capability > 0 || info.arch[0]; }

  /// Makes a launch of another session of this device once more.
  void launch(const KfuseLaunch &launch);

  const KfuseDevice device;
  const KfuseDeviceTable *const table;
  KfuseDeviceInfo info = {};
  void *stream = nullptr;

private:
  void checkError(int32_t code, const KfuseDeviceError &error);
  void *handle = nullptr;
  void *previous = nullptr;
};

/// An input or output: a tensor or a scalar.
struct HostValue {
  std::string name;
  bool isTensor = true;
  HostTensor tensor;
  KfuseScalar scalar = {};
};

/// Inputs from files, numbers or chance, as the options say.
std::vector<HostValue> makeInputs(const Options &options,
                                  const KfusePackage *package);

/// The largest value that each symbol of the package shall have: given by
/// --symbol, or declared by the export.
std::vector<int64_t> symbolLimits(const Options &options,
                                  const KfusePackage *package);

/// Inputs in device memory.
class DeviceInputs {
public:
  DeviceInputs(DeviceSession &device, const std::vector<HostValue> &values);
  ~DeviceInputs();
  DeviceInputs(const DeviceInputs &) = delete;
  DeviceInputs &operator=(const DeviceInputs &) = delete;
  /// Puts the original values back (programs may change their inputs).
  void restore();
  std::vector<KfuseArg> args;

private:
  DeviceSession &device;
  const std::vector<HostValue> &values;
};

KfuseModelOptions makeModelOptions(const Options &options,
                                   KfuseProgramChoice program);
KfuseProgramChoice chooseProgram(const Options &options);

/// A model with a context, its inputs and its outputs.
class Runner {
public:
  Runner(const Options &options, const PackageHandle &package,
         const WeightsHandle &weights, KfuseProgramChoice program,
         DeviceSession &device);
  void run(DeviceInputs &inputs);
  /// Outputs of the last run; waits for it.
  std::vector<HostValue> fetch();

  ModelHandle model;
  ContextHandle context;
  std::vector<KfuseArg> outputs;

private:
  const PackageHandle &package;
  DeviceSession &device;
};

/// Largest differences between two runs; `ok` when within the tolerance.
nlohmann::ordered_json compare(const std::vector<HostValue> &found,
                               const std::vector<HostValue> &expected,
                               double tolerance, bool &ok);
/// Counters of the last run and fallbacks of all.
nlohmann::ordered_json statistics(Runner &runner);

} // namespace kfuse

#endif // KFUSE_TOOLS_SESSION_SESSION_H
