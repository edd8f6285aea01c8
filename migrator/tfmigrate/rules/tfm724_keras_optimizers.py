"""An optimizer of standalone Keras keeps its default arguments.

What it does:
    Where TFM723 replaces standalone Keras with `tf.keras`, passes Keras 2's defaults to optimizers
    whose defaults differ in `tf.keras`: the learning rate of `Adadelta` (1.0), `Adagrad` (0.01),
    `Adamax` and `Nadam` (0.002), and the initial accumulator of `Adagrad` (0). `clipnorm` becomes
    `global_clipnorm`, because Keras clipped by the norm of all gradients together.

Why:
    The default learning rate of `Adadelta()` is 1.0 in Keras 2 and 0.001 in `tf.keras`: the program
    runs, but learns almost nothing.

Example:
    Before::

        import tensorflow as tf
        from keras import optimizers

        def optimizer():
          with tf.Session():
            return optimizers.Adadelta(clipnorm=1.)

    After::

        import os

        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

        import tensorflow.compat.v1 as tf

        def optimizer():
          with tf.Session():
            return tf.keras.optimizers.Adadelta(global_clipnorm=1., learning_rate=1.0)

What is left to you:
    Optimizers given by name (`optimizer="adadelta"`), which are reported: pass an optimizer object
    with its learning rate.

Safety:
    Safe: the updates are the same as with Keras 2.2 on TensorFlow 1.15.
"""

import ast

from tfmigrate.families.tf1.is_tf1 import is_kept_off
from tfmigrate.families.tf1.migrated_files import file_draft
from tfmigrate.families.tf1.standalone_keras import of_tensorflow_1
from tfmigrate.model.edits import ArrangeArguments
from tfmigrate.resolve.calls import has_star_arguments
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted

SEVERITY = Severity.FIXED
_RATES = {"Adadelta": "1.0", "Adagrad": "0.01", "Adamax": "0.002", "Nadam": "0.002"}
_BY_NAME = {name.lower(): (name, rate) for name, rate in _RATES.items()}
_OPTIMIZERS = (*_RATES, "Adam", "RMSprop", "SGD")
_PACKAGE = "keras.optimizers"


def check(program: Program) -> Drafts:
    """Yields a draft for each optimizer whose arguments change, or that is given by its name."""
    for module in program.once(of_tensorflow_1):
        for call in module.all(ast.Call):
            name = _optimizer(module, call)
            changed = None if name is None else _arguments(call, name)
            if changed is not None and not is_kept_off(program, module, call):
                message = f"keras.optimizers.{name} -> tf.keras, with the defaults of Keras 2"
                yield file_draft(program, module, [call], (changed,), message)
            yield from _by_name(module, call)


def _optimizer(module: Module, call: ast.Call) -> str | None:
    """Returns the class of an optimizer that a call makes."""
    parent, _, name = (module.resolve(call.func) or "").rpartition(".")
    return name if parent == _PACKAGE and name in _OPTIMIZERS else None


def _arguments(call: ast.Call, name: str) -> ArrangeArguments | None:
    """Returns the edit of an optimizer's arguments; None where they stay."""
    keyword_names = {k.arg for k in call.keywords}
    clips = "clipnorm" in keyword_names
    added = []
    if not has_star_arguments(call) and name in _RATES:
        if not call.args and not keyword_names & {"lr", "learning_rate"}:
            added.append(f"learning_rate={_RATES[name]}")
        if name == "Adagrad" and "initial_accumulator_value" not in keyword_names:
            added.append("initial_accumulator_value=0.0")
    if has_star_arguments(call) or not (clips or added):
        return None
    old = [("", argument) for argument in call.args]
    for keyword in call.keywords:
        new = "global_clipnorm" if keyword.arg == "clipnorm" else str(keyword.arg)
        old.append((new, keyword.value))
    return ArrangeArguments(call, tuple(old), tuple(added))


def _by_name(module: Module, call: ast.Call) -> Drafts:
    """Yields a draft for an optimizer that a model is compiled with by its name."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "compile":
        return
    for value in [k.value for k in call.keywords if k.arg == "optimizer"] or call.args[:1]:
        if isinstance(value, ast.Constant) and value.value in _BY_NAME:
            name, rate = _BY_NAME[value.value]
            more = ", initial_accumulator_value=0.0" if name == "Adagrad" else ""
            yield drafted(
                module,
                value,
                f"the default learning rate of {value.value!r} is {rate} in standalone "
                "Keras 2, and 0.001 in tf.keras",
                f"pass tf.keras.optimizers.{name}(learning_rate={rate}{more})",
                severity=Severity.MANUAL,
            )
