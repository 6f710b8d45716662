"""ctypes binding of libkfuse_runtime (include/kfuse/Runtime/kfuse.h) for torch tensors.

torch must be imported first, so that libkfuse_torch finds its libraries
already loaded, whatever folder they were linked from.
"""

import ctypes as c
import os
import pathlib

import torch

from . import abi

AUTO, PLAN, GENERIC = 0, 1, 2
ALLOW, WARN, DENY = 0, 1, 2
FALLBACK_CLASSES = ("library", "unsupported", "guard", "killed", "generic")


class ValueInfo(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("isTensor", c.c_int32),
        ("scalarKind", c.c_int32),
        ("dtype", c.c_int32),
        ("rank", c.c_int32),
        ("sizes", c.POINTER(c.c_int64)),
    ]


class WeightsOptions(c.Structure):
    _fields_ = [("device", abi.Device), ("search", c.c_char_p), ("table", c.c_void_p)]


class ModelOptions(c.Structure):
    _fields_ = [
        ("program", c.c_int32),
        ("fallback", c.c_int32),
        ("provider", c.c_void_p),
        ("providerPath", c.c_char_p),
        ("killFile", c.c_char_p),
        ("log", c.c_void_p),
        ("logUser", c.c_void_p),
        ("fallbackBudget", c.c_int64),
    ]


class Arg(c.Structure):
    _fields_ = [("tensor", abi.Tensor), ("scalar", abi.Scalar)]


class Counters(c.Structure):
    _fields_ = [
        ("launches", c.c_int64),
        ("fallbacks", c.c_int64 * len(FALLBACK_CLASSES)),
        ("copies", c.c_int64),
        ("bytesCopied", c.c_int64),
        ("bytesAllocated", c.c_int64),
        ("arenaBytes", c.c_int64),
        ("hostNanoseconds", c.c_int64),
    ]

    def as_dict(self):
        out = {name: getattr(self, name) for name, _ in self._fields_ if name != "fallbacks"}
        out["fallbacks"] = dict(zip(FALLBACK_CLASSES, self.fallbacks))
        return out


class FallbackInfo(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("reason", c.c_char_p),
        ("kind", c.c_int32),
        ("reserved", c.c_int32),
        ("count", c.c_int64),
    ]


class KfuseError(RuntimeError):
    """A failed call, with the library's status name and message."""

    def __init__(self, status, name, message):
        super().__init__(f"{name}: {message}")
        self.status, self.name = status, name


class Library:
    """The shared library of the runtime, and of the ATen provider beside it."""

    def __init__(self, path=None, provider=None):
        build = pathlib.Path(os.environ.get("KFUSE_BUILD", "build/dev"))
        self.path = str(path or build / "lib" / "libkfuse_runtime.so")
        beside = pathlib.Path(self.path).resolve().parent / "libkfuse_torch.so"
        self.provider = str(provider or beside)
        self.c = c.CDLL(self.path)
        for name in ("kfuse_last_error", "kfuse_status_name"):
            getattr(self.c, name).restype = c.c_char_p

    def check(self, status):
        if status:
            message = self.c.kfuse_last_error().decode(errors="replace")
            raise KfuseError(status, self.c.kfuse_status_name(status).decode(), message)

    def make(self, function, *args):
        """Calls a constructor whose last parameter receives the object."""
        out = c.c_void_p()
        self.check(getattr(self.c, function)(*args, c.byref(out)))
        return out


def _text(value):
    return value.encode() if value is not None else None


class Package:
    def __init__(self, library, path):
        self.library = library
        self.handle = library.make("kfuse_package_open", str(path).encode())

    def _infos(self, what):
        lib = self.library
        infos = []
        for i in range(getattr(lib.c, f"kfuse_package_{what}_count")(self.handle)):
            info = ValueInfo()
            lib.check(getattr(lib.c, f"kfuse_package_{what}")(self.handle, i, c.byref(info)))
            infos.append(info)
        return infos

    def inputs(self):
        return self._infos("input")

    def outputs(self):
        return self._infos("output")

    def member(self, name):
        """Text of a JSON member, None when the package has none."""
        data, size = c.c_void_p(), c.c_uint64()
        if self.library.c.kfuse_package_member(self.handle, name.encode(), c.byref(data), c.byref(size)):
            return None
        return c.string_at(data, size.value).decode()


