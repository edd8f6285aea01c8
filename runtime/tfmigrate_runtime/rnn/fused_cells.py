"""Cells of tf.contrib.rnn that were fused kernels, and networks that loop over time.

The cells of one step are made of the usual operations here: the same variables, the same numbers
but for rounding. LSTMBlockFusedCell is still one kernel.
"""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.rnn.base import Cell, LSTMStateTuple, width


class GRUBlockCell(Cell):
    """A GRU."""

    _names = ("w_ru", "b_ru", "w_c", "b_c")

    def __init__(
        self,
        num_units: int | None = None,
        cell_size: int | None = None,
        reuse: bool | None = None,
        name: str = "gru_cell",
    ) -> None:
        if (cell_size is None) == (num_units is None):
            raise ValueError("Exactly one of num_units or cell_size must be provided.")
        super().__init__(reuse, name=name)
        self._state_size = self._output_size = cell_size if num_units is None else num_units

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output, [batch_size, num_units], which is the state too."""
        gates = tf.sigmoid(self._linear([inputs, state], 2 * self._output_size, 0, 1.0))
        reset, update = tf.split(gates, 2, axis=1)
        candidate = tf.tanh(self._linear([inputs, reset * state], self._output_size, 2, 0.0))
        state = update * state + (1 - update) * candidate
        return state, state

    def _linear(self, inputs: list[Any], size: int, first: int, start: float) -> Any:
        together, dtype = tf.concat(inputs, 1), inputs[0].dtype
        kernel = tf.get_variable(self._names[first], [width(together), size], dtype)
        initializer = tf.constant_initializer(start)
        bias = tf.get_variable(self._names[first + 1], [size], dtype, initializer)
        return tf.nn.bias_add(tf.matmul(together, kernel), bias)


class GRUBlockCellV2(GRUBlockCell):
    """A GRU, with the variables of tf.nn.rnn_cell.GRUCell."""

    _names = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")


def _peepholes(num_units: int, dtype: Any) -> list[Any]:
    names = ("w_i_diag", "w_f_diag", "w_o_diag")
    return [tf.get_variable(name, [num_units], dtype) for name in names]


class LSTMBlockCell(Cell):
    """An LSTM; clipping does not change its gradients, as in the kernel that it was."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        dtype: Any = None,
        reuse: bool | None = None,
        name: str = "lstm_cell",
    ) -> None:
        super().__init__(reuse, dtype=dtype, name=name)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._clip, self._use_peephole = cell_clip, use_peephole
        self._state_size = LSTMStateTuple(num_units, num_units)
        self._output_size = num_units

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output, [batch_size, num_units], and the state."""
        cell, hidden = state
        together = tf.concat([inputs, hidden], 1)
        size, dtype = 4 * self._num_units, inputs.dtype
        kernel = tf.get_variable("kernel", [width(together), size], dtype)
        bias = tf.get_variable("bias", [size], dtype, tf.zeros_initializer(dtype=dtype))
        i, j, f, o = tf.split(tf.nn.bias_add(tf.matmul(together, kernel), bias), 4, axis=1)
        f = f + self._forget_bias
        peepholes = _peepholes(self._num_units, dtype) if self._use_peephole else None
        if peepholes:
            i, f = i + peepholes[0] * cell, f + peepholes[1] * cell
        cell = tf.sigmoid(f) * cell + tf.sigmoid(i) * tf.tanh(j)
        if self._clip is not None and self._clip > 0:
            # The clipped value with the gradient of the one that is not clipped.
            cell += tf.stop_gradient(tf.clip_by_value(cell, -self._clip, self._clip) - cell)
        if peepholes:
            o = o + peepholes[2] * cell
        hidden = tf.sigmoid(o) * tf.tanh(cell)
        return hidden, LSTMStateTuple(cell, hidden)


class LSTMBlockFusedCell(tf.layers.Layer):  # type: ignore[misc]
    """An LSTM over all of the time, [time, batch_size, n], in one kernel."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        reuse: bool | None = None,
        dtype: Any = None,
        name: str = "lstm_fused_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._clip = -1 if cell_clip is None else cell_clip  # -1: the kernel does not clip
        self._use_peephole = use_peephole

    @property
    def num_units(self) -> int:
        """The size of the output."""
        return self._num_units

    def call(
        self, inputs: Any, initial_state: Any = None, dtype: Any = None, sequence_length: Any = None
    ) -> Any:
        """Runs over the time.

        Args:
            inputs: [time, batch_size, n], or a list of [batch_size, n].
            initial_state: the cell and the output before, 0 by default.
            dtype: that of the state, where no initial one is given.
            sequence_length: how long each sequence is, int32 or int64 [batch_size].

        Returns:
            The outputs, [time, batch_size, num_units] or a list, and the last state.

        Raises:
            ValueError: neither a state nor its dtype is given, or the state is not a pair.
        """
        is_list = isinstance(inputs, list)
        inputs = tf.stack(inputs) if is_list else inputs
        batch_size = tf.shape(inputs)[1]
        if initial_state is None:
            if dtype is None:
                raise ValueError("Either initial_state or dtype needs to be specified")
            zeros = tf.zeros(tf.stack([batch_size, self._num_units]), dtype)
            initial_state = zeros, zeros
        elif len(initial_state) != 2:
            raise ValueError("Expecting initial_state to be a tuple with length 2 or None")
        cells, outputs = self._all_steps(inputs, initial_state, sequence_length)
        if sequence_length is None:
            final = LSTMStateTuple(cells[-1], outputs[-1])
        else:
            lengths = tf.cast(sequence_length, tf.int32)
            mask = tf.sequence_mask(lengths, tf.shape(inputs)[0], outputs.dtype)
            outputs *= tf.expand_dims(tf.transpose(mask), -1)
            last = tf.stack([lengths, tf.range(batch_size)], axis=1)
            final = LSTMStateTuple(
                *(
                    tf.gather_nd(tf.concat([tf.expand_dims(first, 0), steps], 0), last)
                    for first, steps in zip(initial_state, (cells, outputs), strict=True)
                )
            )
        return (tf.unstack(outputs) if is_list else outputs), final

    def _all_steps(self, inputs: Any, state: Any, sequence_length: Any) -> tuple[Any, Any]:
        """Returns the cells and the outputs of every step, [time, batch_size, num_units]."""
        units, dtype = self._num_units, inputs.dtype
        kernel = tf.get_variable("kernel", [width(inputs) + units, 4 * units], dtype)
        zeros = tf.zeros_initializer(dtype=dtype)
        bias = tf.get_variable("bias", [4 * units], dtype, zeros)
        none = tf.zeros([units], dtype)
        peepholes = _peepholes(units, dtype) if self._use_peephole else [none, none, none]
        longest = tf.shape(inputs)[0] if sequence_length is None else tf.reduce_max(sequence_length)
        lstm = tf.raw_ops.BlockLSTM(
            seq_len_max=tf.cast(longest, tf.int64),
            x=inputs,
            cs_prev=state[0],
            h_prev=state[1],
            w=kernel,
            wci=peepholes[0],
            wcf=peepholes[1],
            wco=peepholes[2],
            b=bias,
            forget_bias=self._forget_bias,
            cell_clip=self._clip,
            use_peephole=self._use_peephole,
        )
        return lstm.cs, lstm.h


