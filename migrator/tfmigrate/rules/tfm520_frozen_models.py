"""What a Keras model trains is changed after it was compiled.

What it does:
    Reports `part.trainable = False` (or `True`) where a model, `part` itself or one that contains
    it, was compiled before, and is trained with `train_on_batch` or `fit` only after that, without
    being compiled again.

Why:
    Keras 2 trained what was trainable when a model was compiled. Keras 3, the tf.keras of
    TensorFlow 2.16 and later, trains what is trainable in the first step: the discriminator of a
    GAN, which is frozen for the combined model, is no longer trained at all, with nothing but the
    warning "The model does not have any trainable weights".

Example:
    Before::

        import tensorflow as tf

        critic = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        critic.compile('sgd', 'mse')
        critic.trainable = False
        maker = tf.keras.Sequential([tf.keras.layers.Dense(4), critic])
        maker.compile('sgd', 'mse')

        def train(real, noise, ones):
          critic.train_on_batch(real, ones)
          maker.train_on_batch(noise, ones)

What is left to you:
    Set `critic.trainable = True` before `critic` is trained, and `critic.trainable = False` before
    `maker` is, in the loop. `tfmigrate verify` compares both models step by step.

Safety:
    Nothing is changed.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tfmigrate.families.distribute.keras3 import keras_3_modules
from tfmigrate.families.distribute.keras_models import TRAINING, calls_by_model, made_by_calls
from tfmigrate.model.reached import reached
from tfmigrate.resolve.calls import method_calls
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.name_flow import LOOPS
from tfmigrate.resolve.origins import one_step, origins
from tfmigrate.resolve.value_flow import operands
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

NAME = "keras-frozen-models"
SEVERITY = Severity.MANUAL


class _Switch(NamedTuple):
    """A statement that makes a model trainable, or freezes it.

    Attributes:
        statement: the assignment.
        model: the calls that make the model.
        value: True, False, or None where it is not written out.
    """

    statement: ast.Assign
    model: frozenset[ast.Call]
    value: bool | None


def check(program: Program) -> Drafts:
    """Yields a draft for every switch after which a compiled model trains something else."""
    for module in program.once(keras_3_modules):
        if not module.mentions(".trainable") or not module.mentions("compile"):
            continue
        switches = list(_switches(module))
        compiled = calls_by_model(module, "compile")
        changed = set()
        for model, trainings in calls_by_model(module, *TRAINING).items():
            inner = origins(module, model) or ()  # what a function of the program returns
            makers = [m for m in (model, *inner) if isinstance(m, ast.Call)]
            compilations = [c for m in makers for c in compiled.get(m, ())]
            own = [s for s in switches if s.model & _parts(module, model)] if compilations else []
            changed |= {
                switch.statement
                for switch in own
                if _trains_otherwise(module, switch, own, compilations, trainings)
            }
        for statement in sorted(changed, key=module.position):
            yield drafted(
                module,
                statement,
                "Keras 3 does not train what Keras 2 did: it trains what is trainable in a model's "
                "first step, Keras 2 what was when the model was compiled",
                "before each model's training, set .trainable as it was when that was compiled",
            )


def _switches(module: Module) -> Iterator[_Switch]:
    for assignment in module.all(ast.Assign):
        for target in assignment.targets:
            if isinstance(target, ast.Attribute) and target.attr == "trainable":
                value = getattr(assignment.value, "value", None)
                known = value if isinstance(value, bool) else None
                yield _Switch(assignment, made_by_calls(module, target.value), known)


def _parts(module: Module, model: ast.Call) -> frozenset[ast.expr]:
    """Returns a model and what it is built from: models that it contains among them."""
    made = {model, *(origins(module, model) or ())}
    added = [
        argument
        for call, method in method_calls(module, "add")
        for argument in call.args
        if made_by_calls(module, method.value) & made
    ]

    def sources(value: ast.expr) -> Iterator[ast.expr]:
        yield from one_step(module, value) or ()
        yield from operands(value)

    return frozenset(reached([model, *added], sources))


def _trains_otherwise(
    module: Module,
    switch: _Switch,
    switches: Sequence[_Switch],
    compilations: Sequence[ast.Call],
    trainings: Sequence[ast.Call],
) -> bool:
    """Returns whether a model was compiled before a switch, and is first trained after it.

    Args:
        module: the file.
        switch: of the model, or of one that it contains.
        switches: all of these.
        compilations: the calls that compile the model.
        trainings: the calls that train it.
    """
    place = module.position(switch.statement)
    compiled_at = max(map(module.position, compilations))
    same = [each for each in switches if each.model & switch.model]
    state: bool | None = True
    for each in sorted(same, key=lambda each: module.position(each.statement)):
        if module.position(each.statement) < compiled_at:
            state = each.value
    # One that follows, in whatever function, may compile the model as it is then.
    if place < compiled_at or None in (state, switch.value) or state == switch.value:
        return False
    back = [each.statement for each in same if each.value != switch.value]
    return not any(
        _is_before(module, training, switch.statement)
        or any(module.position(b) > place or _is_next_to(module, b, training) for b in back)
        for training in trainings
    )


def _is_before(module: Module, training: ast.Call, statement: ast.stmt) -> bool:
    """Returns whether a model is trained before a statement, which is not repeated."""
    if module.position(training) > module.position(statement):
        return False
    is_same = module.function(training) is module.function(statement)
    return is_same and not _is_in_one_loop(module, statement, training)


def _is_next_to(module: Module, statement: ast.stmt, training: ast.Call) -> bool:
    """Returns whether a statement is in the function, or the loop of the file, that trains."""
    function = module.function(training)
    if _is_in_one_loop(module, statement, training):
        return True
    return function is module.function(statement) and function is not module.tree


def _is_in_one_loop(module: Module, first: ast.AST, second: ast.AST) -> bool:
    shared = set(module.ancestors(first)) & set(module.ancestors(second))
    return any(isinstance(node, LOOPS) for node in shared)
