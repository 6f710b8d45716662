//===- Casts.cpp - conversions and copies ---------------------------------===//

#include "Layouts.h"
#include "Registry.h"

using namespace mlir;
using namespace mlir::kfuse;

namespace {

/// A conversion to the type that the program recorded; without one, the same
/// tensor where its layout is kept.
void buildTo(OpContext &c) {
  c.ignore({"dtype", "layout", "device", "pin_memory", "non_blocking",
            "memory_format", "other"});
  bool copies = c.flag("copy", false);
  ViewBuilder view(c, "self");
  DType to = c.resultDType();
  if (view.value.dtype == to && !copies)
    return view.yield();
  c.yield(c.b.cast(view.value, to));
}

void buildCopyTo(OpContext &c) {
  c.ignore({"dtype", "layout", "device", "pin_memory", "non_blocking",
            "memory_format"});
  c.yield(c.b.cast(c.tensor("self"), c.resultDType()));
}

void buildClone(OpContext &c) {
  c.ignore({"memory_format"});
  c.yield(c.tensor(c.has("self") ? "self" : "input"));
}

/// The values of `src` in the type and shape of `self`.
void buildCopy(OpContext &c) {
  c.ignore({"non_blocking"});
  Tensor self = c.tensor("self"), source = c.tensor("src");
  c.yield(c.b.broadcast(c.b.cast(source, self.dtype), c.resultSizes()));
}

void buildNativeDropout(OpContext &c) {
  c.ignore({"p"});
  if (c.flag("train", true))
    return (void)c.fail("dropout in training draws random numbers");
  Tensor x = c.tensor("input");
  c.yield(x);
  c.yield(c.b.full(1.0, DType::Bool, x.sizes));
}
} // namespace

void kfuse::registerCasts(Registry &registry) {
  registry.add({"to", "type_as"}, buildTo);
  registry.add("_to_copy", buildCopyTo);
  registry.add({"clone", "lift_fresh_copy", "detach_copy", "alias_copy"},
               buildClone);
  registry.add("copy", buildCopy);
  registry.add("native_dropout", buildNativeDropout);
}
