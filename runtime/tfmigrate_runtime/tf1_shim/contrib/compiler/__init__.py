"""tf.contrib.compiler: the scope that asks for XLA."""

from __future__ import annotations

from tfmigrate_runtime.tf1_shim.contrib.compiler import jit

__all__ = ["jit"]
