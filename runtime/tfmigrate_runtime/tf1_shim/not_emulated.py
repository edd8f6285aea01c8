"""The error for a name that the legacy runtime does not emulate."""

from __future__ import annotations

DOCUMENT = "docs/explanation/tf1_shim.md"


def not_emulated(symbol: str) -> AttributeError:
    """Returns the error for a name ("tf.contrib.tpu.TPUEstimator")."""
    return AttributeError(
        f"{symbol} is not emulated by the legacy runtime: {DOCUMENT} says what is, "
        "and how to run such a program on TensorFlow 1.x itself"
    )
