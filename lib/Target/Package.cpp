//===- Package.cpp - writes model.kfuse -----------------------------------===//

#include "kfuse/Target/Package.h"
#include "PackageJson.h"
#include "PackageLedger.h"
#include "PackageProgram.h"
#include "PackageSignature.h"
#include "PackageZip.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/CRC.h"

using namespace mlir;
using namespace mlir::kfuse;
namespace json = llvm::json;

/// Operation handles have no const methods.
static InFlightDiagnostic emitPackageError(ModuleOp module) {
  return mlir::emitError(UnknownLoc::get(module.getContext()));
}

namespace {
/// Finds the bytes of weights and says where the package has them.
class WeightSources {
public:
  WeightSources(const PackageContents &contents) : contents(contents) {}

  FailureOr<json::Value> getSource(StringRef record);
  /// Members to write: name and bytes.
  ArrayRef<std::pair<std::string, StringRef>> getMembers() const {
    return members;
  }

private:
  const PackageContents &contents;
  llvm::StringMap<unsigned> known;
  std::vector<std::pair<std::string, StringRef>> members;
};
} // namespace

FailureOr<json::Value> WeightSources::getSource(StringRef record) {
  auto [it, isNew] = known.try_emplace(record, known.size());
  std::optional<StringRef> bytes =
      contents.getRecord ? contents.getRecord(record) : std::nullopt;
  if (!bytes)
    return emitPackageError(contents.program)
           << "no bytes for weight record '" << record
           << "'; give the exported program that has it";
  if (!contents.weightsFile.empty())
    return json::Value(
        json::Object{{"file", contents.weightsFile},
                     {"member", record},
                     {"bytes", static_cast<int64_t>(bytes->size())},
                     {"crc32", static_cast<int64_t>(llvm::crc32(ArrayRef(
                                   bytes->bytes_begin(), bytes->size())))}});
  std::string member = ("weights/" + Twine(it->second)).str();
  if (isNew)
    members.push_back({member, *bytes});
  return json::Value(json::Object{{"member", member}});
}

namespace {
struct Member {
  std::string name;
  std::string text;
};
} // namespace

static std::string getCodeMember(const DeviceCode &code) {
  return "kernels/" + code.arch + "/" + code.name + "." + code.extension;
}

/// The file that the runtime loads for each kernel and architecture: a cubin
/// before PTX; IR has an architecture of its own.
static KernelFiles getKernelFiles(ArrayRef<DeviceCode> codes) {
  KernelFiles files;
  for (StringRef extension : {"cubin", "ptx", "mlirbc"})
    for (const DeviceCode &code : codes)
      if (code.extension == extension)
        for (const std::string &entry : code.entries)
          files[entry].try_emplace(code.arch, getCodeMember(code));
  return files;
}

static FailureOr<std::vector<Member>>
makeMembers(const PackageContents &contents, WeightSources &weights) {
  FailureOr<Signature> signature = Signature::read(contents.program);
  if (failed(signature))
    return failure();
  KernelFiles files = getKernelFiles(contents.code);
  FailureOr<json::Object> manifest = signature->makeManifest(
      [&](StringRef record) { return weights.getSource(record); });
  if (failed(manifest))
    return failure();
  json::Array targets;
  llvm::SetVector<StringRef> archs;
  for (const DeviceCode &code : contents.code)
    archs.insert(code.arch);
  for (StringRef arch : archs)
    targets.push_back(arch);
  (*manifest)["targets"] = std::move(targets);
  (*manifest)["numerics"] = contents.numerics;
  (*manifest)["producer"] = contents.producer;

  FailureOr<json::Object> plan =
      ProgramWriter(*signature, /*isPlan=*/true, files).write();
  if (failed(plan))
    return failure();
  std::vector<Member> members;
  members.push_back({"manifest.json", printJson(std::move(*manifest))});
  members.push_back({"plan.json", printJson(std::move(*plan))});
  if (contents.exported) {
    FailureOr<Signature> exported = Signature::read(contents.exported);
    if (failed(exported))
      return failure();
    FailureOr<json::Object> generic =
        ProgramWriter(*exported, /*isPlan=*/false, {}).write();
    if (failed(generic))
      return failure();
    members.push_back({"generic.json", printJson(std::move(*generic))});
  }
  members.push_back({"ledger.json", printJson(makeLedger(contents))});
  return members;
}

static llvm::Error writeMembers(ZipWriter &zip, ArrayRef<Member> members,
                                const PackageContents &contents,
                                const WeightSources &weights) {
  if (llvm::Error error = zip.open())
    return error;
  for (const Member &member : members)
    if (llvm::Error error = zip.add(member.name, member.text))
      return error;
  for (const DeviceCode &code : contents.code)
    if (llvm::Error error = zip.add(getCodeMember(code), code.bytes))
      return error;
  for (const auto &[name, bytes] : weights.getMembers())
    if (llvm::Error error = zip.add(name, bytes))
      return error;
  return zip.finish();
}

LogicalResult kfuse::writePackage(const PackageContents &contents,
                                  StringRef path) {
  WeightSources weights(contents);
  FailureOr<std::vector<Member>> members = makeMembers(contents, weights);
  if (failed(members))
    return failure();
  ZipWriter zip(path);
  if (llvm::Error error = writeMembers(zip, *members, contents, weights))
    return emitPackageError(contents.program)
           << llvm::toString(std::move(error));
  return success();
}
