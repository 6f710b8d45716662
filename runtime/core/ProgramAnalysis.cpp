//===- ProgramAnalysis.cpp - facts about a program that steps need --------===//
#include "Program.h"

#include <algorithm>

namespace kfuse {

namespace {

Status bad(const char *fmt, int a, int b = 0) {
  char text[256];
  snprintf(text, sizeof(text), fmt, a, b);
  return Status(KFUSE_BAD_PACKAGE, text);
}

class Analysis {
public:
  explicit Analysis(Program &program)
      : program(program), table(program.interface.table) {}

  Status run() {
    KFUSE_TRY(findRoots());
    markDynamic();
    KFUSE_TRY(layOut());
    KFUSE_TRY(checkEnds());
    findLayoutNeeds();
    placeReleases();
    findLaunchAccess(program);
    return Status();
  }

private:
  Status findRoots();
  void markDynamic();
  Status layOut();
  Status checkEnds();
  void findLayoutNeeds();
  void placeReleases();

  bool isDynamic(ExprId id) const { return id >= 0 && table[id].isDynamic; }
  bool isDynamic(const std::vector<ExprId> &ids) const {
    return std::any_of(ids.begin(), ids.end(),
                       [&](ExprId id) { return isDynamic(id); });
  }
  bool isDynamicLaunch(const LaunchSpec &launch) const;
  void requireLayout(int32_t tensor);

  /// Calls `fn` for each tensor that a step, apart from a launch's generic
  /// steps, reads or writes.
  template <typename Fn>
  void forEachTensor(const Step &step, Fn fn) const;
  template <typename Fn>
  void forEachTensor(const ValueSpec &value, Fn fn) const;

  Program &program;
  ExpressionTable &table;
};

template <typename Fn>
void Analysis::forEachTensor(const ValueSpec &value, Fn fn) const {
  if (value.kind == KFUSE_VALUE_TENSOR)
    fn(static_cast<int32_t>(value.number));
  for (const ValueSpec &element : value.elements)
    forEachTensor(element, fn);
}

template <typename Fn>
void Analysis::forEachTensor(const Step &step, Fn fn) const {
  switch (step.kind) {
  case Step::Kind::Launch: {
    const LaunchSpec &launch = program.launches[step.index];
    for (const auto *list : {&launch.inputs, &launch.outputs, &launch.scratch})
      for (int32_t tensor : *list)
        fn(tensor);
    return;
  }
  case Step::Kind::Aten: {
    const AtenSpec &aten = program.atens[step.index];
    for (const ArgumentSpec &argument : aten.arguments)
      forEachTensor(argument.value, fn);
    for (const ResultSpec &result : aten.results)
      if (result.kind == ResultSpec::Kind::Tensor)
        fn(result.index);
    return;
  }
  case Step::Kind::Copy:
    fn(step.from);
    fn(step.to);
    return;
  case Step::Kind::Fill:
    fn(step.to);
    return;
  }
}

Status Analysis::findRoots() {
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    int32_t at = static_cast<int32_t>(i);
    size_t hops = 0;
    while (program.tensors[at].storage == StorageKind::View) {
      at = program.tensors[at].index;
      if (++hops > program.tensors.size())
        return bad("tensor %d is a view of itself", static_cast<int>(i));
    }
    program.tensors[i].root = at;
    const TensorSpec &root = program.tensors[at];
    bool isTensor = true;
    if (root.storage == StorageKind::Input)
      isTensor =
          program.interface.inputs[root.index].kind == InputSpec::Kind::Tensor;
    else if (root.storage == StorageKind::Output)
      isTensor = program.interface.outputs[root.index].kind ==
                 OutputSpec::Kind::Tensor;
    if (!isTensor)
      return bad("tensor %d is stored in an input or output that is no tensor",
                 static_cast<int>(i));
  }
  return Status();
}

void Analysis::markDynamic() {
  auto &symbols = program.interface.symbols;
  std::vector<char> flags(symbols.size(), 0);
  for (size_t i = 0; i < symbols.size(); ++i) {
    symbols[i].isDynamic = symbols[i].bind == Symbol::Bind::TensorDim ||
                           symbols[i].bind == Symbol::Bind::Step;
    flags[i] = symbols[i].isDynamic;
    program.hasDynamic |= symbols[i].isDynamic;
    if (symbols[i].bind == Symbol::Bind::TensorDim)
      program.tensors[symbols[i].index].boundSymbols.push_back(
          static_cast<int32_t>(i));
  }
  table.markDynamic(flags);
}

bool Analysis::isDynamicLaunch(const LaunchSpec &launch) const {
  for (const VariantSpec &variant : launch.variants) {
    if (isDynamic(variant.scalars) || isDynamic(variant.grid[0]) ||
        isDynamic(variant.grid[1]) || isDynamic(variant.grid[2]))
      return true;
    for (const GuardSpec &guard : variant.guards)
      if (isDynamic(guard.lhs) || isDynamic(guard.rhs))
        return true;
    for (int32_t tensor : variant.tensors)
      if (program.tensors[tensor].isDynamic)
        return true;
  }
  return false;
}

Status Analysis::layOut() {
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    TensorSpec &tensor = program.tensors[i];
    tensor.firstExtent = program.extentCount;
    program.extentCount += 2 * tensor.layout.rank();
    // Views are dynamic when any tensor of their chain is.
    for (int32_t at = static_cast<int32_t>(i);;
         at = program.tensors[at].index) {
      const TensorSpec &link = program.tensors[at];
      tensor.isDynamic |= isDynamic(link.layout.sizes) ||
                          isDynamic(link.layout.strides) ||
                          isDynamic(link.offset) || isDynamic(link.arenaOffset);
      if (link.storage != StorageKind::View)
        break;
    }
    for (int32_t symbol : tensor.boundSymbols)
      if (program.interface.symbols[symbol].dim >= tensor.layout.rank())
        return bad("a symbol is bound to dimension %d of tensor %d",
                   program.interface.symbols[symbol].dim, static_cast<int>(i));
    if (tensor.isDynamic && (tensor.storage == StorageKind::Arena ||
                             tensor.storage == StorageKind::Output))
      return bad("tensor %d has data-dependent sizes, expected storage "
                 "'provider' (docs/Package.md)",
                 static_cast<int>(i));
  }
  if (isDynamic(program.arenaBytes))
    return bad("arena_bytes of %d tensors depends on data",
               static_cast<int>(program.tensors.size()));
  for (LaunchSpec &launch : program.launches)
    launch.isDynamic = isDynamicLaunch(launch);
  return Status();
}

