"""The argument `lr` of a Keras optimizer becomes `learning_rate`.

What it does:
    Renames the argument in calls of `tf.keras.optimizers` and `keras.optimizers`, and removes
    `epsilon=None` there.

Why:
    Keras 3, the tf.keras of TensorFlow 2.16 and later, rejects the old name. An epsilon of None
    meant the default in Keras 2; Keras 3 raises "None values not supported" in the first step.

Example:
    Before::

        import tensorflow as tf

        optimizer = tf.keras.optimizers.Adam(lr=0.001, epsilon=None)

    After::

        import tensorflow as tf

        optimizer = tf.keras.optimizers.Adam(learning_rate=0.001)

What is left to you:
    `decay=` has no equivalent argument (TFM519): use a schedule. `epsilon=None` stays in a file
    that calls `set_epsilon`: pass the value that is set there.

Safety:
    Safe: both names meant the same in TensorFlow 1.x and 2.0 to 2.10. The optimizers of 2.11 to
    2.15 warned about `lr`, ignored it and trained with the default rate. The default epsilon is
    1e-7 in Keras 2 and in Keras 3.
"""

import ast

from tfmigrate.families.distribute.keras3 import keras_3_modules
from tfmigrate.families.distribute.keras_objects import keras_name
from tfmigrate.model.edits import ArrangeArguments
from tfmigrate.resolve.calls import has_star_arguments, written_arguments
from tfmigrate.resolve.scopes import is_none
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

NAME = "keras-learning-rate"
SEVERITY = Severity.FIXED
KEPT_FOR_ESTIMATOR = True


def check(program: Program) -> Drafts:
    """Yields a draft for every call whose arguments change."""
    for module in program.once(keras_3_modules):
        if not module.mentions("lr") and not module.mentions("epsilon"):
            continue
        names = {call: keras_name(program, module, call.func) for call in module.all(ast.Call)}
        is_set = "backend.set_epsilon" in names.values()
        for call, name in names.items():
            if not name.startswith("optimizers.") or ".schedules." in name:
                continue
            if changes := _changes(call, is_set):
                written = [(n, v) for n, v in written_arguments(call) if changes.get(n) != ""]
                new = tuple((changes.get(n, n), v) for n, v in written)
                message = ", ".join(
                    f"{old} -> {now or 'the default'}" for old, now in changes.items()
                )
                yield drafted(module, call, message, edits=(ArrangeArguments(call, new),))


def _changes(call: ast.Call, is_set: bool) -> dict[str, str]:
    """Returns what becomes of the arguments of an optimizer, "" for those that are removed.

    Args:
        call: makes the optimizer.
        is_set: whether the file sets the epsilon that None means.
    """
    passed = {str(keyword.arg): keyword.value for keyword in call.keywords}
    if has_star_arguments(call):
        return {}
    changes = {"lr": "learning_rate"} if "lr" in passed else {}
    if is_none(passed.get("epsilon")) and not is_set:
        changes["epsilon"] = ""
    return changes
