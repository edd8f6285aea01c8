"""The variable of a network of cuDNN: which part of it is what.

First the matrices of all layers, then the biases of all layers. A layer has its forward direction
first; a direction has the matrices of the input, one a gate, then those of the state; each is
[num_units, inputs]. There are two biases a gate: cuDNN trains both, so that their sum moves twice
as far as one.
"""

import math
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf

GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


@dataclass(frozen=True)
class Direction:
    """The weights of one direction of a layer, all gates together.

    Attributes:
        kernel: of the input, [gates * num_units, inputs].
        recurrent: of the state, [gates * num_units, num_units].
        bias: of the input, [gates * num_units].
        recurrent_bias: of the state, [gates * num_units].
    """

    kernel: Any
    recurrent: Any
    bias: Any
    recurrent_bias: Any


@dataclass(frozen=True)
class Layout:
    """The sizes of a network.

    Attributes:
        mode: ``lstm``, ``gru``, ``rnn_tanh`` or ``rnn_relu``.
        layers: how many there are.
        units: the size of a state.
        inputs: the size of an input.
        directions: 1 or 2.
    """

    mode: str
    layers: int
    units: int
    inputs: int
    directions: int

    @property
    def gates(self) -> int:
        """How many matrices of the input a direction has."""
        return GATES[self.mode]

    def width(self, layer: int) -> int:
        """Returns the size of a layer's input."""
        return self.directions * self.units if layer else self.inputs

    def kernel_shapes(self) -> list[tuple[int, int]]:
        """Returns the shapes of all matrices."""
        shapes = []
        for layer in range(self.layers):
            of_input, of_state = (self.units, self.width(layer)), (self.units, self.units)
            shapes += ([of_input] * self.gates + [of_state] * self.gates) * self.directions
        return shapes

    def bias_shapes(self) -> list[list[int]]:
        """Returns the shapes of all biases."""
        return [[self.units]] * (2 * self.gates * self.directions * self.layers)

    def size(self) -> int:
        """Returns how many numbers the variable has."""
        return sum(math.prod(shape) for shape in (*self.kernel_shapes(), *self.bias_shapes()))

    def parts(self, variable: Any) -> list[list[Direction]]:
        """Divides a variable.

        Returns:
            The directions of each layer.
        """
        rows, sizes = self.gates * self.units, []
        for layer in range(self.layers):
            sizes += [rows * self.width(layer), rows * self.units] * self.directions
        biases = [rows] * (2 * self.directions * self.layers)
        # One operation, whose gradient is one, too.
        pieces = iter(tf.split(variable, sizes + biases))
        kernels = [[next(pieces) for _ in range(2 * self.directions)] for _ in range(self.layers)]
        return [
            [
                Direction(
                    kernel=tf.reshape(kernels[layer][2 * index], [rows, self.width(layer)]),
                    recurrent=tf.reshape(kernels[layer][2 * index + 1], [rows, self.units]),
                    bias=next(pieces),
                    recurrent_bias=next(pieces),
                )
                for index in range(self.directions)
            ]
            for layer in range(self.layers)
        ]

    def joined(self, parts: list[list[Direction]]) -> Any:
        """Returns the variable of the directions of each layer."""
        directions = [direction for layer in parts for direction in layer]
        kernels = [kernel for d in directions for kernel in (d.kernel, d.recurrent)]
        biases = [bias for d in directions for bias in (d.bias, d.recurrent_bias)]
        return tf.concat([tf.reshape(piece, [-1]) for piece in (*kernels, *biases)], 0)
