//===- PackageBuilder.cpp - packages made by hand -------------------------===//
#include "PackageBuilder.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <minizip/zip.h>
#include <sstream>
#include <unistd.h>

namespace kfuse::test {

std::string
makeZip(const std::vector<std::pair<std::string, std::string>> &members,
        bool isCompressed) {
  char path[] = "kfuse-test-XXXXXX";
  int fd = mkstemp(path);
  if (fd < 0)
    abort();
  close(fd);
  zipFile zip = zipOpen64(path, APPEND_STATUS_CREATE);
  for (auto &[name, data] : members) {
    zip_fileinfo info = {};
    zipOpenNewFileInZip64(zip, name.c_str(), &info, nullptr, 0, nullptr, 0,
                          nullptr, isCompressed ? Z_DEFLATED : 0,
                          isCompressed ? 6 : 0, 0);
    zipWriteInFileInZip(zip, data.data(), static_cast<unsigned>(data.size()));
    zipCloseFileInZip(zip);
  }
  zipClose(zip, nullptr);
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  unlink(path);
  return bytes.str();
}

Json tensor(Json sizes, Json storage, Json strides, const char *dtype) {
  Json result = {{"dtype", dtype}, {"sizes", sizes}, {"storage", storage}};
  if (!strides.is_null())
    result["strides"] = strides;
  return result;
}

Json aten(const char *target, const char *overload,
          std::vector<std::pair<const char *, Json>> args, Json results) {
  Json list = Json::array();
  for (auto &[name, value] : args)
    list.push_back({{"name", name}, {"value", value}});
  return {{"op", "aten"},
          {"target", target},
          {"overload", overload},
          {"args", list},
          {"results", results}};
}

/// y = (x + b) * 2, in a launch with the generic form, and as a generic
/// program.
PackageBuilder::PackageBuilder() {
  manifest = Json::parse(R"({
    "format": "kfuse-package", "version": 1, "model": "test",
    "targets": ["sm_90a"],
    "symbols": [{"name": "s0", "min": 0, "max": 64,
                 "bind": {"input": 0, "dim": 0}}],
    "inputs": [{"name": "x", "kind": "tensor", "dtype": "f32",
                "sizes": ["s0", 4], "strides": [4, 1]}],
    "outputs": [{"name": "y", "kind": "tensor", "dtype": "f32",
                 "sizes": ["s0", 4], "strides": [4, 1]}],
    "weights": [{"name": "b", "kind": "parameter", "dtype": "f32",
                 "sizes": [4], "strides": [1],
                 "source": {"member": "weights/0"}}]})");
  Json sizes = Json::array({"s0", 4});
  Json add =
      aten("aten::add", "Tensor", {{"self", {{"t", 0}}}, {"other", {{"t", 1}}}},
           Json::array({{{"t", 2}}}));
  Json mul = aten("aten::mul", "Scalar",
                  {{"self", {{"t", 2}}}, {"other", {{"float", 2.0}}}},
                  Json::array({{{"t", 3}}}));
  Json x = tensor(sizes, {{"input", 0}}), b = {{"storage", {{"weight", 0}}}};
  generic = {
      {"version", 1},
      {"kind", "generic"},
      {"tensors", {x, b, tensor(sizes, "provider"), tensor(sizes, "provider")}},
      {"steps", {add, mul}},
      {"outputs", Json::array({{{"t", 3}}})}};
  plan = generic;
  plan["kind"] = "plan";
  plan["tensors"][3]["storage"] = {{"output", 0}};
  plan["kernels"] = Json::array(
      {{{"id", "k_add_mul"},
        {"binaries",
         {{"sm_90a",
           {{"member", "kernels/sm_90a/all.cubin"}, {"entry", "add_mul"}}}}},
        {"params", {{"pointers", 3}, {"scalars", 1}}}}});
  Json variant = {
      {"kernel", 0},
      {"tensors", {0, 1, 2}},
      {"scalars", {"s0"}},
      {"grid",
       {Json::array({"ceildiv", Json::array({"mul", "s0", 4}), 8}), 1, 1}},
      {"block", 8},
      {"shared_bytes", 0}};
  Json launch = {{"op", "launch"},
                 {"id", "l_add_mul"},
                 {"inputs", {0, 1}},
                 {"outputs", Json::array({3})},
                 {"variants", Json::array({variant})},
                 {"generic", {add, mul}}};
  plan["steps"] = Json::array({launch});
  float weights[4] = {1, 2, 3, 4};
  members = {{"weights/0", std::string(reinterpret_cast<char *>(weights), 16)},
             {"kernels/sm_90a/all.cubin", "fake code"}};
}

std::string PackageBuilder::build() const {
  std::vector<std::pair<std::string, std::string>> all = {
      {"manifest.json", manifest.dump()}, {"plan.json", plan.dump()}};
  if (hasGeneric)
    all.emplace_back("generic.json", generic.dump());
  all.insert(all.end(), members.begin(), members.end());
  return makeZip(all);
}

} // namespace kfuse::test
