"""Every regression case is exported, compiled to machine code, and run on the
CPU, where it equals eager bit for bit."""

import os
import pathlib
import unittest

try:
    import torch  # noqa: F401

    from kfuse_testing import differential
except ImportError as error:
    raise unittest.SkipTest(f"no torch: {error}")

CASES = pathlib.Path(__file__).parent / "cases"
BUILD = pathlib.Path(os.environ.get("KFUSE_BUILD", "build/dev"))
NEEDED = [BUILD / "bin" / "kfuse-compile", BUILD / "lib" / "libkfuse_runtime.so", BUILD / "lib" / "libkfuse_torch.so"]


@unittest.skipUnless(all(path.exists() for path in NEEDED), "the compiler, the runtime or the provider is not built")
class Regressions(unittest.TestCase):
    def run_cases(self, *options):
        rows = differential.run_in_process(CASES, BUILD, *options)
        self.assertGreater(len(rows), 50)
        for row in rows:
            with self.subTest(row["case"]):
                self.assertEqual(row["outcome"], "pass", row["detail"])

    def test_exported_programs(self):
        """Bit for bit what eager gives."""
        self.run_cases()

    def test_plans(self):
        """The operators behind the compiled plan, library calls as planned."""
        self.run_cases("--program", "plan", "--tolerant")


if __name__ == "__main__":
    unittest.main()
