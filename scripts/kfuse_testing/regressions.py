"""A short way to write case files: each case is a function of its inputs.

    @case("https://...", lambda: (randn(4, 5), ints(4, 5)), rtol=1e-5)
    def name_of_the_case(x, y):
        '''What went wrong.'''
        return x + y

Inputs are made anew for each call, from a fixed seed. `CASES` collects the cases
of one file; `cases.load` reads it.
"""

import dataclasses
from typing import Any, Callable

import torch


@dataclasses.dataclass
class Case:
    id: str
    source: str
    make_module: Callable[[], torch.nn.Module]
    make_inputs: Callable[[str], tuple]
    alt_inputs: list
    dynamic_shapes: Any
    rtol: float
    atol: float
    heavy: bool = False


class Function(torch.nn.Module):
    """Calls a function; it may keep buffers in `self`, its first argument."""

    def __init__(self, function, buffers):
        super().__init__()
        self.function = function
        torch.manual_seed(1)
        for name, make in buffers.items():
            self.register_buffer(name, make())

    def forward(self, *inputs):
        if list(self.buffers()):
            return self.function(self, *inputs)
        return self.function(*inputs)


def randn(*shape, dtype=torch.float32, scale=1.0):
    return (torch.randn(*shape) * scale).to(dtype)


def ints(*shape, low=-100, high=100, dtype=torch.int64):
    return torch.randint(low, high, shape).to(dtype)


def maker(function):
    """Inputs on a device, from a seed; strides are kept."""

    def make(device):
        torch.manual_seed(0)
        return tuple(value.to(device) if isinstance(value, torch.Tensor) else value for value in function())

    return make


def collector(cases):
    """The decorator that adds to the list `cases`."""

    def case(source, inputs, more=(), dynamic=None, rtol=1e-5, atol=1e-6, **buffers):
        def add(function):
            cases.append(
                Case(
                    function.__name__,
                    source,
                    lambda: Function(function, buffers),
                    maker(inputs),
                    [maker(other) for other in more],
                    # The arguments of `Function.forward` are one tuple.
                    None if dynamic is None else (tuple(dynamic),),
                    rtol,
                    atol,
                )
            )
            return function

        return add

    return case
