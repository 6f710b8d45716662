"""Small models through export, package and runtime equal eager bit for bit."""

import os
import pathlib
import unittest

try:
    import torch  # noqa: F401

    from kfuse_testing import differential
except ImportError as error:
    raise unittest.SkipTest(f"no torch: {error}")

MODELS = pathlib.Path(__file__).parent.parent / "models"
BUILD = pathlib.Path(os.environ.get("KFUSE_BUILD", "build/dev"))
RUNTIME = [BUILD / "lib" / "libkfuse_runtime.so", BUILD / "lib" / "libkfuse_torch.so"]
COMPILER = BUILD / "bin" / "kfuse-compile"


@unittest.skipUnless(all(path.exists() for path in RUNTIME), "the runtime or the provider is not built")
class Differential(unittest.TestCase):
    def check(self, *flags):
        rows = differential.run_in_process(MODELS, BUILD, *flags)
        self.assertTrue(rows)
        for row in rows:
            with self.subTest(row["case"]):
                self.assertIn(row["outcome"], ("pass", "export"), row["detail"])

    def test_runtime_alone(self):
        self.check("--no-compiler")

    @unittest.skipUnless(COMPILER.exists(), "the compiler is not built")
    def test_compiled_packages(self):
        self.check()


if __name__ == "__main__":
    unittest.main()
