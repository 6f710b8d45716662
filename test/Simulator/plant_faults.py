#!/usr/bin/env python3
"""Plants faults into the warp-specialized GEMMs, and checks that all are caught.

    plant_faults.py FOLDER [--only NAME] [--verbose]     needs kfuse-sim on PATH

A fault is an edit of the lowered kernel: a wait, a fence, an arrival or a
barrier less, a wrong count, phase or address. It is caught when the simulator
has findings, with late or random timing. Kernels without faults must have none.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

INPUTS = pathlib.Path(__file__).parent / "Inputs"
# Tails in all dimensions, several tiles for each consumer, a ring that wraps.
M, N, K = 304, 136, 200
KERNELS = {"cooperative": (128, 106544), "ping-pong": (64, 81968)}
# A seed that keeps the order, then shuffled ones.
SCHEDULES = [("late", 0), ("late", 1), ("random", 1), ("random", 2), ("early", 3)]


def replace(pattern, by, which=None):
    """Edits the matching lines: all, or those with the numbers in `which`. `#` in the new text is a number of the
    line, for names of new values."""
    def edit(text):
        number = -1
        lines = text.split("\n")
        done = 0
        for i, line in enumerate(lines):
            if not re.search(pattern, line):
                continue
            number += 1
            if which is None or number in which:
                lines[i] = re.sub(pattern, by.replace("#", str(number)), line)
                done += 1
        if not done:
            raise SystemExit(f"no line matches '{pattern}'")
        return "\n".join(lines)
    return edit


def drop(pattern, *which):
    return replace(rf"^.*{pattern}.*$", "", set(which) or None)


def set_operand(pattern, number, type="i32", which=None):
    """Gives an operand, the pattern's second group, another value."""
    return replace(rf"^(.*{pattern})(%\w+)(.*)$",
                   rf"%fault# = llvm.mlir.constant({number} : {type}) : {type}\n\1%fault#\3", which)


def both(*edits):
    def edit(text):
        for one in edits:
            text = one(text)
        return text
    return edit


TRY_WAIT, RELEASE = r"nvvm\.mbarrier\.try_wait\.parity", r"nvvm\.mbarrier\.arrive %"
FAULTS = {
    # Waits of the ring: the producer's for an empty stage, the consumers' for a full one.
    "no wait for empty stages": drop(TRY_WAIT, 0),
    "no wait for full stages": drop(TRY_WAIT, 1),
    "wrong phase of empty stages": set_operand(TRY_WAIT + r" %\w+, ", 0, which={0}),
    "wrong phase of full stages": set_operand(TRY_WAIT + r" %\w+, ", 1, which={1}),
    # Arrivals.
    "no arrival of the producer": replace(r"arrive\.expect_tx", "expect_tx"),
    "no stage given back in the loop": drop(RELEASE, 0),
    "last stage of a tile not given back": drop(RELEASE, 1),
    "stage given back to the own block only": replace(r"^(.*nvvm\.mapa %\w+, )%\w+(.*)$",
                                                      r"%own# = nvvm.read.ptx.sreg.cluster.ctaid.x : i32\n\1%own#\2"),
    "stage given back before its products are complete": drop(r"wgmma\.wait\.group\.sync\.aligned 1"),
    "too few arrivals for an empty stage": set_operand(r"nvvm\.mbarrier\.init %\w+, ", 1, which={1, 3, 5}),
    "too many arrivals for an empty stage": set_operand(r"nvvm\.mbarrier\.init %\w+, ", 8, which={1, 3, 5}),
    "fewer bytes expected than copied": set_operand(r"expect_tx %\w+, ", 8192),
    "more bytes expected than copied": set_operand(r"expect_tx %\w+, ", 65536),
    "multicast to one block": set_operand(r"multicast_mask = ", 1, "i16"),
    # Setting up and ending.
    "mbarriers not fenced": drop(r"fence\.mbarrier\.init"),
    "no cluster barrier at the start": both(drop(r"cluster\.arrive", 0), drop(r"cluster\.wait", 0)),
    "no cluster barrier at the end": both(drop(r"cluster\.arrive", 1), drop(r"cluster\.wait", 1)),
    "no wait at the first cluster barrier": drop(r"cluster\.wait", 0),
    # Products.
    "no wgmma.fence": drop(r"wgmma\.fence"),
    "products never committed": drop(r"wgmma\.commit"),
    "registers used one group early": replace(r"wgmma\.wait_group\.sync\.aligned 0", "wgmma.wait_group.sync.aligned 1"),
    "wait leaves two groups": replace(r"wgmma\.wait\.group\.sync\.aligned 1", "wgmma.wait.group.sync.aligned 2"),
    "address not masked": set_operand(r"llvm\.and %\w+, ", 0xFFFFFFF, which={2}),
    # Stores of results.
    "no fence.proxy before the store": drop(r"nvvm\.fence\.proxy"),
    "no warp barrier before the store": drop(r"bar\.warp\.sync", 1),
    "no warp barrier after the wait for reads": drop(r"bar\.warp\.sync", 0),
    "no wait for reads of the buffer": drop(r"bulk\.wait_group 1"),
    "wait for reads one group late": replace(r"bulk\.wait_group 1", "bulk.wait_group 2"),
    "exit before the last stores are read": drop(r"bulk\.wait_group 0"),
    "stores never committed": drop(r"bulk\.commit\.group"),
}
# Between the consumers of the ping-pong kernel.
ORDER_FAULTS = {
    "no order between consumers": both(drop(r"nvvm\.barrier\.arrive"), drop(r"nvvm\.barrier id")),
    "no wait at the order barrier": drop(r"nvvm\.barrier id"),
    "first consumer not let in": drop(r"nvvm\.barrier\.arrive", 0),
    "next consumer not let in": drop(r"nvvm\.barrier\.arrive", 1),
}


