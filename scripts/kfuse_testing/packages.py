"""Writes packages of exported programs with the generic program alone.

A second, independent writer of docs/Package.md: with it the runtime and the
provider are tested on real programs where there is no compiler. Nothing is
compiled; every node is an `aten` step.
"""

import json
import struct
import zipfile

import sympy
import torch

from . import abi
from .provider import ProviderError, python_target

DTYPE_NAMES = {
    number: name
    for number, name in enumerate(
        "- f64 f32 bf16 f16 i64 i32 i16 i8 u8 bool u16 u32 u64 f8e4m3fn f8e5m2 f8e4m3fnuz f8e5m2fnuz "
        "f8e8m0fnu c32 c64 c128".split()
    )
}


def dtype_name(dtype):
    return DTYPE_NAMES[abi.DTYPES[dtype]]


_BINARY = {"FloorDiv": "floordiv", "CleanDiv": "floordiv", "Mod": "mod", "PythonMod": "mod", "CeilDiv": "ceildiv"}
_NARY = {"Add": "add", "Mul": "mul", "Max": "max", "Min": "min"}


def expression(value):
    """The package's form of an int, a SymInt or a sympy expression."""
    if isinstance(value, torch.SymInt):
        value = value.node.expr
    if isinstance(value, int):
        return value
    if value.is_Integer:
        return int(value)
    if value.is_Symbol:
        return str(value)
    name = type(value).__name__
    operands = [expression(a) for a in value.args] if name != "Pow" else []
    if name in _NARY:
        return [_NARY[name], *operands]
    if name in _BINARY:
        return [_BINARY[name], *operands]
    if name == "Pow" and value.args[1].is_Integer and value.args[1] > 1:
        return ["mul", *[expression(value.args[0])] * int(value.args[1])]
    raise ProviderError(f"no expression for {value}")


