//===- Result.h - a value or a message -------------------------*- C++ -*-===//
/// \file
/// The return type of everything in the `.pt2` reader that can fail because of
/// its input. No exceptions, no LLVM types: the reader is usable on its own.

#ifndef KFUSE_IMPORT_RESULT_H
#define KFUSE_IMPORT_RESULT_H

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace mlir::kfuse::pt2 {

/// Says what is wrong with the input and what its owner can do about it.
/// Lower case, no final period.
struct Error {
  std::string message;
};

/// Either a `T` or an `Error`. Test it before taking the value.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }

  T &operator*() {
    assert(*this && "result holds an error");
    return *std::get_if<0>(&state);
  }
  const T &operator*() const {
    assert(*this && "result holds an error");
    return *std::get_if<0>(&state);
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

  /// The message. Only valid when the result is false.
  const std::string &message() const {
    assert(!*this && "result holds a value");
    return std::get_if<1>(&state)->message;
  }
  Error takeError() { return Error{message()}; }

private:
  std::variant<T, Error> state;
};

} // namespace mlir::kfuse::pt2

#endif // KFUSE_IMPORT_RESULT_H
