//===- Provider.h - interface of generic operator providers ---------*- C
//-*-===//
///
/// \file
/// What the runtime needs from a library that can run any ATen operator by
/// name. `libkfuse_torch` implements it with PyTorch's dispatcher, tests with
/// a fake. Plain C: no C++ type and no exception crosses it.
///
/// A provider library exports one function, `kfuse_provider_get`.
///
/// **Status.** Functions that can fail return 0 on success, otherwise fill
/// `KfuseProviderError` and return its `code`.
///
/// **Threads.** A `KfuseProvider` and its prepared operators are immutable
/// after creation: any thread may call any function at any time. A tensor
/// handle is used by one thread at a time.
///
/// **Devices and streams.** Work on CUDA memory is enqueued on the given
/// `stream` (a `CUstream`, null is the legacy default stream) of the given
/// device, in the device's primary context, which the caller has made current.
/// A provider does not synchronize unless the operator itself must.
///
/// **Exported device.** Programs name devices relative to the model: the
/// runtime passes the model's device for `KFUSE_VALUE_DEVICE`. When a schema
/// has an optional `device` argument that the program omits or gives as None,
/// and the operator has no tensor argument, the provider uses the device of
/// `KfuseProviderConfig`.
///
#ifndef KFUSE_RUNTIME_PROVIDER_H
#define KFUSE_RUNTIME_PROVIDER_H

#include "kfuse/Runtime/ABI.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct KfuseProvider KfuseProvider; ///< defined by the provider
typedef struct KfuseOp KfuseOp;             ///< a prepared operator
typedef struct KfuseHandle KfuseHandle;     ///< a tensor that the provider owns

/// Codes of `KfuseProviderError`.
enum {
  KFUSE_PROVIDER_OK = 0,
  KFUSE_PROVIDER_NO_OP = 1,     ///< unknown operator, overload or argument
  KFUSE_PROVIDER_BAD_ARG = 2,   ///< an argument does not fit the schema
  KFUSE_PROVIDER_NO_DEVICE = 3, ///< the device is not supported by this build
  KFUSE_PROVIDER_OUT_OF_MEMORY = 4,
  KFUSE_PROVIDER_FAILED = 5 ///< the operator itself failed
};

/// `message` is a terminated string without a trailing period or newline.
typedef struct KfuseProviderError {
  int32_t code;
  char message[1020];
} KfuseProviderError;

/// Kinds of argument values.
typedef int32_t KfuseValueKind;
enum {
  KFUSE_VALUE_NONE = 0,
  KFUSE_VALUE_TENSOR = 1,         ///< `i` is an index into KfuseCall::tensors
  KFUSE_VALUE_INT = 2,            ///< `i`
  KFUSE_VALUE_FLOAT = 3,          ///< `f`
  KFUSE_VALUE_BOOL = 4,           ///< `i`, 0 or 1
  KFUSE_VALUE_STRING = 5,         ///< `s`
  KFUSE_VALUE_COMPLEX = 6,        ///< `f` and `imag`
  KFUSE_VALUE_SCALAR = 7,         ///< `i` is an index into KfuseCall::scalars
  KFUSE_VALUE_DTYPE = 8,          ///< `i` is a KfuseDtype
  KFUSE_VALUE_DEVICE = 9,         ///< `device`
  KFUSE_VALUE_MEMORY_FORMAT = 10, ///< `s`: contiguous_format, channels_last,
                                  ///< channels_last_3d, preserve_format
  KFUSE_VALUE_LAYOUT = 11,        ///< `s`: strided
  KFUSE_VALUE_LIST = 12           ///< `count` values at `elements`
};

/// One argument value: a tree, read only, valid during `prepare`. An int and
/// a float are distinct (they matter to type promotion). A list of tensors may
/// hold NONE entries.
typedef struct KfuseValue {
  KfuseValueKind kind;
  int32_t count;
  const struct KfuseValue *elements;
  int64_t i;
  double f;
  double imag;
  const char *s;
  KfuseDevice device;
} KfuseValue;

/// A given argument. `name` is the schema's name of it; when it is empty, the
/// argument is positional. Arguments that are left out have the schema's
/// default value.
typedef struct KfuseArgument {
  const char *name;
  KfuseValue value;
} KfuseArgument;

/// Shape of one declared return: a single value, None (or unused), or a list
/// of `n >= 0` tensors, which are flattened into the results.
enum { KFUSE_RETURN_ONE = -1, KFUSE_RETURN_NONE = -2 };

/// An operator call as exported. Pointers are valid during `prepare` only.
typedef struct KfuseOpSpec {
  const char *name;     ///< "aten::add"
  const char *overload; ///< "Tensor"; "" is the default overload
  const KfuseArgument *arguments;
  int32_t argumentCount;
  int32_t tensorCount;    ///< entries of KfuseCall::tensors
  int32_t scalarCount;    ///< entries of KfuseCall::scalars
  int32_t returnCount;    ///< entries of `returns`
  const int32_t *returns; ///< KFUSE_RETURN_* or the length of a list
  int32_t resultCount;    ///< flattened: 1 for ONE and NONE each, n for a list
  int32_t reserved;
} KfuseOpSpec;

