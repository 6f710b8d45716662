"""Small versions of common models: nearly all is compiled, and on the CPU the
package gives the bits that eager gives."""

import os
import pathlib
import tempfile
import unittest

try:
    import torch

    from kfuse_testing import coverage, models
except ImportError as error:
    raise unittest.SkipTest(f"no torch: {error}")

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("KFUSE_BUILD", "build/dev"))
TOOLS = [BUILD / "bin" / name for name in ("kfuse-compile", "kfuse-inspect", "kfuse-pt2")]
# Of the nodes that are not for a library; the small versions have few nodes, so
# that one that stays counts for more than in the models themselves.
LEAST = 98.0


@unittest.skipUnless(all(path.exists() for path in TOOLS), "the compiler is not built")
class Models(unittest.TestCase):
    def check(self, model, dtype, dynamic=False):
        with tempfile.TemporaryDirectory() as folder:
            source, package = (pathlib.Path(folder) / name for name in ("model.pt2", "model.kfuse"))
            models.export_model(model.name, dtype, source, tiny=True, dynamic=dynamic)
            row = coverage.compile_and_count(BUILD, source, package)
            self.assertGreaterEqual(row["coverage"], LEAST, row["left"])
            inputs = model.inputs(models.DTYPES[dtype], True)
            self.assertEqual(coverage.equals_eager(BUILD, source, package, inputs), [])

    def test_all(self):
        torch.set_num_threads(2)
        for index, model in enumerate(models.MODELS):
            dtype = ("f32", "bf16")[index % 2]
            with self.subTest(f"{model.name} {dtype}"):
                self.check(model, dtype)

    def test_dynamic(self):
        for name in ("gpt2", "vit-b16", "unet"):
            with self.subTest(name):
                self.check(models.find(name), "f32", dynamic=True)

    def test_page_has_them_all(self):
        page = (ROOT / "docs" / "Models.md").read_text()
        for model in models.MODELS:
            self.assertIn(f"| {model.what} |", page, "make the page anew, as its head says")


if __name__ == "__main__":
    unittest.main()