class Writer:
    """Translates one ExportedProgram; `write` makes the file."""

    def __init__(self, program):
        self.program = program
        self.tensors, self.steps = [], []
        self.inputs, self.weights, self.storages = [], [], {}
        self.symbols, self.local_symbols, self.known = [], [], set()
        self.values = {}
        self._placeholders()
        self.outputs = self._graph(program.graph_module, [])

    # Inputs, weights and symbols

    def _placeholders(self):
        signature = self.program.graph_signature
        nodes = [n for n in self.program.graph.nodes if n.op == "placeholder"]
        tensor_inputs = []
        for node, spec in zip(nodes, signature.input_specs):
            kind, value = spec.kind.name, node.meta.get("val")
            if kind != "USER_INPUT":
                self.values[node] = self._weight(spec, kind)
            elif isinstance(value, torch.Tensor):
                tensor_inputs.append((len(self.inputs), node, value))
                self.inputs.append({"name": node.name, "kind": "tensor"})
            elif isinstance(value, torch.SymInt):
                self._symbol(value.node.expr, {"input": len(self.inputs)})
                self.values[node] = {"sym": expression(value)}
                self.inputs.append({"name": node.name, "kind": "int"})
            else:
                self.inputs.append({"name": node.name, "kind": "constant", "value": value})
        self._bind_sizes(tensor_inputs)
        for index, node, value in tensor_inputs:
            self.inputs[index].update(self._layout(value))
            self.values[node] = {"t": self._tensor(node.name, value, {"input": index})}

    def _bind_sizes(self, tensor_inputs):
        """Plain sizes first, then those that are a multiple plus a constant."""
        for plain in (True, False):
            for index, _, value in tensor_inputs:
                for dim, size in enumerate(value.shape):
                    expr = size.node.expr if isinstance(size, torch.SymInt) else sympy.Integer(int(size))
                    free = [s for s in expr.free_symbols if str(s) not in self.known]
                    if expr.is_Symbol and plain and free:
                        self._symbol(expr, {"input": index, "dim": dim})
                    elif not plain and len(free) == 1 and len(expr.free_symbols) == 1:
                        a, b = sympy.Poly(expr, free[0]).all_coeffs()
                        self._symbol(free[0], {"input": index, "dim": dim, "mul": int(a), "add": int(b)})

    def _symbol(self, symbol, bind, where=None, kind="int"):
        name = str(symbol)
        if name in self.known:
            return
        self.known.add(name)
        entry = {"name": name, "bind": bind}
        if kind != "int":
            entry["type"] = kind
        ranges = self.program.range_constraints.get(symbol)
        if ranges is not None:
            for key, bound in (("min", ranges.lower), ("max", ranges.upper)):
                if bound.is_Integer and abs(int(bound)) < 2**62:
                    entry[key] = int(bound)
        (self.symbols if where is None else where).append(entry)

    def _weight(self, spec, kind):
        name = spec.target
        tensor = self.program.state_dict.get(name, self.program.constants.get(name)).detach()
        storage = tensor.untyped_storage()
        key = storage.data_ptr() or id(tensor)
        index, _ = self.storages.setdefault(key, (len(self.storages), storage))
        kinds = {"PARAMETER": "parameter", "BUFFER": "buffer"}
        self.weights.append(
            {
                "name": name,
                "kind": kinds.get(kind, "constant"),
                "dtype": dtype_name(tensor.dtype),
                "sizes": list(tensor.shape),
                "strides": list(tensor.stride()),
                "offset": tensor.storage_offset(),
                "mutable": kind == "BUFFER",
                "source": {"member": f"weights/{index}"},
            }
        )
        return {"t": self._tensor(name, tensor, {"weight": len(self.weights) - 1})}

    # Tensors and steps

    def _layout(self, value):
        return {
            "dtype": dtype_name(value.dtype),
            "sizes": [expression(s) for s in value.shape],
            "strides": [expression(s) for s in value.stride()],
        }

    def _tensor(self, name, value, storage):
        self.tensors.append({"name": name, **self._layout(value), "storage": storage})
        return len(self.tensors) - 1

    def _graph(self, module, arguments):
        placeholders = iter(arguments)
        for node in module.graph.nodes:
            if node.op == "placeholder" and module is not self.program.graph_module:
                self.values[node] = next(placeholders)
            elif node.op == "get_attr":
                self.values[node] = getattr(module, node.target)
            elif node.op == "call_function":
                self._node(node)
            elif node.op == "output":
                return torch.fx.node.map_arg(node.args[0], lambda n: self.values[n])
        raise ProviderError("a graph without outputs")

    def _node(self, node):
        target = node.target
        if getattr(target, "__name__", "") == "getitem":
            self.values[node] = self.values[node.args[0]][node.args[1]]
        elif isinstance(target, torch._ops.HigherOrderOperator):
            skip = {"wrap_with_set_grad_enabled": 1, "wrap_with_autocast": 4}.get(target.name())
            if skip is None:
                raise ProviderError(f"higher-order operator {target.name()} is not translated")
            operands = [self.values[a] for a in node.args[skip + 1 :]]
            self.values[node] = self._graph(self.values[node.args[skip]], operands)
        elif isinstance(target, torch._ops.OpOverload):
            overload = "" if target._overloadname == "default" else target._overloadname
            names = [a.name for a in target._schema.arguments]
            self._step(node, target._schema.name, overload, names, len(target._schema.returns))
        else:
            self._step(node, python_target(target), "", [""] * len(node.args), 1)

    def _step(self, node, target, overload, names, returns):
        arguments = [{"name": n, "value": self._value(v)} for n, v in zip(names, node.args)]
        arguments += [{"name": n, "value": self._value(v)} for n, v in node.kwargs.items()]
        value = node.meta.get("val")
        results, values = [], []
        for i, one in enumerate([value] if returns == 1 else list(value or [])):
            result = self._result(f"{node.name}_{i}", one)
            results.append(result)
            values.append(result if not (isinstance(result, dict) and "symbol" in result) else {"scalar": result["symbol"]})
        self.values[node] = values[0] if returns == 1 else values
        self.steps.append(
            {"op": "aten", "target": target, "overload": overload, "args": arguments, "results": results}
        )

    def _result(self, name, value):
        if value is None:
            return None
        if isinstance(value, (list, tuple)):
            return [self._result(f"{name}_{i}", v) for i, v in enumerate(value)]
        if isinstance(value, torch.Tensor):
            for dim, size in enumerate(value.shape):
                if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol:
                    self._symbol(size.node.expr, {"tensor": len(self.tensors), "dim": dim}, self.local_symbols)
            return {"t": self._tensor(name, value, "provider")}
        if isinstance(value, torch.SymInt) and value.node.expr.is_Symbol and str(value.node.expr) not in self.known:
            name = value.node.expr
        kind = "bool" if isinstance(value, (bool, torch.SymBool)) else "float" if isinstance(value, (float, torch.SymFloat)) else "int"
        self._symbol(name, {"step": True}, self.local_symbols, kind)
        return {"symbol": str(name)}

    def _value(self, value):
        if isinstance(value, torch.fx.Node):
            return self.values[value]
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            return {"float": _float(value)}
        if isinstance(value, complex):
            return {"complex": [_float(value.real), _float(value.imag)]}
        if isinstance(value, torch.dtype):
            return {"dtype": dtype_name(value)}
        if isinstance(value, torch.device):
            return {"device": "model"}
        if isinstance(value, torch.layout):
            return {"layout": str(value).removeprefix("torch.")}
        if isinstance(value, torch.memory_format):
            return {"memory_format": str(value).removeprefix("torch.")}
        if isinstance(value, (list, tuple)):
            return [self._value(v) for v in value]
        raise ProviderError(f"no argument kind for {type(value).__name__}")

    # Documents

    def _program_outputs(self):
        infos, outputs = [], []
        for spec, value in zip(self.program.graph_signature.output_specs, self.outputs):
            if spec.kind.name != "USER_OUTPUT":
                continue
            name = getattr(spec.arg, "name", "constant")
            if isinstance(value, dict) and "t" in value:
                tensor = self.tensors[value["t"]]
                layout = {key: tensor[key] for key in ("dtype", "sizes", "strides")}
                infos.append({"name": name, "kind": "tensor", **layout})
            elif value is None:
                infos.append({"kind": "none"})
            else:
                kind = "int"
                infos.append({"name": name, "kind": "scalar", "type": kind})
                value = value if isinstance(value, dict) else {"sym": value}
            outputs.append(value)
        return infos, outputs

    def documents(self):
        infos, outputs = self._program_outputs()
        manifest = {
            "format": "kfuse-package",
            "version": 1,
            "torch_version": torch.__version__,
            "targets": [],
            "symbols": self.symbols,
            "inputs": self.inputs,
            "outputs": infos,
            "weights": self.weights,
        }
        generic = {
            "version": 1,
            "kind": "generic",
            "symbols": self.local_symbols,
            "tensors": self.tensors,
            "steps": self.steps,
            "outputs": outputs,
        }
        return manifest, generic

    def write(self, path):
        manifest, generic = self.documents()
        with zipfile.ZipFile(path, "w") as archive:
            _member(archive, "manifest.json", json.dumps(manifest).encode())
            _member(archive, "plan.json", json.dumps({**generic, "kind": "plan"}).encode())
            _member(archive, "generic.json", json.dumps(generic).encode())
            for index, storage in self.storages.values():
                raw = torch.empty(0, dtype=torch.uint8).set_(storage)
                _member(archive, f"weights/{index}", raw.numpy().tobytes())


def _float(value):
    if value != value:
        return "nan"
    return value if abs(value) != float("inf") else ("inf" if value > 0 else "-inf")


def _member(archive, name, data, alignment=64):
    """Adds a stored member whose data starts at a multiple of `alignment`."""
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    start = archive.fp.tell() + 30 + len(name.encode()) + 4
    padding = -start % alignment
    info.extra = struct.pack("<HH", 0x4B46, padding) + bytes(padding)
    archive.writestr(info, data, zipfile.ZIP_STORED)


def keep_last_variants(source, path):
    """Copies a package; launches keep the variant that has no guards alone."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "plan.json":
                plan = json.loads(data)
                for step in plan["steps"]:
                    if step["op"] == "launch":
                        step["variants"] = step["variants"][-1:]
                data = json.dumps(plan).encode()
            _member(new, name, data)


def write_generic(program, path):
    """Writes the package of an ExportedProgram."""
    Writer(program).write(path)
