"""Which models of Keras a file makes, and what it calls on each.

A model is known by the call that makes it: ``critic`` and ``self.critic`` may be one, and two
models that one function of the file makes are two.
"""

import ast
from collections.abc import Sequence

from tfmigrate.model.reached import reached
from tfmigrate.resolve.calls import method_calls
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.origins import one_step

TRAINING = ("train_on_batch", "fit", "fit_generator")


def calls_by_model(module: Module, *methods: str) -> dict[ast.Call, list[ast.Call]]:
    """Returns the calls of methods, by each call that makes their model."""
    by_model: dict[ast.Call, list[ast.Call]] = {}
    for call, method in method_calls(module, *methods):
        for model in made_by_calls(module, method.value):
            by_model.setdefault(model, []).append(call)
    return by_model


@asked_once
def made_by_calls(module: Module, node: ast.expr) -> frozenset[ast.Call]:
    """Returns the calls whose value an expression is; nothing where it may be something else.

    Functions of the file are not looked into, as ``origins`` does: two models that one function
    makes are two.
    """

    def steps(value: ast.expr) -> Sequence[ast.expr]:
        return () if isinstance(value, ast.Call) else one_step(module, value) or ()

    values = list(reached([node], steps))
    calls = frozenset(value for value in values if isinstance(value, ast.Call))
    is_known = all(isinstance(value, ast.Call) or steps(value) for value in values)
    return calls if is_known else frozenset()
