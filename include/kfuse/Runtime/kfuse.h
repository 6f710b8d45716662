//===- kfuse.h - C API of the kfuse runtime -------------------------*- C
//-*-===//
///
/// \file
/// Loads a package (docs/Package.md) and runs it.
///
///     package  an opened .kfuse file, mapped read-only
///     weights  the package's weights on one device, shared by models
///     model    programs, kernels and operators made ready; immutable
///     state    the mutable buffers (a KV cache, counters) of one sequence
///     context  what one run needs: arena, parameter buffers, counters
///
/// **Errors.** Functions return KFUSE_OK or a code; `kfuse_last_error` has the
/// message of the calling thread's last failure. Nothing aborts, throws or
/// prints.
///
/// **Threads.** Package, weights and model may be used by any number of
/// threads at once; a state or a context by one at a time. Objects hold what
/// they were made from: release in any order.
///
/// **Streams.** A run enqueues its work on the caller's stream and does not
/// synchronize. Runs of one context on different streams wait for each other
/// on the device.
///
#ifndef KFUSE_RUNTIME_KFUSE_H
#define KFUSE_RUNTIME_KFUSE_H

#include "kfuse/Runtime/ABI.h"
#include "kfuse/Runtime/Device.h"
#include "kfuse/Runtime/Provider.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(KFUSE_BUILDING_RUNTIME)
#define KFUSE_EXPORT __attribute__((visibility("default")))
#else
#define KFUSE_EXPORT
#endif

typedef int32_t KfuseStatus;
enum {
  KFUSE_OK = 0,
  KFUSE_INVALID_ARGUMENT = 1, ///< null pointer, wrong count, unknown name
  KFUSE_IO_ERROR = 2,         ///< a file cannot be read
  KFUSE_BAD_PACKAGE = 3,      ///< the package breaks its format
  KFUSE_BAD_VERSION = 4,      ///< package or library of another version
  KFUSE_NO_DEVICE = 5,        ///< no driver or no such device
  KFUSE_GUARD_FAILED = 6,     ///< an input is not what the model takes
  KFUSE_OUT_OF_MEMORY = 7,
  KFUSE_NO_PROVIDER = 8,     ///< ATen calls needed, but nothing provides them
  KFUSE_FALLBACK_DENIED = 9, ///< a fallback that the policy forbids
  KFUSE_PROVIDER_ERROR = 10, ///< an ATen call failed
  KFUSE_DEVICE_ERROR = 11,   ///< the driver reported an error
  KFUSE_UNSUPPORTED = 12,    ///< e.g. capture of a data-dependent program
  KFUSE_INTERNAL_ERROR = 13
};

/// Message of this thread's last failed call, "" when there was none. Valid
/// until the thread's next call.
KFUSE_EXPORT const char *kfuse_last_error(void);
/// "ok", "guard failed", ...
KFUSE_EXPORT const char *kfuse_status_name(KfuseStatus status);
/// KFUSE_API_VERSION of the library.
KFUSE_EXPORT int32_t kfuse_api_version(void);
/// "bf16" and so on; null for an unknown code.
KFUSE_EXPORT const char *kfuse_dtype_name(KfuseDtype dtype);
/// KFUSE_DTYPE_INVALID for an unknown name.
KFUSE_EXPORT KfuseDtype kfuse_dtype_from_name(const char *name);
/// Bytes of one element, 0 for an unknown code.
KFUSE_EXPORT int32_t kfuse_dtype_size(KfuseDtype dtype);

//===----------------------------------------------------------------------===//
// Package
//===----------------------------------------------------------------------===//

typedef struct KfusePackage KfusePackage;

KFUSE_EXPORT KfuseStatus kfuse_package_open(const char *path,
                                            KfusePackage **package);
/// `data` must stay readable and unchanged as long as the package or anything
/// made from it lives.
KFUSE_EXPORT KfuseStatus kfuse_package_open_memory(const void *data,
                                                   uint64_t bytes,
                                                   KfusePackage **package);
KFUSE_EXPORT void kfuse_package_release(KfusePackage *package);
/// Compares every member with its checksum, which reads the whole file.
/// (Opening compares the manifest, a model its program and kernels; weights are
/// compared here only.)
KFUSE_EXPORT KfuseStatus kfuse_package_verify(const KfusePackage *package);

/// An input or output of the model. For a tensor, a size of -1 depends on the
/// call. Strings live as long as the package.
typedef struct KfuseValueInfo {
  const char *name;
  int32_t isTensor;
  KfuseScalarKind scalarKind; ///< when it is no tensor
  KfuseDtype dtype;
  int32_t rank;
  const int64_t *sizes;
} KfuseValueInfo;

