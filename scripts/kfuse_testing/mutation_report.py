"""What the mutation check prints: its faults, its survivors, and the table of
kinds by what caught them."""

from . import mutation_kinds

# In the order of the table; the names of the simulator's findings.
CATCHERS = ("values", "out-of-bounds", "misaligned", "uninitialized-read", "race", "divergence", "deadlock",
            "unwritten-output", "trap", "barrier", "error", "crash", "hang")


def describe(planted):
    fault = planted.fault
    missed = f"no fault, rule {planted.rule}" if planted.rule else "NOT CAUGHT, " + ("silent" if planted.is_silent else "alive")
    caught = ", ".join(sorted(planted.caught)) or missed
    return f"{planted.kernel} {fault.function}:{fault.line} {fault.kind}: {caught}"


def details(planted):
    return "\n".join(f"{describe(one)}  [{one.first[:160]}]" for one in planted)


def summary(check, survivors, seconds):
    lines = list(check.bad)
    if check.silent:
        lines.append(f"no test reaches: {' '.join(check.silent)}")
    lines += [f"not caught: {describe(one)}" for one in survivors]
    kinds = len({one.fault.kind for one in check.planted})
    equivalent = sum(one.rule > 0 for one in check.planted)
    caught = len(check.planted) - len(survivors) - equivalent
    lines.append(f"{len(check.planted)} faults of {kinds} kinds in {len(check.kernels)} programs: {caught} caught, {equivalent} no "
                 f"faults, {len(survivors)} not caught; {seconds:.0f} s")
    return "\n".join(lines)


_HEAD = """<!-- Written by scripts/kfuse_testing/mutate.py --table; do not edit. -->

# Planted faults

The mutation check plants faults into lowered kernels of every kind, one at a time, and runs the tests of the kernel: the
simulator, over the kernel's sizes and places in memory, against the generic operators. All of it:

    source scripts/common.sh
    $KFUSE_PYTHON scripts/kfuse_testing/mutate.py --table docs/Mutations.md

Each CI run plants five (`test/Integration/torch/test_mutations.py`). The kernels are in
`test/Simulator/Inputs/mutation_kernels.py`. "None" counts faults that change nothing, by the rules in
`scripts/kfuse_testing/mutation_equivalence.py`; a fault that is caught by nothing fails the check. A fault counts once for
each way in which the first run that caught it did so; "alone" counts those that values, or the race checker, were alone to
catch.
"""


def _table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def _numbers(planted, catchers):
    found = [one for one in planted if one.caught]
    alone = [sum(one.caught == {kind} for one in found) for kind in ("values", "race")]
    return [len(planted), sum(one.rule > 0 for one in planted),
            *(sum(kind in one.caught for one in found) or "" for kind in catchers), *(n or "" for n in alone)]


def write_table(path, planted):
    catchers = [kind for kind in CATCHERS if any(kind in one.caught for one in planted)]
    head = ["planted", "none", *catchers, "values alone", "race alone"]
    kinds = [(f"`{kind}`: {summary}", _numbers([one for one in planted if one.fault.kind == kind], catchers))
             for kind, (summary, _) in mutation_kinds.KINDS.items()]
    kernels = [(f"`{name}`", _numbers([one for one in planted if one.kernel == name], catchers))
               for name in dict.fromkeys(one.kernel for one in planted)]
    lines = [_HEAD, "## By kind", "", *_table(["kind", *head], [[name, *row] for name, row in kinds])]
    lines += [f"| all | {' | '.join(str(cell) for cell in _numbers(planted, catchers))} |", "", "## By kernel", ""]
    lines += _table(["kernel", *head], [[name, *row] for name, row in kernels])
    path.write_text("\n".join(lines) + "\n")
