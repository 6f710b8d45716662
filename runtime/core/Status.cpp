//===- Status.cpp - error values of the runtime ---------------------------===//
#include "Status.h"

#include <cstdarg>
#include <cstdio>

namespace kfuse {

static std::string formatArgs(const char *fmt, va_list args) {
  va_list copy;
  va_copy(copy, args);
  int length = vsnprintf(nullptr, 0, fmt, copy);
  va_end(copy);
  std::string text(length > 0 ? length : 0, '\0');
  if (length > 0)
    vsnprintf(text.data(), text.size() + 1, fmt, args);
  return text;
}

const std::string &Status::message() const {
  static const std::string none;
  return info ? info->message : none;
}

Status Status::within(const std::string &context) && {
  if (info)
    info->message = context + ": " + info->message;
  return std::move(*this);
}

std::string format(const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  std::string text = formatArgs(fmt, args);
  va_end(args);
  return text;
}

Status makeError(KfuseStatus code, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  std::string text = formatArgs(fmt, args);
  va_end(args);
  return Status(code, std::move(text));
}

std::string formatList(const int64_t *values, size_t count) {
  std::string text = "[";
  for (size_t i = 0; i < count; ++i) {
    if (i)
      text += ", ";
    text += std::to_string(values[i]);
  }
  return text + "]";
}

} // namespace kfuse
