//===- kfuse-inspect.cpp - shows what is in a package ---------------------===//
/// What was fused, what was not and why, at what predicted cost.

#include "Report.h"
#include <CLI/CLI.hpp>
#include <iostream>

namespace {
struct Options {
  std::vector<std::string> packages;
  std::vector<std::string> symbols;
  std::string ptx;
  bool isJson = false, isDiff = false, onlyKernels = false;
};
} // namespace

/// PTX of the kernels whose launch or entry is `id`, as the package has it.
static int printPtx(const PackageFile &package, const std::string &id) {
  bool found = false;
  for (const Json &kernel : package.plan.value("kernels", Json::array())) {
    const Json binaries = kernel.value("binaries", Json::object());
    for (const auto &[arch, binary] : binaries.items()) {
      std::string entry = binary.value("entry", "");
      if (kernel.value("id", "") != id && entry != id)
        continue;
      std::string member = binary.value("member", "");
      size_t dot = member.rfind('.');
      const kfuse::ZipMember *file =
          package.archive->find(member.substr(0, dot) + ".ptx");
      if (!file)
        continue;
      // From the kernel's name to the brace that closes its body.
      size_t begin = file->data.find(".entry " + entry + "(");
      if (begin == std::string_view::npos)
        continue;
      begin = file->data.rfind('\n', begin) + 1;
      size_t end = file->data.find("\n}", begin);
      std::cout << "// " << arch << "\n"
                << file->data.substr(begin, end == std::string_view::npos
                                                ? end
                                                : end + 3 - begin)
                << "\n";
      found = true;
    }
  }
  if (!found)
    std::cerr << "kfuse-inspect: no PTX of a kernel '" << id << "' in '"
              << package.path << "'; --kernels lists them\n";
  return found ? 0 : 1;
}

static int inspect(const Options &options) {
  PackageFile package = openPackage(options.packages.front());
  Symbols symbols = getSymbols(package, options.symbols);
  if (options.isDiff) {
    PackageFile after = openPackage(options.packages.back());
    return printDiff(package, after, symbols, std::cout) ? 0 : 1;
  }
  if (!options.ptx.empty())
    return printPtx(package, options.ptx);
  if (options.isJson)
    std::cout << makeReport(package, symbols).dump(2) << "\n";
  else if (options.onlyKernels)
    printKernels(package, symbols, std::cout);
  else
    printReport(package, symbols, std::cout);
  return 0;
}

int main(int argc, char **argv) {
  Options options;
  CLI::App app{"Shows what is in a kfuse package: what was fused, what was "
               "not and why, and what it is predicted to cost"};
  app.add_option("package", options.packages,
                 "model.kfuse; with --diff two of them")
      ->required()
      ->expected(1, 2);
  app.add_flag("--json", options.isJson, "Print the report as JSON");
  app.add_flag("--diff", options.isDiff,
               "Compare two packages; exit status 1 when they differ");
  app.add_flag("--kernels", options.onlyKernels,
               "Print every variant with its grid and guards");
  app.add_option("--ptx", options.ptx,
                 "Print the PTX of the kernel or launch of this id");
  app.add_option("--symbol", options.symbols,
                 "name=number: a size to predict for");
  CLI11_PARSE(app, argc, argv);
  if ((options.packages.size() == 2) != options.isDiff) {
    std::cerr << "kfuse-inspect: expected "
              << (options.isDiff ? "two packages after --diff" : "one package")
              << "\n";
    return 1;
  }
  try {
    return inspect(options);
  } catch (const std::exception &error) {
    std::cerr << "kfuse-inspect: " << error.what() << "\n";
    return 1;
  }
}
