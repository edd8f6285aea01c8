"""tf.contrib.compiler: the scope that asks for XLA."""

from __future__ import annotations

from tfmigrate_runtime.legacy.contrib.compiler import jit

__all__ = ["jit"]
