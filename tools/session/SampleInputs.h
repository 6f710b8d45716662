//===- SampleInputs.h - sample inputs in a .pt2 file -----------*- C++ -*-===//
///
/// \file
/// torch.export.save keeps the example inputs of the export in the archive, as
/// torch.save writes them. Read without torch and without running anything.
///
#ifndef KFUSE_TOOLS_SESSION_SAMPLEINPUTS_H
#define KFUSE_TOOLS_SESSION_SAMPLEINPUTS_H

#include "Tensor.h"

namespace kfuse {

/// A leaf of the arguments.
struct SampleInput {
  enum class Kind { Tensor, Int, Float, Bool, Other };
  Kind kind = Kind::Other;
  HostTensor tensor;
  int64_t integer = 0; ///< also of a bool
  double real = 0;
};

/// The leaves of positional, then keyword arguments in the order of
/// torch.utils._pytree, which is that of the program's inputs. Throws
/// kfuse::Error.
std::vector<SampleInput> readSampleInputs(const std::string &path);
/// The same from an archive in memory; `path` is for messages.
std::vector<SampleInput> readSampleInputs(const void *data, uint64_t bytes,
                                          const std::string &path);

} // namespace kfuse

#endif // KFUSE_TOOLS_SESSION_SAMPLEINPUTS_H
