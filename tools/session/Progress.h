//===- Progress.h - signs of life on long work -----------------*- C++ -*-===//
#ifndef KFUSE_TOOLS_SESSION_PROGRESS_H
#define KFUSE_TOOLS_SESSION_PROGRESS_H

#include <chrono>
#include <string>

namespace kfuse {

/// Says on stderr what goes on: nothing in the first two seconds of the
/// program, then at most a line every two seconds.
class Progress {
public:
  /// Work that starts now and has `total` steps, 0 for unknown.
  explicit Progress(std::string what, int total = 0);
  /// One more step is done.
  void step();

private:
  void report(std::chrono::steady_clock::time_point now) const;

  std::string what;
  int total, done = 0;
};

/// Two seconds; tests make it shorter through KFUSE_RUN_PROGRESS_MS.
std::chrono::milliseconds progressInterval();

} // namespace kfuse

#endif // KFUSE_TOOLS_SESSION_PROGRESS_H
