//===- Simulator.h - C API of the kernel simulator ------------------*- C
//-*-===//
///
/// \file
/// `libkfuse_sim` runs lowered kernels on the CPU, thread by thread, and
/// reports what a GPU would hide (docs/Simulator.md). It is a device table:
/// packages that carry their kernels' IR (`kfuse-compile --simulator`) run on
/// it unchanged.
///
/// The device's memory is host memory (its kind is KFUSE_CPU), work is done
/// when a call returns, and streams and events are accepted and mean nothing.
/// Its architecture is KFUSE_SIMULATOR_ARCH.
///
/// **Threads.** All functions may be called from any thread. A launch runs in
/// the calling thread; launches of several threads run side by side.
///
#ifndef KFUSE_RUNTIME_SIMULATOR_H
#define KFUSE_RUNTIME_SIMULATOR_H

#include "kfuse/Runtime/Device.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(KFUSE_BUILDING_SIMULATOR)
#define KFUSE_SIM_EXPORT __attribute__((visibility("default")))
#else
#define KFUSE_SIM_EXPORT
#endif

/// When asynchronous copies and matrix products take effect.
typedef int32_t KfuseSimTiming;
enum {
  KFUSE_SIM_LATE = 0,  ///< as late as the program's waits allow
  KFUSE_SIM_EARLY = 1, ///< at once
  KFUSE_SIM_RANDOM = 2 ///< either, by the seed
};

/// What is wrong with a kernel or a launch. The names are in the comments.
typedef int32_t KfuseSimKind;
enum {
  KFUSE_SIM_OUT_OF_BOUNDS = 0, ///< "out-of-bounds"
  KFUSE_SIM_MISALIGNED = 1,    ///< "misaligned"
  KFUSE_SIM_UNINITIALIZED = 2, ///< "uninitialized-read"
  KFUSE_SIM_RACE = 3,          ///< "race"
  KFUSE_SIM_DIVERGENCE = 4,    ///< "divergence": lanes or threads that differ
                               ///< where they must agree
  KFUSE_SIM_DEADLOCK = 5,      ///< "deadlock"
  KFUSE_SIM_BARRIER = 6,       ///< "barrier": mbarrier counts, phases, use
  KFUSE_SIM_ASYNC = 7,         ///< "async": a result used before its wait, a
                               ///< group never waited for, a missing fence
  KFUSE_SIM_UNWRITTEN = 8,     ///< "unwritten-output"
  KFUSE_SIM_TRAP = 9,          ///< "trap": the kernel stopped itself
  KFUSE_SIM_UNSUPPORTED = 10,  ///< "unsupported"
  KFUSE_SIM_LINT = 11,         ///< "lint": wrong by the letter, whatever ran
  KFUSE_SIM_KINDS = 12
};

/// A thread of a launch. `thread` is -1 for work of no thread (an asynchronous
/// copy).
typedef struct KfuseSimThread {
  int32_t block[3];
  int32_t thread[3];
} KfuseSimThread;

/// One finding. Strings live as long as the call of the sink. Findings of one
/// kind at one place are reported once a launch, with their number.
typedef struct KfuseSimFinding {
  KfuseSimKind kind;
  int32_t reserved;
  const char *kernel;
  const char *message; ///< one line, without the places
  const char *place;   ///< operation and its location, up to the model's node
  const char *other;   ///< the other side of a race; null when there is none
  KfuseSimThread thread;
  KfuseSimThread otherThread;
  uint64_t
      address; ///< offset in bytes from the start of the tensor (as a signed
               ///< number: it may lie before) or, with
               ///< `argument` -1, in shared memory
  int32_t argument; ///< pointer parameter of the kernel; -1: shared memory;
                    ///< -2: none
  int32_t bytes;
  int64_t count;
} KfuseSimFinding;

/// Zero-initialise, set `structSize`, then set what differs from the defaults.
typedef struct KfuseSimOptions {
  uint32_t structSize;
  KfuseSimTiming timing;
  /// Order in which threads, warps and blocks run. 0: in order.
  uint64_t seed;
  /// Leave out the checks for races and unwritten memory, which take most of
  /// the time.
  int32_t isFast;
  /// Optimization of the host's code, 0 to 3.
  int32_t optLevel;
  /// Receives each finding. Null: the launch fails with the first.
  void (*sink)(void *user, const KfuseSimFinding *finding);
  void *user;
  /// Path of libdevice.10.bc, which kernels with math functions need; may be
  /// null.
  const char *libdevice;
  /// A launch fails once it ran this many fiber switches, or one thread made
  /// 1024 times as many accesses in one turn; 0: 2^40, and 2^29 accesses.
  uint64_t maxSwitches;
} KfuseSimOptions;

/// How a tensor map moves 16-byte pieces of a box in shared memory.
typedef int32_t KfuseSimSwizzle;
enum {
  KFUSE_SIM_SWIZZLE_NONE = 0,
  KFUSE_SIM_SWIZZLE_32 = 1,
  KFUSE_SIM_SWIZZLE_64 = 2,
  KFUSE_SIM_SWIZZLE_128 = 3
};

/// What `cuTensorMapEncodeTiled` takes, without interleaving. The innermost
/// dimension comes first. Zero-initialise and set `structSize`.
typedef struct KfuseSimTensorMap {
  uint32_t structSize;
  KfuseDtype dtype;
  void *address;
  uint64_t sizes[5];   ///< in elements
  uint64_t strides[4]; ///< in bytes, of all dimensions but the innermost
  uint32_t box[5];     ///< in elements
  uint32_t steps[5];   ///< element strides; 0: 1
  uint32_t rank;
  KfuseSimSwizzle swizzle;
  int32_t isNanFill; ///< beyond the tensor are NaNs, else zeros
  int32_t reserved;
} KfuseSimTensorMap;

/// Options of launches that begin afterwards, in any thread.
KFUSE_SIM_EXPORT int32_t kfuse_sim_configure(const KfuseSimOptions *options,
                                             KfuseDeviceError *error);
/// The device table; null when `version` is not KFUSE_DEVICE_VERSION.
KFUSE_SIM_EXPORT const KfuseDeviceTable *
kfuse_sim_device_table(uint32_t version);
/// Makes the 128 bytes that a kernel takes as a tensor map, by value or at an
/// address that is a multiple of 64. Only the simulator reads them: the
/// driver's encoding is its own.
KFUSE_SIM_EXPORT int32_t kfuse_sim_encode_tensor_map(
    const KfuseSimTensorMap *from, void *map, KfuseDeviceError *error);
/// "race" and so on; null for an unknown kind.
KFUSE_SIM_EXPORT const char *kfuse_sim_kind_name(KfuseSimKind kind);

/// The names, for programs that open the library at run time.
#define KFUSE_SIM_CONFIGURE "kfuse_sim_configure"
#define KFUSE_SIM_DEVICE_TABLE "kfuse_sim_device_table"
#define KFUSE_SIM_KIND_NAME "kfuse_sim_kind_name"
#define KFUSE_SIM_ENCODE_TENSOR_MAP "kfuse_sim_encode_tensor_map"

#ifdef __cplusplus
}
static_assert(sizeof(KfuseSimThread) == 24, "pinned layout");
static_assert(sizeof(KfuseSimFinding) == 112, "pinned layout");
static_assert(sizeof(KfuseSimOptions) == 56, "pinned layout");
static_assert(sizeof(KfuseSimTensorMap) == 144, "pinned layout");
#endif

#endif // KFUSE_RUNTIME_SIMULATOR_H
