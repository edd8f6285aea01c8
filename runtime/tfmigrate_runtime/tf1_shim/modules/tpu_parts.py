"""Replaces the removed TPU modules of TensorFlow.

``TPUEstimator`` imports them, and uses nothing of them on CPUs and GPUs.
"""

from functools import cache
from typing import Any

from tfmigrate_runtime.tf1_shim.not_emulated import not_emulated


class _ForTPUs:
    """A name that can be imported, and asked for by isinstance; nothing else."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Reports that TPUs are not emulated.

        Raises:
            AttributeError: always.
        """
        raise not_emulated(f"{type(self).__name__} of tensorflow.python.tpu")


@cache
def _stand_in(name: str) -> type:
    return type(name, (_ForTPUs,), {})


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _stand_in(name)
