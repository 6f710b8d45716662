//===- CorpusTest.cpp - inputs that the fuzzer found, and damaged files ---===//
/// \file
/// Runs the fuzz target on its corpus and on the fixtures, whole and damaged.
/// There is nothing to expect but that it returns.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(const std::string &text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(text.data()),
                         text.size());
}

static std::vector<std::string> readFolder(const std::string &path) {
  std::vector<std::string> contents;
  for (const auto &entry : std::filesystem::directory_iterator(path)) {
    std::ifstream file(entry.path(), std::ios::binary);
    contents.emplace_back(std::istreambuf_iterator<char>(file),
                          std::istreambuf_iterator<char>());
  }
  return contents;
}

TEST(CorpusTest, Corpus) {
  for (const std::string &text : readFolder(KFUSE_FUZZ_CORPUS))
    run(text);
}

TEST(CorpusTest, CutOffAndFlippedFixtures) {
  for (const std::string &text : readFolder(KFUSE_FIXTURES "/2.11.0")) {
    run(text);
    for (size_t size = 0; size < text.size(); size += 211)
      run(text.substr(0, size));
    for (size_t at = 0; at < text.size(); at += 97) {
      std::string flipped = text;
      flipped[at] = static_cast<char>(flipped[at] ^ 0x41);
      run(flipped);
    }
  }
}
