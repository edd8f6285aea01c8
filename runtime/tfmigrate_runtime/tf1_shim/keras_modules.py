"""``tensorflow.python.keras``: the modules behind ``tf.keras``, under their paths in 1.15.

TensorFlow has an old copy of Keras there still, whose layers are not those of ``tf.keras``, and
half of it is gone. Programs get Keras 2 instead, so that ``tensorflow.python.keras.layers.Dense``
is ``tf.keras.layers.Dense``. A name is looked for

1. in the public module of the path, or of the longest part of it that was public: the ``Dense`` of
   ``layers.core`` is that of ``tf.keras.layers``;
2. in the module of Keras 2 that has the path, or that the path's module has become;
3. in the modules above it.
"""

import importlib
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

from tfmigrate_runtime.tf1_shim.not_emulated import EmulatedModule, not_emulated

_PUBLIC = "tf_keras.api._v1.keras"
_INNER = "tf_keras.src"
# What modules have become, below tf_keras.src.
_BECOME = {
    "engine": ("engine.base_layer", "engine.input_layer", "engine.input_spec", "utils.layer_utils"),
    "engine.saving": ("saving.legacy.save", "saving.legacy.hdf5_format"),
    "engine.training_utils": ("engine.training_utils_v1",),
    "layers.advanced_activations": ("layers.activation",),
    "layers.convolutional": ("layers.convolutional.base_conv",),
    "layers.convolutional_recurrent": ("layers.rnn.base_conv_lstm", "layers.rnn.base_conv_rnn"),
    "layers.embeddings": ("layers.core.embedding",),
    "layers.local": ("layers.locally_connected.locally_connected_utils",),
    "layers.merge": ("layers.merging.base_merge",),
    "layers.normalization": ("layers.normalization.batch_normalization",),
    "layers.pooling": (
        "layers.pooling.base_pooling1d",
        "layers.pooling.base_pooling2d",
        "layers.pooling.base_pooling3d",
    ),
    "layers.recurrent": ("layers.rnn.rnn_utils", "layers.rnn.dropout_rnn_cell_mixin"),
    "optimizer_v2": ("optimizers.legacy",),
    "optimizer_v2.learning_rate_schedule": ("optimizers.schedules.learning_rate_schedule",),
    "saving": ("saving.legacy.save", "saving.legacy.hdf5_format", "saving.legacy.saving_utils"),
    "saving.hdf5_format": ("saving.legacy.hdf5_format",),
    "saving.model_config": ("saving.legacy.model_config",),
    "saving.save": ("saving.legacy.save",),
    "saving.saving_utils": ("saving.legacy.saving_utils",),
}


class KerasModule(EmulatedModule):
    """One module of ``tensorflow.python.keras``."""

    def __getattr__(self, name: str) -> Any:
        """Returns a name that the module had in TensorFlow 1.15.

        Raises:
            AttributeError: Keras 2 has it no more, or never had it.
        """
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        from tfmigrate_runtime.tf1_shim.moved_names import had_submodule

        if had_submodule(self.__name__.removeprefix("tensorflow."), name):
            return importlib.import_module(f"{self.__name__}.{name}")
        for source in _sources(self._below):
            if hasattr(source, name):
                attribute = getattr(source, name)
                setattr(self, name, attribute)
                return attribute
        raise not_emulated(f"{self.__name__}.{name}")

    def __dir__(self) -> list[str]:
        names = (name for source in _sources(self._below) for name in dir(source))
        return sorted({*vars(self), *names})


def exists(below: str) -> bool:
    """Returns whether Keras 2 has a module of this path: TensorFlow's own parts import some."""
    return _imported(f"{_INNER}.{below}".rstrip(".")) is not None


@cache
def _sources(below: str) -> tuple[Any, ...]:
    """Returns the modules of Keras 2 that have the names of a module, the closest first."""
    return tuple(module for module in map(_imported, _source_names(below)) if module is not None)


def _source_names(below: str) -> Iterator[str]:
    parts = below.split(".") if below else []
    paths = [".".join(parts[:end]) for end in range(len(parts), 0, -1)]
    for path in [*paths, ""]:
        yield f"{_PUBLIC}.{path}".rstrip(".")
    for path in paths:
        yield f"{_INNER}.{path}"
        yield from (f"{_INNER}.{become}" for become in _BECOME.get(path, ()))
    if parts[:1] == ["optimizer_v2"]:
        yield f"{_INNER}.optimizers.legacy.{parts[-1]}"


def _imported(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        return None
