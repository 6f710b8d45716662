//===- kfuse.cpp - all compiler tools in one binary -----------------------===//
/// The dist build links LLVM statically, and once instead of once a tool. The
/// tool is chosen by the name of the program (`kfuse-compile`, a symbolic link
/// to this binary) or by the first argument (`kfuse compile`).

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using MainFn = int (*)(int, char **);

namespace {
struct Tool {
  llvm::StringLiteral name;
  MainFn main;
};
} // namespace

#define KFUSE_TOOL(NAME, MAIN) int MAIN(int argc, char **argv);
#include "KfuseTools.def"

static const Tool tools[] = {
#define KFUSE_TOOL(NAME, MAIN) {NAME, MAIN},
#include "KfuseTools.def"
};

static MainFn findTool(llvm::StringRef name) {
  name.consume_front("kfuse-");
  for (const Tool &tool : tools)
    if (tool.name == name)
      return tool.main;
  return nullptr;
}

int main(int argc, char **argv) {
  if (argc > 0)
    if (MainFn toolMain = findTool(llvm::sys::path::stem(argv[0])))
      return toolMain(argc, argv);
  if (argc > 1)
    if (MainFn toolMain = findTool(argv[1]))
      return toolMain(argc - 1, argv + 1);
  llvm::errs() << "error: expected a tool name as the first argument:";
  for (const Tool &tool : tools)
    llvm::errs() << ' ' << tool.name;
  llvm::errs() << "\nexample: kfuse compile model.pt2 -o model.kfuse\n";
  return 1;
}