class FusedRNNCell:
    """A network that runs over time by itself.

    Called with inputs, initial_state, dtype, sequence_length and scope, it returns outputs and the
    last state; time comes first.
    """


class FusedRNNCellAdaptor(FusedRNNCell):
    """A cell that is run over time."""

    def __init__(self, cell: Any, use_dynamic_rnn: bool = False) -> None:
        self._cell, self._dynamic = cell, use_dynamic_rnn

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> Any:
        """Returns the outputs, a list where the inputs are one, and the last state."""
        is_list = isinstance(inputs, list)
        arguments = {
            "sequence_length": sequence_length,
            "initial_state": initial_state,
            "dtype": dtype,
            "scope": scope,
        }
        if self._dynamic:
            inputs = tf.stack(inputs) if is_list else inputs
            outputs, state = tf.nn.dynamic_rnn(self._cell, inputs, time_major=True, **arguments)
            return (tf.unstack(outputs) if is_list else outputs), state
        inputs = inputs if is_list else tf.unstack(inputs)
        outputs, state = tf.nn.static_rnn(self._cell, inputs, **arguments)
        return (outputs if is_list else tf.stack(outputs)), state


class TimeReversedFusedRNN(FusedRNNCell):
    """A network over time that runs backwards."""

    def __init__(self, cell: Any) -> None:
        self._cell = cell

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
        scope: Any = None,
    ) -> Any:
        """Returns the outputs, in the order of the inputs, and the state at their beginning."""
        outputs, state = self._cell(
            _reversed(inputs, sequence_length),
            initial_state=initial_state,
            dtype=dtype,
            sequence_length=sequence_length,
            scope=scope,
        )
        return _reversed(outputs, sequence_length), state


def _reversed(values: Any, lengths: Any) -> Any:
    if isinstance(values, list):
        return values[::-1]
    if lengths is None:
        return tf.reverse(values, [0])
    return tf.reverse_sequence(values, lengths, seq_axis=0, batch_axis=1)
