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
  /// A step with a name of its own begins.
  void begin(const std::string &name);

private:
  void report(std::chrono::steady_clock::time_point now) const;

  std::string what, current;
  int total, done = 0;
};

/// What messages of this program begin with, "kfuse-run" by default.
void setProgramName(const char *name);
const char *programName();

/// Two seconds; tests make it shorter through KFUSE_RUN_PROGRESS_MS.
std::chrono::milliseconds progressInterval();

} // namespace kfuse

#endif // KFUSE_TOOLS_SESSION_PROGRESS_H
