"""In the place of ``tf.estimator.tpu``, which is not emulated."""

from __future__ import annotations

from typing import Any

from tfmigrate_runtime.legacy.not_emulated import not_emulated


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    raise not_emulated(f"tf.estimator.tpu.{name}")
