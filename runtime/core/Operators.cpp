//===- Operators.cpp - preparing ATen operators ---------------------------===//
#include "Model.h"

#include <deque>

namespace kfuse {

namespace {
/// Turns an AtenSpec into a provider's spec; owns the trees it points into.
class SpecBuilder {
public:
  SpecBuilder(AtenPlan &plan, KfuseDevice device)
      : plan(plan), device(device) {}

  KfuseOpSpec build(const AtenSpec &aten) {
    for (const ArgumentSpec &argument : aten.arguments)
      arguments.push_back({argument.name.c_str(), convert(argument.value)});
    KfuseOpSpec spec = {};
    spec.name = aten.target.c_str();
    spec.overload = aten.overload.c_str();
    spec.arguments = arguments.data();
    spec.argumentCount = static_cast<int32_t>(arguments.size());
    spec.tensorCount = static_cast<int32_t>(plan.tensors.size());
    spec.scalarCount = static_cast<int32_t>(plan.scalars.size());
    spec.returnCount = static_cast<int32_t>(aten.returns.size());
    spec.returns = aten.returns.data();
    spec.resultCount = static_cast<int32_t>(aten.results.size());
    return spec;
  }

private:
  KfuseValue convert(const ValueSpec &from) {
    KfuseValue to = {};
    to.kind = from.kind;
    to.i = from.number;
    to.f = from.real;
    to.imag = from.imag;
    to.s = from.text.c_str();
    to.device = from.isModelDevice ? device : from.device;
    if (from.kind == KFUSE_VALUE_TENSOR) {
      to.i = static_cast<int64_t>(plan.tensors.size());
      plan.tensors.push_back(static_cast<int32_t>(from.number));
    } else if (from.kind == KFUSE_VALUE_SCALAR) {
      to.i = static_cast<int64_t>(plan.scalars.size());
      plan.scalars.push_back(
          {from.isSymbol, static_cast<int32_t>(from.number)});
    } else if (from.kind == KFUSE_VALUE_LIST) {
      std::vector<KfuseValue> elements;
      for (const ValueSpec &element : from.elements)
        elements.push_back(convert(element));
      lists.push_back(std::move(elements));
      to.count = static_cast<int32_t>(lists.back().size());
      to.elements = lists.back().data();
    }
    return to;
  }

  AtenPlan &plan;
  KfuseDevice device;
  std::vector<KfuseArgument> arguments;
  std::deque<std::vector<KfuseValue>> lists;
};
} // namespace

Status Model::needProvider(const std::string &what) {
  if (provider())
    return Status();
  std::lock_guard<std::mutex> lock(mutex);
  if (provider())
    return Status();
  auto created = Provider::create(providerTable, providerPath, device->id);
  if (!created.ok())
    return created.takeStatus().within(what);
  ownedProvider = std::move(*created);
  providerPointer.store(ownedProvider.get(), std::memory_order_release);
  return Status();
}

Status Model::prepare(int32_t index, KfuseOp *&op) {
  const AtenSpec &aten = program.atens[index];
  // Slots were counted when the model was made; this pass only needs values.
  AtenPlan scratch;
  SpecBuilder builder(scratch, device->id);
  KfuseOpSpec spec = builder.build(aten);
  KfuseProviderError error = {};
  const Provider *provider = this->provider();
  if (provider->table->prepare(provider->handle, &spec, &op, &error))
    return Provider::toStatus(error).within(aten.displayName());
  return Status();
}

Result<KfuseOp *> Model::getOp(int32_t index) {
  AtenPlan &plan = atens[index];
  if (KfuseOp *op = plan.op.load(std::memory_order_acquire))
    return op;
  KFUSE_TRY(needProvider(program.atens[index].displayName()));
  std::lock_guard<std::mutex> lock(mutex);
  KfuseOp *op = plan.op.load(std::memory_order_acquire);
  if (op)
    return op;
  KFUSE_TRY(prepare(index, op));
  plan.op.store(op, std::memory_order_release);
  return op;
}

Status Model::prepareOps() {
  for (size_t i = 0; i < program.atens.size(); ++i)
    SpecBuilder(atens[i], device->id).build(program.atens[i]);
  // Those that every run calls are looked up now, so that an unknown operator
  // is known before the first run.
  for (const Step &step : program.steps) {
    bool isCall =
        step.kind == Step::Kind::Aten && !program.atens[step.index].isPython();
    if (!isCall)
      continue;
    KFUSE_ASSIGN(KfuseOp * op, getOp(step.index));
    (void)op;
  }
  return Status();
}

} // namespace kfuse
