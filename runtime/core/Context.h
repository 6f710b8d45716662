//===- Context.h - what one run needs --------------------------*- C++ -*-===//
///
/// \file
/// Walks a program: checks inputs, evaluates sizes, launches kernels, calls
/// operators. All memory is set aside beforehand or grown on first need, so
/// that a run without ATen calls allocates nothing once it is warm.
///
#ifndef KFUSE_RUNTIME_CORE_CONTEXT_H
#define KFUSE_RUNTIME_CORE_CONTEXT_H

#include "Bounds.h"
#include "Model.h"

namespace kfuse {

/// A range of the caller's tracer.
class Trace {
public:
  Trace(const KfuseTracer &tracer, const char *name) : tracer(tracer) {
    if (tracer.begin)
      tracer.begin(tracer.user, name);
  }
  ~Trace() {
    if (tracer.end)
      tracer.end(tracer.user);
  }

  Trace(const Trace &) = delete;
  Trace &operator=(const Trace &) = delete;

private:
  const KfuseTracer &tracer;
};
/// One variant of a launch for one set of sizes.
struct VariantFrame {
  bool isViable = false; ///< has code and its guards on sizes hold
  bool isEmpty = false;  ///< the grid has no blocks
  uint32_t grid[3] = {1, 1, 1};
  int32_t firstParam = 0; ///< in Frame::params and Frame::paramPointers
};

/// Everything that depends on the sizes of the inputs and nothing else, apart
/// from the parts of data-dependent symbols, which every run computes anew.
struct Frame {
  bool isBound = false;
  uint64_t lastUse = 0;
  std::vector<int64_t> inputSizes; ///< of all tensor inputs, then scalars
  std::vector<int64_t> symbols;
  std::vector<char> known;            ///< by symbol
  std::vector<int64_t> values;        ///< by expression
  std::vector<char> valid;            ///< by expression, for dynamic ones
  std::vector<int64_t> extents;       ///< sizes and strides of all tensors
  std::vector<int64_t> deltas;        ///< bytes from a root's base to element 0
  std::vector<VariantFrame> variants; ///< of all launches
  std::vector<uint64_t> params;
  std::vector<void *> paramPointers;  ///< one to each entry of params
  std::vector<int64_t> outputExtents; ///< by the manifest's layouts
  int64_t arenaBytes = 0;
};

/// A tensor that the provider owns.
struct Provided {
  KfuseHandle *handle = nullptr;
  KfuseTensor tensor = {};
};

class Context {
public:
  static Result<std::shared_ptr<Context>> create(std::shared_ptr<Model> model,
                                                 std::shared_ptr<State> state);
  ~Context();

  Status infer(const KfuseArg *inputs, int32_t inputCount, KfuseArg *outputs,
               int32_t outputCount);
  Status run(const KfuseArg *inputs, int32_t inputCount, KfuseArg *outputs,
             int32_t outputCount, void *stream);

  /// For graphs: run with capture around it.
  Status capture(const KfuseArg *inputs, int32_t inputCount, KfuseArg *outputs,
                 int32_t outputCount, void *stream, void **graph, void **pool);
  /// A captured graph keeps the addresses it saw: memory is no longer freed
  /// when it must grow.
  void pinMemory() { isPinned = true; }

  /// Reserve.cpp: sets memory aside for all sizes up to the limits.
  Status reserveMemory(const int64_t *limits, bool withOutputs,
                       void *newStream);
  /// Refused once the context holds memory.
  Status setAllocator(const KfuseAllocator &allocator);
  KfuseTracer tracer = {};
  KfuseLaunchChecker checker = {};

  std::shared_ptr<Model> model;
  KfuseCounters counters = {};
  /// Counts of each operator by class, then of each launch by class, then of
  /// input copies.
  std::vector<int64_t> fallbackCounts;
  void listFallbacks();
  std::vector<KfuseFallbackInfo> fallbackList;
  std::atomic<bool> isBusy{false};

private:
  Context() = default;
  void reserve();
  void reserveFrame(Frame &frame, size_t inputExtents, size_t outputExtents,
                    size_t variants, size_t params);

  // Bind.cpp: from inputs to a frame.
  Status checkArguments(const KfuseArg *inputs, int32_t inputCount,
                        int32_t outputCount) const;
  Status checkInput(const InputSpec &spec, const KfuseTensor &tensor) const;
  bool matches(const Frame &frame, const KfuseArg *inputs) const;
  Status bind(const KfuseArg *inputs);
  Status bindSymbols(Frame &frame, const KfuseArg *inputs);
  Status checkRange(const Symbol &symbol, int64_t value) const;
  Status checkSizes(Frame &frame, const KfuseArg *inputs);
  void setScalars(const KfuseArg *inputs);
  Status evaluate(Frame &frame);
  void layOutTensor(Frame &frame, int32_t tensor);
  Status layOutLaunch(Frame &frame, int32_t launch);
  Status layOutVariant(Frame &frame, const VariantSpec &variant,
                       VariantFrame &to);
  void layOutOutputs(Frame &frame);
  /// A symbol got its value during the run.
  Status setSymbol(int32_t symbol, KfuseScalar value);

