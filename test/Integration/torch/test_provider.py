"""The provider runs every operator of small exported models as eager does."""

import copy
import io
import os
import pathlib
import unittest

try:
    import torch
    from torch.utils import _pytree as pytree

    from kfuse_testing import cases, compare, provider
except ImportError as error:
    raise unittest.SkipTest(f"no torch: {error}")

MODELS = pathlib.Path(__file__).parent.parent / "models"
LIBRARY = pathlib.Path(os.environ.get("KFUSE_BUILD", "build/dev")) / "lib" / "libkfuse_torch.so"


def saved_and_loaded(case):
    """The program as a .pt2 file gives it back: defaults dropped, state copied."""
    module = case.make_module().eval()
    with torch.no_grad():
        program = torch.export.export(module, case.make_inputs("cpu"), dynamic_shapes=case.dynamic_shapes())
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    return torch.export.load(file)


@unittest.skipUnless(LIBRARY.exists(), f"{LIBRARY} is not built")
class ProviderParity(unittest.TestCase):
    def check(self, case):
        target = provider.Provider(str(LIBRARY))
        program = saved_and_loaded(case)
        reference = copy.deepcopy(program).module()
        for args in [case.make_inputs("cpu"), *case.make_more("cpu")]:
            ours = copy.deepcopy(args)
            with torch.no_grad():
                want = pytree.tree_leaves(reference(*args))
            got = provider.run_exported(program, ours, target)
            self.assertEqual(compare.compare_all(got, want), [])
            self.assertEqual(compare.compare_all(list(ours), list(args), what="input"), [])

    def test_models(self):
        for case in cases.load(MODELS):
            with self.subTest(case.name):
                self.check(case)

    def test_missing_operator_is_reported(self):
        target = provider.Provider(str(LIBRARY))
        with self.assertRaisesRegex(provider.ProviderError, "no operator 'aten::nothing'"):
            target.run("aten::nothing", "", [], {}, [provider.RETURN_ONE], [])


if __name__ == "__main__":
    unittest.main()
