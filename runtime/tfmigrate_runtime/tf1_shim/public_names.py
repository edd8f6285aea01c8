"""Public names of TensorFlow 1.15 that compat.v1 and Keras 2 lack.

Compared were all names of 1.15 outside tf.contrib with those of the legacy runtime on TensorFlow
2.21. What is missing is put into its module here, or raises an error that says that it is missing.
"""

import importlib
import sys
from collections.abc import Callable
from typing import Any

from tfmigrate_runtime.tf1_shim.not_emulated import not_emulated

_MODULES = "tfmigrate_runtime.tf1_shim.modules"
# By module of tf: its names, and the module that has them in their stead.
_ADDED = {
    "config": {"experimental_list_devices": f"{_MODULES}.config_names"},
    "keras.utils": {"multi_gpu_model": "tfmigrate_runtime.multi_gpu"},
}
_NOT_EMULATED = {
    "data.experimental": """
        CheckpointInputPipelineHook MapVectorizationOptions StatsAggregator StatsOptions
        bytes_produced_stats latency_stats
    """,
    "estimator": "BoostedTreesClassifier BoostedTreesEstimator BoostedTreesRegressor",
    "keras": "wrappers",
    "keras.experimental": """
        LinearCosineDecay NoisyLinearCosineDecay PeepholeLSTMCell export_saved_model
        load_from_saved_model terminate_keras_multiprocessing_pools
    """,
    "keras.mixed_precision": "experimental",
    "keras.utils": "HDF5Matrix convert_all_kernels_in_model",
    "lite.experimental": "get_potentially_supported_ops nn",
    "tpu.experimental": "AdagradParameters AdamParameters StochasticGradientDescentParameters",
}


def complete(tensorflow: Any) -> None:
    """Gives the modules of ``tf`` the names that they had more of in TensorFlow 1.15."""
    for path in sorted(_ADDED.keys() | _NOT_EMULATED.keys()):
        module: Any = tensorflow
        for part in path.split("."):
            module = getattr(module, part)
        module = sys.modules.get(module.__name__, module)  # tf.keras is a loader of its module
        namespace = vars(getattr(module, "_tfmw_wrapped_module", module))
        namespace["__getattr__"] = _finder_of(path, namespace.get("__getattr__"))


def _finder_of(path: str, own: Callable[[str], Any] | None) -> Callable[[str], Any]:
    """Returns the ``__getattr__`` of a module of tf."""
    added, not_there = _ADDED.get(path, {}), _NOT_EMULATED.get(path, "").split()

    def find(name: str) -> Any:
        if name in added:
            module: Any = importlib.import_module(added[name])
            return getattr(module, name, module)
        if name in not_there:
            raise not_emulated(f"tf.{path}.{name}")
        if own is not None:
            return own(name)
        raise AttributeError(f"module 'tensorflow.{path}' has no attribute {name!r}")

    return find