  // Memory.cpp: addresses and copies.
  Status prepareMemory(const KfuseArg *inputs, KfuseArg *outputs);
  Status prepareInput(const InputSpec &spec, int32_t input,
                      const KfuseTensor &tensor);
  Status prepareOutput(int32_t output, KfuseArg &arg);
  Status grow(Buffer &buffer, int64_t bytes);
  Status growArena(int64_t bytes);
  Result<std::vector<Interval>> boundSizes(const int64_t *limits) const;
  bool isStaged(const MutationSpec &mutation) const;
  Status copyTensor(const KfuseTensorArg &to, const KfuseTensorArg &from);
  Status copyOnce(const KfuseTensor &to, const KfuseTensor &from);
  Status normalize(int32_t tensor, KfuseResult &result);
  KfuseTensorArg describe(int32_t tensor) const;
  KfuseTensor describeWeight(int32_t weight) const;
  KfuseTensor describeOutput(int32_t output, char *data) const;
  KfuseTensor describeInput(int32_t input, char *data) const;
  char *addressOf(int32_t tensor) const {
    return bases[model->program.tensors[tensor].root] + frame->deltas[tensor];
  }
  void setProvided(int32_t tensor, const KfuseResult &result);
  void releaseProvided(int32_t tensor);
  void releaseAll();
  Status finishOutputs(KfuseArg *outputs);
  Status finishOutput(int32_t output, KfuseArg &arg);
  Status finishMutations();

  // Execute.cpp and CallAten.cpp: steps.
  Status execute(const KfuseArg *inputs, KfuseArg *outputs);
  Status runSteps(const std::vector<Step> &steps, KfuseFallbackClass kind,
                  const char *reason);
  const char *nameOf(const Step &step) const;
  Status runStep(const Step &step, KfuseFallbackClass kind, const char *reason);
  Status runLaunch(int32_t launch);
  Status launchVariant(const VariantSpec &variant, VariantFrame &to);
  /// LaunchTensors.cpp: for devices that want to know.
  void describeTensors(const VariantSpec &variant, KfuseLaunch &launch);
  bool isAligned(const VariantSpec &variant) const;
  /// CheckLaunch.cpp: launches a kernel and compares it with the operators.
  Status checkLaunch(int32_t launch, const VariantSpec &variant,
                     VariantFrame &to);
  Status resetOutput(const LaunchSpec &launch, int32_t tensor,
                     std::vector<char> &before);
  /// False when the output is wrong.
  bool reportCheck(int32_t launch, int32_t kernel, size_t output,
                   const std::vector<char> &found,
                   const std::vector<char> &expected);
  Status provideOutputs(const LaunchSpec &launch);
  Status runGeneric(int32_t launch, KfuseFallbackClass kind,
                    const char *reason);
  Status callAten(int32_t aten, KfuseFallbackClass kind, const char *reason);
  Status callHost(const AtenSpec &aten);
  Status takeResults(const AtenSpec &aten);
  Status takeTensor(int32_t tensor, KfuseResult &result);
  KfuseScalar readScalar(const ScalarSlot &slot) const;
  KfuseScalar readHostValue(const ValueSpec &value) const;
  Status countFallback(size_t row, KfuseFallbackClass kind,
                       const std::string &name, const char *reason);
  Status switchStream(void *stream);

  std::shared_ptr<State> state;
  std::vector<Frame> frames;
  Frame *frame = nullptr;
  uint64_t clock = 0;
  std::vector<double> floats; ///< values of float symbols
  std::vector<char *> bases;  ///< by root tensor: address of storage offset 0
  std::vector<Provided> provided;        ///< by tensor
  std::vector<int32_t> firstVariant;     ///< by launch
  std::vector<size_t> firstOutputExtent; ///< by output, in a frame
  std::vector<std::vector<int32_t>> inputTensors, outputTensors; ///< roots

  MemorySource source; ///< before the buffers, which refer to it
  Buffer arena;
  std::vector<Buffer> inputBuffers, outputBuffers, mutationBuffers;
  std::vector<Buffer> retired;            ///< still used by graphs
  std::vector<char *> outputData;         ///< by output of the manifest
  std::vector<char *> lentData;           ///< of these, what the context owns
  std::vector<char *> inputData;          ///< by input of the manifest
  std::vector<KfuseHandle *> heldOutputs; ///< given to the caller

  // Sized for the operator with the most of each.
  std::vector<KfuseTensorArg> callTensors;
  std::vector<KfuseScalar> callScalars;
  std::vector<KfuseResult> callResults;
  /// Sized for the launch with the most; empty where none are wanted.
  std::vector<KfuseLaunchTensor> launchTensors;
  void *stream = nullptr;
  bool hasStream = false;
  void *switchEvent = nullptr;
  bool isCapturing = false;
  bool isPinned = false;
};

/// True when the tensor's elements fill a block of memory without gaps.
bool isDense(const KfuseTensor &tensor);
int64_t countElements(const KfuseTensor &tensor);
/// Bytes from the first to the end of the last element; 0 for none.
int64_t spanBytes(const KfuseTensor &tensor);
/// True when the spans of the tensors have bytes in common.
bool doOverlap(const KfuseTensor &a, const KfuseTensor &b);
/// Same strides where they matter (sizes above 1).
bool haveSameStrides(int32_t rank, const int64_t *sizes, const int64_t *lhs,
                     const int64_t *rhs);

} // namespace kfuse

#endif // KFUSE_RUNTIME_CORE_CONTEXT_H
