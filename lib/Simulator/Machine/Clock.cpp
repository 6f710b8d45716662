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
  if (other.cluster == cluster)
    fenced = maximum(fenced, other.fenced);
  for (const auto &[from, what] : other.others)
    take(from, what);
}

/// With one entry raised.
static Shared raise(const Shared &times, uint32_t local, Time time) {
  if (covers(times, local, time))
    return times;
  auto changed = std::make_shared<Times>(times ? *times : Times());
  if (local >= changed->size())
    changed->resize(local + 1, 0);
  (*changed)[local] = time;
  return changed;
}

void Clock::set(uint32_t local, Time time) {
  times = raise(times, local, time);
}

void Clock::fence(uint32_t local, Time time) {
  fenced = raise(maximum(fenced, times), local, time);
}

bool Clock::isFenced(Agent agent, Time time) const {
  return agent.cluster() != cluster || sim::covers(fenced, agent.local(), time);
}

/// Each entry the smaller of the two.
static Shared minimum(const Shared &a, const Shared &b) {
  if (a == b)
    return a;
  if (!a || !b)
    return nullptr;
  auto result = std::make_shared<Times>(std::min(a->size(), b->size()));
  for (size_t i = 0; i < result->size(); ++i)
    (*result)[i] = std::min((*a)[i], (*b)[i]);
  return result;
}

Clock Clock::common(const std::vector<const Clock *> &clocks) {
  Clock result = *clocks.front();
  for (const Clock *clock : clocks) {
    result.times = minimum(result.times, clock->times);
    result.fenced = minimum(result.fenced, clock->fenced);
    for (auto &[from, what] : result.others) {
      auto it = clock->others.find(from);
      what = it == clock->others.end() ? nullptr : minimum(what, it->second);
    }
  }
  return result;
}

Clock Clock::from(uint32_t first) const {
  if (!times || times->size() <= first)
    return Clock();
  auto part = std::make_shared<Times>(*times);
  std::fill_n(part->begin(), first, 0);
  return Clock(cluster, std::move(part));
}

Clock Clock::meet(const std::vector<Member> &members) {
  if (members.empty())
    return Clock();
  // Most members share their vectors.
  Clock result = *members.front().clock;
  const Clock *last = members.front().clock;
  for (const Member &member : members) {
    if (member.clock->times != last->times ||
        member.clock->fenced != last->fenced || !member.clock->others.empty())
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
