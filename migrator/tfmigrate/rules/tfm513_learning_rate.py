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
from tfmigrate.model.edits import ArrangeArguments
from tfmigrate.resolve.calls import written_arguments
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
            passed = {keyword.arg for keyword in call.keywords}
            if "lr" not in passed or None in passed:
                continue
            message = "lr -> learning_rate"
            new = [("learning_rate" if n == "lr" else n, v) for n, v in written_arguments(call)]
            yield drafted(module, call, message, edits=(ArrangeArguments(call, tuple(new)),))
