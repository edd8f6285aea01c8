"""An optimizer of standalone Keras or tf.contrib.keras keeps its default arguments.

What it does:
    Where TFM723 replaces standalone Keras with `tf.keras`, or TFM703 `tf.contrib.keras`, passes
    Keras 2's defaults to optimizers whose defaults differ in `tf.keras`: the learning rate of
    `Adadelta` (1.0), `Adagrad` (0.01), `Adamax` and `Nadam` (0.002), and the initial accumulator of
    `Adagrad` (0). Arguments by position get names where `tf.keras` has another parameter there
    (`SGD(0.1, 0.9, decay)`). `clipnorm` of standalone Keras becomes `global_clipnorm`, because it
    clipped by the norm of all gradients together.

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
    Safe: the updates are the same as with Keras 2.2 or tf.contrib.keras on TensorFlow 1.15, save
    for `decay`. There nothing orders reading the count of steps and adding to it: the rate was that
    of the next step in most runs, `lr / (1 + decay * n)` in step n from 1, and is
    `lr / (1 + decay * (n - 1))` now. Slots have other names in checkpoints.
"""

import ast

from tfmigrate.families.tf1.is_tf1 import is_kept_off
from tfmigrate.families.tf1.migrated_files import file_draft
from tfmigrate.families.tf1.standalone_keras import of_tensorflow_1
from tfmigrate.model.edits import ArrangeArguments
from tfmigrate.resolve.calls import has_star_arguments
from tfmigrate.resolve.canonical import canonical
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted

SEVERITY = Severity.FIXED
_RATES = {"Adadelta": "1.0", "Adagrad": "0.01", "Adamax": "0.002", "Nadam": "0.002"}
_BY_NAME = {name.lower(): (name, rate) for name, rate in _RATES.items()}
# By optimizer: how many parameters tf.keras begins with, too, and those behind them.
_PARAMETERS = {
    "Adadelta": (3, "decay"),
    "Adagrad": (1, "epsilon decay"),
    "Adam": (4, "decay amsgrad"),
    "Adamax": (4, "decay"),
    "Nadam": (4, "schedule_decay"),
    "RMSprop": (2, "epsilon decay"),
    "SGD": (2, "decay nesterov"),
}
_PACKAGE = "keras.optimizers"
# TensorFlow 1.15 has the optimizers of Keras 2.2 here, and others in tf.keras.
_OF_CONTRIB = "tensorflow.contrib.keras.optimizers"


def check(program: Program) -> Drafts:
    """Yields a draft for each optimizer whose arguments change, or that is given by its name."""
    standalone = program.once(of_tensorflow_1)
    for module in {*standalone, *program.mentioning("contrib")}:
        for call in module.all(ast.Call):
            package, name = _optimizer(module, call)
            changed = _arguments(call, name, package == _PACKAGE) if name else None
            if changed is not None and not is_kept_off(program, module, call):
                shown = package.replace("tensorflow", "tf", 1)
                message = f"{shown}.{name} -> tf.keras, with the defaults of Keras 2"
                yield file_draft(program, module, [call], (changed,), message)
            if module in standalone:
                yield from _by_name(module, call)


def _optimizer(module: Module, call: ast.Call) -> tuple[str, str]:
    """Returns the package and the class of an optimizer that a call makes; "" for other calls."""
    parent, _, name = canonical(module.resolve(call.func) or "").rpartition(".")
    is_one = parent in (_PACKAGE, _OF_CONTRIB) and name in _PARAMETERS
    return (parent, name) if is_one else ("", "")


def _arguments(call: ast.Call, name: str, clips_globally: bool) -> ArrangeArguments | None:
    """Returns the edit of an optimizer's arguments; None where they stay."""
    keyword_names = {k.arg for k in call.keywords}
    clips = clips_globally and "clipnorm" in keyword_names
    added = []
    if not has_star_arguments(call) and name in _RATES:
        if not call.args and not keyword_names & {"lr", "learning_rate"}:
            added.append(f"learning_rate={_RATES[name]}")
        if name == "Adagrad" and "initial_accumulator_value" not in keyword_names:
            added.append("initial_accumulator_value=0.0")
    same, others = _PARAMETERS[name]
    if has_star_arguments(call) or not (clips or added or len(call.args) > same):
        return None
    names = [*[""] * same, *others.split()]
    old = list(zip(names, call.args, strict=False))
    for keyword in call.keywords:
        new = "global_clipnorm" if clips and keyword.arg == "clipnorm" else str(keyword.arg)
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
            )
