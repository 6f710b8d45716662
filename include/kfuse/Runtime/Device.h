//===- Device.h - interface of devices that run kernels -------------*- C
//-*-===//
///
/// \file
/// The table of functions through which the runtime drives a device. The
/// runtime has one over the CUDA driver API; a simulator or a test can bring
/// its own.
///
/// Functions return 0 on success, else a code of their own with a message in
/// `KfuseDeviceError`. All may be called from several threads. A stream of
/// null is the device's default stream.
///
#ifndef KFUSE_RUNTIME_DEVICE_H
#define KFUSE_RUNTIME_DEVICE_H

#include "kfuse/Runtime/ABI.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KFUSE_DEVICE_VERSION 2

typedef struct KfuseDeviceError {
  int32_t code;
  char message[508];
} KfuseDeviceError;

/// What the runtime needs to know about a device. `capability` is major times
/// ten plus minor, 0 when it runs no kernels of a GPU. `arch` names the one
/// kind of kernels that a device without capability runs; "" when there is
/// none.
typedef struct KfuseDeviceInfo {
  char name[128];
  int32_t capability;
  int32_t processors; ///< streaming multiprocessors
  int64_t memoryBytes;
  char arch[16];
} KfuseDeviceInfo;

/// What a kernel may do with a tensor.
typedef int32_t KfuseAccess;
enum {
  /// An input: only read.
  KFUSE_ACCESS_READ = 0,
  /// An output: every element is written, none is read before.
  KFUSE_ACCESS_WRITE = 1,
  /// Has values before the launch and may be read and written: an output in
  /// the memory of an input, or scratch that an earlier step has filled.
  KFUSE_ACCESS_READ_WRITE = 2,
  /// Scratch without values before the launch. What is read was written before
  /// by the same launch; not all of it need be written.
  KFUSE_ACCESS_SCRATCH = 3
};

/// A tensor behind a pointer parameter. Its memory may overlap that of others
/// where the plan reuses it.
typedef struct KfuseLaunchTensor {
  KfuseTensor tensor;
  KfuseAccess access;
  int32_t reserved;
} KfuseLaunchTensor;

typedef struct KfuseLaunch {
  void *function;
  void *stream;
  void **params; ///< one pointer to each 8-byte parameter
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t sharedBytes;
  uint32_t paramCount; ///< entries of `params`
  /// What the pointers, the first `tensorCount` parameters, stand for. Null
  /// unless the device's `wantsTensors` is set.
  const KfuseLaunchTensor *tensors;
  uint32_t tensorCount;
  uint32_t reserved;
} KfuseLaunch;

typedef struct KfuseDeviceTable {
  uint32_t version;
  uint32_t structSize;
  const char *name;
  KfuseDeviceKind kind; ///< where its memory lies
  int32_t wantsTensors; ///< launches say what their pointers stand for

  int32_t (*open)(int32_t index, void **device, KfuseDeviceInfo *info,
                  KfuseDeviceError *error);
  void (*close)(void *device);
  /// Makes the device current for the calling thread and stores in `previous`
  /// what `leave` needs to restore what was current before.
  int32_t (*enter)(void *device, void **previous, KfuseDeviceError *error);
  void (*leave)(void *device, void *previous);

  int32_t (*allocate)(void *device, int64_t bytes, void **pointer,
                      KfuseDeviceError *error);
  void (*release)(void *device, void *pointer);
  /// Copies between host and device memory in any direction, in stream order;
  /// pageable host memory may be read before the call returns.
  int32_t (*copy)(void *device, void *to, const void *from, int64_t bytes,
                  void *stream, KfuseDeviceError *error);
  int32_t (*fill)(void *device, void *to, uint8_t byte, int64_t bytes,
                  void *stream, KfuseDeviceError *error);

  int32_t (*loadModule)(void *device, const void *image, int64_t bytes,
                        void **module, KfuseDeviceError *error);
  void (*unloadModule)(void *device, void *module);
  /// Finds a kernel and allows it `sharedBytes` of dynamic shared memory.
  int32_t (*getFunction)(void *device, void *module, const char *entry,
                         int64_t sharedBytes, void **function,
                         KfuseDeviceError *error);
  int32_t (*launch)(void *device, const KfuseLaunch *launch,
                    KfuseDeviceError *error);

  int32_t (*synchronize)(void *device, void *stream, KfuseDeviceError *error);
  int32_t (*createStream)(void *device, void **stream, KfuseDeviceError *error);
  void (*destroyStream)(void *device, void *stream);
  int32_t (*createEvent)(void *device, void **event, KfuseDeviceError *error);
  void (*destroyEvent)(void *device, void *event);
  int32_t (*recordEvent)(void *device, void *event, void *stream,
                         KfuseDeviceError *error);
  /// Makes later work of `stream` wait for the event.
  int32_t (*waitEvent)(void *device, void *event, void *stream,
                       KfuseDeviceError *error);
  /// Waits for both events, gives the time between them.
  int32_t (*elapsed)(void *device, void *from, void *to, double *milliseconds,
                     KfuseDeviceError *error);

  int32_t (*beginCapture)(void *device, void *stream, KfuseDeviceError *error);
  /// Ends a capture; `graph` is ready to launch. Null when `discard` is set.
  int32_t (*endCapture)(void *device, void *stream, int32_t discard,
                        void **graph, KfuseDeviceError *error);
  int32_t (*launchGraph)(void *device, void *graph, void *stream,
                         KfuseDeviceError *error);
  void (*destroyGraph)(void *device, void *graph);
} KfuseDeviceTable;

#ifdef __cplusplus
}
static_assert(sizeof(KfuseLaunchTensor) == 48, "pinned layout");
static_assert(sizeof(KfuseLaunch) == 72, "pinned layout");
#endif

#endif // KFUSE_RUNTIME_DEVICE_H
