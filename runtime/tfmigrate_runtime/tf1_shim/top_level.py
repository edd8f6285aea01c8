"""The module that programs get for ``import tensorflow``.

Its names are those of compat.v1, then ``contrib``, ``estimator`` and the folders that TensorFlow
1.x let through (``tf.python``). ``import tensorflow.train`` finds the modules of compat.v1 too: the
package's path leads to them.
"""

import importlib
from pathlib import Path
from types import ModuleType
from typing import Any

from tfmigrate_runtime.compat.overlay import Overlay
from tfmigrate_runtime.tf1_shim.not_emulated import not_emulated

EMULATED_VERSION = "1.15.5"  # whose names and numbers tf1_shim.md compares with
_FOLDERS = ("compat", "contrib", "core", "estimator", "examples", "python", "tools")
_VERSION_NAMES = ("__version__", "VERSION")


class LegacyTensorFlow(ModuleType):
    """``tensorflow`` as TensorFlow 1.15 had it."""

    def __init__(self, tensorflow: Any) -> None:
        """Takes the names from compat.v1 of the TensorFlow that is installed."""
        super().__init__("tensorflow", tensorflow.__doc__)
        self.__path__ = _search_path(tensorflow)
        self.__file__ = tensorflow.__file__
        self.__package__ = "tensorflow"
        self.__spec__ = tensorflow.__spec__
        self.__loader__ = tensorflow.__loader__
        self._v1 = tensorflow.compat.v1
        for name in _VERSION_NAMES:
            setattr(self, name, EMULATED_VERSION)
        image_ops: Any = importlib.import_module("tfmigrate_runtime.image_ops")
        changed = {name: getattr(image_ops, name) for name in image_ops.__all__}
        self.image = Overlay(self._v1.image, **changed)
        self.version = Overlay(self._v1.version, VERSION=EMULATED_VERSION)

    def __getattr__(self, name: str) -> Any:
        """Returns a name of TensorFlow 1.x.

        Raises:
            AttributeError: there is none.
        """
        if name in _FOLDERS:
            return importlib.import_module(f"tensorflow.{name}")
        try:
            return getattr(self._v1, name)
        except AttributeError:
            raise not_emulated(f"tf.{name}") from None

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *dir(self._v1), *_FOLDERS})


def _search_path(tensorflow: Any) -> list[str]:
    """Returns the folders in which submodules are found: Keras 2's of 1.x, TensorFlow's own."""
    folder = Path(tensorflow.__file__).parent
    if folder.name == "v2":  # .../tensorflow/_api/v2/__init__.py
        folder = folder.parent.parent
    keras: Any = importlib.import_module("tf_keras")
    api = Path(keras.__file__).parent / "api" / "_v1"
    return [str(api), str(folder), str(folder / "_api" / "v2" / "compat" / "v1")]
