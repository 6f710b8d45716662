"""Faults that are none: the rules by which the mutation check recognises them.

A fault that no test catches is probed: the kernel runs as it is, but computes
beside each index and mask what the fault would make of it, and traps where the
two differ at an access's address, at a branch, or where a mask selects. A fault
of another sort traps where a thread comes to its place. When nothing traps in
any run of the test, the fault is *silent* there.

The runs of a test are all that there are when the kernel's arguments are all
pointers, so that its sizes are constants and every launch has the same threads,
and neither what is compared nor a branch on the way there depends on what memory
holds. Where memory lies matters only within a packet, and tests place every
tensor at every distance from a packet's alignment. Of such a kernel,

1. a silent fault is none;
2. a fault with which all results are the same bit for bit is none, unless the
   kernel compares numbers: other numbers, which are in no special relation to
   each other, are then combined in the same way;
3. a wrong constant is none when NaN in its place changes no bit: it is not used.

And of any kernel, 4. a fault after which LLVM's optimizer makes the same code as
before is none. All else that survives is a hole in the tests or the simulator.
"""

import pathlib
import re
import subprocess

_OPAQUE = {"llvm.load", "llvm.atomicrmw", "llvm.call", "nvvm.shfl.sync", "llvm.cmpxchg"}
# What is computed twice; anything else that takes a changed value compares it.
_PURE = {
    f"llvm.{name}"
    for name in "add sub mul udiv urem sdiv srem and or xor shl lshr ashr icmp sext zext trunc getelementptr intr.smin "
    "intr.smax intr.umin intr.umax intr.abs".split()
}
_COMPARABLE = ("i1", "i8", "i16", "i32", "i64", "!llvm.ptr<1>", "!llvm.ptr<3>", "!llvm.ptr")
_TRAP = '"llvm.intr.trap"() : () -> ()'


def is_constant_in_launch(function, value, seen=None):
    """Whether a value depends on constants and a thread's numbers alone; a
    pointer's place does not count."""
    seen = set() if seen is None else seen
    if value in seen:
        return True
    seen.add(value)
    op = function.defs.get(value)
    if op is not None:
        return op.name not in _OPAQUE and all(is_constant_in_launch(function, v, seen) for v in op.operands)
    if value in function.arguments:
        return function.types[value].startswith("!llvm.ptr")
    return all(is_constant_in_launch(function, v, seen) for v in incoming(function, value))


def incoming(function, argument):
    """What branches pass to a block's argument."""
    block, index = next((b, b.arguments.index(argument)) for b in function.blocks if argument in b.arguments)
    values = []
    for op in (other.ops[-1] for other in function.blocks):
        for place, successor in enumerate(op.successors):
            if successor != block.label:
                continue
            first = 0
            if op.name != "llvm.br":
                counts = op.properties.split("array<i32:")[1].split(">")[0].split(",")
                first = sum(int(n) for n in counts[: place + 1])
            values.append(op.operands[first + index])
    return values


_COMPARING = {"llvm.fcmp", "llvm.intr.maximum", "llvm.intr.minimum", "llvm.intr.maxnum", "llvm.intr.minnum"}


def has_constant_sizes(function):
    return all(function.types[a].startswith("!llvm.ptr") for a in function.arguments)


def compares_numbers(function):
    return any(op.name in _COMPARING for op in function.ops)


def always_passed(function):
    """For each block, those that every way from it to the end passes."""
    successors = [[function.block_named(s) for s in block.ops[-1].successors] for block in function.blocks]
    every = set(range(len(function.blocks)))
    passed = [every if next_ else {i} for i, next_ in enumerate(successors)]
    changed = True
    while changed:
        changed = False
        for i in reversed(range(len(passed))):
            if successors[i]:
                anew = {i} | set.intersection(*(passed[s] for s in successors[i]))
                changed |= anew != passed[i]
                passed[i] = anew
    return passed, successors


def deciding_branches(function, blocks):
    """The branches that decide whether a thread comes to some of these blocks."""
    passed, successors = always_passed(function)
    reaching = set(blocks)
    while True:
        more = {i for i, next_ in enumerate(successors) if i not in reaching and reaching & set(next_)}
        if not more:
            break
        reaching |= more
    return [function.blocks[i].ops[-1] for i in sorted(reaching)
            if len(successors[i]) > 1 and not set(blocks) <= passed[i]]


