"""Checkpoints of cuDNN's networks, which cells for CPUs read (cudnn_rnn_ops.py of 1.15)."""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.variables import saveable_object
from tfmigrate_runtime.cudnn_rnn.weights import Direction, Layout

_CELLS = {"lstm": "cudnn_compatible_lstm_cell", "gru": "cudnn_compatible_gru_cell"}
_ICFO = (0, 2, 1, 3)  # the order of gates in TensorFlow's LSTM; it is its own inverse
_CANDIDATE = ("candidate/input_projection", "candidate/hidden_projection")


class NetworkSaveable(saveable_object.SaveableObject):  # type: ignore[misc]
    """Saves and restores the weights of a network as those of cells.

    Args:
        variable: that of the network, which checkpoints have, too.
        layout: its sizes.
        scope: the scope of the cells.
    """

    def __init__(self, variable: Any, layout: Layout, scope: str) -> None:
        self._variable, self._layout = variable, layout
        parts = [part for layer in layout.parts(variable) for part in layer]
        tensors = [_of_cell(layout, part) for part in parts]
        names = [f"{scope}/{cell}" if scope else cell for cell in _cell_names(layout)]
        specs = [
            saveable_object.SaveSpec(tensor, "", f"{name}/{leaf}")
            for kind in ("kernel", "bias")
            for name, weights in zip(names, tensors, strict=True)
            for leaf, tensor in weights.items()
            if leaf.endswith(kind)
        ]
        self._leaves = [leaf for leaf in tensors[0] if leaf.endswith("kernel")]
        name = f"{variable.op.name}_saveable"
        super().__init__(tf.identity(variable), specs, name)

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """Returns the operation that restores it."""
        layout, half = self._layout, len(restored_tensors) // 2
        count = len(self._leaves)
        parts = [
            _of_network(
                layout,
                index // layout.directions,
                restored_tensors[index * count : (index + 1) * count],
                restored_tensors[half + index * count : half + (index + 1) * count],
            )
            for index in range(layout.layers * layout.directions)
        ]
        layers = [
            parts[index : index + layout.directions]
            for index in range(0, len(parts), layout.directions)
        ]
        # The Saver restores the variable, too, by another operation of this scope.
        with tf.control_dependencies(self._assignments()):
            return tf.assign(self._variable, layout.joined(layers))

    def _assignments(self) -> list[Any]:
        graph = tf.get_default_graph()
        scope = graph.get_name_scope()
        return [
            operation
            for operation in graph.get_operations()
            if operation.type in ("Assign", "AssignVariableOp")
            and operation.name.startswith(f"{scope}/")
            and operation.inputs[0] is self._variable.handle
        ]


def _cell_names(layout: Layout) -> list[str]:
    cell = _CELLS.get(layout.mode, "basic_rnn_cell")
    if layout.directions == 1:
        return [f"rnn/multi_rnn_cell/cell_{layer}/{cell}" for layer in range(layout.layers)]
    return [
        f"stack_bidirectional_rnn/cell_{layer}/bidirectional_rnn/{direction}/{cell}"
        for layer in range(layout.layers)
        for direction in ("fw", "bw")
    ]


def _of_cell(layout: Layout, part: Direction) -> dict[str, Any]:
    """Returns the weights of a cell: the two biases of a gate are one, but that of a candidate."""
    kernel = tf.concat([part.kernel, part.recurrent], 1)
    bias = part.bias + part.recurrent_bias
    if layout.mode == "gru":
        gates = 2 * layout.units
        kernels = (part.kernel, part.recurrent)
        biases = (part.bias, part.recurrent_bias)
        return {
            "gates/kernel": tf.transpose(kernel[:gates]),
            "gates/bias": bias[:gates],
            **{
                f"{name}/kernel": tf.transpose(k[gates:])
                for name, k in zip(_CANDIDATE, kernels, strict=True)
            },
            **{f"{name}/bias": b[gates:] for name, b in zip(_CANDIDATE, biases, strict=True)},
        }
    return {"kernel": tf.transpose(_reordered(layout, kernel)), "bias": _reordered(layout, bias)}


def _of_network(layout: Layout, layer: int, kernels: Any, biases: Any) -> Direction:
    width = layout.width(layer)
    if layout.mode == "gru":
        gates, of_input, of_state = (tf.transpose(kernel) for kernel in kernels)
        half = biases[0] * 0.5
        return Direction(
            kernel=tf.concat([gates[:, :width], of_input], 0),
            recurrent=tf.concat([gates[:, width:], of_state], 0),
            bias=tf.concat([half, biases[1]], 0),
            recurrent_bias=tf.concat([half, biases[2]], 0),
        )
    kernel = _reordered(layout, tf.transpose(kernels[0]))
    half = _reordered(layout, biases[0]) * 0.5
    return Direction(kernel[:, :width], kernel[:, width:], half, half)


def _reordered(layout: Layout, rows: Any) -> Any:
    if layout.mode != "lstm":
        return rows
    gates = tf.split(rows, 4)
    return tf.concat([gates[index] for index in _ICFO], 0)
