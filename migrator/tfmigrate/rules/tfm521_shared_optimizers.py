"""One optimizer of Keras trains several models.

What it does:
    Reports an optimizer that several models are compiled with and trained by, a model in each turn
    of a loop among them, or whose `apply_gradients` is given the variables of several models; also
    one that a model is compiled with again after more of it was made trainable.

Why:
    Keras 3 trains only what an optimizer was built with, which is what its first step trains. A
    step with other variables raises "Unknown variable". Keras 2 added the slots of new variables
    when they came, and counted the steps of all models together.

Example:
    Before::

        import tensorflow as tf

        adam = tf.keras.optimizers.Adam(2e-4, 0.5)
        critic = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        critic.compile(adam, 'mse')
        maker = tf.keras.Sequential([tf.keras.layers.Dense(4)])
        maker.compile(adam, 'mse')

        def train(real, noise, ones):
          critic.train_on_batch(real, ones)
          maker.train_on_batch(noise, real)

What is left to you:
    Once all models have their variables, and before the first step, build the optimizer with all of
    them: `adam.build(critic.variables + maker.variables)`. It then trains what it did: with an
    optimizer for each model, Adam and decays count each model's own steps, which
    `tfmigrate verify` calls different. For models that are made one after the other, as in a
    cross-validation, create an optimizer for each.

Safety:
    Nothing is changed.
"""

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from tfmigrate.families.distribute.keras3 import keras_3_modules
from tfmigrate.families.distribute.keras_models import TRAINING, calls_by_model, made_by_calls
from tfmigrate.families.distribute.keras_objects import keras_objects
from tfmigrate.resolve.calls import argument, called_builtin, method_calls
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.name_flow import LOOPS
from tfmigrate.resolve.origins import origins
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

NAME = "keras-shared-optimizers"
SEVERITY = Severity.MANUAL

_VARIABLES = ("trainable_variables", "trainable_weights", "variables", "weights")
_OTHERS = ("optimizers.schedules.", "optimizers.legacy.")


class _Use(NamedTuple):
    """A call that lets an optimizer train a model.

    Attributes:
        model: the call that makes the model.
        call: ``compile``, or a step of the optimizer.
    """

    model: ast.Call
    call: ast.Call


def check(program: Program) -> Drafts:
    """Yields a draft for every optimizer whose first step does not train all that it will."""
    for module in program.once(keras_3_modules):
        built = {
            o for _, m in method_calls(module, "build") for o in made_by_calls(module, m.value)
        }
        for optimizer, uses in _uses_by_optimizer(module).items():
            if optimizer in built or not _is_optimizer(program, module, optimizer):
                continue
            if _are_several(module, optimizer, uses) or _trains_more(module, uses):
                yield drafted(
                    module,
                    optimizer,
                    "Keras 3 trains only what an optimizer was built with, in its first step; this "
                    'one trains several models, or more of one later: "Unknown variable"',
                    "build it before with all of them, as optimizer.build(a.variables + "
                    "b.variables), or create one for each, which counts fewer steps",
                )


def _is_optimizer(program: Program, module: Module, call: ast.Call) -> bool:
    names = {each.name for each in keras_objects(program, module, call)}
    return bool(names) and all(
        name.startswith("optimizers.") and not name.startswith(_OTHERS) for name in names
    )


def _uses_by_optimizer(module: Module) -> dict[ast.Call, list[_Use]]:
    by_optimizer: dict[ast.Call, list[_Use]] = {}
    for optimizer, use in (*_compiled(module), *_steps(module)):
        by_optimizer.setdefault(optimizer, []).append(use)
    return by_optimizer


def _compiled(module: Module) -> Iterator[tuple[ast.Call, _Use]]:
    """Yields the one optimizer that a model which is trained was compiled with."""
    compiled = calls_by_model(module, "compile")
    trained = (made_by_calls(module, m.value) for _, m in method_calls(module, *TRAINING))
    # What may be one of several is one model: `model = load(model, path)` returns what it is given.
    for model in dict.fromkeys(next(iter(makers)) for makers in trained if len(makers) == 1):
        inner = origins(module, model) or ()  # what a function of the file returns
        makers = [m for m in (model, *inner) if isinstance(m, ast.Call)]
        for call in dict.fromkeys(c for maker in makers for c in compiled.get(maker, ())):
            value = argument(call, 0, "optimizer")
            optimizers = made_by_calls(module, value) if value is not None else frozenset()
            if len(optimizers) == 1:
                yield next(iter(optimizers)), _Use(model, call)


def _steps(module: Module) -> Iterator[tuple[ast.Call, _Use]]:
    """Yields the one optimizer of a step that is given the variables of one model."""
    for call, method in method_calls(module, "apply_gradients", "apply", "minimize"):
        if method.attr == "apply_gradients":
            pairs = argument(call, 0, "grads_and_vars")
            is_zip = pairs is not None and called_builtin(module, pairs) == "zip"
            value = argument(pairs, 1) if is_zip and isinstance(pairs, ast.Call) else None
        else:
            value = argument(call, 1, "trainable_variables", "var_list")
        if value is None:
            continue
        optimizers = made_by_calls(module, method.value)
        for variables in origins(module, value) or (value,):
            if isinstance(variables, ast.Attribute) and variables.attr in _VARIABLES:
                models = made_by_calls(module, variables.value)
                if len(models) == len(optimizers) == 1:
                    yield next(iter(optimizers)), _Use(next(iter(models)), call)


def _are_several(module: Module, optimizer: ast.Call, uses: list[_Use]) -> bool:
    """Returns whether an optimizer trains several models, not one for each time it is made."""
    alone = [use for use in uses if not _is_made_with(module, optimizer, use)]
    if len({use.call for use in uses}) > 1 and len({use.model for use in uses}) > 1:
        return True
    if len({use.model for use in alone}) > 1:
        return True
    loops = {node for node in module.ancestors(optimizer) if isinstance(node, LOOPS)}
    return any(
        isinstance(around, LOOPS) and around not in loops
        for use in alone
        for around in module.ancestors(use.model)
    )


def _is_made_with(module: Module, optimizer: ast.Call, use: _Use) -> bool:
    """Returns whether the function that makes the model, and compiles it, makes an optimizer."""
    function = module.function(optimizer)
    return function is module.function(use.call) and function is not module.function(use.model)


def _trains_more(module: Module, uses: list[_Use]) -> bool:
    """Returns whether a model is compiled again after something became trainable."""
    ordered = sorted(uses, key=lambda use: module.position(use.call))
    freed = [
        module.position(assignment)
        for assignment in module.all(ast.Assign)
        for target in assignment.targets
        if isinstance(target, ast.Attribute)
        and target.attr == "trainable"
        and getattr(assignment.value, "value", None) is not False
    ]
    return any(
        first.model is second.model
        and any(module.position(first.call) < at < module.position(second.call) for at in freed)
        for first, second in pairwise(ordered)
    )