class Probe:
    """The edits that make a kernel trap where a fault would change something."""

    def __init__(self, function, fault):
        self.function, self.edits, self.compared, self.labels = function, {}, [], 0
        self.blocks = {next(op for op in function.ops if op.line == fault.line).block}
        self.is_complete = True
        if fault.infection is None:
            op = next(op for op in function.ops if op.line == fault.line)
            self.edits[op.line] = [_TRAP, op.text()]
            return
        at, before, after, lines = fault.infection
        self.after = {before: after}  # values and what the fault makes of them
        if at.result == before:
            self.edits[at.line] = [at.text(), *lines]
        else:
            # One use only: the others still see the value itself.
            self.edits[at.line] = [*lines, *self._use(at)]
            self.after.pop(before, None)
        for op in function.ops:
            if op.line > at.line and any(operand in self.after for operand in op.operands):
                self.edits[op.line] = self._use(op)

    def _use(self, op):
        """An operation on changed values: what to write for it."""
        operands = [self.after.get(operand, operand) for operand in op.operands]
        is_pure = op.name in _PURE or (op.name == "llvm.select" and op.result_type in _COMPARABLE)
        if op.name == "llvm.select" and operands[0] != op.operands[0]:
            # A mask that selects data is compared itself.
            is_pure = all(is_constant_in_launch(self.function, arm) for arm in op.operands[1:])
        if is_pure and op.result_type in _COMPARABLE:
            twin = f"%twin{op.result[1:]}"
            self.after[op.result] = twin
            return [op.text(), op.text(results=[twin], operands=operands)]
        self.blocks.add(op.block)
        checks = []
        for before, after in zip(op.operands, operands):
            if before != after:
                checks += self._compare(before, after)
        return [*checks, op.text()]

    def _compare(self, before, after):
        of = self.function.types[before]
        if of not in _COMPARABLE:
            self.is_complete = False
            return []
        self.compared.append(before)
        n = 9000 + 2 * self.labels
        self.labels += 1
        return [f'%differs{n} = "llvm.icmp"({before}, {after}) <{{predicate = 1 : i64}}> : ({of}, {of}) -> i1',
                f'"llvm.cond_br"(%differs{n})[^bb{n}, ^bb{n + 1}] '
                "<{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()",
                f"^bb{n}:", _TRAP, f'"llvm.br"()[^bb{n + 1}] : () -> ()', f"^bb{n + 1}:"]

    def is_proof(self):
        """Whether silence in the runs is silence in every launch."""
        function = self.function
        values = self.compared + [op.operands[0] for op in deciding_branches(function, self.blocks)]
        return self.is_complete and has_constant_sizes(function) and all(
            is_constant_in_launch(function, value) for value in values)


def with_nan(function, fault):
    """A wrong constant's edits with NaN instead; None for other faults."""
    if fault.kind != "identity":
        return None
    op = next(op for op in function.ops if op.line == fault.line)
    nans = {"f32": "0x7FC00000", "bf16": "0x7FC0", "f16": "0x7E00", "f64": "0x7FF8000000000000"}
    element = re.search(r"(bf16|f16|f32|f64)", op.result_type)[1]
    return {line: [re.sub(r"3\.000000e\+00", nans[element], text) for text in lines]
            for line, lines in fault.edits.items()}


def optimize(text, tools=pathlib.Path("/usr/lib/llvm-22/bin")):
    """What LLVM makes of a module of kernels; equal texts are equal kernels."""
    lines = text.split("\n")
    start = next(i for i, line in enumerate(lines) if '"gpu.module"' in line)
    indent = " " * (len(lines[start]) - len(lines[start].lstrip()))
    end = next(i for i in range(start, len(lines)) if lines[i].startswith(indent + "})"))
    plain = "\n".join(lines[:start] + lines[start + 1 : end] + lines[end + 1 :]).replace(" {kfuse.granule}", "")

    def run(tool, *arguments, text):
        return subprocess.run([tools / tool, *arguments], input=text, capture_output=True, text=True, check=True).stdout

    code = run("mlir-translate", "--mlir-to-llvmir", text=plain)
    code = run("opt", "-S", "-mtriple=nvptx64-nvidia-cuda", "-passes=default<O3>", text=code)
    return re.sub(r"^; ModuleID.*$", "", code, flags=re.M)
