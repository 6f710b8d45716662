//===- ABI.h - contract between compiler, kernels and runtime -------*- C
//-*-===//
///
/// \file
/// The one header that compiler, generated code and runtime all see: plain
/// data, `<stdint.h>` only, sizes pinned below. C99 and C++.
///
/// **Kernel parameters.** A kernel takes N pointers followed by M signed
/// 64-bit integers, each eight bytes, in the order of its launch step's
/// `tensors` and `scalars` (docs/Package.md). A pointer is the device address
/// of element 0 of the tensor: its storage offset is already applied. Scalars
/// are sizes, strides (in elements) and values derived from them, evaluated by
/// the host. The grid comes from expressions, the block and the dynamic shared
/// memory are constants. A grid with an extent of zero is not launched.
///
/// **Elements in memory.** Little-endian; bool is one byte that is 0 or 1;
/// complex numbers are (real, imaginary) pairs.
///
#ifndef KFUSE_RUNTIME_ABI_H
#define KFUSE_RUNTIME_ABI_H

#include <stdint.h>

/// Version of `manifest.json`, `plan.json` and `generic.json` that this header
/// belongs to. A runtime refuses packages of another version.
#define KFUSE_PACKAGE_VERSION 1
/// Version of the C API in kfuse.h.
#define KFUSE_API_VERSION 1
/// Version of the provider table in Provider.h.
#define KFUSE_PROVIDER_VERSION 1
/// Members of a package start at a multiple of this many bytes.
#define KFUSE_PACKAGE_ALIGNMENT 64
/// Arena offsets and sizes are multiples of this many bytes, and so is the
/// address of the arena.
#define KFUSE_ARENA_ALIGNMENT 256
/// Name of the architecture of kernels in a package that are IR, for the
/// simulator.
#define KFUSE_SIMULATOR_ARCH "sim"
/// Tensors have at most this many dimensions.
#define KFUSE_MAX_RANK 32

/// Element types. The names in packages are in the comments.
typedef int32_t KfuseDtype;
enum {
  KFUSE_DTYPE_INVALID = 0,
  KFUSE_F64 = 1,         ///< "f64"
  KFUSE_F32 = 2,         ///< "f32"
  KFUSE_BF16 = 3,        ///< "bf16"
  KFUSE_F16 = 4,         ///< "f16"
  KFUSE_I64 = 5,         ///< "i64"
  KFUSE_I32 = 6,         ///< "i32"
  KFUSE_I16 = 7,         ///< "i16"
  KFUSE_I8 = 8,          ///< "i8"
  KFUSE_U8 = 9,          ///< "u8"
  KFUSE_BOOL = 10,       ///< "bool"
  KFUSE_U16 = 11,        ///< "u16"
  KFUSE_U32 = 12,        ///< "u32"
  KFUSE_U64 = 13,        ///< "u64"
  KFUSE_F8E4M3FN = 14,   ///< "f8e4m3fn"
  KFUSE_F8E5M2 = 15,     ///< "f8e5m2"
  KFUSE_F8E4M3FNUZ = 16, ///< "f8e4m3fnuz"
  KFUSE_F8E5M2FNUZ = 17, ///< "f8e5m2fnuz"
  KFUSE_F8E8M0FNU = 18,  ///< "f8e8m0fnu"
  KFUSE_C32 = 19,        ///< "c32", a pair of f16
  KFUSE_C64 = 20,        ///< "c64", a pair of f32
  KFUSE_C128 = 21,       ///< "c128", a pair of f64
  KFUSE_DTYPE_COUNT = 22
};

/// Where memory lies.
typedef int32_t KfuseDeviceKind;
enum { KFUSE_CPU = 0, KFUSE_CUDA = 1 };

/// A device. `index` is 0 for the CPU.
typedef struct KfuseDevice {
  KfuseDeviceKind kind;
  int32_t index;
} KfuseDevice;

/// A strided tensor in someone else's memory. `data` is the address of element
/// 0; sizes and strides have `rank` entries, strides are in elements and may
/// be 0. A tensor without elements may have a null `data`.
typedef struct KfuseTensor {
  void *data;
  const int64_t *sizes;
  const int64_t *strides;
  KfuseDtype dtype;
  int32_t rank;
  KfuseDevice device;
} KfuseTensor;

/// Kinds of a `KfuseScalar`.
typedef int32_t KfuseScalarKind;
enum { KFUSE_SCALAR_INT = 0, KFUSE_SCALAR_FLOAT = 1, KFUSE_SCALAR_BOOL = 2 };

/// A number that lives on the host. `i` holds int and bool (0 or 1), `f` holds
/// float.
typedef struct KfuseScalar {
  KfuseScalarKind kind;
  int32_t reserved;
  union {
    int64_t i;
    double f;
  } value;
} KfuseScalar;

#ifdef __cplusplus
static_assert(sizeof(void *) == 8, "kfuse needs a 64-bit host");
static_assert(sizeof(KfuseDevice) == 8, "pinned layout");
static_assert(sizeof(KfuseTensor) == 40, "pinned layout");
static_assert(sizeof(KfuseScalar) == 16, "pinned layout");
#endif

#endif // KFUSE_RUNTIME_ABI_H
