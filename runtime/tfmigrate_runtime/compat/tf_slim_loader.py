"""Importing tf_slim 1.1.0, whose last release was for TensorFlow 2.2.

What it misses is put into its own modules: TensorFlow stays as it is for everybody else.

========================================  ========================================================
in tf_slim                                what it gets, and why
========================================  ========================================================
``layers.layers.normalization_layers``    ``tf.layers``' BatchNormalization: TensorFlow looks for
                                          it in ``tf_keras.legacy_tf_layers``, which has moved
the names of ``_MOVED``                   functions and classes that TensorFlow has moved from one
                                          of its modules to another
========================================  ========================================================
"""

import importlib
import pkgutil
import sys
import types
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import keras_2 as keras_2
from tfmigrate_runtime.compat.overlay import Overlay

# By the name under which modules of tf_slim have a module of TensorFlow: what that lacks today.
_MOVED: dict[str, dict[str, Any]] = {
    "array_ops": {"stack": tf.stack, "unstack": tf.unstack},
    "control_flow_ops": {
        "Assert": tf.debugging.Assert,
        "case": tf.case,
        "cond": tf.cond,
        "while_loop": tf.while_loop,
    },
    "framework_ops": {"Tensor": tf.Tensor},
    "ops": {"IndexedSlices": tf.IndexedSlices, "Tensor": tf.Tensor},
    "variable_scope": {"variable": tf.Variable},
}


def load_tf_slim() -> Any:
    """Returns the package tf_slim, able to work on this TensorFlow.

    Raises:
        ModuleNotFoundError: tf_slim is not installed.
    """
    try:
        tf_slim = importlib.import_module("tf_slim")
    except ModuleNotFoundError as error:
        if error.name != "tf_slim":
            raise
        raise ModuleNotFoundError(
            "tf.contrib's layers are in tf_slim: pip install tf_slim==1.1.0", name="tf_slim"
        ) from None
    importlib.import_module("tf_slim.nets")
    layers: Any = importlib.import_module("tf_slim.layers.layers")
    if isinstance(layers.normalization_layers, types.SimpleNamespace):
        return tf_slim
    for name in _modules_of(tf_slim):
        module = sys.modules[name]
        for alias, names in _MOVED.items():
            own = getattr(module, alias, None)
            if isinstance(own, types.ModuleType) and own.__name__.startswith("tensorflow."):
                setattr(module, alias, Overlay(own, **names))
    layers.normalization_layers = types.SimpleNamespace(
        BatchNormalization=tf.layers.BatchNormalization
    )
    return tf_slim


def _modules_of(package: Any) -> list[str]:
    """Imports all modules of tf_slim but its tests; returns their names."""
    names = [
        module.name
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + ".")
        if not module.name.endswith("_test")
    ]
    for name in names:
        importlib.import_module(name)
    return names
