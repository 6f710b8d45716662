"""The kinds of faults of the mutation check: each is a generator of the faults
of its kind that can be planted into one kernel."""

import re

from .mutation_ir import Fault

KINDS = {}
ACCESSES = ("llvm.load", "llvm.store")
GLOBAL, SHARED = "!llvm.ptr<1>", "!llvm.ptr<3>"
# Predicates of llvm.icmp: slt, sle, sgt, sge, ult, ule, ugt, uge are 2 to 9.
_OFF_BY_ONE = {2: 3, 3: 2, 4: 5, 5: 4, 6: 7, 7: 6, 8: 9, 9: 8}


def kind(name, summary):
    """Registers a generator of (operation, new lines[, infection]) of a kernel."""

    def add(generate):
        def faults(function):
            for found in generate(function):
                op, lines, infection = found if len(found) == 3 else (*found, None)
                edits = lines if isinstance(lines, dict) else {op.line: lines}
                yield Fault(name, function.name, op.line, edits, infection)

        KINDS[name] = (summary, faults)
        return generate

    return add


def constant(name, value, of):
    text = f"{value} : {of}"
    return f'{name} = "llvm.mlir.constant"() <{{value = {text}}}> : () -> {of}'


def binary(name, operation, left, right, of):
    return f'{name} = "llvm.{operation}"({left}, {right}) : ({of}, {of}) -> {of}'


def replaced(op, index, value):
    return op.operands[:index] + [value] + op.operands[index + 1 :]


def with_operand(op, index, value):
    return op.text(operands=replaced(op, index, value))


def changed_operand(function, op, index, lines, value="%fault"):
    """The operation with one operand replaced by what `lines` compute."""
    original = op.operands[index]
    infection = (op, original, value, lines) if function.types.get(original) in ("i1", "i32", "i64") else None
    return op, [*lines, with_operand(op, index, value)], infection


def changed_result(op, **changes):
    """The operation with other fields, which gives another result."""
    return op, [op.text(**changes)], (op, op.result, "%fault", [op.text(results=["%fault"], **changes)])


def nudged(op, index, by=1):
    """An integer operation with one operand off by a number."""
    of = op.types[index]
    lines = [constant("%by", by, of), binary("%operand", "add", op.operands[index], "%by", of)]
    wrong = op.text(operands=replaced(op, index, "%operand"), results=["%fault"])
    return op, [*lines, with_operand(op, index, "%operand")], (op, op.result, "%fault", [*lines, wrong])


def accesses(function, name, space):
    return [op for op in function.ops if op.name == name and op.types[-1] == space]


def element_of(function, op):
    """The element type of an access's address computation; i8 when unknown."""
    made = function.defs.get(op.operands[-1])
    found = made and re.search(r"elem_type = ([^,}]+)", made.properties)
    return found[1] if found else "i8"


def neighbour(function, op, name="%fault"):
    """The address one element after an access's."""
    return (f'{name} = "llvm.getelementptr"({op.operands[-1]}) <{{elem_type = {element_of(function, op)}, '
            f'noWrapFlags = 0 : i32, rawConstantIndices = array<i32: 1>}}> : ({op.types[-1]}) -> {op.types[-1]}')


# Barriers, fences, tickets


def barriers(function):
    return [op for op in function.ops if op.name in ("nvvm.barrier", "nvvm.barrier0")]


@kind("drop-barrier", "a barrier of the block is left out")
def _(function):
    yield from ((op, []) for op in barriers(function))


@kind("early-barrier", "a barrier comes before the stores that it publishes")
def _(function):
    for op in barriers(function):
        stores = [s for s in accesses(function, "llvm.store", SHARED) if s.line < op.line]
        if not stores:
            continue
        same = [s for s in stores if s.block == op.block]
        # Before the first store of the block, or before the branch around it.
        to = same[0] if same else function.blocks[stores[-1].block - 1].ops[-1]
        yield op, {op.line: [], to.line: [op.text(), to.text()]}


@kind("late-barrier", "a barrier comes after a load that it protects")
def _(function):
    for op in barriers(function):
        loads = [x for x in accesses(function, "llvm.load", SHARED) if x.line > op.line and x.block == op.block]
        if loads:
            yield op, {op.line: [], loads[0].line: [loads[0].text(), op.text()]}


@kind("branched-barrier", "only the threads of a branch come to a barrier")
def _(function):
    for op in barriers(function):
        stores = [s for s in accesses(function, "llvm.store", SHARED) if s.line < op.line and s.block != op.block]
        if stores:
            yield op, {op.line: [], stores[-1].line: [stores[-1].text(), op.text()]}


@kind("drop-fence", "a fence is left out")
def _(function):
    yield from ((op, []) for op in function.ops if op.name == "llvm.fence")


