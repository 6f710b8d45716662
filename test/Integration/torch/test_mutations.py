"""Faults planted into lowered kernels are caught by the kernels' tests: five of
them in each run, chosen by the commit. All of them:
scripts/kfuse_testing/mutate.py."""

import os
import pathlib
import subprocess
import sys
import unittest

try:
    import torch  # noqa: F401

    from kfuse_testing import mutation_equivalence, mutation_ir, mutation_kinds
except ImportError as error:
    raise unittest.SkipTest(f"no torch: {error}")

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BUILD = pathlib.Path(os.environ.get("KFUSE_BUILD", "build/dev"))
NEEDED = [BUILD / "lib" / f"libkfuse_{name}.so" for name in ("sim", "runtime", "torch")]
NEEDED += [BUILD / "bin" / name for name in ("kfuse-compile", "kfuse-opt")]


def choose_seed():
    """KFUSE_MUTATION_SEED, else the commit."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return os.environ.get("KFUSE_MUTATION_SEED") or head.stdout.strip() or "0"


@unittest.skipUnless(all(path.exists() for path in NEEDED), "the simulator or the compiler is not built")
class Mutations(unittest.TestCase):
    def test_five_faults_are_caught(self):
        command = [sys.executable, str(ROOT / "scripts" / "kfuse_testing" / "mutate.py"), "--build", str(BUILD.resolve()),
                   "--sample", "5", "--list", "--seed", choose_seed()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, f"seed {choose_seed()}\n{done.stdout}\n{done.stderr}")


KERNEL = """"builtin.module"() ({
  "gpu.module"() <{sym_name = "m"}> ({
    "llvm.func"() <{sym_name = "k", visibility_ = 0 : i64}> ({
    ^bb0(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>):
      %0 = "nvvm.read.ptx.sreg.tid.x"() : () -> i32
      %1 = "llvm.mlir.constant"() <{value = 4 : i32}> : () -> i32
      %2 = "llvm.mul"(%0, %1) <{overflowFlags = 0 : i32}> : (i32, i32) -> i32
      %3 = "llvm.getelementptr"(%arg0, %2) <{elem_type = i32}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
      %4 = "llvm.load"(%3) <{alignment = 4 : i64}> : (!llvm.ptr<1>) -> i32
      %5 = "llvm.mul"(%4, %1) <{overflowFlags = 0 : i32}> : (i32, i32) -> i32
      %6 = "llvm.icmp"(%2, %1) <{predicate = 2 : i64}> : (i32, i32) -> i1
      "llvm.cond_br"(%6)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
    ^bb1:  // pred: ^bb0
      %7 = "llvm.getelementptr"(%arg1, %5) <{elem_type = i32}> : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>
      "llvm.store"(%4, %7) <{alignment = 4 : i64}> : (i32, !llvm.ptr<1>) -> ()
      "llvm.br"()[^bb2] : () -> ()
    ^bb2:  // 2 preds: ^bb0, ^bb1
      "llvm.return"() : () -> ()
    }) {gpu.kernel} : () -> ()
  }) : () -> ()
}) : () -> ()
"""


class Rules(unittest.TestCase):
    """Which faults are recognised as none."""

    def setUp(self):
        self.module = mutation_ir.Module(KERNEL)
        self.function = self.module.functions[0]

    def plant(self, kind):
        return list(mutation_kinds.KINDS[kind][1](self.function))

    def test_operations_are_read_back(self):
        for op in self.function.ops:
            self.assertEqual(op.text(), self.module.lines[op.line].strip())

    def test_a_fault_changes_the_text(self):
        for kind in ("stride", "off-by-one", "skip-store", "shift-load", "drop-guard", "register"):
            faults = self.plant(kind)
            self.assertTrue(faults, kind)
            for fault in faults:
                self.assertNotEqual(self.module.with_fault(fault), KERNEL, kind)

    def test_an_index_is_compared_where_it_is_used(self):
        of_thread, _ = self.plant("stride")
        probe = mutation_equivalence.Probe(self.function, of_thread)
        # The load's address and the branch; the comparison itself has a twin.
        self.assertEqual(probe.compared, ["%3", "%6"])
        self.assertTrue(probe.is_proof())

    def test_what_memory_holds_is_no_proof(self):
        _, of_loaded = self.plant("stride")
        probe = mutation_equivalence.Probe(self.function, of_loaded)
        self.assertEqual(probe.compared, ["%7"])
        self.assertFalse(probe.is_proof())

    def test_sizes_that_vary_are_no_proof(self):
        function = mutation_ir.Module(KERNEL.replace("%arg1: !llvm.ptr<1>)", "%arg1: !llvm.ptr<1>, %arg2: i64)")).functions[0]
        fault = next(mutation_kinds.KINDS["stride"][1](function))
        self.assertFalse(mutation_equivalence.Probe(function, fault).is_proof())

    def test_branches_that_decide_are_found(self):
        store = next(op for op in self.function.ops if op.name == "llvm.store")
        names = [op.name for op in mutation_equivalence.deciding_branches(self.function, {store.block})]
        self.assertEqual(names, ["llvm.cond_br"])
        self.assertEqual(mutation_equivalence.deciding_branches(self.function, {0}), [])
        self.assertEqual(mutation_equivalence.deciding_branches(self.function, {2}), [])


class Kinds(unittest.TestCase):
    def test_the_document_names_all_kinds(self):
        lines = (ROOT / "docs" / "Mutations.md").read_text().split("\n")
        for name, (summary, _) in mutation_kinds.KINDS.items():
            self.assertTrue(any(line.startswith(f"| `{name}`: {summary} |") for line in lines),
                            f"{name}: write docs/Mutations.md anew with mutate.py --table")


if __name__ == "__main__":
    unittest.main()
