//===- Clock.cpp - vector clocks ------------------------------------------===//
#include "Clock.h"

#include <algorithm>

namespace kfuse::sim {

using Shared = std::shared_ptr<const Times>;

/// Each entry the larger of the two.
static Shared maximum(const Shared &a, const Shared &b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  const Times &longer = a->size() >= b->size() ? *a : *b;
  const Times &shorter = a->size() >= b->size() ? *b : *a;
  auto result = std::make_shared<Times>(longer);
  for (size_t i = 0; i < shorter.size(); ++i)
    (*result)[i] = std::max((*result)[i], shorter[i]);
  return result;
}

static bool covers(const Shared &times, uint32_t local, Time time) {
  return times && local < times->size() && (*times)[local] >= time;
}

bool Clock::covers(Agent agent, Time time) const {
  if (agent.cluster() == cluster)
    return sim::covers(times, agent.local(), time);
  auto it = others.find(agent.cluster());
  return it != others.end() && sim::covers(it->second, agent.local(), time);
}

void Clock::join(const Clock &other) {
  auto take = [&](uint32_t from, const Shared &what) {
    Shared &mine = from == cluster ? times : others[from];
    mine = maximum(mine, what);
  };
  if (!other.times)
    return;
  if (!times) {
    *this = other;
    return;
  }
  take(other.cluster, other.times);
  for (const auto &[from, what] : other.others)
    take(from, what);
}

void Clock::set(uint32_t local, Time time) {
  if (sim::covers(times, local, time))
    return;
  auto changed = std::make_shared<Times>(times ? *times : Times());
  if (local >= changed->size())
    changed->resize(local + 1, 0);
  (*changed)[local] = time;
  times = std::move(changed);
}

Clock Clock::meet(const std::vector<Member> &members) {
  if (members.empty())
    return Clock();
  // Most members share their vectors.
  Clock result = *members.front().clock;
  const Clock *last = members.front().clock;
  for (const Member &member : members) {
    if (member.clock->times != last->times || !member.clock->others.empty())
      result.join(*member.clock);
    last = member.clock;
  }
  auto times = std::make_shared<Times>(*result.times);
  for (const Member &member : members)
    (*times)[member.local] = std::max((*times)[member.local], member.time);
  result.times = std::move(times);
  return result;
}

} // namespace kfuse::sim
