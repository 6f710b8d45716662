//===- PackageBuilder.h - packages made by hand ----------------*- C++ -*-===//
///
/// \file
/// Builds small packages in memory for tests, from JSON text.
///
#ifndef KFUSE_RUNTIME_TESTS_PACKAGEBUILDER_H
#define KFUSE_RUNTIME_TESTS_PACKAGEBUILDER_H

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace kfuse::test {

using Json = nlohmann::json;

/// Bytes of a zip file with these members, stored (or compressed, which the
/// runtime must refuse).
std::string
makeZip(const std::vector<std::pair<std::string, std::string>> &members,
        bool isCompressed = false);

/// A package with one f32 input x [s0, 4] (s0 from 0 to 64), one f32 output,
/// one weight b [4] = {1, 2, 3, 4}; tests change what they need.
struct PackageBuilder {
  PackageBuilder();
  std::string build() const;

  Json manifest, plan, generic;
  bool hasGeneric = true;
  std::vector<std::pair<std::string, std::string>> members;
};

/// {"name", "f32", sizes, row-major, storage}
Json tensor(Json sizes, Json storage, Json strides = nullptr,
            const char *dtype = "f32");
/// An aten step; `args` are values, positional names are taken from `names`.
Json aten(const char *target, const char *overload,
          std::vector<std::pair<const char *, Json>> args, Json results);

} // namespace kfuse::test

#endif // KFUSE_RUNTIME_TESTS_PACKAGEBUILDER_H
