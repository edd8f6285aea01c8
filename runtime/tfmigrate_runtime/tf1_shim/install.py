"""Sets up a process to run TensorFlow 1.x programs, in the required order.

1. ``prepare``: Keras 2 is chosen and TensorFlow imported, its 2.x behaviour switched off. What
   needs the TensorFlow of today, by its own name, is done after this step and before the next.
2. ``serve``: from here on ``import tensorflow`` gives what TensorFlow 1.15 gave.
"""

import importlib
import importlib.util
import os
import sys
from types import ModuleType
from typing import Any

_KERAS_2 = ("1", "true", "True")


class LegacyRuntimeError(RuntimeError):
    """This process cannot become one of TensorFlow 1.x."""


def prepare() -> Any:
    """Imports TensorFlow with the behaviour of 1.x and returns it, under today's names.

    Raises:
        LegacyRuntimeError: TensorFlow was imported before, with Keras 3.
        UnsupportedTensorFlowError: this TensorFlow is not supported.
        ModuleNotFoundError: tensorflow, tf-keras or tensorflow-estimator is not installed.
    """
    if "tensorflow" in sys.modules and os.environ.get("TF_USE_LEGACY_KERAS") not in _KERAS_2:
        raise LegacyRuntimeError(
            "tensorflow was imported before the legacy runtime and uses Keras 3: call "
            "tfmigrate_runtime.tf1_shim.prepare() first, or set TF_USE_LEGACY_KERAS=1"
        )
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    for name in ("tensorflow", "tf_keras", "tensorflow_estimator"):
        if importlib.util.find_spec(name) is None:
            raise ModuleNotFoundError(
                f"the legacy runtime needs {name}: pip install 'tfmigrate-runtime[verify]'",
                name=name,
            )
    # Before TensorFlow gives its version as 1.15.
    from tfmigrate_runtime import compat as compat
    from tfmigrate_runtime.tf1_shim import finder, quiet, seeds

    tensorflow: Any = importlib.import_module("tensorflow")
    if finder.is_installed():
        return finder.todays_tensorflow()
    quiet.silence()
    tensorflow.compat.v1.disable_v2_behavior()
    seeds.number_as_tensorflow_1_15(tensorflow)
    finder.install_finder(tensorflow)
    return tensorflow


def serve() -> ModuleType:
    """Lets ``import tensorflow`` give TensorFlow 1.x in this process, and returns that module.

    Raises:
        LegacyRuntimeError: ``prepare`` was not called.
    """
    from tfmigrate_runtime.tf1_shim import finder, old_numpy, old_python, public_names
    from tfmigrate_runtime.tf1_shim.top_level import LegacyTensorFlow

    if not finder.is_installed():
        raise LegacyRuntimeError("call tfmigrate_runtime.tf1_shim.prepare() first")
    from tfmigrate_runtime.tf1_shim.first_task import place_on_first_task
    from tfmigrate_runtime.tf1_shim.strategy_methods import add_methods
    from tfmigrate_runtime.tf1_shim.sync_replicas_end import end_with_peers

    served = sys.modules["tensorflow"]
    if not isinstance(served, LegacyTensorFlow):
        add_methods()
        end_with_peers()
        place_on_first_task()
        served = LegacyTensorFlow(finder.todays_tensorflow())
        sys.modules["tensorflow"] = served
        finder.amend_loaded_modules()
        public_names.complete(served)
        old_numpy.restore()
        old_python.restore()
    return served


def install() -> ModuleType:
    """Prepares this process and serves TensorFlow 1.x in it; returns that module."""
    prepare()
    return serve()
