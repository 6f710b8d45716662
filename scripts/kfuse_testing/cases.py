"""Test cases: files with `Model` and `inputs(device)`, or a list `CASES`.

A case file may also define `DYNAMIC` (dynamic_shapes of torch.export, or a
function that makes them), `more(device)` (further inputs for the same artifact),
`RTOL`, `ATOL` and `HEAVY` (too big for a CPU test).
"""

import dataclasses
import importlib.util
import pathlib
import sys
from typing import Any, Callable


@dataclasses.dataclass
class Case:
    name: str
    make_module: Callable[[], Any]
    make_inputs: Callable[[str], tuple]
    make_more: Callable[[str], list]
    dynamic: Any = None
    rtol: float = 0.0
    atol: float = 0.0
    heavy: bool = False

    def dynamic_shapes(self):
        return self.dynamic() if callable(self.dynamic) else self.dynamic


def _import(path):
    name = f"kfuse_case_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _from_bank(bank):
    for item in bank.CASES:
        alternatives = item.alt_inputs
        yield Case(
            item.id,
            item.make_module,
            item.make_inputs,
            lambda device, alternatives=alternatives: [make(device) for make in alternatives],
            item.dynamic_shapes,
            item.rtol,
            item.atol,
            item.heavy,
        )


def _from_file(path):
    module = _import(path)
    if hasattr(module, "CASES"):
        yield from _from_bank(module)
    elif hasattr(module, "Model"):
        yield Case(
            path.stem,
            module.Model,
            module.inputs,
            getattr(module, "more", lambda device: []),
            getattr(module, "DYNAMIC", None),
            getattr(module, "RTOL", 0.0),
            getattr(module, "ATOL", 0.0),
            getattr(module, "HEAVY", False),
        )


def load(directory, only=()):
    """All cases of the files in `directory` (or of one file), sorted by name.
    `only` keeps those whose name contains one of its strings."""
    root = pathlib.Path(directory)
    files = [root] if root.is_file() else sorted(root.glob("*.py"))
    found = [case for path in files for case in _from_file(path)]
    if only:
        found = [case for case in found if any(text in case.name for text in only)]
    return sorted(found, key=lambda case: case.name)
