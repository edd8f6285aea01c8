"""Replaces ``tf.estimator.tpu``, for programs without TPUs."""

import importlib
from typing import Any

from tfmigrate_runtime.tf1_shim.not_emulated import not_emulated

_NAMES = ("InputPipelineConfig", "RunConfig", "TPUConfig", "TPUEstimator", "TPUEstimatorSpec")


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name not in _NAMES:
        raise not_emulated(f"tf.estimator.tpu.{name}")
    # Only now: TPUEstimator imports much that other programs do without.
    return getattr(importlib.import_module("tensorflow.contrib.tpu"), name)
