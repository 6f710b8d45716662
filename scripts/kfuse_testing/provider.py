"""Runs exported programs node by node through libkfuse_torch's C table.

This exercises the provider on every operator and argument kind of a program
without the compiler and the runtime: results must equal eager bit for bit.
"""

import ctypes as c

import torch

from . import abi

NONE, TENSOR, INT, FLOAT, BOOL, STRING, COMPLEX, SCALAR, DTYPE, DEVICE, MEMORY_FORMAT, LAYOUT, LIST = range(13)
RETURN_ONE, RETURN_NONE = -1, -2


class Error(c.Structure):
    _fields_ = [("code", c.c_int32), ("message", c.c_char * 1020)]


class Value(c.Structure):
    pass


Value._fields_ = [
    ("kind", c.c_int32),
    ("count", c.c_int32),
    ("elements", c.POINTER(Value)),
    ("i", c.c_int64),
    ("f", c.c_double),
    ("imag", c.c_double),
    ("s", c.c_char_p),
    ("device", abi.Device),
]


class Argument(c.Structure):
    _fields_ = [("name", c.c_char_p), ("value", Value)]


class OpSpec(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("overload", c.c_char_p),
        ("arguments", c.POINTER(Argument)),
        ("argumentCount", c.c_int32),
        ("tensorCount", c.c_int32),
        ("scalarCount", c.c_int32),
        ("returnCount", c.c_int32),
        ("returns", c.POINTER(c.c_int32)),
        ("resultCount", c.c_int32),
        ("reserved", c.c_int32),
    ]


class TensorArg(c.Structure):
    _fields_ = [
        ("tensor", abi.Tensor),
        ("handle", c.c_void_p),
        ("storageOffset", c.c_int64),
        ("storageBytes", c.c_int64),
    ]


class Call(c.Structure):
    _fields_ = [
        ("tensors", c.POINTER(TensorArg)),
        ("scalars", c.POINTER(abi.Scalar)),
        ("stream", c.c_void_p),
        ("device", abi.Device),
    ]


class Result(c.Structure):
    _fields_ = [
        ("kind", c.c_int32),
        ("reserved", c.c_int32),
        ("handle", c.c_void_p),
        ("tensor", abi.Tensor),
        ("scalar", abi.Scalar),
    ]


_pointer, _int = c.c_void_p, c.c_int32
_fn = c.CFUNCTYPE


class Table(c.Structure):
    _fields_ = [
        ("version", c.c_uint32),
        ("structSize", c.c_uint32),
        ("name", c.c_char_p),
        ("create", _fn(_int, c.POINTER(abi.Device), c.POINTER(_pointer), c.POINTER(Error))),
        ("destroy", _fn(None, _pointer)),
        ("prepare", _fn(_int, _pointer, c.POINTER(OpSpec), c.POINTER(_pointer), c.POINTER(Error))),
        ("releaseOp", _fn(None, _pointer, _pointer)),
        ("call", _fn(_int, _pointer, _pointer, c.POINTER(Call), c.POINTER(Result), c.POINTER(Error))),
    ]


class ProviderError(RuntimeError):
    """The provider refused or failed."""


class OwnedTensor:
    """A tensor of the provider, or memory of a torch tensor that is kept alive."""

    def __init__(self, arg, keep=None):
        self.arg, self.keep = arg, keep

    @staticmethod
    def of(tensor):
        storage = tensor.untyped_storage()
        arg = TensorArg(abi.Tensor.of(tensor), None, tensor.storage_offset(), storage.nbytes())
        return OwnedTensor(arg, tensor)

    def to_torch(self):
        return self.keep if self.keep is not None else abi.copy_to_torch(self.arg.tensor)


class Provider:
    """The provider of the CPU. Handles live as long as the process: tests are
    short, and nothing they hold must be freed early."""

    def __init__(self, path):
        library = c.CDLL(path)
        library.kfuse_provider_get.restype = c.POINTER(Table)
        self.table = library.kfuse_provider_get(1).contents
        self.error, self.provider = Error(), _pointer()
        device = abi.Device(abi.CPU, 0)
        self._check(self.table.create(c.byref(device), c.byref(self.provider), c.byref(self.error)))

    def _check(self, code):
        if code:
            raise ProviderError(f"code {code}: {self.error.message.decode(errors='replace')}")

    def run(self, target, overload, args, kwargs, returns, names):
        """Calls one operator. `args` and `kwargs` hold Python values, OwnedTensors
        and lists; `returns` is the specification's list."""
        tensors, scalars, keep = [], [], []
        arguments = [Argument(name.encode(), _value(v, tensors, keep)) for name, v in zip(names, args)]
        arguments += [Argument(k.encode(), _value(v, tensors, keep)) for k, v in kwargs.items()]
        count = sum(r if r >= 0 else 1 for r in returns)
        spec = OpSpec(
            target.encode(),
            overload.encode(),
            (Argument * max(len(arguments), 1))(*arguments),
            len(arguments),
            len(tensors),
            len(scalars),
            len(returns),
            (c.c_int32 * max(len(returns), 1))(*returns),
            count,
            0,
        )
        op = _pointer()
        self._check(self.table.prepare(self.provider, c.byref(spec), c.byref(op), c.byref(self.error)))
        call = Call((TensorArg * max(len(tensors), 1))(*[t.arg for t in tensors]), None, None, abi.Device(0, 0))
        results = (Result * max(count, 1))()
        try:
            self._check(self.table.call(self.provider, op, c.byref(call), results, c.byref(self.error)))
        finally:
            self.table.releaseOp(self.provider, op)
        flat = [_result(results[i]) for i in range(count)]
        out = []
        for r in returns:
            take = r if r >= 0 else 1
            out.append(flat[:take] if r >= 0 else flat[0])
            flat = flat[take:]
        return out