@kind("plain-ticket", "a ticket is taken by a load and a store")
def _(function):
    for op in function.ops:
        if op.name != "llvm.atomicrmw":
            continue
        pointer, value = op.operands
        properties, of = "alignment = 4 : i64, ordering = 0 : i64", op.result_type
        yield op, [f'{op.result} = "llvm.load"({pointer}) <{{{properties}}}> : ({op.types[0]}) -> {of}',
                   binary("%fault", "add", op.result, value, of),
                   f'"llvm.store"(%fault, {pointer}) <{{{properties}}}> : ({of}, {op.types[0]}) -> ()']


@kind("ticket-count", "one block less, or one more, makes a reduction complete")
def _(function):
    for op in compares(function):
        made = function.defs.get(op.operands[0])
        if made and made.name == "llvm.load" and made.types == [SHARED] and function.constant(op.operands[1]):
            yield nudged(op, 1, -1)
            yield nudged(op, 1, 1)


# Warps


def shuffles(function):
    return [op for op in function.ops if op.name == "nvvm.shfl.sync"]


@kind("shuffle-distance", "a shuffle takes from another distance")
def _(function):
    for op in shuffles(function):
        distance = function.constant(op.operands[2])
        yield op, [constant("%fault", distance // 2 if distance > 1 else 2, "i32"), with_operand(op, 2, "%fault")]


@kind("shuffle-mask", "a shuffle leaves a lane out of its mask")
def _(function):
    yield from ((op, [constant("%fault", 0x7FFFFFFF, "i32"), with_operand(op, 0, "%fault")]) for op in shuffles(function))


@kind("shuffle-clamp", "a shuffle is clamped to the first lane")
def _(function):
    yield from ((op, [constant("%fault", 0, "i32"), with_operand(op, 3, "%fault")]) for op in shuffles(function))


@kind("shuffle-kind", "a shuffle goes up instead of across")
def _(function):
    for op in [op for op in shuffles(function) if "bfly" in op.properties]:
        yield op, [op.text(properties=op.properties.replace("bfly", "up"))]


@kind("drop-shuffle", "a lane keeps its own value instead of another's")
def _(function):
    for op in shuffles(function):
        value, of = op.operands[1], op.result_type
        yield op, [f'{op.result} = "llvm.bitcast"({value}) : ({of}) -> {of}']


# Addresses


@kind("shift-load", "a load from global memory is one element off")
def _(function):
    for op in accesses(function, "llvm.load", GLOBAL):
        yield op, [neighbour(function, op), with_operand(op, 0, "%fault")]


@kind("shift-store", "a store to global memory is one element off")
def _(function):
    for op in accesses(function, "llvm.store", GLOBAL):
        yield op, [neighbour(function, op), with_operand(op, 1, "%fault")]


@kind("shift-shared-load", "a load from shared memory is one element off")
def _(function):
    for op in accesses(function, "llvm.load", SHARED):
        yield op, [neighbour(function, op), with_operand(op, 0, "%fault")]


@kind("shift-shared-store", "a store to shared memory is one element off")
def _(function):
    for op in accesses(function, "llvm.store", SHARED):
        yield op, [neighbour(function, op), with_operand(op, 1, "%fault")]


@kind("other-operand", "an access goes to another tensor")
def _(function):
    pointers = [a for a in function.arguments if function.types[a] == GLOBAL]
    for op in function.ops:
        if op.name == "llvm.getelementptr" and op.operands[0] in pointers and len(pointers) > 1:
            other = pointers[(pointers.index(op.operands[0]) + 1) % len(pointers)]
            yield op, [with_operand(op, 0, other)]


@kind("skip-store", "a store to global memory is left out")
def _(function):
    yield from ((op, []) for op in accesses(function, "llvm.store", GLOBAL))


@kind("skip-shared-store", "a store to shared memory is left out")
def _(function):
    yield from ((op, []) for op in accesses(function, "llvm.store", SHARED))


@kind("store-twice", "a store to global memory hits the next element too")
def _(function):
    for op in accesses(function, "llvm.store", GLOBAL):
        yield op, [neighbour(function, op), op.text(), with_operand(op, 1, "%fault")]


@kind("small-shared", "an array in shared memory has a quarter less than it needs")
def _(function):
    for op in function.ops:
        if op.name != "llvm.mlir.addressof" or op.result_type != SHARED:
            continue
        name = re.search(r"global_name = @([\w.$-]+)", op.properties)[1]
        for number, line in enumerate(function.lines):
            found = re.search(r"!llvm\.array<(\d+) x", line)
            if '"llvm.mlir.global"' in line and f'"{name}"' in line and found and int(found[1]) > 1:
                fewer = int(found[1]) - max(int(found[1]) // 4, 1)
                yield op, {number: [line.replace(found[0], f"!llvm.array<{fewer} x")]}


@kind("alignment", "a packet promises twice its alignment")
def _(function):
    for op in function.ops:
        found = re.search(r"alignment = (\d+) : i64", op.properties)
        if op.name in ACCESSES and found and op.types[-1] == GLOBAL and "vector" in op.text():
            yield op, [op.text(properties=op.properties.replace(found[0], f"alignment = {int(found[1]) * 2} : i64"))]


@kind("narrow-offset", "a 64-bit offset is computed in 32 bits")
def _(function):
    for op in function.ops:
        if op.name == "llvm.getelementptr" and op.types[1:] == ["i64"]:
            yield changed_operand(function, op, 1, [
                f'%narrow = "llvm.trunc"({op.operands[1]}) <{{overflowFlags = 0 : i32}}> : (i64) -> i32',
                '%fault = "llvm.sext"(%narrow) : (i32) -> i64'])


@kind("stride", "the factor of an index is one too large")
def _(function):
    for op in function.ops:
        if op.name == "llvm.mul" and op.result_type in ("i32", "i64"):
            yield nudged(op, 1)


@kind("distance", "the second summand of an index is one too large")
def _(function):
    for op in function.ops:
        if op.name == "llvm.add" and op.result_type in ("i32", "i64"):
            yield nudged(op, 1)


@kind("lane", "a quotient or remainder of a thread's number is by twice the number")
def _(function):
    for op in function.ops:
        if op.name in ("llvm.udiv", "llvm.urem") and function.constant(op.operands[1]):
            yield nudged(op, 1, function.constant(op.operands[1]))


@kind("lane-for-warp", "a remainder of a thread's number is taken for the quotient")
def _(function):
    for op in function.ops:
        if op.name in ("llvm.udiv", "llvm.urem"):
            yield changed_result(op, name={"llvm.udiv": "llvm.urem", "llvm.urem": "llvm.udiv"}[op.name])


@kind("register", "the number of the thread and that of its lane are confused")
def _(function):
    for op in [op for op in function.ops if op.name == "nvvm.read.ptx.sreg.tid.x"]:
        yield changed_result(op, name="nvvm.read.ptx.sreg.laneid", properties="")


# Masks and branches


def packet(function):
    """Elements of the widest access to global memory."""
    texts = (op.result_type + op.types[0] for op in function.ops if op.name in ACCESSES and op.types[-1] == GLOBAL)
    return max((int(n) for text in texts for n in re.findall(r"vector<(\d+)x", text)), default=1)


def compares(function):
    return [op for op in function.ops if op.name == "llvm.icmp" and op.types[0] in ("i32", "i64")]


def predicate_of(op):
    return int(re.search(r"predicate = (\d+)", op.properties)[1])


def is_loop_condition(function, op):
    block = function.blocks[op.block]
    return (block.ops[-1].name == "llvm.cond_br" and block.ops[-1].operands[0] == op.result
            and function.is_loop_header(op.block))


@kind("off-by-one", "a mask is one element too wide or too narrow, < for <=")
def _(function):
    for op in compares(function):
        other = _OFF_BY_ONE.get(predicate_of(op))
        if other is not None and not is_loop_condition(function, op):
            changed = op.properties.replace(f"predicate = {predicate_of(op)}", f"predicate = {other}")
            yield changed_result(op, properties=changed)


@kind("shrunk-mask", "the bound of a mask is one packet too small")
def _(function):
    for op in compares(function):
        if predicate_of(op) in (2, 3, 6, 7) and not is_loop_condition(function, op):
            yield nudged(op, 1, -packet(function))


@kind("widened-mask", "the bound of a mask is one packet too large")
def _(function):
    for op in compares(function):
        if predicate_of(op) in (2, 3, 6, 7) and not is_loop_condition(function, op):
            yield nudged(op, 1, 8)


@kind("all-others", "all threads do what one has to do, but that one")
def _(function):
    for op in compares(function):
        if predicate_of(op) == 0 and function.constant(op.operands[1]) == 0:
            yield changed_result(op, properties=op.properties.replace("predicate = 0", "predicate = 1"))


def guards(function):
    """Branches by a mask; those by a comparison of numbers are arithmetic."""
    for op in function.ops:
        if op.name == "llvm.cond_br" and not function.is_loop_header(op.block):
            if not function.depends_on(op.operands[0], {"llvm.fcmp"}, through_blocks=False):
                yield op


def is_for_granule(function, branch):
    """Whether only a granule is behind a branch: one that holds an element may
    always be read."""
    block = function.block_named(branch.successors[0])
    return any("kfuse.granule" in op.attributes for op in function.blocks[block].ops)


@kind("drop-guard", "what is behind a branch is always done")
def _(function):
    for op in [op for op in guards(function) if not is_for_granule(function, op)]:
        yield changed_operand(function, op, 0, [constant_true("%fault")])


@kind("never", "what is behind a branch is never done")
def _(function):
    for op in guards(function):
        yield changed_operand(function, op, 0, ['%fault = "llvm.mlir.constant"() <{value = false}> : () -> i1'])


def constant_true(name):
    return f'{name} = "llvm.mlir.constant"() <{{value = true}}> : () -> i1'


def selections(function):
    """Selections by a mask; those by a number compared with another are
    arithmetic."""
    for op in function.ops:
        if op.name == "llvm.select" and op.types[0] == "i1" and op.operands[1] != op.operands[2]:
            if not function.depends_on(op.operands[0], {"llvm.fcmp"}, through_blocks=False):
                yield op


@kind("swap-select", "the arms of a selection are swapped")
def _(function):
    for op in selections(function):
        condition, yes, no = op.operands
        if op.result_type in ("i1", "i32", "i64"):
            yield changed_result(op, operands=[condition, no, yes])
        else:
            yield op, [op.text(operands=[condition, no, yes])]


@kind("no-select", "a selection always takes its first arm")
def _(function):
    yield from (changed_operand(function, op, 0, [constant_true("%fault")]) for op in selections(function))


# Loops


@kind("short-loop", "a loop ends one element early")
def _(function):
    for op in compares(function):
        if is_loop_condition(function, op):
            yield nudged(op, 1, -1)


@kind("long-loop", "a loop runs once too often")
def _(function):
    for op in compares(function):
        step = loop_step(function, function.blocks[op.block])
        if is_loop_condition(function, op) and step:
            of = op.types[1]
            yield op, [binary("%bound", "add", op.operands[1], step, of), with_operand(op, 1, "%bound")]


def loop_step(function, header):
    for branch, block in function.back_edges():
        made = function.defs.get(branch.operands[0]) if branch.operands and block is header else None
        if made and made.name == "llvm.add" and made.operands[0] == header.arguments[0]:
            return made.operands[1]
    return None


@kind("loop-step", "a loop steps twice as far")
def _(function):
    for branch, _ in function.back_edges():
        made = function.defs.get(branch.operands[0]) if branch.operands else None
        if made and made.name == "llvm.add":
            step = made.operands[1]
            yield made, [binary("%fault", "add", step, step, made.result_type), with_operand(made, 1, "%fault")]


@kind("drop-carry", "a loop forgets what an iteration added")
def _(function):
    for branch, header in function.back_edges():
        for i, (value, argument) in enumerate(zip(branch.operands, header.arguments)):
            if i > 0 and value != argument:
                yield branch, [with_operand(branch, i, argument)]


# Values


@kind("identity", "lanes and threads without an element add something")
def _(function):
    uses = {"llvm.select", "llvm.br", "llvm.cond_br"}  # where a constant stands for what is not there
    for op in function.ops:
        found = re.match(r"value = (dense<)?(0\.000000e\+00|-0\.000000e\+00|0xFF800000|0x7F800000|0xFF80|0x7F80)(>?) : "
                         r"(.*)$", op.properties)
        if op.name == "llvm.mlir.constant" and found and uses & {use.name for use in function.uses.get(op.result, [])}:
            dense, _, end, of = found.groups()
            yield op, [op.text(properties=f"value = {dense or ''}3.000000e+00{end} : {of}")]


_OPERATIONS = {"llvm.fadd": "llvm.fsub", "llvm.fsub": "llvm.fadd", "llvm.fmul": "llvm.fadd",
               "llvm.intr.maximum": "llvm.intr.minimum", "llvm.intr.minimum": "llvm.intr.maximum",
               "llvm.intr.maxnum": "llvm.intr.minnum", "llvm.fdiv": "llvm.fmul"}


@kind("operation", "another operation, such as - for +")
def _(function):
    # Both ways of a division: only NaN and infinities take the general one here.
    branches = [op for op in function.ops if op.name == "llvm.cond_br"]
    rare = {function.block_named(label) for op in branches for label in op.successors
            if function.depends_on(op.operands[0], {"llvm.fcmp"}, through_blocks=False)}
    for op in function.ops:
        if op.name in _OPERATIONS and op.block not in rare:
            yield op, [op.text(name=_OPERATIONS[op.name])]


@kind("vector-lane", "an element of a packet is taken for its neighbour")
def _(function):
    for op in function.ops:
        if op.name != "llvm.extractelement":
            continue
        place = function.constant(op.operands[1])
        if place is not None:
            yield op, [constant("%fault", place ^ 1, op.types[1]), with_operand(op, 1, "%fault")]


@kind("drop-trap", "an index out of range does not stop the kernel")
def _(function):
    yield from ((op, []) for op in function.ops if op.name == "llvm.intr.trap")
