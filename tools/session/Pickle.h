//===- Pickle.h - the plain part of Python's pickles -----------*- C++ -*-===//
///
/// \file
/// Reads a pickle of protocol 2, as torch.save writes it, into values without
/// running anything: numbers, text, tuples, lists and dicts, and calls and
/// storages for the caller to understand. Everything else is refused.
///
#ifndef KFUSE_TOOLS_SESSION_PICKLE_H
#define KFUSE_TOOLS_SESSION_PICKLE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kfuse {

struct PickleValue {
  enum class Kind {
    None,
    Bool,   ///< `integer` is 0 or 1
    Int,    ///< `integer`
    Float,  ///< `real`
    Text,   ///< `text`
    Tuple,  ///< `items`
    List,   ///< `items`
    Dict,   ///< `items`: keys and values by turns
    Global, ///< `text` is "module name"
    Call,   ///< of the global named by `text` with `items`
    Stored  ///< an object outside of the pickle, named by `items`
  };
  Kind kind = Kind::None;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<int32_t> items; ///< positions in the pickle's list of values
};

class Pickle {
public:
  /// Throws kfuse::Error; `what` names the pickle in messages.
  Pickle(std::string_view bytes, const std::string &what);

  const PickleValue &root() const { return values[rootIndex]; }
  /// Lists may contain themselves: users bound the depth to which they look.
  const PickleValue &operator[](int32_t index) const { return values[index]; }

private:
  friend class PickleReader;
  std::vector<PickleValue> values;
  int32_t rootIndex = 0;
};

} // namespace kfuse

#endif // KFUSE_TOOLS_SESSION_PICKLE_H
