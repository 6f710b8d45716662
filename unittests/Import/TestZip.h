//===- TestZip.h - zip files made by tests ----------------------*- C++ -*-===//
/// \file
/// Writes small zip files, also wrong ones, and a minimal exported program.

#ifndef KFUSE_UNITTESTS_IMPORT_TESTZIP_H
#define KFUSE_UNITTESTS_IMPORT_TESTZIP_H

#include "kfuse/Import/Archive.h"

#include <string>
#include <vector>

namespace mlir::kfuse::pt2 {

struct TestMember {
  std::string name;
  std::string content;
  uint16_t method = 0;
  uint16_t flags = 0;
  /// The directory has the numbers in a ZIP64 field, as beyond 4 GiB.
  bool isZip64 = false;
};

/// Appends `value` as `bytes` little-endian bytes.
inline void put(std::string &out, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    out += static_cast<char>(value >> (8 * i));
}

/// Appends the directory record of a member whose local header is at `offset`.
inline void putRecord(std::string &directory, std::string common,
                      const TestMember &member, size_t offset) {
  std::string extra;
  if (member.isZip64) {
    put(extra, 1, 2);
    put(extra, 24, 2);
    put(extra, member.content.size(), 8);
    put(extra, member.content.size(), 8);
    put(extra, offset, 8);
    common.replace(14, 8, 8, '\xff'); // both sizes
    common[24] = static_cast<char>(extra.size());
  }
  put(directory, 0x02014b50, 4);
  put(directory, 20, 2);
  directory += common;
  put(directory, 0, 2 + 2 + 2); // comment, disk, internal attributes
  put(directory, 0, 4);         // external attributes
  put(directory, member.isZip64 ? 0xffffffff : offset, 4);
  directory += member.name + extra;
}

inline std::string makeZip(const std::vector<TestMember> &members) {
  std::string zip, directory;
  for (const TestMember &member : members) {
    std::string common;
    put(common, 20, 2);
    put(common, member.flags, 2);
    put(common, member.method, 2);
    put(common, 0, 4); // time and date
    put(common, 0, 4); // checksum, not looked at for stored members
    put(common, member.content.size(), 4);
    put(common, member.content.size(), 4);
    put(common, member.name.size(), 2);
    put(common, 0, 2); // extra field
    putRecord(directory, common, member, zip.size());
    put(zip, 0x04034b50, 4);
    zip += common + member.name + member.content;
  }
  size_t start = zip.size();
  zip += directory;
  put(zip, 0x06054b50, 4);
  put(zip, 0, 4);
  put(zip, members.size(), 2);
  put(zip, members.size(), 2);
  put(zip, directory.size(), 4);
  put(zip, start, 4);
  put(zip, 0, 2);
  return zip;
}

inline Bytes getBytes(const std::string &text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

/// `relu(x + w)` with a weight `w` of four floats, as JSON parts that a test
/// can replace.
struct TestProgram {
  std::string version = R"({"major": 8, "minor": 17})";
  std::string node = R"({"target": "torch.ops.aten.add.Tensor", "inputs": [
    {"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1},
    {"name": "other", "arg": {"as_tensor": {"name": "w"}}, "kind": 1}],
    "outputs": [{"as_tensor": {"name": "add"}}], "metadata": {}, "new_field": 1})";
  std::string meta = getMeta("7", R"([{"as_int": 4}])", R"([{"as_int": 1}])");
  std::string config = R"({"config": {"m.w": {"path_name": "weight_0",
    "is_param": true, "use_pickle": false, "tensor_meta": )" +
                       meta + "}}}";
  std::string weight = std::string(16, '\0');
  std::string byteOrder = "little";
  std::string archiveVersion = "0";
  std::string archiveFormat = "pt2";

  static std::string getMeta(const std::string &dtype, const std::string &sizes,
                             const std::string &strides) {
    return R"({"dtype": )" + dtype + R"(, "sizes": )" + sizes +
           R"(, "requires_grad": false, "device": {"type": "cpu", "index": null},
             "strides": )" +
           strides + R"(, "storage_offset": {"as_int": 0}, "layout": 7})";
  }

  std::string getJson() const {
    return R"({"schema_version": )" + version +
           R"(, "torch_version": "2.11.0", "range_constraints": {}, "graph_module": {"graph": {
      "inputs": [{"as_tensor": {"name": "w"}}, {"as_tensor": {"name": "x"}}],
      "outputs": [{"as_tensor": {"name": "add"}}], "nodes": [)" +
           node + R"(], "tensor_values": {"w": )" + meta + R"(, "x": )" + meta +
           R"(, "add": )" + meta +
           R"(}, "sym_int_values": {}, "sym_bool_values": {}},
      "signature": {"input_specs": [
        {"parameter": {"arg": {"name": "w"}, "parameter_name": "m.w"}},
        {"user_input": {"arg": {"as_tensor": {"name": "x"}}}}],
        "output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "add"}}}}]},
      "module_call_graph": []}})";
  }

  std::vector<TestMember> getMembers() const {
    return {{"root/data/weights/weight_0", weight},
            {"root/data/weights/model_weights_config.json", config},
            {"root/data/constants/model_constants_config.json",
             R"({"config": {}})"},
            {"root/models/model.json", getJson()},
            {"root/archive_format", archiveFormat},
            {"root/archive_version", archiveVersion},
            {"root/byteorder", byteOrder}};
  }
};

} // namespace mlir::kfuse::pt2

#endif // KFUSE_UNITTESTS_IMPORT_TESTZIP_H