Status Analysis::checkEnds() {
  const auto &specs = program.interface.outputs;
  if (program.outputs.size() != specs.size())
    return bad("the program has %d outputs, the manifest %d",
               static_cast<int>(program.outputs.size()),
               static_cast<int>(specs.size()));
  for (size_t i = 0; i < specs.size(); ++i) {
    const ProgramOutput &output = program.outputs[i];
    bool isTensor = output.kind == ProgramOutput::Kind::Tensor;
    if (specs[i].kind == OutputSpec::Kind::None)
      continue;
    if (output.kind == ProgramOutput::Kind::None ||
        isTensor != (specs[i].kind == OutputSpec::Kind::Tensor))
      return bad("output %d is not of the kind that the manifest says",
                 static_cast<int>(i));
    if (isTensor &&
        program.tensors[output.index].layout.dtype != specs[i].layout.dtype)
      return bad("output %d does not have the dtype that the manifest says",
                 static_cast<int>(i));
    if (isTensor &&
        program.tensors[output.index].layout.rank() != specs[i].layout.rank())
      return bad("output %d does not have the rank that the manifest says",
                 static_cast<int>(i));
  }
  for (const MutationSpec &mutation : program.mutations)
    if (mutation.isInput && program.interface.inputs[mutation.target].kind !=
                                InputSpec::Kind::Tensor)
      return bad("mutated input %d is no tensor", mutation.target);
  return Status();
}

void Analysis::requireLayout(int32_t tensor) {
  program.tensors[program.tensors[tensor].root].needsLayout = true;
}

void Analysis::findLayoutNeeds() {
  for (size_t i = 0; i < program.tensors.size(); ++i)
    if (program.tensors[i].storage == StorageKind::View)
      requireLayout(static_cast<int32_t>(i));
  for (const Step &step : program.steps)
    if (step.kind == Step::Kind::Launch)
      forEachTensor(step, [&](int32_t tensor) { requireLayout(tensor); });
}

void Analysis::placeReleases() {
  struct Life {
    int32_t last = -1;       ///< top-level step of the last use
    int32_t nestedLast = -1; ///< generic step of the last use
    bool isLocal = true;     ///< used only inside one generic list
  };
  std::vector<Life> lives(program.tensors.size());
  for (size_t i = 0; i < program.steps.size(); ++i) {
    int32_t top = static_cast<int32_t>(i);
    const Step &step = program.steps[i];
    auto useAtTop = [&](int32_t tensor) {
      Life &life = lives[program.tensors[tensor].root];
      life.last = top;
      life.isLocal = false;
    };
    forEachTensor(step, useAtTop);
    if (step.kind != Step::Kind::Launch)
      continue;
    const auto &generic = program.launches[step.index].generic;
    for (size_t j = 0; j < generic.size(); ++j)
      forEachTensor(generic[j], [&](int32_t tensor) {
        Life &life = lives[program.tensors[tensor].root];
        life.isLocal &= life.last < 0 || life.last == top;
        life.last = top;
        life.nestedLast = static_cast<int32_t>(j);
      });
  }
  auto keepToEnd = [&](int32_t tensor) {
    lives[program.tensors[tensor].root].last = -1;
  };
  for (const ProgramOutput &output : program.outputs)
    if (output.kind == ProgramOutput::Kind::Tensor)
      keepToEnd(output.index);
  for (const MutationSpec &mutation : program.mutations)
    keepToEnd(mutation.tensor);
  for (size_t i = 0; i < lives.size(); ++i) {
    if (program.tensors[i].storage != StorageKind::Provider ||
        lives[i].last < 0)
      continue;
    Step &step = program.steps[lives[i].last];
    bool isNested = lives[i].isLocal && lives[i].nestedLast >= 0;
    Step &owner =
        isNested ? program.launches[step.index].generic[lives[i].nestedLast]
                 : step;
    owner.releases.push_back(static_cast<int32_t>(i));
  }
}

} // namespace

Status analyzeProgram(Program &program) { return Analysis(program).run(); }

} // namespace kfuse
