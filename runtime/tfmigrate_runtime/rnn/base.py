"""Shared parts of the cells: the base class of tf.nn.rnn_cell, and a linear layer.

The base class is that of Keras 2, which TensorFlow takes only if it is asked for before
tf.nn.rnn_cell is first used.
"""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime import keras_2 as keras_2

LSTMStateTuple = tf.nn.rnn_cell.LSTMStateTuple


class Cell(tf.nn.rnn_cell.RNNCell):  # type: ignore[misc]
    """A cell that makes its variables in the scope of its name when it is called first.

    Subclasses set ``_state_size`` and ``_output_size``.
    """

    _state_size: Any
    _output_size: Any

    def __init__(self, reuse: bool | None = None, **kwargs: Any) -> None:
        super().__init__(_reuse=reuse, **kwargs)

    @property
    def state_size(self) -> Any:
        """The size of the state, or a tuple of sizes."""
        return self._state_size

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        return self._output_size


class Wrapper(Cell):
    """A cell around another, whose states are those of that one."""

    def __init__(self, cell: Any, reuse: bool | None = None, **kwargs: Any) -> None:
        super().__init__(reuse, **kwargs)
        self._cell = as_cell(cell)

    @property
    def state_size(self) -> Any:
        """That of the cell inside."""
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        """That of the cell inside."""
        return self._cell.output_size

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the state of the cell inside that is zero, or whatever it begins with."""
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)


def as_cell(cell: Any) -> Any:
    """Returns a cell.

    Raises:
        TypeError: it is none.
    """
    if not (hasattr(cell, "state_size") and hasattr(cell, "output_size") and callable(cell)):
        raise TypeError(f"The argument 'cell' ({cell}) is not an RNNCell")
    return cell


def width(tensor: Any) -> int:
    """Returns the size of the last dimension.

    Raises:
        ValueError: it is not known.
    """
    if (size := tensor.shape.as_list()[-1]) is None:
        raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
    return int(size)


def linear(
    inputs: Any,
    size: int,
    bias: bool = True,
    bias_initializer: Any = None,
    kernel_initializer: Any = None,
) -> Any:
    """Multiplies by the variable "kernel" of the current scope, and adds its "bias".

    Args:
        inputs: [batch_size, n], or a list of such, which are concatenated.
        size: of the result.
        bias: whether there is one.
        bias_initializer: of the bias, 0 by default.
        kernel_initializer: of the kernel, the scope's by default.

    Returns:
        [batch_size, size].
    """
    together = tf.concat(inputs, 1) if isinstance(inputs, (list, tuple)) else inputs
    dtype = together.dtype
    kernel = tf.get_variable("kernel", [width(together), size], dtype, kernel_initializer)
    product = tf.matmul(together, kernel)
    if not bias:
        return product
    initializer = bias_initializer or tf.zeros_initializer(dtype=dtype)
    # As in TensorFlow 1.x, a partitioner divides the kernel and not the bias.
    with tf.variable_scope(tf.get_variable_scope()) as scope:
        scope.set_partitioner(None)
        return tf.nn.bias_add(product, tf.get_variable("bias", [size], dtype, initializer))


def _linear(
    args: Any,
    output_size: int,
    bias: bool,
    bias_initializer: Any = None,
    kernel_initializer: Any = None,
    bias_start: float = 0.0,
    scope: Any = None,
) -> Any:
    """Multiplies by a new kernel and adds a bias, as ``linear`` does.

    TensorFlow 1.2 to 1.15 had the first five parameters; before, ``bias_start`` and ``scope`` were
    the fourth and the fifth.

    Args:
        args: [batch_size, n], or a list of such, which are concatenated.
        output_size: of the result.
        bias: whether there is a bias.
        bias_initializer: of the bias, or the number at which it starts.
        kernel_initializer: of the kernel, or the name of the scope of the variables.
        bias_start: the number at which the bias starts.
        scope: the name of the scope of the variables, the current one by default.

    Returns:
        [batch_size, output_size].
    """
    if isinstance(bias_initializer, (int, float)):
        bias_initializer, bias_start = None, bias_initializer
    if isinstance(kernel_initializer, str):
        kernel_initializer, scope = None, kernel_initializer
    inputs = args if isinstance(args, (list, tuple)) else [args]
    if not inputs:
        raise ValueError("`args` must be specified")
    if any(one.shape.ndims != 2 for one in inputs):
        raise ValueError(f"linear is expecting 2D arguments: {[one.shape for one in inputs]}")
    initializer = bias_initializer or tf.constant_initializer(bias_start, dtype=inputs[0].dtype)
    with tf.variable_scope(scope or tf.get_variable_scope()):
        return linear(list(inputs), output_size, bias, initializer, kernel_initializer)


def _like_rnncell(cell: Any) -> bool:
    """Returns whether an object has what a cell is asked for; copies of dynamic_rnn call it."""
    return all(hasattr(cell, name) for name in ("output_size", "state_size", "zero_state")) and (
        callable(cell)
    )


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


def layer_normalized(inputs: Any, scope: str, gain: float = 1.0, shift: float = 0.0) -> Any:
    """Normalizes rows by the variables "gamma" and "beta" of a scope.

    tf.contrib.layers.layer_norm: a variance epsilon of 1e-12, over the last dimension.

    Args:
        inputs: [batch_size, n].
        scope: the name of the scope.
        gain: what gamma is at the beginning.
        shift: what beta is at the beginning.

    Returns:
        [batch_size, n].
    """
    shape = [width(inputs)]
    with tf.variable_scope(scope):
        gamma = tf.get_variable("gamma", shape, inputs.dtype, tf.constant_initializer(gain))
        beta = tf.get_variable("beta", shape, inputs.dtype, tf.constant_initializer(shift))
    mean, variance = tf.nn.moments(inputs, [1], keep_dims=True)
    return tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, 1e-12)
