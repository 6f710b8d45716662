//===- Status.h - error values of the runtime ------------------*- C++ -*-===//
///
/// \file
/// A status code with a message. Success costs no allocation.
///
#ifndef KFUSE_RUNTIME_CORE_STATUS_H
#define KFUSE_RUNTIME_CORE_STATUS_H

#include "kfuse/Runtime/kfuse.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kfuse {

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(KfuseStatus code, std::string message)
      : info(std::make_unique<Info>(Info{code, std::move(message)})) {}

  bool ok() const { return !info; }
  KfuseStatus code() const { return info ? info->code : KFUSE_OK; }
  const std::string &message() const;
  /// Puts `context` and a colon before the message.
  Status within(const std::string &context) &&;

private:
  struct Info {
    KfuseStatus code;
    std::string message;
  };
  std::unique_ptr<Info> info;
};

/// A value or the reason why there is none.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : value(std::move(value)) {}
  Result(Status status) : status(std::move(status)) {}

  bool ok() const { return value.has_value(); }
  T &operator*() { return *value; }
  T *operator->() { return &*value; }
  Status takeStatus() { return std::move(status); }

private:
  std::optional<T> value;
  Status status;
};

/// printf-style string.
std::string format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/// Status with a printf-style message.
Status makeError(KfuseStatus code, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/// "[2, 3]"
std::string formatList(const int64_t *values, size_t count);

#define KFUSE_CONCAT_(a, b) a##b
#define KFUSE_CONCAT(a, b) KFUSE_CONCAT_(a, b)
/// Returns from the function when the status is an error.
#define KFUSE_TRY(expr)                                                        \
  do {                                                                         \
    ::kfuse::Status kfuseTryStatus = (expr);                                   \
    if (!kfuseTryStatus.ok())                                                  \
      return kfuseTryStatus;                                                   \
  } while (0)
/// Declares or assigns `lhs` from a Result, or returns its error.
#define KFUSE_ASSIGN(lhs, expr)                                                \
  KFUSE_ASSIGN_(KFUSE_CONCAT(kfuseResult, __LINE__), lhs, expr)
#define KFUSE_ASSIGN_(tmp, lhs, expr)                                          \
  auto tmp = (expr);                                                           \
  if (!tmp.ok())                                                               \
    return tmp.takeStatus();                                                   \
  lhs = std::move(*tmp)

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_STATUS_H
