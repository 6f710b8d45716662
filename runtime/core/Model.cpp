//===- Model.cpp - programs made ready to run -----------------------------===//
#include "Model.h"

#include <algorithm>
#include <cstdlib>

namespace kfuse {

Result<std::shared_ptr<Model>> Model::create(std::shared_ptr<Package> package,
                                             std::shared_ptr<Weights> weights,
                                             const KfuseModelOptions &options) {
  auto model = std::make_shared<Model>();
  if (weights->package != package)
    return makeError(KFUSE_INVALID_ARGUMENT,
                     "the weights are those of another package object");
  model->package = std::move(package);
  model->device = weights->device;
  model->weights = std::move(weights);
  model->policy = options.fallback;
  model->fallbackBudget = options.fallbackBudget;
  model->providerTable = options.provider;
  if (options.providerPath)
    model->providerPath = options.providerPath;
  model->logFunction = options.log;
  model->logUser = options.logUser;
  DeviceScope scope(*model->device);
  KFUSE_TRY(scope.enter());
  KFUSE_TRY(model->loadProgram(options.program));
  KFUSE_TRY(model->loadKernels());
  KFUSE_TRY(model->readKills(options.killFile));
  KFUSE_TRY(model->checkPolicy());
  KFUSE_TRY(model->prepareOps());
  return model;
}

Model::~Model() {
  if (const Provider *provider = this->provider())
    for (AtenPlan &aten : atens)
      if (KfuseOp *op = aten.op.load())
        provider->table->releaseOp(provider->handle, op);
  if (modules.empty())
    return;
  DeviceScope scope(*device);
  if (scope.enter().ok())
    for (auto &[name, module] : modules)
      device->table->unloadModule(device->handle, module);
}

Status Model::loadProgram(KfuseProgramChoice choice) {
  bool isGeneric = choice == KFUSE_PROGRAM_GENERIC;
  if (choice == KFUSE_PROGRAM_AUTO)
    isGeneric = !device->runsKernels() && package->findProgram(true);
  const ZipMember *member = package->findProgram(isGeneric);
  const char *name = isGeneric ? "generic.json" : "plan.json";
  if (!member)
    return makeError(KFUSE_BAD_PACKAGE, "the package has no member %s", name);
  KFUSE_TRY(package->archive->verify(name));
  auto read = readProgram(member->data, package->manifest);
  if (!read.ok())
    return read.takeStatus().within(name);
  program = std::move(*read);
  atens = std::vector<AtenPlan>(program.atens.size());
  return Status();
}

namespace {
/// "sm_90a" as 90 and true.
struct Architecture {
  int number = 0;
  bool isSpecific = false;
};
} // namespace

static std::optional<Architecture> parseArch(const std::string &name) {
  if (name.compare(0, 3, "sm_") != 0)
    return std::nullopt;
  char *end = nullptr;
  Architecture arch;
  arch.number = static_cast<int>(strtol(name.c_str() + 3, &end, 10));
  arch.isSpecific = *end != '\0';
  return arch;
}

static bool isPtx(const std::string &member) {
  return member.size() > 4 && member.compare(member.size() - 4, 4, ".ptx") == 0;
}

/// The binary to use on the device, by the order in docs/Package.md; null when
/// none fits.
const KernelBinary *Model::choose(const KernelSpec &kernel) const {
  if (device->info.arch[0]) {
    for (const KernelBinary &binary : kernel.binaries)
      if (binary.arch == device->info.arch)
        return &binary;
    return nullptr;
  }
  int have = device->info.capability;
  const KernelBinary *best = nullptr;
  int bestScore = -1;
  for (const KernelBinary &binary : kernel.binaries) {
    auto arch = parseArch(binary.arch);
    if (!arch)
      continue;
    bool isSame = arch->number == have;
    int score = -1;
    if (arch->isSpecific)
      score = isSame ? 4000 : -1;
    else if (isPtx(binary.member))
      score = arch->number <= have ? 1000 + arch->number : -1;
    else if (arch->number / 10 == have / 10 && arch->number <= have)
      score = 2000 + arch->number;
    if (score > bestScore) {
      best = &binary;
      bestScore = score;
    }
  }
  return best;
}

Result<void *> Model::loadModule(const std::string &member) {
  auto it = modules.find(member);
  if (it != modules.end())
    return it->second;
  const ZipMember *code = package->archive->find(member);
  if (!code)
    return makeError(KFUSE_BAD_PACKAGE, "kernel file '%s' is missing",
                     member.c_str());
  KFUSE_TRY(package->archive->verify(member));
  // The driver wants PTX with a terminator, which the mapping does not have.
  std::string text;
  const void *image = code->data.data();
  if (isPtx(member)) {
    text = std::string(code->data);
    image = text.c_str();
  }
  void *module = nullptr;
  KfuseDeviceError error = {};
  if (device->table->loadModule(device->handle, image,
                                static_cast<int64_t>(code->data.size()),
                                &module, &error))
    return Device::toStatus(error).within(member);
  modules.emplace(member, module);
  return module;
}

Status Model::loadKernels() {
  functions.assign(program.kernels.size(), nullptr);
  killedKernels = std::vector<std::atomic<bool>>(program.kernels.size());
  killedLaunches = std::vector<std::atomic<bool>>(program.launches.size());
  std::vector<int64_t> shared(program.kernels.size(), 0);
  for (const LaunchSpec &launch : program.launches)
    for (const VariantSpec &variant : launch.variants)
      shared[variant.kernel] =
          std::max(shared[variant.kernel], variant.sharedBytes);
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    const KernelBinary *binary = choose(program.kernels[i]);
    if (!binary || !device->runsKernels())
      continue;
    KFUSE_ASSIGN(void *module, loadModule(binary->member));
    KfuseDeviceError error = {};
    if (device->table->getFunction(device->handle, module,
                                   binary->entry.c_str(), shared[i],
                                   &functions[i], &error))
      return Device::toStatus(error).within("kernel '" + binary->entry + "'");
  }
  for (const LaunchSpec &launch : program.launches)
    runnableLaunches +=
        !launch.variants.empty() && functions[launch.variants.back().kernel];
  return Status();
}

