//===- ClockTest.cpp - vector clocks --------------------------------------===//
#include "Machine/Clock.h"

#include <gtest/gtest.h>

using namespace kfuse::sim;

static Clock make(uint32_t cluster, Times times) {
  return Clock(cluster, std::make_shared<const Times>(std::move(times)));
}

TEST(Clock, CoversWhatHappenedBefore) {
  Clock clock = make(2, {5, 3});
  EXPECT_TRUE(clock.covers(Agent(2, 0), 5));
  EXPECT_FALSE(clock.covers(Agent(2, 0), 6));
  EXPECT_TRUE(clock.covers(Agent(2, 1), 3));
  EXPECT_FALSE(clock.covers(Agent(2, 1), 4));
  EXPECT_FALSE(clock.covers(Agent(2, 2), 1)) << "an agent it never heard of";
  EXPECT_FALSE(clock.covers(Agent(1, 0), 1)) << "another cluster";
  EXPECT_FALSE(Clock().covers(Agent(0, 0), 1));
}

TEST(Clock, JoinTakesTheLaterOfEach) {
  Clock clock = make(0, {5, 3});
  clock.join(make(0, {2, 7, 1}));
  EXPECT_TRUE(clock.covers(Agent(0, 0), 5));
  EXPECT_TRUE(clock.covers(Agent(0, 1), 7));
  EXPECT_TRUE(clock.covers(Agent(0, 2), 1));
  EXPECT_FALSE(clock.covers(Agent(0, 2), 2));
}

TEST(Clock, JoinKeepsOtherClustersApart) {
  Clock clock = make(0, {5});
  clock.join(make(1, {9}));
  EXPECT_TRUE(clock.covers(Agent(1, 0), 9));
  EXPECT_FALSE(clock.covers(Agent(0, 0), 6));
  // What a third one learned of both.
  Clock third = make(2, {1});
  third.join(clock);
  EXPECT_TRUE(third.covers(Agent(0, 0), 5));
  EXPECT_TRUE(third.covers(Agent(1, 0), 9));
}

TEST(Clock, JoinOfNothingChangesNothing) {
  Clock clock = make(0, {5}), empty;
  clock.join(empty);
  EXPECT_TRUE(clock.covers(Agent(0, 0), 5));
  empty.join(clock);
  EXPECT_TRUE(empty.covers(Agent(0, 0), 5));
}

TEST(Clock, CopiesDoNotSeeLaterEvents) {
  Clock clock = make(0, {5});
  Clock before = clock;
  clock.set(0, 8);
  clock.set(3, 2);
  EXPECT_TRUE(clock.covers(Agent(0, 0), 8));
  EXPECT_TRUE(clock.covers(Agent(0, 3), 2));
  EXPECT_FALSE(before.covers(Agent(0, 0), 6));
}

TEST(Clock, MeetingTakesMembersTimesAndWhatTheyKnow) {
  Clock a = make(0, {5, 1}), b = make(0, {1, 4});
  b.join(make(7, {3}));
  Clock met = Clock::meet({{&a, 0, 6}, {&b, 1, 9}});
  EXPECT_TRUE(met.covers(Agent(0, 0), 6));
  EXPECT_TRUE(met.covers(Agent(0, 1), 9));
  EXPECT_TRUE(met.covers(Agent(7, 0), 3));
  EXPECT_FALSE(met.covers(Agent(0, 0), 7));
}

TEST(Agent, KeepsClusterAndPlace) {
  Agent agent(0x1234, 0xABCD);
  EXPECT_EQ(agent.cluster(), 0x1234u);
  EXPECT_EQ(agent.local(), 0xABCDu);
  EXPECT_TRUE(agent == Agent(agent.value));
}
