"""Finds the modules that TensorFlow 1.x had and the installed TensorFlow has not.

* ``tensorflow.contrib`` and every module below it that TensorFlow 1.x had, as ``contrib_modules``
  makes them;
* ``tensorflow.estimator``: TensorFlow's own last release of it, the package tensorflow-estimator,
  which needs three stand-ins on current TensorFlow;
* the modules of ``STAND_INS``, each in the place of one that is gone.

What TensorFlow has itself is found by Python's own finders first, except below ``_OURS``.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from tfmigrate_runtime.legacy import contrib_modules

# By the name under which programs, or tensorflow-estimator, import a module: what they get.
STAND_INS = {
    "tensorflow.estimator": "tensorflow_estimator._api.v1.estimator",
    "tensorflow.python.distribute.estimator_training": (
        "tfmigrate_runtime.legacy.modules.estimator_training"
    ),
    "tensorflow_estimator._api.v1.estimator.tpu": "tfmigrate_runtime.legacy.modules.estimator_tpu",
    "tensorflow_estimator.python.estimator.estimator_export": (
        "tfmigrate_runtime.legacy.modules.estimator_export"
    ),
}
# What TPUEstimator imports for TPUs, and current TensorFlow has not.
STAND_INS.update(
    dict.fromkeys(
        (
            "tensorflow.python.tpu.session_support",
            "tensorflow.python.tpu.tpu_embedding",
            "tensorflow.python.tpu.tpu_embedding_gradient",
        ),
        "tfmigrate_runtime.legacy.modules.tpu_parts",
    )
)
_CONTRIB = "tensorflow.contrib"

_todays_tensorflow: list[Any] = []


def install_finder(tensorflow: Any) -> None:
    """Lets this process find the modules of TensorFlow 1.x, once."""
    if not is_installed():
        _todays_tensorflow.append(tensorflow)
        sys.meta_path.insert(0, LegacyFinder())


def is_installed() -> bool:
    """Says whether this process finds the modules of TensorFlow 1.x."""
    return bool(_todays_tensorflow)


def todays_tensorflow() -> Any:
    """Returns the TensorFlow that is installed, whatever ``import tensorflow`` gives."""
    return _todays_tensorflow[0]


class LegacyFinder:
    """Finds ``tensorflow.contrib`` and the modules of ``STAND_INS``."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Returns the spec of a module that TensorFlow 1.x had, None for all others."""
        del path, target
        if name == _CONTRIB or name.startswith(_CONTRIB + "."):
            below = name[len(_CONTRIB) + 1 :]
            if not contrib_modules.existed(below):
                return None
            loader: Any = _ContribLoader(below)
            return importlib.machinery.ModuleSpec(name, loader, is_package=True)
        if name in STAND_INS:
            stand_in: Any = _StandInLoader(STAND_INS[name])
            return importlib.machinery.ModuleSpec(name, stand_in, is_package=True)
        return None


class _ContribLoader:
    def __init__(self, below: str) -> None:
        self._below = below

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return contrib_modules.ContribModule(spec.name, self._below)

    def exec_module(self, module: ModuleType) -> None:
        """Has nothing to run: the names are looked up when they are asked for."""


class _StandInLoader:
    """Gives one module under the name of another."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._spec: Any = None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = importlib.import_module(self._source)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Gives the module back the spec that the import system has just replaced."""
        module.__spec__ = self._spec
