//===- RunApi.cpp - C API: states, contexts, runs, graphs -----------------===//
#include "Api.h"

using namespace kfuse;

KfuseStatus kfuse_state_create(KfuseModel *model, KfuseState **state) {
  if (!model || !state)
    return reportNull("model or state");
  *state = nullptr;
  return guarded([&]() -> Status {
    KFUSE_ASSIGN(auto object, State::create(model->object->weights));
    *state = new KfuseState{std::move(object)};
    return Status();
  });
}

KfuseStatus kfuse_state_reset(KfuseState *state, void *stream) {
  if (!state)
    return reportNull("state");
  return guarded([&] { return state->object->reset(stream); });
}

void kfuse_state_release(KfuseState *state) { delete state; }

KfuseStatus kfuse_context_create(KfuseModel *model, KfuseState *state,
                                 KfuseContext **context) {
  if (!model || !context)
    return reportNull("model or context");
  *context = nullptr;
  return guarded([&]() -> Status {
    KFUSE_ASSIGN(auto object, Context::create(model->object,
                                              state ? state->object : nullptr));
    *context = new KfuseContext{std::move(object)};
    return Status();
  });
}

void kfuse_context_release(KfuseContext *context) { delete context; }

namespace {
/// Refuses a second thread in a context.
class Use {
public:
  explicit Use(Context &context)
      : context(context), won(!context.isBusy.exchange(true)) {}
  ~Use() {
    if (won)
      context.isBusy.store(false);
  }
  Status check() const {
    if (won)
      return Status();
    return makeError(KFUSE_INVALID_ARGUMENT,
                     "the context is in use by another thread");
  }

private:
  Context &context;
  bool won;
};
} // namespace

KfuseStatus kfuse_context_set_allocator(KfuseContext *context,
                                        const KfuseAllocator *allocator) {
  if (!context)
    return reportNull("context");
  return guarded([&]() -> Status {
    Use use(*context->object);
    KFUSE_TRY(use.check());
    return context->object->setAllocator(allocator ? *allocator
                                                   : KfuseAllocator());
  });
}

KfuseStatus kfuse_context_reserve(KfuseContext *context, const int64_t *limits,
                                  int32_t withOutputs, void *stream) {
  if (!context)
    return reportNull("context");
  return guarded([&]() -> Status {
    Use use(*context->object);
    KFUSE_TRY(use.check());
    return context->object->reserveMemory(limits, withOutputs != 0, stream);
  });
}

KfuseStatus kfuse_context_trace(KfuseContext *context,
                                const KfuseTracer *tracer) {
  if (!context)
    return reportNull("context");
  return guarded([&]() -> Status {
    Use use(*context->object);
    KFUSE_TRY(use.check());
    if (tracer && !tracer->begin != !tracer->end)
      return makeError(KFUSE_INVALID_ARGUMENT,
                       "a tracer with one of its two functions, expected both "
                       "or none");
    context->object->tracer = tracer ? *tracer : KfuseTracer();
    return Status();
  });
}

KfuseStatus kfuse_context_check(KfuseContext *context,
                                const KfuseLaunchChecker *checker) {
  if (!context)
    return reportNull("context");
  return guarded([&]() -> Status {
    Use use(*context->object);
    KFUSE_TRY(use.check());
    context->object->checker = checker ? *checker : KfuseLaunchChecker();
    return Status();
  });
}

KfuseStatus kfuse_infer(KfuseContext *context, const KfuseArg *inputs,
                        int32_t inputCount, KfuseArg *outputs,
                        int32_t outputCount) {
  if (!context || (!inputs && inputCount) || (!outputs && outputCount))
    return reportNull("context, inputs or outputs");
  return guarded([&]() -> Status {
    Use use(*context->object);
    KFUSE_TRY(use.check());
    return context->object->infer(inputs, inputCount, outputs, outputCount);
  });
}

KfuseStatus kfuse_run(KfuseContext *context, const KfuseArg *inputs,
                      int32_t inputCount, KfuseArg *outputs,
                      int32_t outputCount, void *stream) {
  if (!context || (!inputs && inputCount) || (!outputs && outputCount))
    return reportNull("context, inputs or outputs");
  return guarded([&]() -> Status {
    Use use(*context->object);
    KFUSE_TRY(use.check());
    return context->object->run(inputs, inputCount, outputs, outputCount,
                                stream);
  });
}

KfuseStatus kfuse_context_counters(const KfuseContext *context,
                                   KfuseCounters *counters) {
  if (!context || !counters)
    return reportNull("context or counters");
  *counters = context->object->counters;
  return KFUSE_OK;
}

int32_t kfuse_context_fallback_count(const KfuseContext *context) {
  if (!context)
    return 0;
  KfuseStatus status = guarded([&] {
    context->object->listFallbacks();
    return Status();
  });
  return status == KFUSE_OK
             ? static_cast<int32_t>(context->object->fallbackList.size())
             : 0;
}

KfuseStatus kfuse_context_fallback(const KfuseContext *context, int32_t index,
                                   KfuseFallbackInfo *info) {
  if (!context || !info)
    return reportNull("context or info");
  const auto &list = context->object->fallbackList;
  if (index < 0 || static_cast<size_t>(index) >= list.size())
    return report(
        makeError(KFUSE_INVALID_ARGUMENT, "no fallback entry %d", index));
  *info = list[index];
  return KFUSE_OK;
}

KfuseStatus kfuse_capture(KfuseContext *context, const KfuseArg *inputs,
                          int32_t inputCount, KfuseArg *outputs,
                          int32_t outputCount, void *stream,
                          KfuseGraph **graph) {
  if (!context || !graph || (!inputs && inputCount) ||
      (!outputs && outputCount))
    return reportNull("context, inputs, outputs or graph");
  *graph = nullptr;
  auto release = [](KfuseGraph *graph) { kfuse_graph_release(graph); };
  return guarded([&]() -> Status {
    Use use(*context->object);
    KFUSE_TRY(use.check());
    std::unique_ptr<KfuseGraph, decltype(release)> result(new KfuseGraph,
                                                          release);
    result->context = context->object;
    KFUSE_TRY(context->object->capture(inputs, inputCount, outputs, outputCount,
                                       stream, &result->graph, &result->pool));
    context->object->pinMemory();
    *graph = result.release();
    return Status();
  });
}

KfuseStatus kfuse_graph_launch(KfuseGraph *graph, void *stream) {
  if (!graph)
    return reportNull("graph");
  return guarded([&]() -> Status {
    const Device &device = *graph->context->model->device;
    DeviceScope scope(device);
    KFUSE_TRY(scope.enter());
    KfuseDeviceError error = {};
    if (device.table->launchGraph(device.handle, graph->graph, stream, &error))
      return Device::toStatus(error);
    return Status();
  });
}

void kfuse_graph_release(KfuseGraph *graph) {
  if (!graph)
    return;
  Model &model = *graph->context->model;
  const Device &device = *model.device;
  DeviceScope scope(device);
  if (scope.enter().ok() && graph->graph)
    device.table->destroyGraph(device.handle, graph->graph);
  const Provider *provider = model.provider();
  if (graph->pool && provider && provider->table->releaseCapture)
    provider->table->releaseCapture(provider->handle, graph->pool);
  delete graph;
}
