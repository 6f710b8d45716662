//===- Reader.cpp - reads exported programs from .pt2 archives ------------===//
/// \file
/// Finds the parts of an archive, decodes them, and checks that each weight's
/// view lies inside its record.

#include "kfuse/Import/Reader.h"
#include "Decoder.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::kfuse;
using namespace mlir::kfuse::pt2;

namespace {

/// One read of one archive.
class Reader {
public:
  Reader(std::shared_ptr<const Archive> archive, const ReadOptions &options)
      : archive(std::move(archive)), options(options) {}

  Result<Program> read();

private:
  std::string findModel();
  std::string explainNoModel() const;
  std::string checkMarkers();
  std::string checkText(const char *member, const char *expected,
                        const char *remedy) const;
  std::string readConfig(const char *section, bool areConstants);
  std::string checkPayloads();
  std::string bindPayload(Payload &payload);
  std::string checkInput(const InputSpec &spec);

  std::shared_ptr<const Archive> archive;
  const ReadOptions &options;
  /// Root folder with its slash, or empty.
  std::string root;
  const Member *model = nullptr;
  Program program;
};

} // namespace

static bool endsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.substr(text.size() - suffix.size()) == suffix;
}

//===----------------------------------------------------------------------===//
// Parts of the archive
//===----------------------------------------------------------------------===//

/// Why there is no `models/<name>.json`.
std::string Reader::explainNoModel() const {
  for (const Member &member : archive->getMembers()) {
    std::string_view name = member.name;
    if (endsWith(name, "serialized_exported_program.json"))
      return "written by torch 2.7 or older; save the program again with "
             "torch 2.9 or newer";
    if (name.find("data/aotinductor/") != std::string_view::npos)
      return "an AOTInductor package holds compiled code, not a program; save "
             "the exported program with torch.export.save";
    if (endsWith(name, "data.pkl") || endsWith(name, "constants.pkl"))
      return "a torch.save or TorchScript archive; export the model and save "
             "it with torch.export.save";
  }
  return "no member '<root>/models/<name>.json'; kfuse reads what "
         "torch.export.save of torch 2.9 or newer writes";
}

/// Picks the program and thereby the root folder. The root's name is not that
/// of the file when the file was renamed, hence it comes from the members.
std::string Reader::findModel() {
  std::string names;
  for (const Member &member : archive->getMembers()) {
    std::string_view name = member.name;
    size_t slash = name.rfind('/');
    if (!endsWith(name, ".json") || slash == std::string_view::npos)
      continue;
    std::string_view folder = name.substr(0, slash);
    if (folder != "models" && !endsWith(folder, "/models"))
      continue;
    std::string_view prefix = folder.substr(0, folder.size() - 6);
    if (std::count(prefix.begin(), prefix.end(), '/') > 1)
      continue;
    std::string stem(name.substr(slash + 1, name.size() - slash - 6));
    names += (names.empty() ? "'" : ", '") + stem + "'";
    bool wanted = options.modelName.empty()
                      ? !model || stem == "model"
                      : stem == options.modelName && !model;
    if (!wanted)
      continue;
    model = &member;
    root = std::string(prefix);
    program.modelName = stem;
  }
  if (names.empty())
    return explainNoModel();
  if (!model)
    return "no program '" + options.modelName + "'; the archive has " + names;
  if (options.modelName.empty() && program.modelName != "model" &&
      names.find(',') != std::string::npos)
    return "several programs, say which: " + names;
  return "";
}

std::string Reader::checkText(const char *member, const char *expected,
                              const char *remedy) const {
  const Member *found = archive->find(root + member);
  if (!found)
    return "member '" + root + member +
           "' is missing; its name was changed or the file is not from "
           "torch.export.save";
  std::string_view text = found->bytes.text();
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.remove_suffix(1);
  if (text == expected)
    return "";
  return std::string(member) + " is '" + std::string(text.substr(0, 40)) +
         "', expected '" + expected + "'; " + remedy;
}

std::string Reader::checkMarkers() {
  // A folder may be an unpacked archive or hand-made; the markers are optional.
  struct Marker {
    const char *member, *expected, *remedy;
  };
  static const Marker markers[] = {
      {"archive_format", "pt2", "save the program with torch.export.save"},
      {"archive_version", "0", "update kfuse or save with torch 2.9 to 2.14"},
      {"byteorder", "little",
       "save the program on a little-endian machine, such as x86-64"},
  };
  for (const Marker &marker : markers) {
    if (archive->isFolder() && !archive->find(root + marker.member))
      continue;
    std::string message =
        checkText(marker.member, marker.expected, marker.remedy);
    if (!message.empty())
      return message;
  }
  return "";
}

