"""Random fusions: the same for a seed, and smaller when they are shrunk."""

import dataclasses
import unittest

try:
    import torch

    from kfuse_testing import fusion_recipes, shrinking, tapes
except ImportError as error:
    raise unittest.SkipTest(f"no torch: {error}")


def uses(recipe, *names):
    return {step.name for step in recipe.steps} >= set(names)


class FusionsTest(unittest.TestCase):
    def test_a_seed_gives_one_recipe(self):
        for seed in range(20):
            self.assertEqual(fusion_recipes.draw(seed), fusion_recipes.draw(seed))

    def test_sizes(self):
        recipes = [fusion_recipes.draw(seed) for seed in range(100)]
        self.assertTrue(all(1 <= len(recipe.steps) <= 24 for recipe in recipes))
        self.assertTrue(any(len(recipe.outputs) > 1 for recipe in recipes))
        self.assertTrue(any(recipe.is_exact for recipe in recipes))
        self.assertTrue(any(not recipe.is_exact for recipe in recipes))

    def test_shrinking_keeps_what_fails(self):
        """A "compiler" that is wrong about transposed maxima of more than two rows."""

        def fails(recipe):
            largest = max(n for source in recipe.sources for n in source.shape)
            return "wrong" if uses(recipe, "transpose", "maximum") and largest > 2 else ""

        recipe = next(r for r in map(fusion_recipes.draw, range(5000)) if len(r.steps) > 5 and fails(r))
        small = shrinking.shrink(recipe, fails, 1000)
        self.assertTrue(fails(small))
        self.assertEqual(sorted(step.name for step in small.steps), ["maximum", "transpose"])
        self.assertEqual(max(n for source in small.sources for n in source.shape), 3)
        self.assertTrue(all(source.layout == "contiguous" for source in small.sources))

    def test_fitted_expressions(self):
        points = ((14, 22), (26, 22), (14, 34), (26, 34), (10, 46))
        self.assertEqual(tapes.fit([7] * 5), "7")
        self.assertEqual(tapes.fit([2 * x * y + y - 3 for x, y in points]), "s0 * s1 * 2 + s1 - 3")
        self.assertEqual(tapes.fit([x + 1 for x, _ in points]), "s0 + 1")
        self.assertRaises(tapes.NotLinear, tapes.fit, [x * x for x, _ in points])

    def test_layouts_hold_their_values(self):
        values = torch.arange(35.0).reshape(5, 7)
        for layout in tapes.LAYOUTS:
            if layout in ("rows", "columns", "huge"):
                continue
            placed = tapes.place(values, layout)
            self.assertTrue(torch.equal(placed, values), layout)
            self.assertEqual(list(placed.stride()), tapes.get_strides(layout, (5, 7)), layout)
        self.assertTrue(torch.equal(tapes.place(values, "rows"), values[:1].expand(5, 7)))
        self.assertTrue(torch.equal(tapes.place(values, "columns"), values[:, :1].expand(5, 7)))

    def test_recipes_run(self):
        for seed in range(30):
            recipe = fusion_recipes.draw(seed)
            _, results = tapes.run_graph(recipe.graph, ())
            self.assertEqual(len(results), len(recipe.outputs))
            self.assertIn("func.func @main", tapes.write_program([("x", recipe.graph)], False))
            self.assertEqual(dataclasses.replace(recipe), recipe)


if __name__ == "__main__":
    unittest.main()
