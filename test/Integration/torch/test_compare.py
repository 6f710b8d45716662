"""The comparison that all parity tests rest on finds what it should."""

import unittest

try:
    import torch

    from kfuse_testing import compare
except ImportError as error:
    raise unittest.SkipTest(f"no torch: {error}")


class Compare(unittest.TestCase):
    def test_bits_decide_without_a_tolerance(self):
        zero = torch.tensor([0.0, 1.0])
        self.assertIsNone(compare.difference(zero.clone(), zero))
        self.assertIn("1 of 2", compare.difference(torch.tensor([-0.0, 1.0]), zero))
        self.assertIsNone(compare.difference(torch.tensor([-0.0, 1.0]), zero, atol=1e-9))

    def test_nan_equals_nan_and_nothing_else(self):
        nan = torch.tensor([float("nan"), 1.0], dtype=torch.bfloat16)
        self.assertIsNone(compare.difference(nan.clone(), nan))
        self.assertIsNotNone(compare.difference(torch.zeros_like(nan), nan, atol=10.0))

    def test_dtype_shape_and_count_are_compared(self):
        one = torch.ones(2, 3)
        self.assertIn("dtype", compare.difference(one.double(), one))
        self.assertIn("shape", compare.difference(one.t(), one))
        self.assertEqual(compare.compare_all([one], [one, one]), ["expected 2 outputs, found 1"])

    def test_numbers(self):
        self.assertIsNone(compare.difference(3, 3))
        self.assertIsNotNone(compare.difference(3.0, 3))
        self.assertIsNotNone(compare.difference(True, 1))

    def test_complex_and_transposed(self):
        value = torch.complex(torch.randn(3, 4), torch.randn(3, 4))
        self.assertIsNone(compare.difference(value.t().contiguous().t(), value))
        changed = value.clone()
        changed[1, 2] += 1j
        self.assertIn("first at (1, 2)", compare.difference(changed, value))


if __name__ == "__main__":
    unittest.main()