class Model:
    """A package made ready on a device, with one context (and its state).
    `table` is a device table to use instead of the built-in one."""

    def __init__(
        self, library, package, device="cpu", program=AUTO, fallback=ALLOW, search=None, kill_file=None, table=None
    ):
        self.library, self.package, self.device = library, package, torch.device(device)
        pointer = c.cast(c.pointer(table), c.c_void_p) if table is not None else None
        options = WeightsOptions(abi.Device.of(device), _text(search), pointer)
        self.weights = library.make("kfuse_weights_create", package.handle, c.byref(options))
        choice = ModelOptions(program, fallback, None, _text(library.provider), _text(kill_file), None, None)
        self.handle = library.make("kfuse_model_create", package.handle, self.weights, c.byref(choice))
        self.context = library.make("kfuse_context_create", self.handle, None)
        self.output_infos = package.outputs()

    def close(self):
        for name, handle in (("context", self.context), ("model", self.handle), ("weights", self.weights)):
            getattr(self.library.c, f"kfuse_{name}_release")(handle)

    def arguments(self, values):
        """The C arguments of tensors and numbers, which must outlive them."""
        args = (Arg * max(len(values), 1))()
        for arg, value in zip(args, values):
            if isinstance(value, torch.Tensor):
                arg.tensor = abi.Tensor.of(value)
            else:
                arg.scalar = abi.Scalar.of(value)
        return args

    def allocate(self, args, count):
        """Output tensors as `kfuse_infer` wants them; None for numbers and for
        outputs whose size depends on data."""
        outputs = (Arg * max(len(self.output_infos), 1))()
        self.library.check(self.library.c.kfuse_infer(self.context, args, count, outputs, len(self.output_infos)))
        tensors = []
        for info, out in zip(self.output_infos, outputs):
            known = info.isTensor and bool(out.tensor.strides or not out.tensor.rank)
            if not known or any(size < 0 for size in out.tensor.shape()):
                tensors.append(None)
                continue
            dtype = abi.TORCH_DTYPES[out.tensor.dtype]
            shape, stride = out.tensor.shape(), out.tensor.stride()
            tensors.append(torch.empty_strided(shape, stride, dtype=dtype, device=self.device))
        return tensors

    def bind(self, values):
        """A repeatable call with fixed inputs and outputs."""
        return Call(self, values)

    def __call__(self, *values, stream=None):
        call = self.bind(values)
        call.run(stream)
        return call.results()

    def counters(self):
        counters = Counters()
        self.library.check(self.library.c.kfuse_context_counters(self.context, c.byref(counters)))
        return counters.as_dict()

    def fallbacks(self):
        """(name, class, reason, count) of each operator run outside a kernel."""
        rows = []
        for i in range(self.library.c.kfuse_context_fallback_count(self.context)):
            info = FallbackInfo()
            self.library.check(self.library.c.kfuse_context_fallback(self.context, i, c.byref(info)))
            rows.append((info.name.decode(), FALLBACK_CLASSES[info.kind], info.reason.decode(), info.count))
        return rows

    def launches(self):
        """Launches of the program, and those with code for the device."""
        every, runnable = c.c_int32(), c.c_int32()
        self.library.c.kfuse_model_launches(self.handle, c.byref(every), c.byref(runnable))
        return every.value, runnable.value


class Call:
    """Fixed inputs and outputs of a model; `run` enqueues one call."""

    def __init__(self, model, values):
        self.model, self.values = model, list(values)
        self.args, self.count = model.arguments(self.values), len(self.values)
        self.tensors = model.allocate(self.args, self.count)
        self.outputs = model.arguments([t if t is not None else 0 for t in self.tensors])
        self._run = model.library.c.kfuse_run

    def run(self, stream=None):
        handle = c.c_void_p(stream)
        self.model.library.check(
            self._run(self.model.context, self.args, self.count, self.outputs, len(self.tensors), handle)
        )

    def results(self):
        """The outputs: the call's own tensors, copies of data-dependent ones,
        numbers."""
        out = []
        for info, tensor, arg in zip(self.model.output_infos, self.tensors, self.outputs):
            if tensor is not None:
                out.append(tensor)
            elif info.isTensor:
                out.append(abi.copy_to_torch(arg.tensor))
            else:
                out.append(arg.scalar.get())
        return out

    def capture(self, stream):
        """A CUDA graph of the call; `replay(handle, stream)` runs it."""
        lib = self.model.library
        return lib.make(
            "kfuse_capture",
            self.model.context,
            self.args,
            self.count,
            self.outputs,
            len(self.tensors),
            c.c_void_p(stream),
        )

    def replay(self, graph, stream):
        lib = self.model.library
        lib.check(lib.c.kfuse_graph_launch(graph, c.c_void_p(stream)))
