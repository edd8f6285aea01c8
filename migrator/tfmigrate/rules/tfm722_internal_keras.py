"""A name of `tensorflow.python.keras` becomes its public name in `tf.keras`.

What it does:
    Replaces names of TensorFlow's internal Keras modules, if TensorFlow 1.15 had the same function
    or class under `tf.keras` and current TensorFlow has it too. This applies to TensorFlow 1.x
    programs, which then use Keras 2, and to other programs in which one of these names is missing.
    Optimizers are different classes under `tf.keras`: they are replaced where their arguments train
    the same, and reported elsewhere.

Why:
    `tensorflow.python.keras` is the remainder of the code from which Keras became a separate
    package. Datasets, applications, preprocessing and some layers are missing, and the rest does
    not work with `tf.keras`.

Example:
    Before::

        import tensorflow as tf
        from tensorflow.python.keras.datasets import mnist
        from tensorflow.python.keras.layers.core import Dense

        def train():
          (images, _), _ = mnist.load_data()
          with tf.Session():
            return Dense(10)(images)

    After::

        import os

        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

        import tensorflow.compat.v1 as tf
        from tensorflow.keras.datasets import mnist
        from tensorflow.keras.layers import Dense

        def train():
          (images, _), _ = mnist.load_data()
          with tf.Session():
            return Dense(10)(images)

What is left to you:
    Optimizers with `decay`, which begins a step later in `tf.keras`, or with arguments in a
    different order; `Adadelta`, `Adagrad`, `Adamax` and `Nadam` with their default learning rates,
    which differ.

Safety:
    Safe: the public name was the same object in TensorFlow 1.15, or an optimizer with the same
    updates.
"""

import ast
from collections.abc import Collection
from functools import partial

from tfmigrate.families.tf1.is_tf1 import imported_name
from tfmigrate.families.tf1.keras_imports import KerasChange
from tfmigrate.families.tf1.migrated_files import file_draft
from tfmigrate.families.tf1.standalone_keras import with_keras_2
from tfmigrate.resolve.calls import has_star_arguments
from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.module import imports
from tfmigrate.resolve.references import references
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted
from tfmigrate.tables.internal_keras import (
    PACKAGE,
    has_other_public_name,
    is_internal,
    keras_2_name,
    public_keras_name,
)
from tfmigrate.tables.present_names import KERAS_2, KERAS_3, missing_part

SEVERITY = Severity.FIXED
MODULES_BESIDE = ("tensorflow.python.keras",)

# How many arguments are in the same places in tf.keras, and whether the default rate is the same.
_SAME_UPDATES = {
    "optimizers.Adadelta": (3, False), "optimizers.Adam": (4, True),
    "optimizers.Adamax": (4, False), "optimizers.Nadam": (4, False),
    "optimizers.RMSprop": (2, True), "optimizers.SGD": (2, True),
}  # fmt: skip


def check(program: Program) -> Drafts:
    """Yields one draft for the names that a file replaces, and one for each that stays."""
    internal = [m for m in program.mentioning("keras") if _uses_internal(m)]
    of_keras_2 = program.once(with_keras_2) if internal else ()
    centres = [m for m in internal if m in of_keras_2 or _fails(m)]
    for module in internal:
        if module not in centres and not program.connected(module, centres):
            continue
        change = _change(module, (KERAS_2,) if module in of_keras_2 else (KERAS_2, KERAS_3))
        if change.edits:
            message = "tensorflow.python.keras names -> tf.keras"
            yield file_draft(program, module, change.places, change.complete(), message)
        yield from _left(module, change)


def _uses_internal(module: Module) -> bool:
    return any(is_internal(imported_name(binding)) for binding in imports(module)) or any(
        is_internal(use.qualified) for use in module.uses
    )


def _fails(module: Module) -> bool:
    """Returns whether a file uses a removed name of TensorFlow's internal Keras."""
    return any(
        is_internal(chain.qualified) and missing_part(chain, KERAS_2)
        for reference in references(module)
        for chain in reference.chains
    )


def _change(module: Module, kerases: Collection[str]) -> KerasChange:
    public = partial(_public, module, kerases)
    change = KerasChange(module, public, keeps_v2=KERAS_3 in kerases)
    for binding in imports(module):
        unnamed = isinstance(binding.statement, ast.Import) and not binding.alias.asname
        internal = is_internal(imported_name(binding)) and not unnamed
        if internal and not is_guarded(module, binding.statement):
            change.change_import(binding, imported_name(binding))
    for use in module.uses:
        root = module.names.root_import(use.node)
        if root is None or not is_internal(use.qualified) or is_guarded(module, use.node):
            continue
        if root.qualified.partition(".")[0] == "tensorflow" and not is_internal(root.qualified):
            change.change_use(use)
    return change


def _public(module: Module, kerases: Collection[str], qualified: str) -> str | None:
    """Returns the public name of a name; None where it has none."""
    below = qualified.removeprefix(f"{PACKAGE}.")
    if KERAS_3 not in kerases and below in _SAME_UPDATES:
        arguments = _SAME_UPDATES[below]
        calls = [module.call_of(use.node) for use in module.uses_of(qualified)]
        if all(call is not None and _trains_the_same(call, *arguments) for call in calls):
            return keras_2_name(below)
    return public_keras_name(qualified, kerases)


def _trains_the_same(call: ast.Call, positional: int, has_same_rate: bool) -> bool:
    """Returns whether an optimizer of tf.keras has the same updates, by its arguments."""
    named = {keyword.arg for keyword in call.keywords}
    is_plain = not has_star_arguments(call) and len(call.args) <= positional
    return is_plain and "decay" not in named and (has_same_rate or bool(call.args or "lr" in named))


def _left(module: Module, change: KerasChange) -> Drafts:
    """Yields a draft for the first place of each name that does not work with tf.keras."""
    first: dict[str, ast.AST] = {}
    for node, name in change.left:
        if has_other_public_name(name):
            first.setdefault(name, node)
    for name, node in first.items():
        public = f"tf.keras.{name.rpartition('.keras.')[2]}"
        message = f"{name} does not work with tf.keras"
        action = f"use {public}, a different class in TensorFlow 1.15, and check its arguments"
        if public_keras_name(name, (KERAS_2,)):
            action = f"use {public} and Keras 2 (tf-keras, TF_USE_LEGACY_KERAS=1): Keras 3 lacks it"
        yield drafted(module, node, message, action)
