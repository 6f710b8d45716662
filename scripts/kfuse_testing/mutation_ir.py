"""Lowered kernels as text that faults can be planted into.

Reads the generic form of MLIR, in which each operation of a lowered kernel is
one line. A fault is an edit: some lines are replaced by others.
"""

import dataclasses
import re

_OP = re.compile(
    r"^\s*(?:(?P<results>%[\w#:, %]+) = )?\"(?P<name>[\w.]+)\"\((?P<operands>[^)]*)\)"
    r"(?:\[(?P<successors>[^\]]*)\])?(?: <\{(?P<properties>.*)\}>)?(?: \{(?P<attributes>.*)\})?"
    r" : \((?P<types>.*)\) -> (?P<result_type>.*)$"
)
_LABEL = re.compile(r"^\s*(?P<label>\^bb\d+)(?:\((?P<args>.*)\))?:")
_FUNCTION = re.compile(r"^\s*\"llvm\.func\"\(\) <\{.*sym_name = \"(?P<name>[\w.$-]+)\".*\}> \(\{$")


def split_list(text):
    """Parts of a comma-separated list, with the commas in brackets left alone."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += char in "<([{"
        depth -= char in ">)]}" and text[i - 1 : i + 1] != "->"
        if char == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return parts + [last] if last else parts


@dataclasses.dataclass
class Op:
    line: int
    name: str
    results: list
    operands: list
    types: list  # of the operands
    result_type: str
    successors: list
    properties: str
    attributes: str
    block: int = 0

    @property
    def result(self):
        return self.results[0] if self.results else None

    def text(self, **changes):
        """The line of this operation with some of its fields changed."""
        op = dataclasses.replace(self, **changes)
        results = ", ".join(op.results) + " = " if op.results else ""
        successors = "[" + ", ".join(op.successors) + "]" if op.successors else ""
        properties = f" <{{{op.properties}}}>" if op.properties else ""
        attributes = f" {{{op.attributes}}}" if op.attributes else ""
        types = ", ".join(op.types)
        return (f'{results}"{op.name}"({", ".join(op.operands)}){successors}{properties}{attributes}'
                f" : ({types}) -> {op.result_type}")


@dataclasses.dataclass
class Block:
    label: str
    arguments: list
    ops: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Fault:
    """An edit of a function: lines of the module to replace, by number."""

    kind: str
    function: str
    line: int
    edits: dict
    # Where the fault changes one index or mask: the operation that makes or uses
    # it, the value, its name when it is wrong, and what computes that.
    infection: tuple | None = None


def function_arguments(text):
    return [part.split(": ", 1) for part in split_list(text or "")]


class Function:
    """One kernel of a module."""

    def __init__(self, name, lines, start, end):
        self.name, self.lines, self.start, self.end = name, lines, start, end
        self.blocks, self.ops, self.defs = [], [], {}
        self.types = {}
        for number in range(start + 1, end):
            self._add_line(number, lines[number])
        self.arguments = self.blocks[0].arguments if self.blocks else []
        self.uses = {}
        for op in self.ops:
            for operand in op.operands:
                self.uses.setdefault(operand, []).append(op)

    def _add_line(self, number, line):
        label = _LABEL.match(line)
        if label:
            self.blocks.append(Block(label["label"], [n for n, _ in function_arguments(label["args"])]))
            self.types.update(dict(function_arguments(label["args"])))
            return
        found = _OP.match(line)
        if not found:
            raise ValueError(f"no operation on one line: {line.strip()[:200]}")
        if not self.blocks:
            self.blocks.append(Block("", []))
        op = Op(number, found["name"], split_list(found["results"] or ""), split_list(found["operands"]),
                split_list(found["types"]), found["result_type"], split_list(found["successors"] or ""),
                found["properties"] or "", found["attributes"] or "", len(self.blocks) - 1)
        self.blocks[-1].ops.append(op)
        self.ops.append(op)
        for result in op.results:
            self.defs[result] = op
            self.types[result] = op.result_type

    def constant(self, value):
        """The number that a value is, None when it is not a constant scalar."""
        op = self.defs.get(value)
        found = op and op.name == "llvm.mlir.constant" and re.match(r"value = (-?\d+) : i\d+$", op.properties)
        return int(found[1]) if found else None

    def block_named(self, label):
        return next((i for i, block in enumerate(self.blocks) if block.label == label), None)

    def is_loop_header(self, index):
        label = self.blocks[index].label
        return any(label in block.ops[-1].successors for block in self.blocks[index:])

    def back_edges(self):
        """Branches to an earlier block or their own, with the header."""
        for index, block in enumerate(self.blocks):
            branch = block.ops[-1]
            if branch.name == "llvm.br":
                header = self.block_named(branch.successors[0])
                if header is not None and header <= index:
                    yield branch, self.blocks[header]

    def depends_on(self, value, names, through_blocks=True):
        """Whether a value is computed from results of operations with these
        names; `through_blocks`: block arguments count as such."""
        seen, left = set(), [value]
        while left:
            current = left.pop()
            if current in seen or current in self.arguments:
                continue
            seen.add(current)
            op = self.defs.get(current)
            if op is None:
                if through_blocks:
                    return True
                continue
            if op.name in names:
                return True
            left += op.operands
        return False


class Module:
    """A `gpu.module` of lowered kernels in generic form."""

    def __init__(self, text):
        self.lines = text.split("\n")
        self.functions = []
        for number, line in enumerate(self.lines):
            found = _FUNCTION.match(line)
            if not found:
                continue
            indent = len(line) - len(line.lstrip())
            end = next(i for i in range(number, len(self.lines)) if self.lines[i].startswith(" " * indent + "})"))
            if end > number + 1:
                self.functions.append(Function(found["name"], self.lines, number, end))

    def with_fault(self, fault):
        """The module's text with a fault; kernels without it are left empty."""
        edits = dict(fault.edits)
        for function in self.functions:
            if function.name == fault.function:
                continue
            kept = function.start + 1 + bool(_LABEL.match(self.lines[function.start + 1]))
            edits.update({line: [] for line in range(kept, function.end)})
            edits[function.end] = ['"llvm.return"() : () -> ()', self.lines[function.end]]
        lines = []
        for number, line in enumerate(self.lines):
            lines += edits.get(number, [line])
        return "\n".join(lines)
