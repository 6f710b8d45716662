//===- Progress.cpp - signs of life on long work --------------------------===//
#include "Progress.h"

#include <cstdio>
#include <cstdlib>

namespace kfuse {

using Clock = std::chrono::steady_clock;

static const Clock::time_point started = Clock::now();
static Clock::time_point lastReport = started;

std::chrono::milliseconds progressInterval() {
  static const std::chrono::milliseconds interval = [] {
    const char *text = getenv("KFUSE_RUN_PROGRESS_MS");
    return std::chrono::milliseconds(text ? strtol(text, nullptr, 10) : 2000);
  }();
  return interval;
}

static const char *program = "kfuse-run";
void setProgramName(const char *name) { program = name; }
const char *programName() { return program; }

Progress::Progress(std::string what, int total)
    : what(std::move(what)), total(total) {
  Clock::time_point now = Clock::now();
  if (now - lastReport >= progressInterval())
    report(now);
}

void Progress::step() {
  ++done;
  Clock::time_point now = Clock::now();
  if (now - lastReport >= progressInterval())
    report(now);
}

void Progress::begin(const std::string &name) {
  current = name;
  Clock::time_point now = Clock::now();
  if (now - lastReport >= progressInterval())
    report(now);
}

void Progress::report(Clock::time_point now) const {
  lastReport = now;
  double seconds = std::chrono::duration<double>(now - started).count();
  std::string suffix = current.empty() ? "" : " (" + current + ")";
  if (total)
    fprintf(stderr, "%s: %.1f s: %s, %d of %d%s\n", program, seconds,
            what.c_str(), done, total, suffix.c_str());
  else
    fprintf(stderr, "%s: %.1f s: %s%s\n", program, seconds, what.c_str(),
            suffix.c_str());
}

} // namespace kfuse
