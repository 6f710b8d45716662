//===- Package.cpp - an opened package ------------------------------------===//
#include "Package.h"

namespace kfuse {

Result<std::shared_ptr<Package>> Package::open(std::shared_ptr<MappedFile> file,
                                               const std::string &path) {
  auto package = std::make_shared<Package>();
  KFUSE_ASSIGN(package->archive, ZipArchive::read(std::move(file)));
  const ZipMember *manifest = package->archive->find("manifest.json");
  if (!manifest)
    return makeError(KFUSE_BAD_PACKAGE,
                     "no member manifest.json, so it is not a kfuse package");
  KFUSE_TRY(package->archive->verify("manifest.json"));
  KFUSE_ASSIGN(package->manifest, readManifest(manifest->data));
  size_t slash = path.rfind('/');
  package->folder = slash == std::string::npos ? "." : path.substr(0, slash);
  package->describe();
  return package;
}

KfuseValueInfo Package::describeTensor(const std::string &name,
                                       const Layout &layout) {
  KfuseValueInfo info = {};
  info.name = name.c_str();
  info.isTensor = 1;
  info.dtype = layout.dtype;
  info.rank = layout.rank();
  auto sizes = std::make_unique<int64_t[]>(layout.sizes.size() + 1);
  for (size_t i = 0; i < layout.sizes.size(); ++i)
    sizes[i] =
        manifest.interface.table.getConstant(layout.sizes[i]).value_or(-1);
  info.sizes = sizes.get();
  sizeLists.push_back(std::move(sizes));
  return info;
}

void Package::describe() {
  for (const InputSpec &input : manifest.interface.inputs) {
    if (input.kind == InputSpec::Kind::Tensor) {
      inputs.push_back(describeTensor(input.name, input.layout));
    } else if (input.kind == InputSpec::Kind::Scalar) {
      inputs.emplace_back();
      inputs.back().name = input.name.c_str();
      inputs.back().scalarKind = input.scalar;
    }
  }
  for (const OutputSpec &output : manifest.interface.outputs) {
    if (output.kind == OutputSpec::Kind::Tensor) {
      outputs.push_back(describeTensor(output.name, output.layout));
    } else if (output.kind == OutputSpec::Kind::Scalar) {
      outputs.emplace_back();
      outputs.back().name = output.name.c_str();
      outputs.back().scalarKind = output.scalar;
    }
  }
}

Status Package::inputSizes(int32_t input, const int64_t *values,
                           int64_t *sizes) const {
  const Interface &interface = manifest.interface;
  std::vector<int64_t> nodes(interface.table.size());
  KFUSE_TRY(interface.table.evaluateStatic(values, nodes.data()));
  for (const InputSpec &spec : interface.inputs) {
    if (spec.argument != input)
      continue;
    for (int32_t i = 0; i < spec.layout.rank(); ++i)
      sizes[i] = nodes[spec.layout.sizes[i]];
  }
  return Status();
}

} // namespace kfuse