def _value(value, tensors, keep):
    if value is None:
        return Value(kind=NONE)
    if isinstance(value, OwnedTensor):
        tensors.append(value)
        return Value(kind=TENSOR, i=len(tensors) - 1)
    if isinstance(value, bool):
        return Value(kind=BOOL, i=int(value))
    if isinstance(value, int):
        return Value(kind=INT, i=value)
    if isinstance(value, float):
        return Value(kind=FLOAT, f=value)
    if isinstance(value, complex):
        return Value(kind=COMPLEX, f=value.real, imag=value.imag)
    if isinstance(value, str):
        return Value(kind=STRING, s=value.encode())
    if isinstance(value, torch.dtype):
        return Value(kind=DTYPE, i=abi.DTYPES[value])
    if isinstance(value, torch.device):
        return Value(kind=DEVICE, device=abi.Device.of(value))
    if isinstance(value, torch.layout):
        return Value(kind=LAYOUT, s=str(value).removeprefix("torch.").encode())
    if isinstance(value, torch.memory_format):
        return Value(kind=MEMORY_FORMAT, s=str(value).removeprefix("torch.").encode())
    if isinstance(value, (list, tuple)):
        items = (Value * max(len(value), 1))(*[_value(v, tensors, keep) for v in value])
        keep.append(items)
        return Value(kind=LIST, count=len(value), elements=items)
    raise ProviderError(f"no argument kind for {type(value).__name__}")


def _result(result):
    if result.kind == 1:
        storage = TensorArg(result.tensor, result.handle, 0, 0)
        return OwnedTensor(storage)
    return result.scalar.get() if result.kind == 2 else None


def python_target(function):
    """`_operator.add` for operator.add, as the exporter writes it."""
    module = getattr(function, "__module__", None) or "builtins"
    if function in (torch.sym_max, torch.sym_min, torch.sym_float, torch.sym_int, torch.sym_not, torch.sym_ite):
        module = "torch"
    return f"python::{module}.{function.__name__}"


class ProviderInterpreter(torch.fx.Interpreter):
    """An interpreter whose operators run in a `Provider`. Give and get tensors
    as OwnedTensors."""

    def __init__(self, module, provider):
        super().__init__(module)
        self.provider = provider

    def get_attr(self, target, args, kwargs):
        value = super().get_attr(target, args, kwargs)
        return OwnedTensor.of(value) if isinstance(value, torch.Tensor) else value

    def call_function(self, target, args, kwargs):
        if getattr(target, "__name__", "") == "getitem":
            return args[0][args[1]]
        if isinstance(target, torch._ops.HigherOrderOperator):
            return self._higher_order(target, args, kwargs)
        if not isinstance(target, torch._ops.OpOverload):
            names = ["x"] * len(args)
            return self.provider.run(python_target(target), "", args, kwargs, [RETURN_ONE], names)[0]
        schema = target._schema
        overload = "" if target._overloadname == "default" else target._overloadname
        names = [a.name for a in schema.arguments]
        returns = self._returns(schema, args)
        out = self.provider.run(schema.name, overload, args, kwargs, returns, names)
        return out[0] if len(out) == 1 else (tuple(out) if out else None)

    def _returns(self, schema, args):
        meta = self.current_node.meta.get("val")
        returns = []
        for i, r in enumerate(schema.returns):
            if r.type.isSubtypeOf(torch._C.ListType.ofTensors()):
                value = meta[i] if len(schema.returns) > 1 else meta
                returns.append(len(value))
            else:
                returns.append(RETURN_ONE)
        return returns

    def _higher_order(self, target, args, kwargs):
        name = target.name() if callable(getattr(target, "name", None)) else str(target)
        if "wrap_with_set_grad_enabled" in name:
            body, operands = args[1], args[2:]
        elif "wrap_with_autocast" in name:
            body, operands = args[4], args[5:]
        else:
            raise ProviderError(f"higher-order operator {name} is not interpreted")
        return ProviderInterpreter(body, self.provider).run(*operands)

    def run_node(self, n):
        self.current_node = n
        return super().run_node(n)


def run_exported(exported, args, provider):
    """Runs an ExportedProgram; returns the flat outputs as torch tensors and
    numbers. Inputs and buffers are written in place, as the program does."""
    flat, _ = torch.utils._pytree.tree_flatten((tuple(args), {}))
    signature = exported.graph_signature
    users = iter(flat)
    values = []
    for spec in signature.input_specs:
        kind = spec.kind.name
        if kind == "USER_INPUT":
            value = next(users)
        elif kind in ("PARAMETER", "BUFFER"):
            value = exported.state_dict.get(spec.target, exported.constants.get(spec.target))
        else:
            value = exported.constants[spec.target]
        values.append(OwnedTensor.of(value.detach()) if isinstance(value, torch.Tensor) else value)
    with torch.no_grad():
        out = ProviderInterpreter(exported.graph_module, provider).run(*values, enable_io_processing=False)
    results = []
    for spec, value in zip(signature.output_specs, out):
        value = value.to_torch() if isinstance(value, OwnedTensor) else value
        if spec.kind.name == "USER_OUTPUT":
            results.append(value)
    return results