/// Inputs fixed by the export and outputs that are None do not count.
KFUSE_EXPORT int32_t kfuse_package_input_count(const KfusePackage *package);
KFUSE_EXPORT int32_t kfuse_package_output_count(const KfusePackage *package);
KFUSE_EXPORT KfuseStatus kfuse_package_input(const KfusePackage *package,
                                             int32_t index,
                                             KfuseValueInfo *info);
KFUSE_EXPORT KfuseStatus kfuse_package_output(const KfusePackage *package,
                                              int32_t index,
                                              KfuseValueInfo *info);

/// A symbol bound to an input's size or to a scalar input (`dim` is -1): the
/// size is `mul * value + add`. `max` is INT64_MAX when there is no bound.
typedef struct KfuseSymbolInfo {
  const char *name;
  int64_t min;
  int64_t max;
  int32_t input; ///< counts as in kfuse_package_input; -1 when derived
  int32_t dim;
} KfuseSymbolInfo;

KFUSE_EXPORT int32_t kfuse_package_symbol_count(const KfusePackage *package);
KFUSE_EXPORT KfuseStatus kfuse_package_symbol(const KfusePackage *package,
                                              int32_t index,
                                              KfuseSymbolInfo *info);
/// Sizes of input `index` when the symbols have `values` (one for each symbol
/// of the package, derived ones are computed). `sizes` has room for its rank.
KFUSE_EXPORT KfuseStatus kfuse_package_input_sizes(const KfusePackage *package,
                                                   int32_t index,
                                                   const int64_t *values,
                                                   int64_t *sizes);
/// Text of a JSON member, e.g. "ledger.json"; not terminated.
KFUSE_EXPORT KfuseStatus kfuse_package_member(const KfusePackage *package,
                                              const char *name,
                                              const void **data,
                                              uint64_t *bytes);

//===----------------------------------------------------------------------===//
// Weights, model, state, context
//===----------------------------------------------------------------------===//

typedef struct KfuseWeights KfuseWeights;
typedef struct KfuseModel KfuseModel;
typedef struct KfuseState KfuseState;
typedef struct KfuseContext KfuseContext;

/// Zero-initialise, then set what differs from the defaults.
typedef struct KfuseWeightsOptions {
  KfuseDevice device;
  /// Folder or file that holds referenced weights; null: beside the package.
  const char *search;
  /// Null: the CPU or the CUDA driver, by `device`.
  const KfuseDeviceTable *table;
} KfuseWeightsOptions;

KFUSE_EXPORT KfuseStatus
kfuse_weights_create(KfusePackage *package, const KfuseWeightsOptions *options,
                     KfuseWeights **weights);
KFUSE_EXPORT void kfuse_weights_release(KfuseWeights *weights);

typedef int32_t KfuseProgramChoice;
enum {
  KFUSE_PROGRAM_AUTO = 0, ///< the plan on a device that runs kernels, the
                          ///< generic one on the CPU
  KFUSE_PROGRAM_PLAN = 1,
  KFUSE_PROGRAM_GENERIC = 2
};

/// Why an operator ran outside a compiled kernel.
typedef int32_t KfuseFallbackClass;
enum {
  KFUSE_FALLBACK_LIBRARY = 0,     ///< planned
  KFUSE_FALLBACK_UNSUPPORTED = 1, ///< not compiled, or not for this device
  KFUSE_FALLBACK_GUARD = 2,       ///< an input's layout was not the planned one
  KFUSE_FALLBACK_KILLED = 3,      ///< switched off by the user
  KFUSE_FALLBACK_GENERIC = 4,     ///< the generic program or the CPU was chosen
  KFUSE_FALLBACK_CLASSES = 5
};

/// What to do with fallbacks of class unsupported, guard and killed.
typedef int32_t KfuseFallbackPolicy;
enum {
  KFUSE_FALLBACK_ALLOW = 0,
  KFUSE_FALLBACK_WARN = 1, ///< one log line for each operator and class
  KFUSE_FALLBACK_DENY = 2  ///< the run fails
};

/// Receives one line without newline. May be called from any thread that runs.
typedef void (*KfuseLogFn)(void *user, const char *line);

/// Zero-initialise, then set what differs from the defaults.
typedef struct KfuseModelOptions {
  KfuseProgramChoice program;
  KfuseFallbackPolicy fallback;
  /// Provider of ATen operators: a table, or the path of a library. When both
  /// are null: the environment variable KFUSE_PROVIDER, then
  /// libkfuse_torch.so beside this library, then by the loader's search. It is
  /// loaded only if the program needs it.
  const KfuseProviderTable *provider;
  const char *providerPath;
  /// File with one launch or kernel id a line to switch off ('#' starts a
  /// comment). The environment variable KFUSE_KILL (ids separated by commas)
  /// counts as well.
  const char *killFile;
  KfuseLogFn log;
  void *logUser;
  /// A run fails when more operators, launches and copies than this fall back
  /// in the classes unsupported, guard and killed; 0: any number may.
  int64_t fallbackBudget;
} KfuseModelOptions;

