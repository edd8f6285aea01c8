"""`reset_states` of a Keras metric becomes `reset_state`.

What it does:
    Renames the method on instances of the classes of `tf.keras.metrics`.

Why:
    Keras 3, the tf.keras of TensorFlow 2.16 and later, does not have the old name.

Example:
    Before::

        import tensorflow as tf

        train_loss = tf.keras.metrics.Mean(name='train_loss')

        def begin_epoch():
          train_loss.reset_states()

    After::

        import tensorflow as tf

        train_loss = tf.keras.metrics.Mean(name='train_loss')

        def begin_epoch():
          train_loss.reset_state()

What is left to you:
    Metrics that are reached indirectly, for example through a list. `reset_states` of a recurrent
    layer is a different method and stays. A program that selects Keras 2 (TF_USE_LEGACY_KERAS)
    keeps the old name.

Safety:
    Safe.
"""

from tfmigrate.families.distribute.keras3 import keras_3_modules
from tfmigrate.families.distribute.keras_objects import keras_objects
from tfmigrate.model.edits import Code, ReplaceExpression
from tfmigrate.resolve.calls import method_calls
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

NAME = "metric-reset-states"
SEVERITY = Severity.FIXED
KEPT_FOR_ESTIMATOR = True

_OLD = "reset_states"


def check(program: Program) -> Drafts:
    """Yields a draft for every call of the method on a metric."""
    for module in program.once(keras_3_modules):
        if not module.mentions(_OLD):
            continue
        for call, method in method_calls(module, _OLD):
            instances = keras_objects(program, module, method.value)
            if not instances or not all(o.name.startswith("metrics.") for o in instances):
                continue
            if any(_OLD in o.own for o in instances):
                continue  # TFM519
            yield drafted(
                module,
                call,
                f"{_OLD} -> reset_state",
                edits=(ReplaceExpression(method, Code("{0}.reset_state", (method.value,))),),
            )
