"""Finds the modules that TensorFlow 1.x had and the installed TensorFlow has not.

* ``tensorflow.contrib`` and every module below it that TensorFlow 1.x had, as ``contrib_modules``
  makes them;
* ``tensorflow.estimator``: TensorFlow's own last release of it, the package tensorflow-estimator,
  which needs three stand-ins on current TensorFlow;
* the modules of ``STAND_INS``, each instead of one that is gone;
* ``tensorflow.python.keras`` and ``tensorflow.python.estimator``, which are packages of their own
  today, and what else TensorFlow has moved from under ``tensorflow.python``.

All else is left to Python's own finders.
"""

import importlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from tfmigrate_runtime.tf1_shim import contrib_modules, keras_modules, layer_modules, moved_names
from tfmigrate_runtime.tf1_shim.keras_modules import KerasModule

# By the name under which programs, or tensorflow-estimator, import a module: what they get.
STAND_INS = {
    "tensorflow.estimator": "tensorflow_estimator._api.v1.estimator",
    "tensorflow.python.distribute.estimator_training": (
        "tfmigrate_runtime.tf1_shim.modules.estimator_training"
    ),
    "tensorflow_estimator._api.v1.estimator.tpu": (
        "tfmigrate_runtime.tf1_shim.modules.estimator_tpu"
    ),
    "tensorflow_estimator.python.estimator.estimator_export": (
        "tfmigrate_runtime.tf1_shim.modules.estimator_export"
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
        "tfmigrate_runtime.tf1_shim.modules.tpu_parts",
    )
)
# The tutorials' reader of MNIST, which lies outside tensorflow.python.
_MNIST = "tfmigrate_runtime.datasets.mnist"
STAND_INS |= {
    "tensorflow.examples": "tfmigrate_runtime.tf1_shim.modules.examples",
    "tensorflow.examples.tutorials": "tfmigrate_runtime.tf1_shim.modules.examples",
    "tensorflow.examples.tutorials.mnist": _MNIST,
    "tensorflow.examples.tutorials.mnist.input_data": f"{_MNIST}.input_data",
    "tensorflow.examples.tutorials.mnist.mnist": f"{_MNIST}.mnist",
}
_CONTRIB = "tensorflow.contrib"
_PUBLIC = ("tensorflow._api.v2.compat.v1.", "tf_keras.api._v1.keras")
_INNER = ("_api", "compat", "core", "python", "tools")
_PYTHON = "tensorflow.python."
_KERAS = "python.keras"
_ESTIMATOR = "tensorflow.python.estimator"
_RENAMED = {f"{_ESTIMATOR}.keras": f"{_ESTIMATOR}.keras_lib"}

_todays_tensorflow: list[Any] = []


def install_finder(tensorflow: Any) -> None:
    """Lets this process find the modules of TensorFlow 1.x, once."""
    if not is_installed():
        _todays_tensorflow.append(tensorflow)
        sys.meta_path.insert(0, LegacyFinder())


def is_installed() -> bool:
    """Returns whether this process finds the modules of TensorFlow 1.x."""
    return bool(_todays_tensorflow)


def todays_tensorflow() -> Any:
    """Returns the TensorFlow that is installed, whatever ``import tensorflow`` gives."""
    return _todays_tensorflow[0]


def amend_loaded_modules() -> None:
    """Gives modules that are loaded already what programs of TensorFlow 1.15 find in them."""
    layer_modules.use_keras_2()
    layer_modules.name_layers_as_1_15()
    layer_modules.name_metrics_as_1_15()
    for name in [name for name in sys.modules if name.startswith(f"tensorflow.{_KERAS}")]:
        if not isinstance(sys.modules[name], KerasModule):
            del sys.modules[name]  # TensorFlow's own copy, which its parts hold on to
    python: Any = sys.modules["tensorflow.python"]
    python.keras = importlib.import_module(f"tensorflow.{_KERAS}")
    for below in moved_names.places():
        if (module := sys.modules.get(f"tensorflow.{below}")) is not None and _is_todays(below):
            moved_names.amend(module, below)


class LegacyFinder:
    """Finds the modules that only TensorFlow 1.x had, and amends others."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Returns the spec of a module that TensorFlow 1.x had, None for all others."""
        if name == _CONTRIB or name.startswith(_CONTRIB + "."):
            below = name[len(_CONTRIB) + 1 :]
            if not contrib_modules.existed(below):
                return None
            return _spec(name, _NewLoader(contrib_modules.ContribModule, below))
        if name in STAND_INS:
            return _spec(name, _StandInLoader(STAND_INS[name]))
        if (public := _public_module(name)) is not None:
            return _spec(name, _StandInLoader(public))
        below = name.removeprefix("tensorflow.")
        if f"{below}.".startswith(f"{_KERAS}."):
            path_below = below[len(_KERAS) + 1 :]
            exists = below in moved_names.places() or keras_modules.exists(path_below)
            return _spec(name, _NewLoader(KerasModule, path_below)) if exists else None
        if not name.startswith(_PYTHON) or below not in moved_names.places():
            return None
        if (source := _todays_estimator(name)) is not None:
            # The modules of a package are imported by its own name, which has to be the old one.
            is_package = hasattr(importlib.import_module(source), "__path__")
            return _spec(
                name,
                _NewLoader(moved_names.GoneModule, below) if is_package else _StandInLoader(source),
            )
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return _spec(name, _NewLoader(moved_names.GoneModule, below))
        loader: Any = _AmendingLoader(spec.loader, below)
        spec.loader = loader
        return spec


def _public_module(name: str) -> str | None:
    """Returns the module that ``tf.<name>`` is: importing it must not make a second one."""
    first, *parts = name.split(".")
    if first != "tensorflow" or not parts or parts[0] in _INNER:
        return None
    module: Any = todays_tensorflow().compat.v1
    for part in parts:
        module = getattr(module, part, None)
        if not isinstance(module, ModuleType) or part.startswith("_"):
            return None
    inner = str(module.__name__)
    return inner if inner.startswith(_PUBLIC) else None


def _is_todays(below: str) -> bool:
    """Returns whether a module is TensorFlow's own still, should it exist."""
    return not f"{below}.".startswith((f"{_KERAS}.", "python.estimator."))


def _todays_estimator(name: str) -> str | None:
    if f"{name}.".startswith(f"{_ESTIMATOR}."):
        source = _RENAMED.get(name, name).replace("tensorflow.", "tensorflow_estimator.", 1)
        return source if importlib.util.find_spec(source) is not None else None
    return None


def _spec(name: str, loader: Any) -> importlib.machinery.ModuleSpec:
    return importlib.machinery.ModuleSpec(name, loader, is_package=True)


class _NewLoader:
    """Makes a module whose names are looked up when they are asked for."""

    def __init__(self, kind: Callable[[str, str], ModuleType], below: str) -> None:
        self._kind, self._below = kind, below

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return self._kind(spec.name, self._below)

    def exec_module(self, module: ModuleType) -> None:
        """Has nothing to run."""


class _AmendingLoader:
    """Loads a module of TensorFlow and gives it what it had more of in 1.15."""

    def __init__(self, loader: Any, below: str) -> None:
        self._loader, self._below = loader, below

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        created: ModuleType | None = self._loader.create_module(spec)
        return created

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        moved_names.amend(module, self._below)


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
