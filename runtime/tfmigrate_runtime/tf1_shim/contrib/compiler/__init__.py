"""tf.contrib.compiler: the scope that asks for XLA."""

from tfmigrate_runtime.tf1_shim.contrib.compiler import jit

__all__ = ["jit"]
