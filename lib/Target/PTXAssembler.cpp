//===- PTXAssembler.cpp - runs ptxas --------------------------------------===//

#include "kfuse/Target/PTX.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

static std::string readText(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().trim().str() : std::string();
}

namespace {
/// The files of one run of ptxas, removed at the end.
struct TemporaryFiles {
  SmallString<128> ptx, cubin, log;
  FileRemover ptxRemover, cubinRemover, logRemover;

  std::error_code create() {
    auto make = [](StringRef suffix, SmallString<128> &path,
                   FileRemover &remover) {
      std::error_code code =
          sys::fs::createTemporaryFile("kfuse", suffix, path);
      if (!code)
        remover.setFile(path);
      return code;
    };
    if (std::error_code code = make("ptx", ptx, ptxRemover))
      return code;
    if (std::error_code code = make("cubin", cubin, cubinRemover))
      return code;
    return make("log", log, logRemover);
  }
};
} // namespace

Expected<std::string> kfuse::target::assemblePTX(StringRef ptx, StringRef arch,
                                                 StringRef ptxasPath,
                                                 std::string *log) {
  if (!sys::fs::can_execute(ptxasPath))
    return makeError("cannot run ptxas at '" + ptxasPath +
                     "'; give the path of a ptxas of CUDA 13 or newer");
  TemporaryFiles files;
  if (std::error_code code = files.create())
    return makeError("cannot create temporary files: " + code.message());
  {
    std::error_code code;
    raw_fd_ostream os(files.ptx, code);
    os << ptx;
    os.close();
    if (code || os.has_error())
      return makeError("cannot write '" + files.ptx + "'");
  }
  std::string archFlag = ("-arch=" + arch).str();
  SmallVector<StringRef> arguments{ptxasPath, archFlag, "-O3"};
  if (log)
    arguments.push_back("-v");
  arguments.append({"-o", files.cubin, files.ptx});
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(files.log),
                                          StringRef(files.log)};
  std::string message;
  int status = sys::ExecuteAndWait(ptxasPath, arguments, std::nullopt,
                                   redirects, 0, 0, &message);
  std::string said = readText(files.log);
  if (status != 0)
    return makeError("ptxas failed with status " + Twine(status) + ": " +
                     (said.empty() ? message : said));
  if (log)
    *log = said;
  auto cubin = MemoryBuffer::getFile(files.cubin, /*IsText=*/false,
                                     /*RequiresNullTerminator=*/false);
  if (!cubin || !(*cubin)->getBuffer().starts_with("\x7f"
                                                   "ELF"))
    return makeError("'" + ptxasPath +
                     "' wrote no cubin; expected ptxas of CUDA "
                     "12 or later");
  return (*cubin)->getBuffer().str();
}
