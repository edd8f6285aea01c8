"""tf.contrib.compiler.jit."""

from __future__ import annotations

from tensorflow.python.compiler.xla import jit

__all__ = ["experimental_jit_scope"]

experimental_jit_scope = jit.experimental_jit_scope
