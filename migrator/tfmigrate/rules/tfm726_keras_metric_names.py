"""Metrics of Keras keep the names that TensorFlow 1.x reported them by.

What it does:
    Writes the names of `compile(metrics=...)` as TensorFlow 1.15 reported them, in programs that
    train eagerly or have Estimators: `accuracy` becomes `acc`, `mae` becomes `mean_absolute_error`.

Why:
    `history.history` and callbacks have the names that Keras reports: `acc` for `accuracy` in 1.x.
    TensorFlow 2 reports `accuracy`, so that `history.history["val_acc"]` raises KeyError, and a
    callback with `monitor="val_acc"` never acts. In graphs with the behavior of TensorFlow 1.x,
    which TFM701 switches other programs to, Keras 2 uses the old names itself.

Example:
    Before::

        import tensorflow as tf

        tf.enable_eager_execution()

        def train(images, labels):
          model = tf.keras.Sequential([tf.keras.layers.Dense(10, activation='softmax')])
          model.compile('sgd', 'sparse_categorical_crossentropy', metrics=['accuracy'])
          stop = tf.keras.callbacks.EarlyStopping(monitor='val_acc')
          model.fit(images, labels, validation_split=0.1, callbacks=[stop])

    After::

        import os

        os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

        import tensorflow.compat.v1 as tf

        tf.enable_eager_execution()

        def train(images, labels):
          model = tf.keras.Sequential([tf.keras.layers.Dense(10, activation='softmax')])
          model.compile('sgd', 'sparse_categorical_crossentropy', metrics=['acc'])
          stop = tf.keras.callbacks.EarlyStopping(monitor='val_acc')
          model.fit(images, labels, validation_split=0.1, callbacks=[stop])

What is left to you:
    Metrics that are not written out in the call, and weighted metrics, which TensorFlow 1.x
    reported as `weighted_acc`; they are reported.

Safety:
    Safe: each of both names selects the same metric.
"""

import ast

from tfmigrate.families.distribute.keras_objects import is_model, keras_objects
from tfmigrate.families.graphs.plan import becomes_eager
from tfmigrate.families.tf1.generations import is_eager_style
from tfmigrate.families.tf1.is_tf1 import group_of, legacy_modules, uses_estimator, uses_family
from tfmigrate.families.tf1.mode_calls import EAGER, mode_calls
from tfmigrate.model.edits import Code, ReplaceExpression
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.origins import origins
from tfmigrate.resolve.scopes import is_none
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted

SEVERITY = Severity.FIXED
_ACTION = (
    "name them as TensorFlow 1.15 reported them: acc for accuracy, mean_absolute_error for mae"
)
# By the name in `metrics=`, as training_utils.get_metric_name of 1.15 returns it;
# tests/keras/test_metric_names.py compares the results.
REPORTED_AS = {
    "accuracy": "acc",
    "crossentropy": "ce",
    "cosine_similarity": "cosine_proximity",
    **dict.fromkeys(("mae", "MAE"), "mean_absolute_error"),
    **dict.fromkeys(("mse", "MSE"), "mean_squared_error"),
    **dict.fromkeys(("mape", "MAPE"), "mean_absolute_percentage_error"),
    **dict.fromkeys(("msle", "MSLE"), "mean_squared_logarithmic_error"),
}


def check(program: Program) -> Drafts:
    """Yields a draft for the metrics of each model."""
    legacy = [m for m in program.once(legacy_modules) if m.mentions("metrics")]
    if not legacy or not _has_names_of_tensorflow_2(program):
        return
    for module in legacy:
        for call in module.all(ast.Call):
            if _compiles(program, module, call):
                yield from _renamed(program, module, argument(call, 2, "metrics"))
                yield from _weighted(module, argument(call, 6, "weighted_metrics"))


def _has_names_of_tensorflow_2(program: Program) -> bool:
    """Returns whether a program may train without ``disable_v2_behavior``."""
    return program.once(becomes_eager) or any(
        mode_calls(m, *EAGER) or is_eager_style(m) or uses_estimator(m) or uses_family(m)
        for m in program.modules
    )


def _compiles(program: Program, module: Module, call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "compile":
        return False
    owners = keras_objects(program, module, call.func.value)
    return bool(owners) and all(is_model(o) and "compile" not in o.own for o in owners)


def _renamed(program: Program, module: Module, metrics: ast.expr | None) -> Drafts:
    if metrics is None:
        return
    changed = _changed(metrics)
    if isinstance(metrics, ast.Name) and any(map(_changed, origins(module, metrics) or ())):
        old = "metrics that TensorFlow 2 reports by other names"
        yield drafted(module, metrics, old, _ACTION)
    if changed:
        shown = ", ".join(f"{name} -> {REPORTED_AS[name]}" for name in changed.values())
        yield drafted(
            module,
            next(iter(changed)),
            f"names of metrics as TensorFlow 1.x reports them: {shown}",
            edits=(
                # In the quotes of the old name.
                ReplaceExpression(c, Code(module.code(c).replace(name, REPORTED_AS[name])))
                for c, name in changed.items()
            ),
            group=group_of(program, module),
        )


def _weighted(module: Module, metrics: ast.expr | None) -> Drafts:
    empty = isinstance(metrics, ast.List) and not metrics.elts
    if metrics is None or empty or is_none(metrics):
        return
    message = "TensorFlow 1.x reports weighted metrics as weighted_..., TensorFlow 2 without that"
    action = "change the names where history or callbacks use them"
    yield drafted(module, metrics, message, action)


def _changed(metrics: ast.expr) -> dict[ast.Constant, str]:
    """Returns the names in a list of metrics, or in one for each output, that change."""
    if isinstance(metrics, ast.Constant):
        name = metrics.value
        return {metrics: name} if isinstance(name, str) and name in REPORTED_AS else {}
    values = metrics.elts if isinstance(metrics, ast.List) else ()
    if isinstance(metrics, ast.Dict):
        values = metrics.values
    return {c: name for value in values for c, name in _changed(value).items()}
