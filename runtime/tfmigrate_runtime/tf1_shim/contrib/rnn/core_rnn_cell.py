"""Names of contrib/rnn/python/ops/core_rnn_cell.py other than its cells."""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as tf

__all__ = ["_Linear", "_linear"]


class _Linear:
    """Multiplies by the variable "kernel" of the scope in which it is made, and adds its "bias"."""

    def __init__(
        self,
        args: Any,
        output_size: int,
        build_bias: bool,
        bias_initializer: Any = None,
        kernel_initializer: Any = None,
    ) -> None:
        """Makes the variables.

        Args:
            args: [batch_size, n], or a list of such: what the first call will be given.
            output_size: the columns of the result.
            build_bias: whether there is one.
            bias_initializer: zeros by default.
            kernel_initializer: that of the scope by default.

        Raises:
            ValueError: args are missing, or no matrices with a known number of columns.
        """
        if args is None or (isinstance(args, (list, tuple)) and not args):
            raise ValueError("`args` must be specified")
        self._are_several = isinstance(args, (list, tuple))
        matrices = list(args) if self._are_several else [args]
        shapes = [matrix.get_shape() for matrix in matrices]
        if any(shape.ndims != 2 for shape in shapes):
            raise ValueError(f"linear is expecting 2D arguments: {shapes}")
        columns = [shape.as_list()[1] for shape in shapes]
        if None in columns:
            raise ValueError(f"linear expects shape[1] to be provided for shape {shapes}")
        dtype = matrices[0].dtype
        self._weights = tf.get_variable(
            "kernel", [sum(columns), output_size], dtype, kernel_initializer
        )
        self._biases = None
        if build_bias:
            start = bias_initializer or tf.constant_initializer(0.0, dtype=dtype)
            with tf.variable_scope(tf.get_variable_scope()) as scope:
                scope.set_partitioner(None)
                self._biases = tf.get_variable("bias", [output_size], dtype, start)

    def __call__(self, args: Any) -> Any:
        """Returns [batch_size, output_size]."""
        matrices = list(args) if self._are_several else [args]
        together = matrices[0] if len(matrices) == 1 else tf.concat(matrices, 1)
        product = tf.matmul(together, self._weights)
        return product if self._biases is None else tf.nn.bias_add(product, self._biases)


def _linear(
    args: Any,
    output_size: int,
    bias: bool,
    bias_initializer: Any = None,
    kernel_initializer: Any = None,
) -> Any:
    """Makes a ``_Linear`` and calls it once."""
    return _Linear(args, output_size, bias, bias_initializer, kernel_initializer)(args)
