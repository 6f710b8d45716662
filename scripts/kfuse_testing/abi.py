"""ctypes mirror of include/kfuse/Runtime/ABI.h and of tensors that torch owns."""

import ctypes as c

import torch

DTYPES = {
    torch.float64: 1,
    torch.float32: 2,
    torch.bfloat16: 3,
    torch.float16: 4,
    torch.int64: 5,
    torch.int32: 6,
    torch.int16: 7,
    torch.int8: 8,
    torch.uint8: 9,
    torch.bool: 10,
    torch.uint16: 11,
    torch.uint32: 12,
    torch.uint64: 13,
    torch.float8_e4m3fn: 14,
    torch.float8_e5m2: 15,
    torch.float8_e4m3fnuz: 16,
    torch.float8_e5m2fnuz: 17,
    torch.float8_e8m0fnu: 18,
    torch.complex32: 19,
    torch.complex64: 20,
    torch.complex128: 21,
}
TORCH_DTYPES = {number: dtype for dtype, number in DTYPES.items()}

CPU, CUDA = 0, 1
SCALAR_INT, SCALAR_FLOAT, SCALAR_BOOL = 0, 1, 2


class Device(c.Structure):
    _fields_ = [("kind", c.c_int32), ("index", c.c_int32)]

    @staticmethod
    def of(device):
        device = torch.device(device)
        return Device(CUDA, device.index or 0) if device.type == "cuda" else Device(CPU, 0)


class Tensor(c.Structure):
    _fields_ = [
        ("data", c.c_void_p),
        ("sizes", c.POINTER(c.c_int64)),
        ("strides", c.POINTER(c.c_int64)),
        ("dtype", c.c_int32),
        ("rank", c.c_int32),
        ("device", Device),
    ]

    @staticmethod
    def of(tensor):
        """Describes `tensor`, which must outlive the result."""
        rank = tensor.dim()
        out = Tensor(
            tensor.data_ptr(),
            (c.c_int64 * max(rank, 1))(*tensor.shape),
            (c.c_int64 * max(rank, 1))(*tensor.stride()),
            DTYPES[tensor.dtype],
            rank,
            Device.of(tensor.device),
        )
        return out

    def shape(self):
        return tuple(self.sizes[i] for i in range(self.rank))

    def stride(self):
        return tuple(self.strides[i] for i in range(self.rank))


class _Number(c.Union):
    _fields_ = [("i", c.c_int64), ("f", c.c_double)]


class Scalar(c.Structure):
    _fields_ = [("kind", c.c_int32), ("reserved", c.c_int32), ("value", _Number)]

    @staticmethod
    def of(value):
        if isinstance(value, bool):
            return Scalar(SCALAR_BOOL, 0, _Number(i=int(value)))
        if isinstance(value, float):
            return Scalar(SCALAR_FLOAT, 0, _Number(f=value))
        return Scalar(SCALAR_INT, 0, _Number(i=int(value)))

    def get(self):
        if self.kind == SCALAR_FLOAT:
            return self.value.f
        return bool(self.value.i) if self.kind == SCALAR_BOOL else self.value.i


class _DeviceBytes:
    """Bytes in device memory, for torch to look at without copying."""

    def __init__(self, address, size):
        self.__cuda_array_interface__ = {
            "shape": (size,),
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
        }


def copy_to_torch(tensor):
    """A torch copy of the tensor that `tensor` describes, on its device."""
    dtype, sizes, strides = TORCH_DTYPES[tensor.dtype], tensor.shape(), tensor.stride()
    device = torch.device("cuda", tensor.device.index) if tensor.device.kind == CUDA else torch.device("cpu")
    if 0 in sizes or not tensor.data:
        return torch.empty_strided(sizes, strides, dtype=dtype, device=device)
    extent = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides))
    nbytes = extent * dtype.itemsize
    if device.type == "cuda":
        raw = torch.as_tensor(_DeviceBytes(tensor.data, nbytes), device=device).clone()
    else:
        raw = torch.frombuffer(bytearray(c.string_at(tensor.data, nbytes)), dtype=torch.uint8)
    return raw.view(dtype).as_strided(sizes, strides)
