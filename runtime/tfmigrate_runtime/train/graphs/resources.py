"""What a runner keeps between calls: variables, tables, iterators, queues and random streams.

In a session such a resource belongs to an operation of the graph. Every function of a runner has a
copy of that operation; the copies share one resource, which has a name that only this runner has.
"""

from __future__ import annotations

import itertools
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.variables import (
    BaseResourceVariable,
    EagerResourceDeleter,
    create_handle_data,
    set_handle_data,
)
from tfmigrate_runtime.train.graphs import random_streams

_numbers = itertools.count()


class GraphVariable(BaseResourceVariable):  # type: ignore[misc]
    """A variable of a graph in an eager program: a ``tf.Variable`` of TensorFlow 2.

    It has no value until its initializer is run, an assignment is made or a checkpoint is restored,
    and reading it before that is the error that a session gives.
    """

    def __init__(self, operation: Any, name: str, trainable: bool) -> None:
        """Makes the variable of a VarHandleOp.

        Args:
            operation: the VarHandleOp.
            name: of the resource.
            trainable: whether a GradientTape watches it.
        """
        shape, dtype = tf.TensorShape(operation.get_attr("shape")), operation.get_attr("dtype")
        with tf.device(operation.device or None):
            # By name: an anonymous handle has an empty value from the start, and a function that
            # reads it returns that without an error.
            handle = tf.raw_ops.VarHandleOp(shape=shape, dtype=dtype, shared_name=name)
        set_handle_data(handle, create_handle_data(shape, dtype))
        super().__init__(
            trainable=trainable,
            shape=shape,
            dtype=dtype,
            handle=handle,
            name=operation.name,
            unique_id=name,
            handle_name=operation.name,
            in_graph_mode=False,
        )
        self._deleter = EagerResourceDeleter(handle, handle.device)


class Resources:
    """The resources of one runner."""

    def __init__(self, graph: Any) -> None:
        """Takes the graph of the runner."""
        self._graph = graph
        self._name = f"tfmigrate_runner_{next(_numbers)}"
        self._variables: dict[str, GraphVariable] = {}
        self._begun: set[str] = set()
        self.streams = random_streams.RandomStreams(self.name_of)

    def name_of(self, node: str) -> str:
        """Returns the name of the resource that belongs to an operation."""
        return f"{self._name}/{node}"

    def variable(self, operation: Any) -> GraphVariable:
        """Returns the variable of a VarHandleOp."""
        known = self._variables.get(operation.name)
        if known is None:
            trainable = self._graph.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)
            copies = [copy for v in trainable for copy in copies_of(v)]
            handles = {id(copy.handle.op) for copy in copies if hasattr(copy, "handle")}
            known = GraphVariable(operation, self.name_of(operation.name), id(operation) in handles)
            self._variables[operation.name] = known
        return known

    def of_variable(self, variable: Any) -> Any:
        """Returns the variable of TensorFlow 2 for one of the graph.

        Args:
            variable: a variable of the graph; of a mirrored one the first copy is returned.
        """
        return self.variable(copies_of(variable)[0].handle.op)

    def begins(self, node: str) -> bool:
        """Returns whether the resource of an operation is asked for for the first time."""
        new = node not in self._begun
        self._begun.add(node)
        return new

    def share(self, nodes: Any) -> None:
        """Gives the resources of NodeDefs names, so that other functions have the same ones."""
        for node in nodes:
            if "shared_name" in node.attr:
                own = node.attr["shared_name"].s.decode() or node.name
                node.attr["shared_name"].s = self.name_of(own).encode()


def copies_of(variable: Any) -> list[Any]:
    """Returns the copies of a mirrored variable, or the parts of a partitioned one; else itself."""
    copies = getattr(variable, "values", None)
    if isinstance(copies, (list, tuple)):
        return list(copies)
    return list(variable) if hasattr(variable, "_get_variable_list") else [variable]
