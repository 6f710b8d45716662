//===- Model.h - programs made ready to run --------------------*- C++ -*-===//
///
/// \file
/// A program with its kernels loaded and its operators prepared. Immutable
/// apart from kill switches and operators prepared on first use, which are
/// atomic.
///
#ifndef KFUSE_RUNTIME_CORE_MODEL_H
#define KFUSE_RUNTIME_CORE_MODEL_H

#include "Package.h"
#include "ProviderLibrary.h"

#include <atomic>
#include <mutex>

namespace kfuse {

/// A scalar operand of an operator: an expression, or a symbol.
struct ScalarSlot {
  bool isSymbol;
  int32_t number;
};

/// What a call of an operator needs beside its spec.
struct AtenPlan {
  std::vector<int32_t> tensors;
  std::vector<ScalarSlot> scalars;
  std::atomic<KfuseOp *> op{nullptr};
};

/// Mutable weight storages of one sequence.
class State {
public:
  static Result<std::shared_ptr<State>> create(std::shared_ptr<Weights> from);
  Status reset(void *stream);
  /// By storage; those that no weight changes are the weights' own.
  std::vector<char *> storages;

private:
  std::shared_ptr<Weights> weights;
  std::vector<Buffer> copies;
};

class Model {
public:
  static Result<std::shared_ptr<Model>>
  create(std::shared_ptr<Package> package, std::shared_ptr<Weights> weights,
         const KfuseModelOptions &options);
  ~Model();

  std::shared_ptr<Package> package;
  std::shared_ptr<Weights> weights;
  std::shared_ptr<Device> device;
  Program program;
  KfuseFallbackPolicy policy = KFUSE_FALLBACK_ALLOW;
  int64_t fallbackBudget = 0;

  std::vector<void *> functions; ///< by kernel, null without code
  /// Name of the kernel in its file; null without code.
  const char *entryOf(int32_t kernel) const {
    const KernelBinary *binary = choose(program.kernels[kernel]);
    return binary ? binary->entry.c_str() : nullptr;
  }
  std::vector<AtenPlan> atens;
  int32_t runnableLaunches = 0;

  bool isLaunchKilled(int32_t launch) const {
    return killedLaunches[launch].load(std::memory_order_relaxed);
  }
  bool isKernelKilled(int32_t kernel) const {
    return killedKernels[kernel].load(std::memory_order_relaxed);
  }
  /// False when nothing has this id.
  bool kill(const std::string &id, bool off);

  /// The prepared operator; prepares it when this is its first use.
  Result<KfuseOp *> getOp(int32_t aten);
  /// Loads the provider when this is its first use.
  Status needProvider(const std::string &what);
  /// Null before `needProvider`.
  const Provider *provider() const {
    return providerPointer.load(std::memory_order_acquire);
  }
  void log(const std::string &line) const {
    if (logFunction)
      logFunction(logUser, line.c_str());
  }

private:
  Status loadProgram(KfuseProgramChoice choice);
  Status loadKernels();
  Status readKills(const char *file);
  /// With the policy `deny`: refuses what every run would have to refuse.
  Status checkPolicy() const;
  Status prepareOps();
  Status prepare(int32_t aten, KfuseOp *&op);
  const KernelBinary *choose(const KernelSpec &kernel) const;
  Result<void *> loadModule(const std::string &member);

  std::unordered_map<std::string, void *> modules;
  std::vector<std::atomic<bool>> killedLaunches, killedKernels;
  std::mutex mutex; ///< guards the two below and preparing
  const KfuseProviderTable *providerTable = nullptr;
  std::string providerPath;
  std::unique_ptr<Provider> ownedProvider;
  std::atomic<const Provider *> providerPointer{nullptr};
  KfuseLogFn logFunction = nullptr;
  void *logUser = nullptr;
};

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_MODEL_H
