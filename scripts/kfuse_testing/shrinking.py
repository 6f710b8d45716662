"""Makes a failing recipe smaller while it fails."""

from __future__ import annotations

import dataclasses
from typing import Callable, Iterator

import torch

from . import fusion_recipes, tapes
from .fusion_recipes import Recipe, Source


def has_half(recipe: Recipe) -> bool:
    """Whether a value is of a half type."""
    return any(value.dtype in (torch.bfloat16, torch.float16) for value in _values(recipe))


def _values(recipe: Recipe) -> list[torch.Tensor]:
    """Every value of a recipe, on ones."""
    everything = dataclasses.replace(recipe, outputs=tuple(range(len(recipe.sources) + len(recipe.steps))))
    tape = tapes.Tape((), is_probe=True)
    return everything.graph(tape)


def _without_outputs(recipe) -> Iterator[Recipe]:
    for i in range(len(recipe.outputs) if len(recipe.outputs) > 1 else 0):
        yield dataclasses.replace(recipe, outputs=recipe.outputs[:i] + recipe.outputs[i + 1 :])


def _renumber(recipe, mapping, sources=None, steps=None) -> Recipe:
    steps = tuple(
        dataclasses.replace(step, operands=tuple(mapping[o] for o in step.operands))
        for step in (recipe.steps if steps is None else steps)
    )
    return dataclasses.replace(
        recipe,
        sources=recipe.sources if sources is None else sources,
        steps=steps,
        outputs=tuple(mapping[o] for o in recipe.outputs),
    )


def _without_steps(recipe) -> Iterator[Recipe]:
    """A step's result is replaced by one of its operands or by an input."""
    count = len(recipe.sources)
    for i in reversed(range(len(recipe.steps))):
        for operand in dict.fromkeys(recipe.steps[i].operands):
            mapping = {o: o if o < count + i else o - 1 for o in range(count + len(recipe.steps))}
            mapping[count + i] = operand
            yield _renumber(recipe, mapping, steps=recipe.steps[:i] + recipe.steps[i + 1 :])
    values = _values(recipe)
    for i in reversed(range(len(recipe.steps))):
        value = values[count + i]
        fill = recipe.sources[0].fill
        sources = (*recipe.sources, Source(value.dtype, tuple(value.shape), "contiguous", fill))
        mapping = {o: o if o < count else o + 1 if o < count + i else o for o in range(count + len(recipe.steps))}
        mapping[count + i] = count
        yield _renumber(recipe, mapping, sources=sources, steps=recipe.steps[:i] + recipe.steps[i + 1 :])


def _smaller_shapes(recipe) -> Iterator[Recipe]:
    """One size at a time, wherever it occurs."""
    for size in sorted({n for source in recipe.sources for n in source.shape if n > 1}, reverse=True):
        for smaller in dict.fromkeys((1, 2, size // 2, size - 1)):
            if not 0 < smaller < size:
                continue
            sources = tuple(
                dataclasses.replace(s, shape=tuple(smaller if n == size else n for n in s.shape)) for s in recipe.sources
            )
            yield dataclasses.replace(recipe, sources=sources)


def _simpler_sources(recipe) -> Iterator[Recipe]:
    for i, source in enumerate(recipe.sources):
        simpler = []
        if source.layout != "contiguous":
            simpler.append(dataclasses.replace(source, layout="contiguous"))
        if source.fill == "any":
            simpler.append(dataclasses.replace(source, fill="finite"))
        if len(source.shape) > 1 and source.shape[0] == 1:
            simpler.append(dataclasses.replace(source, shape=source.shape[1:]))
        for replacement in simpler:
            yield dataclasses.replace(recipe, sources=recipe.sources[:i] + (replacement,) + recipe.sources[i + 1 :])


def _is_valid(recipe: Recipe) -> bool:
    try:
        _values(recipe)
    except Exception:
        return False
    return bool(recipe.steps)


def shrink(recipe: Recipe, fails: Callable[[Recipe], str], budget: int) -> Recipe:
    """The smallest recipe found with `budget` tries for which `fails` says
    something."""
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for make in (_without_outputs, _without_steps, _smaller_shapes, _simpler_sources):
            for candidate in make(recipe):
                candidate = fusion_recipes.prune(candidate)
                if not _is_valid(candidate):
                    continue
                budget -= 1
                if budget < 0:
                    return recipe
                if fails(candidate):
                    recipe, is_smaller = candidate, True
                    break
            if is_smaller:
                break
    return recipe
