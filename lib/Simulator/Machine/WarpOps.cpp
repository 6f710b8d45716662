//===- WarpOps.cpp - what lanes of a warp do together ---------------------===//
///
/// \file
/// shfl, vote, match, redux, elect and bar.warp.sync (PTX ISA 9.7.9 and
/// 9.7.13). All lanes of the mask that have not exited meet; only bar.warp.sync
/// orders memory.
///
#include "Machine.h"
#include "Numbers.h"
#include "Operations.h"

namespace kfuse::sim {

static constexpr uint64_t highWord = uint64_t(1) << 32;

/// Lane that `lane` reads in a shuffle, and whether it is within its segment
/// (the pseudocode of PTX ISA, shfl.sync).
static std::pair<uint32_t, bool> getSource(WarpOp op, uint32_t lane,
                                           uint32_t offset, uint32_t clamp) {
  uint32_t segment = clamp >> 8 & 31, limit = clamp & 31;
  uint32_t highest = (lane & segment) | (limit & ~segment);
  uint32_t lowest = lane & segment;
  int32_t source = 0;
  bool isIn = false;
  switch (op) {
  case WarpOp::ShuffleUp:
    source = static_cast<int32_t>(lane) - static_cast<int32_t>(offset & 31);
    isIn = source >= static_cast<int32_t>(highest);
    break;
  case WarpOp::ShuffleDown:
    source = static_cast<int32_t>(lane + (offset & 31));
    isIn = source <= static_cast<int32_t>(highest);
    break;
  case WarpOp::ShuffleBfly:
    source = static_cast<int32_t>(lane ^ (offset & 31));
    isIn = source <= static_cast<int32_t>(highest);
    break;
  default:
    source = static_cast<int32_t>(lowest | (offset & ~segment & 31));
    isIn = source <= static_cast<int32_t>(highest);
  }
  return {isIn ? static_cast<uint32_t>(source) : lane, isIn};
}

static bool isShuffle(WarpOp op) {
  return op >= WarpOp::ShuffleIdx && op <= WarpOp::ShuffleBfly;
}

static void shuffle(Machine &machine, Warp &warp, const Meeting &meeting) {
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(meeting.arrived >> lane & 1))
      continue;
    uint32_t offset = meeting.sources[lane] & 0xFFFF;
    uint32_t clamp = meeting.sources[lane] >> 16;
    auto [source, isIn] =
        getSource(static_cast<WarpOp>(meeting.kind), lane, offset, clamp);
    uint64_t value = meeting.values[source];
    if (!(meeting.arrived >> source & 1)) {
      Finding finding;
      finding.kind = KFUSE_SIM_DIVERGENCE;
      finding.site = meeting.site;
      finding.thread = machine.nameOf(*warp.lanes[lane]);
      finding.message = "lane " + std::to_string(lane) + " reads from lane " +
                        std::to_string(source) +
                        ", which takes no part in the shuffle";
      machine.report(std::move(finding));
      value = 0xFFFFFFFF;
    }
    warp.lanes[lane]->result = (value & 0xFFFFFFFF) | (isIn ? highWord : 0);
  }
}

/// The smaller of two floats that NaN does not count in; -0 is below +0.
static uint32_t takeSmaller(uint32_t a, uint32_t b) {
  float x = bitsToFloat(a), y = bitsToFloat(b);
  if (x == y)
    return a | b; // equal, or zeros of which one may be negative
  return x < y || y != y ? a : b;
}
static uint32_t takeLarger(uint32_t a, uint32_t b) {
  constexpr uint32_t sign = 1u << 31;
  return takeSmaller(a ^ sign, b ^ sign) ^ sign;
}

/// One step of redux.sync.
static uint32_t combine(WarpOp op, uint32_t a, uint32_t b) {
  auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  switch (op) {
  case WarpOp::ReduceAdd:
    return a + b;
  case WarpOp::ReduceAnd:
    return a & b;
  case WarpOp::ReduceOr:
    return a | b;
  case WarpOp::ReduceXor:
    return a ^ b;
  case WarpOp::ReduceMin:
    return x < y ? a : b;
  case WarpOp::ReduceMax:
    return x > y ? a : b;
  case WarpOp::ReduceUMin:
    return a < b ? a : b;
  case WarpOp::ReduceUMax:
    return a > b ? a : b;
  case WarpOp::ReduceFMin:
    return takeSmaller(a, b);
  default:
    return takeLarger(a, b);
  }
}

/// The value that all lanes get; votes and reductions.
static uint64_t gather(WarpOp op, const Meeting &meeting) {
  uint32_t ballot = 0, all = meeting.arrived, reduced = 0;
  bool isFirst = true, isEqual = true;
  uint32_t first =
      static_cast<uint32_t>(meeting.values[__builtin_ctz(meeting.arrived)]);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(all >> lane & 1))
      continue;
    auto value = static_cast<uint32_t>(meeting.values[lane]);
    ballot |= (value != 0) << lane;
    isEqual &= value == first;
    reduced = isFirst ? value : combine(op, reduced, value);
    isFirst = false;
  }
  switch (op) {
  case WarpOp::Sync:
    return 0;
  case WarpOp::VoteAny:
    return ballot != 0;
  case WarpOp::VoteAll:
    return ballot == all;
  case WarpOp::VoteUni:
    return ballot == all || ballot == 0;
  case WarpOp::Ballot:
    return ballot;
  case WarpOp::MatchAll:
    return isEqual ? all | highWord : 0;
  default:
    return reduced;
  }
}

