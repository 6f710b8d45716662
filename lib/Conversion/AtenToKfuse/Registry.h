//===- Registry.h - which ATen operations are captured ----------*- C++ -*-===//
#ifndef KFUSE_CONVERSION_ATENTOKFUSE_REGISTRY_H
#define KFUSE_CONVERSION_ATENTOKFUSE_REGISTRY_H

#include "OpContext.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace mlir::kfuse {

/// Builds the body of one ATen operation: reads the arguments, yields each
/// result. What it cannot build is reported with `OpContext::fail`.
using BodyFunction = std::function<void(OpContext &)>;

/// Body functions by operator, `aten::max.dim`, or by base name, `aten::add`,
/// for all overloads that have no entry of their own.
class Registry {
public:
  static const Registry &get();

  void add(StringRef name, BodyFunction function);
  void add(std::initializer_list<StringRef> names, BodyFunction function);
  const BodyFunction *find(StringRef target) const;
  SmallVector<StringRef> getNames() const;

private:
  Registry();
  llvm::StringMap<BodyFunction> functions;
};

// One for each family of operations.
void registerUnary(Registry &registry);
void registerActivations(Registry &registry);
void registerBinary(Registry &registry);
void registerDivisions(Registry &registry);
void registerPow(Registry &registry);
void registerLogic(Registry &registry);
void registerTernary(Registry &registry);
void registerCasts(Registry &registry);
void registerGenerators(Registry &registry);
void registerReductions(Registry &registry);
void registerNormalizations(Registry &registry);
void registerViews(Registry &registry);
void registerIndexing(Registry &registry);
void registerRearranging(Registry &registry);
void registerPooling(Registry &registry);
void registerResampling(Registry &registry);
void registerScans(Registry &registry);
void registerWindows(Registry &registry);

/// Operations for which a library or the framework is the planned way, such as
/// matrix products and convolutions.
bool isLibraryOp(StringRef target);
/// Operations without any effect on values (assertions, bookkeeping of
/// symbols); they stay as they are, without being counted as not compiled.
bool isNoise(StringRef target);
/// Why an operation is not captured, for those where more can be said than
/// that nobody has written it; empty otherwise.
StringRef getKnownReason(StringRef target);

} // namespace mlir::kfuse

#endif