std::string Reader::readConfig(const char *section, bool areConstants) {
  std::string folder = root + "data/" + section + "/";
  std::string name =
      folder + program.modelName + "_" + section + "_config.json";
  const Member *member = archive->find(name);
  if (!member) {
    if (archive->find(folder + program.modelName + ".pt"))
      return "weights are pickled, as torch 2.8 does it; save the program "
             "again with torch 2.9 or newer";
    return "";
  }
  Decoder decoder;
  if (!decoder.readPayloads(member->bytes, areConstants, program))
    return name + ": " + decoder.getMessage();
  return "";
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Bytes from the start of the storage to the end of the view. False when the
/// view is symbolic or its end is outside of 64 bits.
static bool getStorageBytes(const TensorMeta &meta, int64_t &bytes) {
  if (!meta.offset.isConstant())
    return false;
  int64_t last = meta.offset.getValue();
  for (size_t i = 0; i < meta.sizes.size(); ++i) {
    if (!meta.sizes[i].isConstant() || !meta.strides[i].isConstant())
      return false;
    if (meta.sizes[i].getValue() == 0) {
      bytes = 0;
      return true;
    }
    int64_t span = 0;
    if (__builtin_mul_overflow(meta.sizes[i].getValue() - 1,
                               meta.strides[i].getValue(), &span) ||
        __builtin_add_overflow(last, span, &last))
      return false;
  }
  return !__builtin_add_overflow(last, 1, &last) &&
         !__builtin_mul_overflow(last, int64_t(getByteSize(meta.dtype)),
                                 &bytes);
}

std::string Reader::bindPayload(Payload &payload) {
  const std::string name = "weight '" + payload.name + "'";
  const char *section = payload.isConstant ? "constants" : "weights";
  payload.path = root + "data/" + section + "/" + payload.record;
  const std::string &record = payload.path;
  payload.member = archive->find(record);
  if (payload.pickled || !payload.meta) {
    if (payload.meta)
      return name + " is a pickled tensor subclass; replace it by plain "
                    "tensors before exporting (torchao: "
                    "unwrap_tensor_subclass_parameters)";
    return ""; // a custom object, refused where it is used
  }
  int64_t needed = 0;
  if (!getStorageBytes(*payload.meta, needed))
    return name + ": its sizes, strides and offset are symbolic or overflow "
                  "64 bits; the archive is damaged, save it again";
  if (needed == 0)
    return "";
  if (!payload.member || payload.member->bytes.size == 0) {
    bool missing = !payload.member;
    payload.member = nullptr;
    if (options.allowMissingWeights)
      return "";
    return name + ": record '" + record + "' is " +
           (missing ? "missing" : "empty") +
           "; save the program with its weights, or allow missing weights to "
           "compile without them";
  }
  if (static_cast<uint64_t>(needed) > payload.member->bytes.size)
    return name + ": its view ends at byte " + std::to_string(needed) +
           ", but record '" + record + "' has " +
           std::to_string(payload.member->bytes.size) +
           "; move the model to the CPU before saving, or save it again";
  return "";
}

static bool sameSizes(const TensorMeta &a, const TensorMeta &b) {
  if (a.sizes.size() != b.sizes.size())
    return false;
  for (size_t i = 0; i < a.sizes.size(); ++i)
    if (!(a.sizes[i].expr == b.sizes[i].expr))
      return false;
  return true;
}

/// An input that is a parameter, buffer or constant needs its payload.
std::string Reader::checkInput(const InputSpec &spec) {
  using Kind = InputSpec::Kind;
  if (spec.kind != Kind::Parameter && spec.kind != Kind::Buffer &&
      spec.kind != Kind::TensorConstant)
    return "";
  auto value = program.graph.tensors.find(spec.arg.names.front());
  if (value == program.graph.tensors.end())
    return "weight '" + spec.target +
           "' has no type in the graph; the program "
           "is damaged or was edited, export it again";
  auto payload = program.payloads.find(spec.target);
  if (payload == program.payloads.end()) {
    if (options.allowMissingWeights)
      return "";
    return "weight '" + spec.target +
           "' is in no weights or constants config; save the program with its "
           "weights, or allow missing weights to compile without them";
  }
  const std::optional<TensorMeta> &meta = payload->second.meta;
  if (!meta || meta->dtype != value->second.dtype ||
      !sameSizes(*meta, value->second))
    return "weight '" + spec.target +
           "' has another type in the archive than in the graph; the archive "
           "was edited, save it again";
  return "";
}

std::string Reader::checkPayloads() {
  // In order of name, so that the first message does not depend on hashing.
  std::vector<Payload *> payloads;
  for (auto &entry : program.payloads)
    payloads.push_back(&entry.second);
  std::sort(payloads.begin(), payloads.end(),
            [](Payload *a, Payload *b) { return a->name < b->name; });
  for (Payload *payload : payloads) {
    std::string message = bindPayload(*payload);
    if (!message.empty())
      return message;
  }
  for (const InputSpec &spec : program.inputs) {
    std::string message = checkInput(spec);
    if (!message.empty())
      return message;
  }
  return "";
}

Result<Program> Reader::read() {
  auto describe = [&](const std::string &message) {
    const std::string &path = archive->getPath();
    return Error{path.empty() ? message : path + ": " + message};
  };
  std::string message = findModel();
  if (message.empty())
    message = checkMarkers();
  if (!message.empty())
    return describe(message);
  Decoder decoder;
  if (!decoder.readProgram(model->bytes, program))
    return describe(model->name + ": " + decoder.getMessage());
  message = readConfig("weights", false);
  if (message.empty())
    message = readConfig("constants", true);
  if (message.empty())
    message = checkPayloads();
  if (!message.empty())
    return describe(message);
  program.archive = std::move(archive);
  return std::move(program);
}

Result<Program> pt2::readProgram(std::shared_ptr<const Archive> archive,
                                 const ReadOptions &options) {
  return Reader(std::move(archive), options).read();
}

Result<Program> pt2::readProgram(const std::string &path,
                                 const ReadOptions &options) {
  Result<std::shared_ptr<const Archive>> archive = Archive::open(path);
  if (!archive)
    return archive.takeError();
  return readProgram(*archive, options);
}
