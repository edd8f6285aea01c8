"""What eager code does with tensors and variables of a graph is done in their graph.

``--target eager`` puts statements that build into blocks of their graph. Where a call only hands a
tensor on (``act(h)``), or an operator has one (``tensors[0] * 2``), the text does not show that.
TensorFlow would raise an error ("out of scope"): nothing else can be meant than the graph.
"""

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat import patches
from tfmigrate_runtime.compat.graphs import (
    SymbolicTensor,
    TensorShape,
    executing_eagerly_outside_functions,
)
from tfmigrate_runtime.compat.variables import BaseResourceVariable

_BY_IDENTITY = frozenset(("__eq__", "__ne__"))
_OF_VARIABLES = (
    *("assign", "assign_add", "assign_sub", "eval", "load", "read_value", "value"),
    *("__eq__", "__ne__", "__hash__"),
)


def install() -> None:
    """Has operators, functions and shapes of a graph's tensors be those of their graph."""
    by = functools.partial(in_graph, graph_of)
    for name in tf.Tensor.OVERLOADABLE_OPERATORS - _BY_IDENTITY:
        patches.wrap_once(SymbolicTensor, name, by)
    for name in (*_OF_VARIABLES, *tf.Tensor.OVERLOADABLE_OPERATORS - _BY_IDENTITY):
        patches.wrap_once(BaseResourceVariable, name, by)
    # Properties, which `wrap_once` cannot wrap.
    for owner in (SymbolicTensor, BaseResourceVariable):
        owner.shape = property(_with_mark(owner.shape.fget))
    TensorShape._v2_behavior = property(_has_numbers)
    _Functions().register()


def in_graph(graph_of: Any, function: Any, /, *arguments: Any, **options: Any) -> Any:
    """Calls a function, in a graph where eager code calls it.

    Args:
        graph_of: returns the graph, given the function's arguments; None to leave a call as it is.
        function: the function.
        *arguments: its arguments.
        **options: its arguments that have names.
    """
    graph = graph_of(*arguments, **options) if tf.executing_eagerly() else None
    with contextlib.nullcontext() if graph is None else graph.as_default():
        return function(*arguments, **options)


def graph_of(value: Any, /, *others: Any, **options: Any) -> Any:
    """Returns the graph of a tensor or a variable, None for all that is in no program's graph."""
    if isinstance(value, BaseResourceVariable):
        return value.graph if getattr(value, "_in_graph_mode", False) else None
    if not isinstance(value, SymbolicTensor) or value.graph.building_function:
        return None
    return value.graph


class _Functions(tf2.__internal__.dispatch.GlobalOpDispatcher):  # type: ignore[misc]
    """Calls functions of TensorFlow again, in the graph of their arguments, after an error."""

    def handle(self, op: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        if tf.executing_eagerly():
            graphs = (graph_of(argument) for argument in tf.nest.flatten([args, kwargs]))
            graph = next((graph for graph in graphs if graph is not None), None)
            if graph is not None:
                with graph.as_default():
                    return op(*args, **kwargs)
        return self.NOT_SUPPORTED


def _with_mark(shape_of: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def shape(owner: Any) -> Any:
        static_shape = shape_of(owner)
        if graph_of(owner) is not None:
            static_shape.of_graph = True
        return static_shape

    return shape


def _has_numbers(shape: Any) -> bool:
    """Returns whether dimensions are numbers; in graphs they are objects (``shape[1].value``)."""
    return not hasattr(shape, "of_graph") and executing_eagerly_outside_functions()
