"""The argument `lr` of a Keras optimizer becomes `learning_rate`.

What it does:
    Renames the argument in calls of `tf.keras.optimizers` and `keras.optimizers`.

Why:
    Keras 3, the tf.keras of TensorFlow 2.16 and later, rejects the old name.

Example:
    Before::

        import tensorflow as tf

        optimizer = tf.keras.optimizers.Adam(lr=0.001)

    After::

        import tensorflow as tf

        optimizer = tf.keras.optimizers.Adam(learning_rate=0.001)

What is left to you:
    `decay=` has no equivalent argument (TFM519): use a schedule.

Safety:
    Safe: both names meant the same in TensorFlow 1.x and 2.0 to 2.10. The optimizers of 2.11 to
    2.15 warned about `lr`, ignored it and trained with the default rate.
"""

import ast

from tfmigrate.families.distribute.keras3 import keras_3_modules
from tfmigrate.families.distribute.keras_objects import keras_name
from tfmigrate.model.edits import Code, ReplaceExpression
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

NAME = "keras-learning-rate"
SEVERITY = Severity.FIXED
KEPT_FOR_ESTIMATOR = True


def check(program: Program) -> Drafts:
    """Yields a draft for every call with the old argument."""
    for module in program.once(keras_3_modules):
        if not module.mentions("lr"):
            continue
        for call in module.all(ast.Call):
            name = keras_name(program, module, call.func)
            if not name.startswith("optimizers.") or ".schedules." in name:
                continue
            old = [keyword for keyword in call.keywords if keyword.arg == "lr"]
            if not old or any(keyword.arg is None for keyword in call.keywords):
                continue
            message = "lr -> learning_rate"
            yield drafted(module, call, message, edits=(_renamed(call, old[0]),))


def _renamed(call: ast.Call, old: ast.keyword) -> ReplaceExpression:
    """Returns the edit of a call: all its arguments in their order, one with another name."""
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    names = ["" for _ in call.args]
    names += [f"{'learning_rate' if k is old else k.arg}=" for k in call.keywords]
    template = ", ".join(f"{name}{{{i + 1}}}" for i, name in enumerate(names))
    return ReplaceExpression(call, Code(f"{{0}}({template})", (call.func, *arguments)))
