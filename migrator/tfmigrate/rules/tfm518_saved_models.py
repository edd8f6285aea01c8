"""A Keras model is saved to a file name or in a format that Keras 3 rejects.

What it does:
    Reports `model.save` to a folder, `save_format=`, and `save_weights` to a file name that Keras 3
    rejects, on models of tf.keras.

Why:
    Keras 3, the tf.keras of TensorFlow 2.16 and later, saves models only to `.keras` and `.h5`
    files, and weights only to `.weights.h5` files. A SavedModel or a checkpoint, which tf.keras 2
    wrote with the same methods, takes another call.

Example:
    Before::

        import tensorflow as tf

        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.save('/tmp/model')

What is left to you:
    Call `model.export(path)` for a SavedModel for serving, `model.save('model.keras')` for a file
    that `tf.keras.models.load_model` reads, or `tf.train.Checkpoint(model=model).write(path)` for a
    checkpoint.

Safety:
    Nothing is changed, because the code that reads the file has to change too.
"""

import ast

from tfmigrate.families.distribute.keras3 import keras_3_modules
from tfmigrate.families.distribute.keras_objects import is_model, keras_objects
from tfmigrate.resolve.calls import method_calls
from tfmigrate.rulekit.basics import Drafts, Program, Severity, drafted

NAME = "keras-saved-models"
SEVERITY = Severity.MANUAL
KEPT_FOR_ESTIMATOR = True

_ENDINGS = {"save": (".keras", ".h5", ".hdf5"), "save_weights": (".weights.h5",)}
_ACTION = "use model.save('model.keras'), model.export(path) or tf.train.Checkpoint"


def check(program: Program) -> Drafts:
    """Yields a draft for every call that Keras 3 rejects."""
    for module in program.once(keras_3_modules):
        if not module.mentions(".save"):
            continue
        for call, method in method_calls(module, *_ENDINGS):
            instances = keras_objects(program, module, method.value)
            if not instances or not all(
                is_model(o) and method.attr not in o.own for o in instances
            ):
                continue
            if problem := _problem(call, method.attr):
                yield drafted(module, call, problem, _ACTION)


def _problem(call: ast.Call, method: str) -> str:
    """Returns what Keras 3 rejects in a call; "" for nothing that can be seen."""
    path = call.args[0] if call.args else None
    known = isinstance(path, ast.Constant) and isinstance(path.value, str)
    endings = _ENDINGS[method]
    if known and str(getattr(path, "value", "")).endswith(endings):
        return ""
    if any(keyword.arg == "save_format" for keyword in call.keywords):
        return f"{method}() of Keras 3 has no save_format argument"
    shown = " or ".join(filter(None, (", ".join(endings[:-1]), endings[-1])))
    return f"{method}() of Keras 3 needs a file name that ends in {shown}" if known else ""
