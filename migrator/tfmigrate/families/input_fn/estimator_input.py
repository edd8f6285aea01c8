"""Input functions that return tensors, which tf.estimator does not accept under a strategy."""

import ast
from collections.abc import Iterator

from tfmigrate.families.input_fn.input_functions import InputFunctions
from tfmigrate.families.input_fn.one_shot_returns import one_shot_returns
from tfmigrate.families.tf1.generations import INPUT_QUEUES
from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program

_INPUTS = "tensorflow.estimator.inputs."
_HOOK = "tensorflow.estimator.experimental.InMemoryEvaluatorHook"


def tensors_for_estimators(program: Program, module: Module) -> Iterator[Refusal]:
    """Yields the places of a module that return input as tensors."""
    for use in module.uses:
        name = use.qualified.removeprefix("tensorflow.")
        if use.qualified.startswith(_INPUTS) or use.qualified in INPUT_QUEUES:
            yield Refusal(use.node, f"tf.{name} returns tensors from a queue")
        elif use.qualified == _HOOK:
            yield Refusal(use.node, "InMemoryEvaluatorHook evaluates tensors of its input function")
    functions = program.once(InputFunctions)
    returned = [r.function for r in one_shot_returns(module) if functions.has(module, r.function)]
    for call in module.all(ast.Call):
        method = isinstance(call.func, ast.Attribute) and call.func.attr == "get_next"
        if method and module.function(call) not in returned:
            yield Refusal(call, "`get_next()` returns tensors")
