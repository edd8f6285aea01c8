"""The networks of cuDNN: layers of an RNN, each over the whole time, in one or both directions."""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.cudnn_rnn.saving import NetworkSaveable
from tfmigrate_runtime.cudnn_rnn.steps import over_time
from tfmigrate_runtime.cudnn_rnn.weights import Layout

_INPUT_MODES = ("linear_input", "skip_input", "auto_select")
_DIRECTIONS = ("unidirectional", "bidirectional")


class _CudnnRNN(tf.layers.Layer):  # type: ignore[misc]
    """What all networks have in common (contrib/cudnn_rnn/python/layers/cudnn_rnn.py)."""

    _rnn_mode = ""
    _states = 1

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_mode: str = "linear_input",
        direction: str = "unidirectional",
        dropout: float = 0.0,
        seed: int | None = None,
        dtype: Any = tf.float32,
        kernel_initializer: Any = None,
        bias_initializer: Any = None,
        name: str | None = None,
    ) -> None:
        """Makes the network; its variable is made when its inputs are known.

        Args:
            num_layers: how many layers it has.
            num_units: the size of a state.
            input_mode: "linear_input", or "auto_select" where that is the same.
            direction: "unidirectional" or "bidirectional".
            dropout: the share of the inputs that all layers but the first drop in training.
            seed: of the dropout, and of the initial weights.
            dtype: tf.float16, tf.float32 or tf.float64.
            kernel_initializer: of the matrices; Glorot's uniform one by default.
            bias_initializer: of the biases; 0 by default.
            name: of its scope.

        Raises:
            ValueError: the direction, the mode or the type is none of these.
        """
        super().__init__(dtype=dtype, name=name)
        if direction not in _DIRECTIONS:
            raise ValueError(f"Invalid direction: {direction}, expecting {', '.join(_DIRECTIONS)}")
        if input_mode not in _INPUT_MODES:
            raise ValueError(f"Invalid input_mode: {input_mode}, expecting one of {_INPUT_MODES}")
        if dtype not in [tf.float16, tf.float32, tf.float64]:
            raise ValueError(f"Only support float16, float32, float64, provided {dtype}")
        self._num_layers, self._num_units = num_layers, num_units
        self._input_mode, self._direction = input_mode, direction
        self._dropout, self._seed = dropout, seed
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer
        self._layout: Layout | None = None
        self._saveable: NetworkSaveable | None = None

    @property
    def num_layers(self) -> int:
        """How many layers it has."""
        return self._num_layers

    @property
    def num_units(self) -> int:
        """The size of a state."""
        return self._num_units

    @property
    def num_dirs(self) -> int:
        """1, or 2 if it is bidirectional."""
        return _DIRECTIONS.index(self._direction) + 1

    @property
    def input_mode(self) -> str:
        """How the first layer takes its input."""
        return self._input_mode

    @property
    def input_size(self) -> int:
        """The size of an input."""
        return self._built_layout.inputs

    @property
    def direction(self) -> str:
        """``unidirectional`` or ``bidirectional``."""
        return self._direction

    @property
    def rnn_mode(self) -> str:
        """``lstm``, ``gru``, ``rnn_tanh`` or ``rnn_relu``."""
        return self._rnn_mode

    @property
    def saveable(self) -> NetworkSaveable | None:
        """What writes it to checkpoints."""
        return self._saveable

    @property
    def canonical_weight_shapes(self) -> list[tuple[int, int]]:
        """The shapes of its matrices."""
        return self._built_layout.kernel_shapes()

    @property
    def canonical_bias_shapes(self) -> list[list[int]]:
        """The shapes of its biases."""
        return self._built_layout.bias_shapes()

    @property
    def _built_layout(self) -> Layout:
        if self._layout is None:
            raise ValueError("'input_size' is unknown since layer has not been built.")
        return self._layout

    def state_shape(self, batch_size: Any) -> tuple[list[Any], ...]:
        """Returns the shapes of the states, [num_layers * num_dirs, batch_size, num_units]."""
        return ([self.num_layers * self.num_dirs, batch_size, self.num_units],) * self._states

    def build(self, input_shape: Any) -> None:
        """Makes the variable.

        Raises:
            ValueError: the shape has not three dimensions, or the last one is not known.
            NotImplementedError: the inputs are not multiplied by a matrix.
        """
        shape = tf.TensorShape(input_shape)
        if shape.ndims != 3:
            raise ValueError(f"Expecting input_shape with 3 dims, got {shape.ndims}")
        if (inputs := shape.as_list()[-1]) is None:
            raise ValueError(
                "The last dimension of the inputs to `CudnnRNN` should be defined. Found `None`."
            )
        if self._input_mode == "skip_input" or (
            self._input_mode == "auto_select" and inputs == self._num_units
        ):
            raise NotImplementedError("a network that takes its input without a matrix")
        layout = Layout(self._rnn_mode, self._num_layers, self._num_units, inputs, self.num_dirs)
        self._layout = layout
        self.kernel = self.add_weight(
            "opaque_kernel", shape=[layout.size()], initializer=self._initial
        )
        if not tf.get_variable_scope().reuse:
            self._saveable = NetworkSaveable(self.kernel, layout, tf.get_variable_scope().name)
            tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, self._saveable)
        self.built = True

    def _initial(self, shape: Any, dtype: Any = None, **_: Any) -> Any:
        kernel = self._kernel_initializer or tf.glorot_uniform_initializer(seed=self._seed)
        bias = self._bias_initializer or tf.zeros_initializer()
        layout, dtype = self._built_layout, tf.as_dtype(dtype or self.dtype)
        values = [kernel(shape, dtype=dtype) for shape in layout.kernel_shapes()]
        values += [bias(shape, dtype=dtype) for shape in layout.bias_shapes()]
        return tf.concat([tf.reshape(value, [-1]) for value in values], 0)

    def call(
        self,
        inputs: Any,
        initial_state: tuple[Any, ...] | None = None,
        sequence_lengths: Any = None,
        time_major: bool = True,
        training: bool = True,
    ) -> tuple[Any, tuple[Any, ...]]:
        """Runs over the time.

        Args:
            inputs: [time, batch_size, n], or [batch_size, time, n].
            initial_state: a state for every layer and direction, [num_layers * num_dirs,
                batch_size, num_units], two of them for an LSTM; 0 by default. Without
                ``time_major``, the first two dimensions are the other way round, as in the result.
            sequence_lengths: how long each sequence is, int32 [batch_size].
            time_major: whether the time is the first dimension.
            training: whether inputs are dropped.

        Returns:
            The output, [time, batch_size, num_dirs * num_units], and the last states.

        Raises:
            TypeError: the initial state is not a tuple.
        """
        if initial_state is not None and not isinstance(initial_state, tuple):
            raise TypeError(f"Invalid initial_state type: {initial_state}, expecting tuple.")
        inputs = tf.convert_to_tensor(inputs, dtype=self.dtype)
        if not time_major:
            inputs = tf.transpose(inputs, [1, 0, 2])
        if initial_state is None:
            shapes = self.state_shape(tf.shape(inputs)[1])
            states = [tf.zeros(shape, self.dtype) for shape in shapes]
        else:
            states = [tf.convert_to_tensor(state, dtype=self.dtype) for state in initial_state]
            if not time_major:
                states = [tf.transpose(state, [1, 0, 2]) for state in states]
        outputs, last = self._through_layers(inputs, states, sequence_lengths, training)
        if not time_major:
            outputs, *last = (tf.transpose(x, [1, 0, 2]) for x in (outputs, *last))
        return outputs, tuple(last)

    def _through_layers(
        self, outputs: Any, states: list[Any], lengths: Any, training: bool
    ) -> tuple[Any, list[Any]]:
        layout = self._built_layout
        count = layout.layers * layout.directions
        first = iter(zip(*(tf.unstack(state, count) for state in states), strict=True))
        last = []
        for index, layer in enumerate(layout.parts(self.kernel)):
            if index and training and self._dropout:
                outputs = tf.nn.dropout(outputs, rate=self._dropout, seed=self._seed)
            directions = []
            for backwards, weights in enumerate(layer):
                output, state = over_time(
                    self._rnn_mode, outputs, weights, next(first), lengths, bool(backwards)
                )
                directions.append(output)
                last.append(state)
            outputs = tf.concat(directions, 2) if len(directions) > 1 else directions[0]
        return outputs, [tf.stack(states) for states in zip(*last, strict=True)]


class CudnnLSTM(_CudnnRNN):
    """An LSTM; nothing is added to the forget gate."""

    _rnn_mode = "lstm"
    _states = 2


class CudnnGRU(_CudnnRNN):
    """A GRU; the reset gate is applied after the product with the state."""

    _rnn_mode = "gru"


class CudnnRNNTanh(_CudnnRNN):
    """A plain RNN with tanh."""

    _rnn_mode = "rnn_tanh"


class CudnnRNNRelu(_CudnnRNN):
    """A plain RNN with relu."""

    _rnn_mode = "rnn_relu"
