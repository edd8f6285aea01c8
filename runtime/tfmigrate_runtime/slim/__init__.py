"""tf.contrib.slim on TensorFlow 2: tf_slim 1.1.0, with what it needs to work there.

``from tfmigrate_runtime import slim`` in the place of ``slim = tf.contrib.slim``. All of tf_slim's
names are here, ``slim.nets`` among them.
"""

from __future__ import annotations

from typing import Any

from tfmigrate_runtime.slim.tf_slim_import import load_tf_slim

_tf_slim = load_tf_slim()


def __getattr__(name: str) -> Any:
    if name == "nets":
        import tf_slim.nets

        return tf_slim.nets
    try:
        return getattr(_tf_slim, name)
    except AttributeError:
        raise AttributeError(
            f"tf_slim 1.1.0, and so tfmigrate_runtime.slim, has no {name}"
        ) from None


def __dir__() -> list[str]:
    return sorted({*dir(_tf_slim), "nets"})
