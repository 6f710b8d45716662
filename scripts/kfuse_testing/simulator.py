"""ctypes binding of libkfuse_sim (include/kfuse/Runtime/Simulator.h).

A `Simulator` is a device table for `runtime.Model`: what kernels do wrong is in
`findings`, what was launched in `launched`. Math functions are those of the file
KFUSE_LIBDEVICE.
"""

import ctypes as c
import dataclasses
import os
import pathlib

_VERSION = 2
TIMINGS = {"late": 0, "early": 1, "random": 2}


class Thread(c.Structure):
    _fields_ = [("block", c.c_int32 * 3), ("thread", c.c_int32 * 3)]


class FindingRecord(c.Structure):
    _fields_ = [
        ("kind", c.c_int32),
        ("reserved", c.c_int32),
        ("kernel", c.c_char_p),
        ("message", c.c_char_p),
        ("place", c.c_char_p),
        ("other", c.c_char_p),
        ("thread", Thread),
        ("otherThread", Thread),
        ("address", c.c_uint64),
        ("argument", c.c_int32),
        ("bytes", c.c_int32),
        ("count", c.c_int64),
    ]


Sink = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(FindingRecord))


class Options(c.Structure):
    _fields_ = [
        ("structSize", c.c_uint32),
        ("timing", c.c_int32),
        ("seed", c.c_uint64),
        ("isFast", c.c_int32),
        ("optLevel", c.c_int32),
        ("sink", Sink),
        ("user", c.c_void_p),
        ("libdevice", c.c_char_p),
        ("maxSwitches", c.c_uint64),
    ]


class Error(c.Structure):
    _fields_ = [("code", c.c_int32), ("message", c.c_char * 508)]


class _Launch(c.Structure):
    _fields_ = [
        ("function", c.c_void_p),
        ("stream", c.c_void_p),
        ("params", c.c_void_p),
        ("grid", c.c_uint32 * 3),
        ("block", c.c_uint32 * 3),
        ("sharedBytes", c.c_uint32),
        ("paramCount", c.c_uint32),
        ("tensors", c.c_void_p),
        ("tensorCount", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


_GetFunction = c.CFUNCTYPE(
    c.c_int32, c.c_void_p, c.c_void_p, c.c_char_p, c.c_int64, c.POINTER(c.c_void_p), c.POINTER(Error)
)
_LaunchFunction = c.CFUNCTYPE(c.c_int32, c.c_void_p, c.POINTER(_Launch), c.POINTER(Error))


class Table(c.Structure):
    """KfuseDeviceTable; functions that are passed on untouched are pointers."""

    _fields_ = (
        [("version", c.c_uint32), ("structSize", c.c_uint32), ("name", c.c_char_p)]
        + [("kind", c.c_int32), ("wantsTensors", c.c_int32)]
        + [(name, c.c_void_p) for name in "open close enter leave allocate release copy fill".split()]
        + [("loadModule", c.c_void_p), ("unloadModule", c.c_void_p)]
        + [("getFunction", _GetFunction), ("launch", _LaunchFunction)]
        + [(name, c.c_void_p) for name in "synchronize createStream destroyStream createEvent".split()]
        + [(name, c.c_void_p) for name in "destroyEvent recordEvent waitEvent elapsed".split()]
        + [(name, c.c_void_p) for name in "beginCapture endCapture launchGraph destroyGraph".split()]
    )


@dataclasses.dataclass
class Finding:
    """One thing that a kernel did wrong."""

    kind: str
    kernel: str
    message: str
    place: str
    other: str

    def __str__(self):
        text = f"{self.kind} in {self.kernel}: {self.message} at {self.place}"
        return text + (f"; the other side: {self.other}" if self.other else "")


def open_library(build):
    """libkfuse_sim, its device table, and a copy of the table to change."""
    library = c.CDLL(str(pathlib.Path(build) / "lib" / "libkfuse_sim.so"))
    library.kfuse_sim_device_table.restype = c.POINTER(Table)
    library.kfuse_sim_kind_name.restype = c.c_char_p
    original = library.kfuse_sim_device_table(_VERSION)
    if not original:
        raise RuntimeError(f"the simulator does not know version {_VERSION} of the device table")
    copy = Table()
    c.memmove(c.byref(copy), original, c.sizeof(Table))
    return library, original.contents, copy


def configure(library, **fields):
    """Sets the options that are given, and the path of libdevice."""
    libdevice = os.environ.get("KFUSE_LIBDEVICE", "").encode() or None
    options, error = Options(structSize=c.sizeof(Options), libdevice=libdevice, **fields), Error()
    if library.kfuse_sim_configure(c.byref(options), c.byref(error)):
        raise RuntimeError(error.message.decode())


class Simulator:
    """The library with a log. One is alive in a process at a time."""

    def __init__(self, build):
        self.c, self.original, self.table = open_library(build)
        self.findings, self.launched = [], []
        self._names = {}
        self._sink = Sink(self._take)
        self.table.getFunction = _GetFunction(self._get_function)
        self.table.launch = _LaunchFunction(self._launch)

    def configure(self, seed=0, timing="late", optimize=0, fast=False):
        configure(
            self.c, seed=seed, timing=TIMINGS[timing], optLevel=optimize, isFast=fast, sink=self._sink
        )

    def clear(self):
        self.findings.clear()
        self.launched.clear()

    def _take(self, _, finding):
        found = finding.contents
        text = [found.kernel, found.message, found.place, found.other]
        kind = self.c.kfuse_sim_kind_name(found.kind).decode()
        self.findings.append(Finding(kind, *(t.decode(errors="replace") if t else "" for t in text)))

    def _get_function(self, device, module, entry, shared, out, error):
        status = self.original.getFunction(device, module, entry, shared, out, error)
        if not status:
            self._names[out.contents.value] = entry.decode()
        return status

    def _launch(self, device, launch, error):
        what = launch.contents
        self.launched.append((self._names[what.function], tuple(what.grid), tuple(what.block)))
        return self.original.launch(device, launch, error)
