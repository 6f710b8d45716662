"""Programs travel without their weights, which are made again bit for bit."""

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

try:
    import torch

    from kfuse_testing import lean, models, runtime
except ImportError as error:
    raise unittest.SkipTest(f"no torch: {error}")

BUILD = pathlib.Path(os.environ.get("KFUSE_BUILD", "build/dev"))
COMPILER = BUILD / "bin" / "kfuse-compile"


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Values(unittest.TestCase):
    def test_bytes_are_pinned(self):
        """Files on two machines must agree, so the values may never change."""
        found = {
            dtype: hashlib.sha256(b"".join(lean.values(0, "layer.weight", 10007, dtype, 0.0, 0.5))).hexdigest()[:16]
            for dtype in ("f32", "bf16", "f16", "f64")
        }
        expected = {
            "f32": "16850aa8e962751f",
            "bf16": "2d74e9aa43378808",
            "f16": "924161c1e2f73796",
            "f64": "a1365d7b543a1207",
        }
        self.assertEqual(found, expected)

    def test_bf16_is_the_nearest(self):
        wide = b"".join(lean.values(0, "w", 999, "f32", 0.0, 1.0))
        narrow = b"".join(lean.values(0, "w", 999, "bf16", 0.0, 1.0))
        want = torch.frombuffer(bytearray(wide), dtype=torch.float32).bfloat16()
        self.assertTrue(torch.equal(torch.frombuffer(bytearray(narrow), dtype=torch.bfloat16), want))

    def test_scale_keeps_activations(self):
        raw = b"".join(lean.values(0, "w", 1 << 18, "f32", *lean.rule("w", [512, 512])))
        weight = torch.frombuffer(bytearray(raw), dtype=torch.float32).reshape(512, 512)
        x = models.random_values((64, 512), torch.float32)
        self.assertAlmostEqual((x @ weight.T).std().item(), 1.0, delta=0.05)


class Travel(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name)

    def path(self, *parts):
        path = self.folder.joinpath(*parts)
        path.parent.mkdir(exist_ok=True)
        return path

    def travel(self, name, dtype="f32"):
        """The exported file, the lean one and the one that is filled again."""
        whole, thin, again = (self.path(part, "model.pt2") for part in ("whole", "thin", "again"))
        models.export_model(name, dtype, whole, tiny=True)
        lean.lean(whole, thin)
        lean.fill(thin, again)
        return whole, thin, again

    def test_filled_again_is_the_same(self):
        for name in ("unet", "swin-t"):
            for dtype in ("f32", "bf16"):
                with self.subTest(f"{name} {dtype}"):
                    whole, thin, again = self.travel(name, dtype)
                    self.assertEqual(digest(whole), digest(again))
                    self.assertLess(thin.stat().st_size * 4, whole.stat().st_size)

    def test_torch_loads_it_and_results_are_sane(self):
        _, _, again = self.travel("unet")
        program = torch.export.load(again)
        result = program.module()(**models.find("unet").inputs(torch.float32, True))
        self.assertTrue(0.1 < result.std().item() < 10, result.std())

    def test_other_tensors_keep_their_values(self):
        model = models.find("swin-t")
        want = model.build(torch.float32, True).state_dict()
        _, _, again = self.travel("swin-t")
        got = torch.export.load(again)
        buffers = {**got.state_dict, **got.constants}
        masks = [name for name in buffers if name.endswith(("attn_mask", "relative_position_index"))]
        self.assertTrue(masks)
        for name in masks:
            if name in want:
                self.assertTrue(torch.equal(buffers[name], want[name]), name)

    def test_data_is_aligned(self):
        whole, _, _ = self.travel("timestep-embedding")
        with zipfile.ZipFile(whole) as archive, open(whole, "rb") as raw:
            for info in archive.infolist():
                raw.seek(info.header_offset + 26)
                name, extra = (int.from_bytes(raw.read(2), "little") for _ in range(2))
                self.assertEqual((info.header_offset + 30 + name + extra) % 64, 0, info.filename)

    def test_wrong_files_are_refused(self):
        whole, thin, _ = self.travel("timestep-embedding")
        with self.assertRaisesRegex(lean.LeanError, "is lean already"):
            lean.lean(thin, self.path("x", "model.pt2"))
        with self.assertRaisesRegex(lean.LeanError, "expected a file that lean wrote"):
            lean.fill(whole, self.path("x", "model.pt2"))

    @unittest.skipUnless(COMPILER.exists(), "the compiler is not built")
    def test_package_opens_beside_the_filled_file(self):
        whole, thin, again = self.travel("timestep-embedding")
        package = self.path("package", "model.kfuse")
        subprocess.run([COMPILER, whole, "--weights=reference", "-o", package], check=True, capture_output=True)
        library = runtime.Library(BUILD / "lib" / "libkfuse_runtime.so")
        opened = runtime.Package(library, package)
        inputs = models.find("timestep-embedding").inputs(torch.float32, True)
        model = runtime.Model(library, opened, "cpu", runtime.GENERIC, search=str(again.parent))
        (got,) = model(*inputs.values())
        with torch.no_grad():
            self.assertTrue(torch.equal(got, torch.export.load(whole).module()(**inputs)))
        lean.fill(thin, again, seed=1)
        with self.assertRaisesRegex(runtime.KfuseError, "model.pt2"):
            runtime.Model(library, opened, "cpu", runtime.GENERIC, search=str(again.parent))


if __name__ == "__main__":
    sys.exit(unittest.main())
