//===- ToolFixture.h - tools as a user calls them --------------*- C++ -*-===//
#ifndef KFUSE_RUNTIME_TESTS_TOOLFIXTURE_H
#define KFUSE_RUNTIME_TESTS_TOOLFIXTURE_H

#include "PackageBuilder.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

namespace kfuse::test {

/// Runs a tool with the fake provider on a package in a fresh folder.
class Tool : public ::testing::Test {
protected:
  Tool() {
    if (!mkdtemp(folder))
      abort();
    writePackage(PackageBuilder());
  }
  ~Tool() override {
    std::string command = std::string("rm -r ") + folder;
    (void)!system(command.c_str());
  }
  std::string path(const std::string &name) const {
    return std::string(folder) + "/" + name;
  }
  void writePackage(const PackageBuilder &builder) const {
    std::ofstream(path("model.kfuse"), std::ios::binary) << builder.build();
  }
  /// Exit status; what it printed is in `output`.
  int run(const std::string &arguments, const char *tool = KFUSE_RUN_PATH) {
    std::string command = std::string(tool) + " " + path("model.kfuse") +
                          " --provider=" KFUSE_FAKE_PROVIDER_PATH " " +
                          arguments + " >" + path("out.txt") + " 2>&1";
    int status = system(command.c_str());
    std::ifstream file(path("out.txt"));
    std::stringstream text;
    text << file.rdbuf();
    output = text.str();
    return WEXITSTATUS(status);
  }
  bool printed(const char *part) const {
    return output.find(part) != std::string::npos;
  }

  char folder[32] = "kfuse-tool-test-XXXXXX";
  std::string output;
};

} // namespace kfuse::test

#endif // KFUSE_RUNTIME_TESTS_TOOLFIXTURE_H