KFUSE_EXPORT KfuseStatus kfuse_model_create(KfusePackage *package,
                                            KfuseWeights *weights,
                                            const KfuseModelOptions *options,
                                            KfuseModel **model);
KFUSE_EXPORT void kfuse_model_release(KfuseModel *model);
/// Switches a launch or kernel off (`off` = 1) or on again, by stable id.
/// Captured graphs keep what they captured.
KFUSE_EXPORT KfuseStatus kfuse_model_kill(KfuseModel *model, const char *id,
                                          int32_t off);
/// Number of launches in the program and of those with code for the device.
KFUSE_EXPORT void kfuse_model_launches(const KfuseModel *model, int32_t *all,
                                       int32_t *runnable);

/// Fresh copies of the mutable buffers, with their exported values.
KFUSE_EXPORT KfuseStatus kfuse_state_create(KfuseModel *model,
                                            KfuseState **state);
KFUSE_EXPORT KfuseStatus kfuse_state_reset(KfuseState *state, void *stream);
KFUSE_EXPORT void kfuse_state_release(KfuseState *state);

/// `state` may be null: the context makes its own.
KFUSE_EXPORT KfuseStatus kfuse_context_create(KfuseModel *model,
                                              KfuseState *state,
                                              KfuseContext **context);
KFUSE_EXPORT void kfuse_context_release(KfuseContext *context);

/// Memory of a context from elsewhere, e.g. a framework's caching allocator.
/// The functions may not use the context.
typedef struct KfuseAllocator {
  /// At least `bytes` of the device's memory for work on `stream`, at a
  /// multiple of KFUSE_ARENA_ALIGNMENT; null when there is none.
  void *(*allocate)(void *user, int64_t bytes, KfuseDevice device,
                    void *stream);
  /// Takes back what `allocate` gave. Work on `stream` that uses it may not be
  /// done yet.
  void (*release)(void *user, void *pointer, int64_t bytes, KfuseDevice device,
                  void *stream);
  void *user; ///< passed on
} KfuseAllocator;

/// The context's arena, its copies of inputs and the outputs that it lends come
/// from `allocator` (null: from the device). Only before they exist, so before
/// the first run or reservation. Weights, states and ATen operators have memory
/// of their own.
KFUSE_EXPORT KfuseStatus kfuse_context_set_allocator(
    KfuseContext *context, const KfuseAllocator *allocator);

/// Sets the arena aside for all sizes within the bounds that the export
/// declares and within `limits` (one for each symbol of the package; null: none
/// beyond the declared), and with `withOutputs` the memory of outputs that the
/// context lends. Runs within them, with the planned strides, then allocate
/// nothing outside of ATen operators. Fails when a size has no bound.
KFUSE_EXPORT KfuseStatus kfuse_context_reserve(KfuseContext *context,
                                               const int64_t *limits,
                                               int32_t withOutputs,
                                               void *stream);

/// Learns when a run and each of its steps begin and end on the host, e.g. for
/// ranges of a profiler. Names are those of the model, of launches (their ids)
/// and of operators; they live as long as the model. Ranges nest.
typedef struct KfuseTracer {
  void (*begin)(void *user, const char *name);
  void (*end)(void *user);
  void *user; ///< passed on
} KfuseTracer;

/// Null: no tracer.
KFUSE_EXPORT KfuseStatus kfuse_context_trace(KfuseContext *context,
                                             const KfuseTracer *tracer);

/// One output of a launch beside what the operators that it replaces give on
/// the same inputs. Strings live as long as the model, `sizes` as the call.
typedef struct KfuseLaunchCheck {
  const char *launch; ///< its id
  const char *kernel; ///< name of the kernel that ran
  int32_t number;     ///< of the launch, in the order of the plan
  int32_t output;     ///< of the launch
  KfuseDtype dtype;
  int32_t rank;
  const int64_t *sizes;
  int32_t isExact; ///< integers, and launches that round nothing themselves:
                   ///< the tolerance is 0
  int32_t reserved;
  int64_t elements;
  int64_t different;  ///< in any bit; NaN equals NaN and -0 equals 0
  int64_t mismatches; ///< beyond `tolerance * largest`, or finite on one side
                      ///< only: 0 is success
  int64_t firstMismatch; ///< its row-major position; -1 without
  double found;          ///< the first mismatch
  double expected;
  double maxAbs; ///< largest differences of finite elements
  double maxRel;
  double maxUlp;
  double largest; ///< expected finite magnitude
  double tolerance;
} KfuseLaunchCheck;

