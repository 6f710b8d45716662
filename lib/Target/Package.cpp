//===- Package.cpp - writes model.kfuse -----------------------------------===//

#include "kfuse/Target/Package.h"
#include "PackageJson.h"
#include "PackageLedger.h"
#include "PackageProgram.h"
#include "PackageSignature.h"
#include "PackageZip.h"
#include "llvm/ADT/MapVector.h"
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
  return "kernels/" + code.arch + "/all." + code.extension;
}

/// The file that the runtime loads for each architecture: a cubin before PTX.
static SmallVector<std::pair<std::string, std::string>>
getBinaries(ArrayRef<DeviceCode> codes) {
  llvm::MapVector<StringRef, const DeviceCode *> best;
  for (const DeviceCode &code : codes) {
    const DeviceCode *&entry = best[code.arch];
    if (!entry || code.extension == "cubin")
      entry = &code;
  }
  SmallVector<std::pair<std::string, std::string>> binaries;
  for (auto &[arch, code] : best)
    binaries.push_back({arch.str(), getCodeMember(*code)});
  return binaries;
}

static FailureOr<std::vector<Member>>
makeMembers(const PackageContents &contents, WeightSources &weights) {
  FailureOr<Signature> signature = Signature::read(contents.program);
  if (failed(signature))
    return failure();
  auto binaries = getBinaries(contents.code);
  FailureOr<json::Object> manifest = signature->makeManifest(
      [&](StringRef record) { return weights.getSource(record); });
  if (failed(manifest))
    return failure();
  json::Array targets;
  for (const auto &binary : binaries)
    targets.push_back(binary.first);
  (*manifest)["targets"] = std::move(targets);
  (*manifest)["numerics"] = contents.numerics;
  (*manifest)["producer"] = contents.producer;

  FailureOr<json::Object> plan =
      ProgramWriter(*signature, /*isPlan=*/true, binaries).write();
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
