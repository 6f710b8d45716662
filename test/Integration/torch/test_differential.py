"""Small models through export, kfuse-compile and the runtime equal eager."""

import os
import pathlib
import unittest

try:
    import torch  # noqa: F401

    from kfuse_testing import cases, differential
except ImportError as error:
    raise unittest.SkipTest(f"no torch: {error}")

MODELS = pathlib.Path(__file__).parent.parent / "models"
BUILD = pathlib.Path(os.environ.get("KFUSE_BUILD", "build/dev"))
NEEDED = [BUILD / "bin" / "kfuse-compile", BUILD / "lib" / "libkfuse_runtime.so", BUILD / "lib" / "libkfuse_torch.so"]


@unittest.skipUnless(all(path.exists() for path in NEEDED), "the compiler, the runtime or the provider is not built")
class Differential(unittest.TestCase):
    def test_generic_programs_equal_eager_bit_for_bit(self):
        options = differential.parse([str(MODELS), "--build", str(BUILD)])
        for case, outcome, detail, _ in differential.run_all(cases.load(MODELS), options):
            with self.subTest(case.name):
                self.assertIn(outcome, ("pass", "export"), detail)


if __name__ == "__main__":
    unittest.main()
