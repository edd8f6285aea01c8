"""What programs are told that ask for a name which the legacy runtime has not."""

from __future__ import annotations

DOCUMENT = "docs/explanation/tf1_shim.md"


def not_emulated(symbol: str) -> AttributeError:
    """Returns the error for a name ("tf.contrib.tpu.TPUEstimator")."""
    return AttributeError(
        f"{symbol} is not emulated by the legacy runtime: {DOCUMENT} says what is, "
        "and how to run such a program on TensorFlow 1.x itself"
    )