Status Model::checkPolicy() const {
  if (policy != KFUSE_FALLBACK_DENY || program.isGeneric ||
      !device->runsKernels())
    return Status();
  std::string names;
  int count = 0;
  auto add = [&](const std::string &name) {
    if (++count <= 8)
      names += (count > 1 ? ", " : "") + name;
  };
  for (const Step &step : program.steps) {
    if (step.kind == Step::Kind::Aten) {
      const AtenSpec &aten = program.atens[step.index];
      if (aten.kind == KFUSE_FALLBACK_UNSUPPORTED && !aten.isPython())
        add(aten.displayName());
    } else if (step.kind == Step::Kind::Launch) {
      const LaunchSpec &launch = program.launches[step.index];
      if (launch.variants.empty() || !functions[launch.variants.back().kernel])
        add(launch.id);
    }
  }
  if (count == 0)
    return Status();
  return makeError(KFUSE_FALLBACK_DENIED,
                   "fallbacks are denied, but the plan needs %d of class "
                   "unsupported: %s%s",
                   count, names.c_str(), count > 8 ? ", ..." : "");
}

bool Model::kill(const std::string &id, bool off) {
  bool found = false;
  for (size_t i = 0; i < program.launches.size(); ++i)
    if (program.launches[i].id == id) {
      killedLaunches[i].store(off, std::memory_order_relaxed);
      found = true;
    }
  for (size_t i = 0; i < program.kernels.size(); ++i)
    if (program.kernels[i].id == id) {
      killedKernels[i].store(off, std::memory_order_relaxed);
      found = true;
    }
  return found;
}

/// Switches off what `text` names: ids separated by commas or white space,
/// '#' starts a comment.
static std::vector<std::string> splitIds(std::string_view text) {
  std::vector<std::string> ids;
  std::string id;
  bool inComment = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : '\n';
    if (c == '#')
      inComment = true;
    bool isEnd = c == ',' || c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (c == '\n')
      inComment = false;
    if (!isEnd && !inComment)
      id += c;
    else if (isEnd && !id.empty())
      ids.push_back(std::move(id)), id.clear();
  }
  return ids;
}

Status Model::readKills(const char *file) {
  if (const char *list = getenv("KFUSE_KILL"))
    for (const std::string &id : splitIds(list))
      kill(id, true);
  if (!file)
    return Status();
  KFUSE_ASSIGN(auto mapped, MappedFile::open(file));
  for (const std::string &id :
       splitIds(std::string_view(mapped->data(), mapped->size())))
    if (!kill(id, true))
      log("kill file names '" + id + "', which this package does not have");
  return Status();
}

} // namespace kfuse
