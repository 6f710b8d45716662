//===- ShadowTest.cpp - who wrote and read each byte ----------------------===//
#include "Machine/Shadow.h"

#include <gtest/gtest.h>

using namespace kfuse::sim;

namespace {
/// Two threads of a cluster that know nothing of each other, and one that knows
/// all.
struct Shadows : ::testing::Test {
  Shadows() { shadow.reset(16, false); }

  Access by(uint32_t local, SiteId site, bool isAtomic = false) {
    return {Agent(0, local), 5, local == 9 ? &knowing : &ignorant, site,
            isAtomic};
  }

  Shadow shadow;
  Clock ignorant{0, std::make_shared<const Times>(Times(3, 0))};
  Clock knowing{0, std::make_shared<const Times>(Times(3, 5))};
};
} // namespace

TEST_F(Shadows, BytesOfOneWordAreApart) {
  EXPECT_FALSE(shadow.write(0, 2, by(0, 1)).exists);
  EXPECT_FALSE(shadow.write(2, 2, by(1, 2)).exists);
  Conflict conflict = shadow.write(1, 1, by(1, 3));
  EXPECT_TRUE(conflict.exists);
  EXPECT_TRUE(conflict.isWrite);
  EXPECT_EQ(conflict.offset, 1u);
  EXPECT_EQ(conflict.site, 1u);
  EXPECT_TRUE(conflict.agent == Agent(0, 0));
}

TEST_F(Shadows, ReadAfterWrite) {
  shadow.write(4, 4, by(0, 1));
  EXPECT_FALSE(shadow.read(4, 4, by(0, 2)).exists) << "its own";
  EXPECT_FALSE(shadow.read(4, 4, by(9, 3)).exists) << "ordered";
  EXPECT_TRUE(shadow.read(7, 4, by(1, 4)).exists);
}

TEST_F(Shadows, WriteAfterEachOfManyReads) {
  shadow.write(0, 1, by(0, 1));
  shadow.read(0, 1, by(9, 2)); // by the one that knows thread 0
  Access other = by(2, 3);
  other.clock = &knowing;
  EXPECT_FALSE(shadow.read(0, 1, other).exists);
  // Ordered after the write and one of the readers, not after the other.
  Clock half(
      0, std::make_shared<const Times>(Times{5, 0, 0, 0, 0, 0, 0, 0, 0, 5}));
  Access writer = {Agent(0, 1), 7, &half, 4, false};
  Conflict conflict = shadow.write(0, 1, writer);
  EXPECT_TRUE(conflict.exists);
  EXPECT_FALSE(conflict.isWrite);
  EXPECT_EQ(conflict.site, 3u);
}

TEST_F(Shadows, ReadersThatCameBeforeTheLastReaderAreForgotten) {
  shadow.reset(1, true);
  shadow.read(0, 1, by(0, 1));
  shadow.read(0, 1, by(9, 2)); // after thread 0
  Clock after(
      0, std::make_shared<const Times>(Times{5, 0, 0, 0, 0, 0, 0, 0, 0, 5}));
  EXPECT_FALSE(shadow.write(0, 1, {Agent(0, 1), 7, &after, 3, false}).exists);
}

TEST_F(Shadows, AtomicsRaceWithOthersOnly) {
  EXPECT_FALSE(shadow.write(0, 4, by(0, 1, true)).exists);
  EXPECT_FALSE(shadow.write(0, 4, by(1, 2, true)).exists);
  EXPECT_FALSE(shadow.read(0, 4, by(2, 3, true)).exists);
  EXPECT_TRUE(shadow.read(0, 4, by(2, 4, false)).exists);
  EXPECT_TRUE(shadow.write(0, 4, by(0, 5, false)).exists);
}

TEST_F(Shadows, AtomicsHideNoPlainAccessOfTheirThread) {
  shadow.write(0, 4, by(0, 1));
  shadow.write(0, 4, by(0, 2, true));
  Conflict conflict = shadow.write(0, 4, by(1, 3, true));
  EXPECT_TRUE(conflict.exists);
  EXPECT_EQ(conflict.site, 1u);
  shadow.reset(16, true);
  shadow.read(8, 4, by(0, 1));
  shadow.write(8, 4, by(0, 2, true));
  conflict = shadow.write(8, 4, by(1, 3, true));
  EXPECT_TRUE(conflict.exists);
  EXPECT_EQ(conflict.site, 1u);
}

TEST_F(Shadows, AtomicsOfABlockRaceWithOtherBlocks) {
  Access narrow = by(0, 1, true);
  narrow.isNarrow = true;
  shadow.write(0, 4, narrow);
  EXPECT_FALSE(shadow.write(0, 4, by(1, 2, true)).exists) << "of its cluster";
  shadow.write(4, 4, narrow);
  Access far = by(1, 3, true);
  far.agent = Agent(7, 1);
  EXPECT_TRUE(shadow.write(4, 4, far).exists);
}

TEST_F(Shadows, KnowsWhatNobodyWrote) {
  shadow.write(2, 3, by(0, 1));
  EXPECT_EQ(shadow.findUnwritten(2, 3), -1);
  EXPECT_EQ(shadow.findUnwritten(1, 3), 1);
  EXPECT_EQ(shadow.findUnwritten(4, 2), 5);
  EXPECT_TRUE(shadow.isUnwritten(5));
  shadow.reset(16, true);
  EXPECT_EQ(shadow.findUnwritten(0, 16), -1);
}

TEST_F(Shadows, ForgetsAnEarlierBlock) {
  shadow.write(0, 4, by(0, 1));
  shadow.read(0, 4, by(0, 2));
  shadow.forgetBefore(6);
  EXPECT_EQ(shadow.findUnwritten(0, 4), 0);
  Access next = by(1, 3);
  next.time = 6;
  EXPECT_FALSE(shadow.write(0, 4, next).exists);
  EXPECT_EQ(shadow.findUnwritten(0, 4), -1);
}