def simulate(path, kernel, timing, seed):
    """What the simulator finds: kinds with their messages."""
    rows, shared = KERNELS[kernel]
    launch = (f"gemm<<<2, 384, {shared}>>>(map(A, {rows}x64, swizzle=128), map(B, 32x64, swizzle=128), "
              f"map(D, 16x64, swizzle=128), bias, {M}, {N}, {K})")
    command = ["kfuse-sim", str(path), "--json", "--timing", timing, "--seed", str(seed), "--launch", launch]
    for name, shape, fill in (("A", f"{M}x{K}", "random@1"), ("B", f"{N}x{K}", "random@2"),
                              ("D", f"{M}x{N}", "out"), ("bias", N, "random@3")):
        command += ["--tensor", f"{name}=bf16[{shape}]:{fill}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if not done.stdout:
        raise SystemExit(f"{path}: {done.stderr}")
    return [(finding["kind"], finding["message"]) for finding in json.loads(done.stdout)["findings"]]


def check(folder, kernel, name, edit, verbose):
    path = folder / (re.sub(r"\W+", "-", f"{kernel} {name}") + ".mlir")
    text = (INPUTS / f"gemm-{kernel}.mlir").read_text()
    path.write_text(edit(text) if edit else text)
    found, when = [], ""
    for timing, seed in SCHEDULES:
        found, when = simulate(path, kernel, timing, seed), f"{timing} {seed}"
        if found:
            break
    good = bool(found) == bool(edit)
    kinds = ", ".join(sorted({kind for kind, _ in found})) or "nothing"
    print(f"{'ok  ' if good else 'FAIL'} {kernel}: {name}: {kinds}" + (f" ({when})" if found else ""), flush=True)
    for kind, message in found if verbose else []:
        print(f"         {kind}: {message}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="", help="faults with this text in their names")
    parser.add_argument("--verbose", action="store_true", help="print what is found")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    plan = [(kernel, "no fault", None) for kernel in KERNELS]
    plan += [("cooperative", name, edit) for name, edit in FAULTS.items()]
    plan += [("ping-pong", name, edit) for name, edit in ORDER_FAULTS.items()]
    plan = [one for one in plan if options.only in one[1]]
    good = sum(check(options.folder, *one, options.verbose) for one in plan)
    print(f"{good} of {len(plan)} as expected")
    sys.exit(good != len(plan))


if __name__ == "__main__":
    main()