static uint64_t match(const Meeting &meeting, uint32_t lane) {
  uint32_t same = 0;
  for (uint32_t other = 0; other < 32; ++other)
    if (meeting.arrived >> other & 1)
      same |= (meeting.values[other] == meeting.values[lane]) << other;
  return same;
}

static void complete(Machine &machine, Warp &warp, Meeting &meeting) {
  auto op = static_cast<WarpOp>(meeting.kind);
  auto each = [&](auto function) {
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (meeting.arrived >> lane & 1)
        function(*warp.lanes[lane], lane);
  };
  if (meeting.act) {
    meeting.act(machine, warp, meeting);
  } else if (isShuffle(op)) {
    shuffle(machine, warp, meeting);
  } else if (op == WarpOp::MatchAny) {
    each([&](Thread &thread, uint32_t lane) {
      thread.result = match(meeting, lane);
    });
  } else if (op == WarpOp::Elect) {
    uint32_t leader = __builtin_ctz(meeting.arrived);
    each([&](Thread &thread, uint32_t lane) {
      thread.result = leader | (lane == leader ? highWord : 0);
    });
  } else {
    uint64_t value = gather(op, meeting);
    each([&](Thread &thread, uint32_t) { thread.result = value; });
  }
  if (op == WarpOp::Sync) {
    std::vector<Clock::Member> members;
    each([&](Thread &thread, uint32_t) {
      members.push_back({&thread.clock, thread.local, thread.time});
    });
    Clock clock = Clock::meet(members);
    each([&](Thread &thread, uint32_t) {
      thread.clock = clock;
      machine.advance(thread);
    });
  }
  each([&](Thread &thread, uint32_t) { machine.wake(thread); });
}

/// Completes the meetings whose lanes are all there.
static void completeMeetings(Machine &machine, Warp &warp) {
  for (size_t i = 0; i < warp.meetings.size();) {
    Meeting &meeting = warp.meetings[i];
    uint32_t expected = meeting.mask & warp.present;
    if (expected & ~meeting.arrived) {
      ++i;
      continue;
    }
    Meeting done = meeting;
    warp.meetings.erase(warp.meetings.begin() + static_cast<ptrdiff_t>(i));
    complete(machine, warp, done);
  }
}

static Meeting &join(Machine &machine, WarpOp op, uint32_t mask, SiteId site) {
  Thread &thread = machine.self();
  Warp &warp = *thread.warp;
  if (!(mask >> thread.lane & 1)) {
    machine.report(KFUSE_SIM_DIVERGENCE, site,
                   "the lane is not in the mask that it gives");
    machine.stop();
  }
  for (Meeting &meeting : warp.meetings) {
    if (!(meeting.mask & mask))
      continue;
    if (meeting.mask == mask && meeting.site == site &&
        meeting.kind == static_cast<int32_t>(op))
      return meeting;
    Finding finding;
    finding.kind = KFUSE_SIM_DIVERGENCE;
    finding.site = site;
    finding.otherSite = meeting.site;
    finding.thread = machine.nameOf(thread);
    finding.otherThread =
        machine.nameOf(*warp.lanes[__builtin_ctz(meeting.arrived)]);
    finding.message = "lanes of one warp wait for each other at different "
                      "operations, or with different masks";
    machine.report(std::move(finding));
    machine.stop();
  }
  Meeting meeting = {};
  meeting.site = site;
  meeting.kind = static_cast<int32_t>(op);
  meeting.mask = mask;
  warp.meetings.push_back(meeting);
  return warp.meetings.back();
}

extern "C" uint64_t kfuse_sim_warp(uint32_t op, uint32_t mask, uint32_t value,
                                   uint32_t offset, uint32_t clamp,
                                   uint32_t site) {
  Machine &machine = Machine::get();
  Thread &thread = machine.self();
  Meeting &meeting = join(machine, static_cast<WarpOp>(op), mask, site);
  meeting.arrived |= 1u << thread.lane;
  meeting.values[thread.lane] = value;
  meeting.sources[thread.lane] = (offset & 0xFFFF) | clamp << 16;
  machine.prepareToWait("the other lanes of its warp", site);
  completeMeetings(machine, *thread.warp);
  machine.suspend();
  return thread.result;
}

void meetWarp(Machine &machine, MeetingAct act, void *own, SiteId site) {
  Thread &thread = machine.self();
  Meeting &meeting = join(machine, WarpOp::Together, 0xFFFFFFFF, site);
  meeting.act = act;
  meeting.arrived |= 1u << thread.lane;
  meeting.values[thread.lane] = reinterpret_cast<uint64_t>(own);
  machine.prepareToWait("the other lanes of its warp", site);
  completeMeetings(machine, *thread.warp);
  machine.suspend();
}

void completeMeetingsOnExit(Machine &machine, Thread &thread) {
  for (const Meeting &meeting : thread.warp->meetings)
    if (meeting.mask >> thread.lane & 1)
      machine.report(KFUSE_SIM_DIVERGENCE, meeting.site,
                     "lane " + std::to_string(thread.lane) +
                         " exits while others of its warp wait for it");
  completeMeetings(machine, *thread.warp);
}

} // namespace kfuse::sim