/// Receives the checks of each launch, in the thread that runs.
typedef struct KfuseLaunchChecker {
  void (*checked)(void *user, const KfuseLaunchCheck *check);
  void *user; ///< passed on
  /// Relative to an output's largest expected magnitude; negative: by its
  /// dtype, or a coarser one that the operators round to on the way. Exact
  /// outputs have none.
  double tolerance;
} KfuseLaunchChecker;

/// Later runs check each launch that a kernel does: the operators run first,
/// then the kernel, whose results are kept unless they are wrong. Waits for the
/// device and copies outputs to the host; for tests. Needs a provider. Null: no
/// checks.
KFUSE_EXPORT KfuseStatus kfuse_context_check(KfuseContext *context,
                                             const KfuseLaunchChecker *checker);

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// A tensor or a scalar, by the kind of the input or output it stands for.
typedef struct KfuseArg {
  KfuseTensor tensor;
  KfuseScalar scalar;
} KfuseArg;

/// Fills `outputs` with dtypes, sizes and strides that a run with `inputs`
/// (whose data is not looked at) would give; `data` is set to null. Sizes that
/// depend on data are -1, the strides of such a tensor are null. Arrays live
/// until the context's next call.
KFUSE_EXPORT KfuseStatus kfuse_infer(KfuseContext *context,
                                     const KfuseArg *inputs, int32_t inputCount,
                                     KfuseArg *outputs, int32_t outputCount);

/// Runs the program. A tensor output with data must have the inferred dtype,
/// sizes and strides; with null data, the context's own memory is used, filled
/// in and valid until its next run. Scalars are filled in.
KFUSE_EXPORT KfuseStatus kfuse_run(KfuseContext *context,
                                   const KfuseArg *inputs, int32_t inputCount,
                                   KfuseArg *outputs, int32_t outputCount,
                                   void *stream);

/// What the context's last run did.
typedef struct KfuseCounters {
  int64_t launches;                          ///< kernels
  int64_t fallbacks[KFUSE_FALLBACK_CLASSES]; ///< operators and copies by class
  int64_t copies;                            ///< tensors copied outside kernels
  int64_t bytesCopied;
  int64_t bytesAllocated; ///< by the runtime itself: arena, staging, outputs
  int64_t arenaBytes;     ///< in use by this call
  int64_t hostNanoseconds;
} KfuseCounters;

/// One operator (or launch id) with a class, counted over the context's life.
typedef struct KfuseFallbackInfo {
  const char *name;
  const char *reason; ///< may be ""
  KfuseFallbackClass kind;
  int32_t reserved;
  int64_t count;
} KfuseFallbackInfo;

KFUSE_EXPORT KfuseStatus kfuse_context_counters(const KfuseContext *context,
                                                KfuseCounters *counters);
KFUSE_EXPORT int32_t kfuse_context_fallback_count(const KfuseContext *context);
KFUSE_EXPORT KfuseStatus kfuse_context_fallback(const KfuseContext *context,
                                                int32_t index,
                                                KfuseFallbackInfo *info);

/// A whole run as a CUDA graph. Inputs and outputs must keep their addresses:
/// new data is copied into them. The context is held by the graph; its own
/// runs stay possible between replays on the same stream.
typedef struct KfuseGraph KfuseGraph;

/// Runs once to warm up, then captures. `stream` must not be the default one.
KFUSE_EXPORT KfuseStatus kfuse_capture(KfuseContext *context,
                                       const KfuseArg *inputs,
                                       int32_t inputCount, KfuseArg *outputs,
                                       int32_t outputCount, void *stream,
                                       KfuseGraph **graph);
KFUSE_EXPORT KfuseStatus kfuse_graph_launch(KfuseGraph *graph, void *stream);
KFUSE_EXPORT void kfuse_graph_release(KfuseGraph *graph);

//===----------------------------------------------------------------------===//
// Devices, for programs without a CUDA library of their own
//===----------------------------------------------------------------------===//

/// Number of CUDA devices, 0 when there is no driver.
KFUSE_EXPORT int32_t kfuse_cuda_device_count(void);
/// The built-in table for a kind of device. Opening a CUDA device fails with a
/// message when there is no driver.
KFUSE_EXPORT const KfuseDeviceTable *kfuse_device_table(KfuseDeviceKind kind);

#ifdef __cplusplus
}
static_assert(sizeof(KfuseArg) == 56, "pinned layout");
static_assert(sizeof(KfuseLaunchCheck) == 136, "pinned layout");
#endif

#endif // KFUSE_RUNTIME_KFUSE_H