/// A tensor argument: memory of the caller, or a provider's own tensor.
/// When `handle` is null, the provider wraps `tensor` without copying for the
/// duration of the call; a result that aliases it stays valid as long as the
/// memory does. When `handle` is set it is used and `tensor` describes it.
/// `storageOffset` (elements) and `storageBytes` describe the whole storage
/// around `tensor.data`; `storageBytes` is 0 when it is not known.
typedef struct KfuseTensorArg {
  KfuseTensor tensor;
  KfuseHandle *handle;
  int64_t storageOffset;
  int64_t storageBytes;
} KfuseTensorArg;

/// One call.
typedef struct KfuseCall {
  const KfuseTensorArg *tensors;
  const KfuseScalar *scalars;
  void *stream;
  KfuseDevice device;
} KfuseCall;

/// Kinds of results.
typedef int32_t KfuseResultKind;
enum {
  KFUSE_RESULT_NONE = 0,
  KFUSE_RESULT_TENSOR = 1,
  KFUSE_RESULT_SCALAR = 2
};

/// One flattened result. For a tensor, the receiver owns `handle` and frees it
/// with `release`; sizes and strides in `tensor` live as long as the handle.
/// An operator that works in place returns a handle too.
typedef struct KfuseResult {
  KfuseResultKind kind;
  int32_t reserved;
  KfuseHandle *handle;
  KfuseTensor tensor;
  KfuseScalar scalar;
} KfuseResult;

/// What a provider is created for: the device of the model it serves.
typedef struct KfuseProviderConfig {
  KfuseDevice device;
} KfuseProviderConfig;

/// The functions of a provider. Entries marked optional may be null.
typedef struct KfuseProviderTable {
  uint32_t version;    ///< KFUSE_PROVIDER_VERSION
  uint32_t structSize; ///< sizeof(KfuseProviderTable)
  const char *name;    ///< for messages, e.g. "torch 2.11.0"

  int32_t (*create)(const KfuseProviderConfig *config, KfuseProvider **provider,
                    KfuseProviderError *error);
  void (*destroy)(KfuseProvider *provider);

  /// Looks the operator up, fills in defaults and checks what can be checked.
  int32_t (*prepare)(KfuseProvider *provider, const KfuseOpSpec *spec,
                     KfuseOp **op, KfuseProviderError *error);
  void (*releaseOp)(KfuseProvider *provider, KfuseOp *op);

  /// Runs a prepared operator; fills `resultCount` results. On failure no
  /// handle is handed out.
  int32_t (*call)(KfuseProvider *provider, KfuseOp *op, const KfuseCall *call,
                  KfuseResult *results, KfuseProviderError *error);

  /// Makes a handle for memory of the caller, which outlives it, so that
  /// repeated calls need not wrap again. `tensor.handle` is ignored.
  int32_t (*wrap)(KfuseProvider *provider, const KfuseTensorArg *tensor,
                  KfuseHandle **handle, KfuseProviderError *error);
  /// Allocates an uninitialised tensor; dtype, rank, sizes, strides and device
  /// of `like` are used, its data is not.
  int32_t (*empty)(KfuseProvider *provider, const KfuseTensor *like,
                   void *stream, KfuseResult *result,
                   KfuseProviderError *error);
  /// Copies elements between tensors of equal sizes and dtype; strides and
  /// devices may differ.
  int32_t (*copy)(KfuseProvider *provider, const KfuseTensorArg *to,
                  const KfuseTensorArg *from, void *stream,
                  KfuseProviderError *error);
  void (*release)(KfuseProvider *provider, KfuseHandle *handle);

  /// Optional. Around a CUDA-graph capture of `stream`: allocations go to a
  /// private pool, which lives until `releaseCapture`.
  int32_t (*beginCapture)(KfuseProvider *provider, void *stream, void **pool,
                          KfuseProviderError *error);
  int32_t (*endCapture)(KfuseProvider *provider, void *stream, void *pool,
                        KfuseProviderError *error);
  void (*releaseCapture)(KfuseProvider *provider, void *pool);
} KfuseProviderTable;

/// Name and type of the function that a provider library exports. Returns null
/// when `version` is not supported. The table lives as long as the library.
#define KFUSE_PROVIDER_GET "kfuse_provider_get"
typedef const KfuseProviderTable *(*KfuseProviderGetFn)(uint32_t version);

#ifdef __cplusplus
}
static_assert(sizeof(KfuseValue) == 56, "pinned layout");
static_assert(sizeof(KfuseTensorArg) == 64, "pinned layout");
static_assert(sizeof(KfuseResult) == 72, "pinned layout");
#endif

#endif // KFUSE_RUNTIME_PROVIDER_H
