//===- Clock.h - vector clocks ---------------------------------*- C++ -*-===//
///
/// \file
/// Vector clocks (Fidge 1988, Mattern 1989) of the threads of a cluster and of
/// its asynchronous agents, and what is known of other clusters. Vectors are
/// shared until they change, since a barrier leaves all threads with the same.
///
#ifndef KFUSE_LIB_SIMULATOR_MACHINE_CLOCK_H
#define KFUSE_LIB_SIMULATOR_MACHINE_CLOCK_H

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace kfuse::sim {

using Time = uint32_t;
using Times = std::vector<Time>;

/// Number of a thread or agent: its cluster above, its place in it below.
class Agent {
public:
  Agent() = default;
  Agent(uint32_t cluster, uint32_t local)
      : value((cluster & 0xFFFF) << 16 | local) {}
  explicit Agent(uint32_t value) : value(value) {}
  uint32_t cluster() const { return value >> 16; }
  uint32_t local() const { return value & 0xFFFF; }
  bool operator==(Agent other) const { return value == other.value; }
  uint32_t value = 0;
};

/// What has happened before a point, as far as its owner can know.
class Clock {
public:
  Clock() = default;
  Clock(uint32_t cluster, std::shared_ptr<const Times> times)
      : cluster(cluster), times(std::move(times)) {}

  /// Whether the event of `agent` at `time` happened before.
  bool covers(Agent agent, Time time) const;
  /// Takes in what `other` knows.
  void join(const Clock &other);
  /// Notes an event of an agent of the own cluster.
  void set(uint32_t local, Time time);

  /// Lets the async proxy see what happened before, and the owner's own past.
  void fence(uint32_t local, Time time);
  /// Whether the async proxy sees the event. Of other clusters' events it does:
  /// their fences are not followed.
  bool isFenced(Agent agent, Time time) const;

  /// What all of several know.
  static Clock common(const std::vector<const Clock *> &clocks);
  /// Only what is known of the agents from number `first` on.
  Clock from(uint32_t first) const;

  bool isEmpty() const { return !times; }

  /// The clock after a meeting of several: what any of them knows, and the time
  /// of each. Members are (clock, local number, time).
  struct Member {
    const Clock *clock;
    uint32_t local;
    Time time;
  };
  static Clock meet(const std::vector<Member> &members);

private:
  uint32_t cluster = 0;
  std::shared_ptr<const Times> times;
  /// The part of it that the async proxy sees as well; null: nothing.
  std::shared_ptr<const Times> fenced;
  /// Of other clusters, seldom any.
  std::map<uint32_t, std::shared_ptr<const Times>> others;
};

} // namespace kfuse::sim

#endif // KFUSE_LIB_SIMULATOR_MACHINE_CLOCK_H
