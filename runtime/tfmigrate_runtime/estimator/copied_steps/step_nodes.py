"""The nodes of a copied step: where a tensor comes from, and what it is if that is known.

A tensor is named as in a ``GraphDef``: ``node``, or ``node:1`` for the second output.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

_MOST_NUMBERS = 64  # of a constant that is a count or a shape, and no data
_RESULTS: dict[str, Callable[..., Any]] = {
    "Add": np.add,
    "AddV2": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Minimum": np.minimum,
    "Maximum": np.maximum,
    "Less": np.less,
    "LessEqual": np.less_equal,
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
    "LogicalAnd": np.logical_and,
    "LogicalOr": np.logical_or,
    "LogicalNot": np.logical_not,
    "Identity": np.asarray,
    "Range": np.arange,
    "ConcatV2": lambda *values: np.concatenate(values[:-1], axis=values[-1]),
    "InvertPermutation": np.argsort,
}


class StepNodes:
    """Nodes by name, of which some are found to be others.

    Attributes:
        by_name: the nodes, each after those that it takes values from, except for loops.
        instead: the tensor to use instead of another one, by the name of that.
    """

    def __init__(self, nodes: Iterable[Any], shapes: Mapping[str, Any]) -> None:
        """Takes the nodes.

        Args:
            nodes: nodes of a GraphDef.
            shapes: what is known of the shape that a node "Shape" gives, by its name.
        """
        self.by_name: dict[str, Any] = {node.name: node for node in nodes}
        self._shapes = shapes
        self.instead: dict[str, str] = {}
        self._values: dict[str, Any] = {}

    def producer(self, tensor: str) -> Any:
        """Returns the node that makes a tensor, None if it is not in the step."""
        return self.by_name.get(node_of(tensor))

    def origin(self, tensor: str) -> Any:
        """Returns the node that made what a tensor is, None if it is not in the step."""
        return self.producer(self.source(tensor))

    def source(self, tensor: str) -> str:
        """Returns the tensor that another one is: where it was stored, or passed on, unchanged."""
        while True:
            if (other := self.instead.get(tensor) or self._passed_on(tensor)) is None:
                return tensor
            tensor = other

    def _passed_on(self, tensor: str) -> str | None:
        if (node := self.producer(tensor)) is None:
            return None
        if node.op == "Identity" and len(node.input) == 1:
            return str(node.input[0])
        if node.op != "TensorListPopBack":
            return None
        pushed = self.origin(node.input[0])
        if pushed is None or pushed.op != "TensorListPushBack":
            return None
        # Found once: the list that is left is the one of the next such node.
        for output, taken in enumerate(pushed.input[:2]):
            self.instead[tensor_of(node.name, output)] = taken
        return self.instead[tensor]

    def value(self, tensor: str) -> Any:
        """Returns the integers or booleans of a tensor, None if they are not known."""
        if (tensor := self.source(tensor)) not in self._values:
            self._values[tensor] = self._value_of(self.producer(tensor))
        return self._values[tensor]

    def _value_of(self, node: Any) -> Any:
        if node is None:
            return None
        if node.op == "Const":
            return _constant(node.attr["value"].tensor)
        if node.op == "StridedSlice":
            return self._element(node)
        if node.op not in _RESULTS:
            return None
        values = [self.value(name) for name in values_of(node)]
        return None if any(value is None for value in values) else _RESULTS[node.op](*values)

    def _element(self, node: Any) -> Any:
        """Returns one element of a vector, which is what shapes are asked for."""
        begin = self.value(node.input[1])
        if begin is None or begin.size != 1 or node.attr["shrink_axis_mask"].i != 1:
            return None
        return self.element(node.input[0], int(begin[0]))

    def element(self, vector: str, index: int) -> Any:
        """Returns a number of a vector, such as a shape, of which others may not be known."""
        if (value := self.value(vector)) is not None:
            return value[index] if value.ndim == 1 else None
        shape = self._shapes.get(node_of(self.source(vector)))
        if shape is None or shape.rank is None or shape[index] is None:
            return None
        return np.int64(shape[index])


def _constant(tensor: Any) -> Any:
    size = math.prod(dim.size for dim in tensor.tensor_shape.dim)
    dtype = tf.as_dtype(tensor.dtype)
    if size > _MOST_NUMBERS or not (dtype.is_integer or dtype.is_bool):
        return None
    return tf.make_ndarray(tensor)


def values_of(node: Any) -> list[str]:
    """Returns the tensors that a node takes."""
    return [name for name in node.input if name[0] != "^"]


def awaited_by(node: Any) -> list[str]:
    """Returns the names of the nodes that a node waits for, without taking a value."""
    return [name[1:] for name in node.input if name[0] == "^"]


def set_inputs(node: Any, values: Iterable[str], awaited: Iterable[str]) -> None:
    """Replaces all inputs of a node."""
    inputs = [*values, *(f"^{name}" for name in dict.fromkeys(awaited))]
    del node.input[:]
    node.input.extend(inputs)


def node_of(tensor: str) -> str:
    """Returns the name of the node of a tensor, or of a control input."""
    return tensor.lstrip("^").partition(":")[0]


def tensor_of(node: str, output: int) -> str:
    """Returns the name of an output of a node."""
    return f"{node}:{output}" if output else node


def is_on_cpu(*devices: str) -> bool:
    """Returns whether operations with these devices, partial or empty ones too, run on a CPU."""
    kinds = {tf.DeviceSpec.from_string(device).device_type for device in devices}
    return kinds == {"CPU"} or not ("GPU" in kinds or tf.config.list_physical_devices("GPU"))
