"""The part of hardware.py that needs no GPU: what is recorded, and how results
are compared."""

import os
import pathlib
import tempfile
import unittest

try:
    import torch

    from kfuse_testing import hardware
except ImportError as error:
    raise unittest.SkipTest(f"no torch: {error}")

BUILD = pathlib.Path(os.environ.get("KFUSE_BUILD", "build/dev"))
NEEDED = [BUILD / "bin" / "kfuse-compile"] + [BUILD / "lib" / f"libkfuse_{n}.so" for n in ("runtime", "torch", "sim")]


class Units(unittest.TestCase):
    def test_neighbours_are_one_apart(self):
        for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
            ones = torch.ones(3, dtype=dtype)
            next_ = ones.clone()
            next_[1] += torch.finfo(dtype).eps
            self.assertEqual(hardware.difference_in_ulps(ones, ones), 0.0)
            self.assertEqual(hardware.difference_in_ulps(next_, ones), 1.0)
            self.assertEqual(hardware.difference_in_ulps(-next_, -ones, of_largest=True), 1.0)

    def test_nan_equals_nan_only(self):
        nan, one = torch.tensor([float("nan")]), torch.tensor([1.0])
        self.assertEqual(hardware.difference_in_ulps(nan, -nan), 0.0)
        self.assertEqual(hardware.difference_in_ulps(nan, one), float("inf"))

    def test_signs_of_zero_and_infinities(self):
        zero, infinity = torch.tensor([0.0]), torch.tensor([float("inf")])
        self.assertEqual(hardware.difference_in_ulps(zero, -zero), 0.5)
        self.assertEqual(hardware.difference_in_ulps(infinity, infinity), 0.0)
        self.assertGreater(hardware.difference_in_ulps(infinity, -infinity), 1e9)

    def test_sums_near_zero_count_by_the_largest(self):
        ours, theirs = torch.tensor([1.0, 2.0**-24]), torch.tensor([1.0, 2.0**-25])
        self.assertGreater(hardware.difference_in_ulps(ours, theirs), 1e6)
        self.assertLess(hardware.difference_in_ulps(ours, theirs, of_largest=True), 1.0)

    def test_storage_keeps_strides_and_offset(self):
        view = torch.arange(24.0).reshape(4, 6)[1:, 1::2]
        copy = hardware.to_device(view, "cpu")
        self.assertEqual((copy.stride(), copy.storage_offset()), (view.stride(), view.storage_offset()))
        self.assertTrue(torch.equal(copy, view))


@unittest.skipUnless(all(path.exists() for path in NEEDED), "compiler, runtime, provider or simulator is not built")
class Recorded(unittest.TestCase):
    def test_runs_and_what_is_exact(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            arguments = ["record", str(folder), "--build", str(BUILD), "--family", "fixed_row", "--every", "12"]
            self.assertEqual(hardware.main(arguments), 0)
            packages = list(folder.glob("*.kfuse"))
            self.assertTrue(packages)
            rows = [row for p in packages for run in torch.load(p.with_suffix(".pt")) for row in run["checks"]]
            self.assertTrue(any(launched for *_, launched in rows))
            exact = {op: is_exact for _, op, _, _, _, is_exact, launched in rows if launched}
            self.assertIn(True, exact.values())
            self.assertFalse(exact.get("softmax.int", False))


if __name__ == "__main__":
    unittest.main()
