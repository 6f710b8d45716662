//===- ArchiveTest.cpp - zip files, good and bad --------------------------===//
/// \file
/// What the archive accepts, where it finds the bytes, what it refuses.

#include "TestZip.h"

#include <gtest/gtest.h>

using namespace mlir::kfuse::pt2;

static std::string getMessage(const std::string &zip) {
  auto archive = Archive::fromMemory(getBytes(zip));
  return archive ? "" : archive.message();
}

static bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

TEST(ArchiveTest, BytesAreUsedInPlace) {
  std::string zip =
      makeZip({{"a/b", "hello"}, {"a/empty", ""}, {"a/dir/", ""}});
  auto archive = Archive::fromMemory(getBytes(zip));
  ASSERT_TRUE(archive) << archive.message();
  ASSERT_EQ((*archive)->getMembers().size(), 2u);
  const Member *member = (*archive)->find("a/b");
  ASSERT_NE(member, nullptr);
  EXPECT_EQ(member->bytes.text(), "hello");
  EXPECT_EQ(reinterpret_cast<const char *>(member->bytes.data),
            zip.data() + member->offset);
  EXPECT_EQ((*archive)->find("a"), nullptr);
  EXPECT_EQ((*archive)->find("a/empty")->bytes.size, 0u);
}

TEST(ArchiveTest, Zip64) {
  std::string zip = makeZip({{"a/first", "hello"},
                             {"a/large", "world", 0, 0, /*isZip64=*/true},
                             {"a/last", "!", 0, 0, /*isZip64=*/true}});
  auto archive = Archive::fromMemory(getBytes(zip));
  ASSERT_TRUE(archive) << archive.message();
  EXPECT_EQ((*archive)->find("a/first")->bytes.text(), "hello");
  EXPECT_EQ((*archive)->find("a/large")->bytes.text(), "world");
  EXPECT_EQ((*archive)->find("a/last")->bytes.text(), "!");
}

TEST(ArchiveTest, Truncated) {
  std::string zip = makeZip({{"a/b", std::string(1000, 'x')}, {"a/c", "y"}});
  // Whatever is cut off, there is a message and nothing is read outside.
  for (size_t size = 0; size < zip.size(); ++size) {
    std::string part = zip.substr(0, size);
    EXPECT_FALSE(getMessage(part).empty()) << size;
  }
  EXPECT_TRUE(contains(getMessage(zip.substr(0, 900)), "truncated"));
  EXPECT_TRUE(contains(getMessage("some text"), "not a zip archive"));
}

TEST(ArchiveTest, DataMissingInTheMiddle) {
  // The directory promises more bytes than lie before it.
  std::string zip = makeZip({{"a", "12345678"}});
  std::string cut = zip.substr(0, 31) + zip.substr(39);
  EXPECT_FALSE(getMessage(cut).empty());
}

TEST(ArchiveTest, Refused) {
  EXPECT_TRUE(contains(getMessage(makeZip({{"a", "x", 8}})), "zip -0"));
  EXPECT_TRUE(contains(getMessage(makeZip({{"a", "x", 0, 1}})), "encrypted"));
  EXPECT_TRUE(contains(getMessage(makeZip({{"a/../b", "x"}})), "'..'"));
  EXPECT_TRUE(contains(getMessage(makeZip({{"..", "x"}})), "'..'"));
  EXPECT_TRUE(contains(getMessage(makeZip({{"/a", "x"}})), "unsafe name"));
  EXPECT_TRUE(contains(getMessage(makeZip({{"a\\b", "x"}})), "unsafe name"));
  EXPECT_TRUE(
      contains(getMessage(makeZip({{"a", "x"}, {"a", "y"}})), "occurs twice"));
  EXPECT_TRUE(contains(getMessage(makeZip({{std::string(5000, 'a'), "x"}})),
                       "at most 4095"));
  EXPECT_EQ(getMessage(makeZip({{"a..b/..c", "x"}})), "");
}

TEST(ArchiveTest, MissingFile) {
  auto archive = Archive::open("/no/such/file.pt2");
  ASSERT_FALSE(archive);
  EXPECT_TRUE(contains(archive.message(), "cannot open '/no/such/file.pt2'"));
}
