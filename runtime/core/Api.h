//===- Api.h - objects behind the C API ------------------------*- C++ -*-===//
///
/// \file
/// Handles of the C API and the barrier for exceptions.
///
#ifndef KFUSE_RUNTIME_CORE_API_H
#define KFUSE_RUNTIME_CORE_API_H

#include "Context.h"

struct KfusePackage {
  std::shared_ptr<kfuse::Package> object;
};
struct KfuseWeights {
  std::shared_ptr<kfuse::Weights> object;
};
struct KfuseModel {
  std::shared_ptr<kfuse::Model> object;
};
struct KfuseState {
  std::shared_ptr<kfuse::State> object;
};
struct KfuseContext {
  std::shared_ptr<kfuse::Context> object;
};
struct KfuseGraph {
  std::shared_ptr<kfuse::Context> context;
  void *graph = nullptr;
  void *pool = nullptr;
};

namespace kfuse {

/// Keeps the message for kfuse_last_error.
KfuseStatus report(const Status &status);
KfuseStatus reportNull(const char *what);
/// Reports the exception being handled.
KfuseStatus reportException();

/// Runs `fn`, which returns a Status; nothing is thrown out of it.
template <typename Fn>
KfuseStatus guarded(Fn fn) {
  try {
    return report(fn());
  } catch (...) {
    return reportException();
  }
}

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_API_H
