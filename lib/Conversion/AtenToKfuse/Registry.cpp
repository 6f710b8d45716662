//===- Registry.cpp - which ATen operations are captured ------------------===//

#include "Registry.h"
#include "kfuse/Conversion/AtenToKfuse.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::kfuse;

Registry::Registry() {
  registerUnary(*this);
  registerActivations(*this);
  registerBinary(*this);
  registerDivisions(*this);
  registerPow(*this);
  registerLogic(*this);
  registerTernary(*this);
  registerCasts(*this);
  registerGenerators(*this);
  registerReductions(*this);
  registerNormalizations(*this);
  registerViews(*this);
  registerIndexing(*this);
  registerRearranging(*this);
  registerPooling(*this);
  registerResampling(*this);
  registerScans(*this);
  registerWindows(*this);
}

const Registry &Registry::get() {
  static const Registry registry;
  return registry;
}

void Registry::add(StringRef name, BodyFunction function) {
  bool isNew =
      functions.try_emplace(("aten::" + name).str(), std::move(function))
          .second;
  assert(isNew && "an operation is registered twice");
  (void)isNew;
}

void Registry::add(std::initializer_list<StringRef> names,
                   BodyFunction function) {
  for (StringRef name : names)
    add(name, function);
}

const BodyFunction *Registry::find(StringRef target) const {
  auto it = functions.find(target);
  if (it == functions.end())
    it = functions.find(target.split('.').first);
  return it == functions.end() ? nullptr : &it->second;
}

SmallVector<StringRef> Registry::getNames() const {
  SmallVector<StringRef> names;
  for (const auto &entry : functions)
    names.push_back(entry.getKey());
  llvm::sort(names);
  return names;
}

SmallVector<StringRef> kfuse::getCapturedOps() {
  return Registry::get().getNames();
}

bool kfuse::isLibraryOp(StringRef target) {
  StringRef name = target.split('.').first;
  name.consume_front("aten::");
  static const StringRef names[] = {"mm",
                                    "addmm",
                                    "linear",
                                    "matmul",
                                    "bmm",
                                    "baddbmm",
                                    "addbmm",
                                    "addmv",
                                    "mv",
                                    "dot",
                                    "vdot",
                                    "einsum",
                                    "bilinear",
                                    "conv1d",
                                    "conv2d",
                                    "conv3d",
                                    "convolution",
                                    "_convolution",
                                    "conv_transpose1d",
                                    "conv_transpose2d",
                                    "conv_transpose3d",
                                    "scaled_dot_product_attention",
                                    "_scaled_mm",
                                    "_grouped_mm",
                                    "multi_head_attention_forward",
                                    "lstm",
                                    "gru",
                                    "_weight_int8pack_mm",
                                    "_int_mm",
                                    "inner",
                                    "tensordot",
                                    "outer",
                                    "chain_matmul",
                                    "linalg_multi_dot"};
  bool isTransform = name.starts_with("fft_") && !name.ends_with("shift") &&
                     !name.ends_with("freq");
  return llvm::is_contained(names, name) || isTransform ||
         name.starts_with("_scaled_dot_product_") || name.starts_with("_fft_");
}

bool kfuse::isNoise(StringRef target) {
  if (target.starts_with("python::"))
    return true;
  StringRef name = target.split('.').first;
  name.consume_front("aten::");
  static const StringRef names[] = {"_assert_tensor_metadata",
                                    "_assert_scalar",
                                    "_assert_async",
                                    "sym_size",
                                    "sym_stride",
                                    "sym_numel",
                                    "sym_storage_offset",
                                    "sym_constrain_range",
                                    "sym_constrain_range_for_size"};
  return llvm::is_contained(names, name);
}

StringRef kfuse::getKnownReason(StringRef target) {
  StringRef name = target.split('.').first;
  name.consume_front("aten::");
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"cummax", "cummin", "logcumsumexp"}, "prefix sums have no kernel")
      .Cases({"sort", "argsort", "topk", "kthvalue", "median", "mode"},
             "sorting has no kernel")
      .Cases({"nonzero", "masked_select", "unique", "_unique2",
              "unique_consecutive"},
             "the size of the result depends on values")
      .Cases({"scatter", "scatter_add", "scatter_reduce", "index_put",
              "index_add", "index_copy", "index_fill", "masked_scatter"},
             "writes through an index tensor have no kernel")
      .Cases({"rand", "randn", "randint", "randperm", "bernoulli", "normal",
              "multinomial", "rand_like", "randn_like", "uniform"},
             "random numbers come from PyTorch's generator")
      .Default("");
}
