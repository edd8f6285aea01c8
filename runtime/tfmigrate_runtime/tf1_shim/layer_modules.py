"""``tensorflow.python.layers`` and ``rnn_cell_impl``: one kind of layers, one kind of cells.

TensorFlow's own modules of these names hold its old copy of Keras, while ``tf.layers`` and
``tf.nn.rnn_cell`` are Keras 2's. In 1.15 they were the same classes, and code like
``isinstance(layer, tensorflow.python.layers.base.Layer)`` counts on it.
"""

import contextlib
import functools
import importlib
import re
from types import ModuleType
from typing import Any

_OLD = "tensorflow.python.keras"
# How 1.15 reported metrics that ``compile`` is given by another name.
_REPORTED_AS = {
    "accuracy": "acc",
    "crossentropy": "ce",
    "cosine_similarity": "cosine_proximity",
    **dict.fromkeys(("mae", "MAE"), "mean_absolute_error"),
    **dict.fromkeys(("mse", "MSE"), "mean_squared_error"),
    **dict.fromkeys(("mape", "MAPE"), "mean_absolute_percentage_error"),
    **dict.fromkeys(("msle", "MSLE"), "mean_squared_logarithmic_error"),
}


def use_keras_2() -> None:
    """Gives TensorFlow's modules of layers and cells the classes of Keras 2."""
    from tfmigrate_runtime.compat import shim_keras, shim_layers

    _fill(shim_layers.base, shim_keras.base)
    _fill(shim_layers.convolutional, shim_keras.convolutional)
    _fill(shim_layers.core, shim_keras.core)
    _fill(shim_layers.normalization, shim_keras.normalization)
    _fill(shim_layers.pooling, shim_keras.pooling)
    for module in (shim_layers.rnn_cell, shim_layers.rnn_cell_impl):
        _fill(module, shim_keras.legacy_cells)
    shim_layers.base.InputSpec = shim_keras.InputSpec
    layers = importlib.import_module("tensorflow").compat.v1.layers
    for name in [name for name in dir(layers) if not name.startswith("_")]:
        setattr(shim_layers.layers, name, getattr(layers, name))


def name_layers_as_1_15() -> None:
    """Gives Keras' layers and their weights the names that they had in 1.15.

    Recurrent layers call their weights ``lstm/kernel``, not ``lstm/lstm_cell/kernel``: only where
    they build their cells do these modules open a name scope. A class with a digit in its name
    gives another name to its layers (``conv_lst_m2d``).
    """
    from tfmigrate_runtime.compat import shim_keras

    for recurrent in (shim_keras.base_rnn, shim_keras.stacked_rnn_cells):
        if not isinstance(recurrent.backend, _WithoutNameScopes):
            recurrent.backend = _WithoutNameScopes(recurrent.backend)
    for owner in (shim_keras.generic_utils, shim_keras.base_layer, shim_keras.base_layer_v1):
        owner.to_snake_case = _words_of_class


def name_metrics_as_1_15() -> None:
    """Gives metrics of eager models the names that they had in 1.15, as those of graphs have."""
    from tfmigrate_runtime.compat import shim_keras

    container = shim_keras.compile_utils.MetricsContainer
    metric_object_of = container._get_metric_object
    if hasattr(metric_object_of, "__wrapped__"):
        return

    @functools.wraps(metric_object_of)
    def named(this: Any, metric: Any, *others: Any) -> Any:
        metric_object = metric_object_of(this, metric, *others)
        if isinstance(metric, str) and metric in _REPORTED_AS:
            metric_object._name = _REPORTED_AS[metric]
        return metric_object

    container._get_metric_object = named


def _words_of_class(name: str) -> str:
    """Returns the name of a class in small letters, as 1.15's ``to_snake_case`` did."""
    words = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    words = re.sub("([a-z])([A-Z])", r"\1_\2", words).lower()
    return f"private{words}" if words.startswith("_") else words


class _WithoutNameScopes(ModuleType):
    """Keras' backend for a module that is to open no name scopes."""

    def __init__(self, backend: Any) -> None:
        super().__init__(backend.__name__)
        self._backend = backend

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    @staticmethod
    def name_scope(name: str) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()


def _fill(target: Any, source: Any) -> None:
    """Replaces what a module has of the old copy, and adds what only the new one has."""
    for name, value in vars(source).items():
        ours = str(getattr(value, "__module__", "")) == source.__name__
        if ours and str(getattr(vars(target).get(name), "__module__", _OLD)).startswith(_OLD):
            setattr(target, name, value)
