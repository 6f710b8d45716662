"""Small models through export, package and runtime equal eager bit for bit."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
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
        # In a process of its own: the driver forks for each case, and a process
        # whose torch has started its threads cannot be forked safely.
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "outcomes.json"
            command = [sys.executable, "-W", "ignore", differential.__file__, str(MODELS)]
            command += ["--build", str(BUILD), "--json", str(report), *flags]
            done = subprocess.run(command, capture_output=True, text=True, timeout=900)
            self.assertTrue(report.exists(), done.stderr[-2000:])
            rows = json.loads(report.read_text())
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
