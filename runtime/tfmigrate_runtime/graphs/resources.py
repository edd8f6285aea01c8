"""What a runner keeps between calls: variables, tables, iterators, queues and random streams.

In a session such a resource belongs to an operation of the graph. Every function of a runner has a
copy of that operation; the copies share one resource, which has a name that only this runner has.
"""

import itertools
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.variables import (
    BaseResourceVariable,
    EagerResourceDeleter,
    create_handle_data,
    set_handle_data,
)
from tfmigrate_runtime.graphs import random_streams

_numbers = itertools.count()


class GraphVariable(BaseResourceVariable):  # type: ignore[misc]
    """A variable of a graph in an eager program: a ``tf.Variable`` of TensorFlow 2.

    It has no value until its initializer is run, an assignment is made or a checkpoint is restored,
    and reading it before that is the error that a session gives.
    """

    def __init__(self, operation: Any, resource: str, trainable: bool, is_shared: bool) -> None:
        """Makes the variable of a VarHandleOp.

        Args:
            operation: the VarHandleOp.
            resource: the name of its resource.
            trainable: whether a GradientTape watches it.
            is_shared: whether other processes have it, too, so that it stays.
        """
        shape, dtype = tf.TensorShape(operation.get_attr("shape")), operation.get_attr("dtype")
        with tf.device(operation.device or None):
            # By name: an anonymous handle has an empty value from the start, and a function that
            # reads it returns that without an error.
            handle = tf.raw_ops.VarHandleOp(shape=shape, dtype=dtype, shared_name=resource)
        set_handle_data(handle, create_handle_data(shape, dtype))
        super().__init__(
            trainable=trainable,
            shape=shape,
            dtype=dtype,
            handle=handle,
            name=operation.name,
            unique_id=resource,
            handle_name=operation.name,
            in_graph_mode=False,
        )
        self._deleter = None if is_shared else EagerResourceDeleter(handle, handle.device)


class Resources:
    """The resources of one runner; in a cluster those of a name are shared by all runners."""

    def __init__(self, graph: Any, task: str = "") -> None:
        """Takes what they belong to.

        Args:
            graph: the graph of the runner.
            task: the task of a cluster in which the runner is, "worker 0"; "" for no cluster.
        """
        self._graph = graph
        self._is_shared = bool(task)
        number = f"tfmigrate_runner_{next(_numbers)}"
        self._name = f"{number}_of_{task.replace(' ', '_')}" if task else number
        self._variables: dict[str, GraphVariable] = {}
        self._begun: set[str] = set()
        self._handles: set[int] = set()
        self._read = 0  # how many trainable variables they are of
        self.streams = random_streams.RandomStreams(self.name_of)

    def name_of(self, node: str) -> str:
        """Returns the name of a resource that belongs to this runner alone."""
        return f"{self._name}/{node}"

    def shared_name_of(self, name: str) -> str:
        """Returns the name of a resource that the runners of a cluster share."""
        return f"tfmigrate/{name}" if self._is_shared else self.name_of(name)

    def variable(self, operation: Any) -> GraphVariable:
        """Returns the variable of a VarHandleOp."""
        if (known := self._variables.get(operation.name)) is None:
            # All by name: TensorFlow reads the first positional ones as those of tf.Variable.
            known = GraphVariable(
                operation=operation,
                resource=self.shared_name_of(operation.name),
                trainable=id(operation) in self._trainable(),
                is_shared=self._is_shared,
            )
            self._variables[operation.name] = known
        return known

    def _trainable(self) -> set[int]:
        """Returns the ids of the VarHandleOps of trainable variables, read again for new ones."""
        variables = self._graph.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)
        if self._read != len(variables):
            self._read = len(variables)
            copies = [copy for variable in variables for copy in copies_of(variable)]
            self._handles = {id(copy.handle.op) for copy in copies if hasattr(copy, "handle")}
        return self._handles

    def of_variable(self, variable: Any) -> Any:
        """Returns the variable of TensorFlow 2 for one of the graph.

        Args:
            variable: a variable of the graph; of a mirrored one the first copy is returned.
        """
        return self.variable(copies_of(variable)[0].handle.op)

    def queue(self, operation: Any) -> Any:
        """Returns the handle of a queue, whose operation makes it where there is none.

        A function that returned a handle of another process would end this one by a segmentation
        fault in TensorFlow 2.21.
        """
        attributes = {a.name: operation.get_attr(a.name) for a in operation.op_def.attr}
        name = attributes["shared_name"].decode() or operation.name
        attributes["shared_name"] = self.shared_name_of(name)
        attributes["shapes"] = [tf.TensorShape(shape) for shape in attributes["shapes"]]
        return getattr(tf.raw_ops, operation.type)(**attributes)

    def begins(self, node: str) -> bool:
        """Returns whether the resource of an operation is asked for for the first time."""
        new = node not in self._begun
        self._begun.add(node)
        return new

    def share(self, nodes: Any) -> None:
        """Gives the resources of NodeDefs names, so that other functions have the same ones."""
        for node in nodes:
            if "shared_name" not in node.attr:
                continue
            shared_name = node.attr["shared_name"].s.decode()
            # As kernels do: of an iterator without a name each session has its own.
            is_own = not shared_name and "Iterator" in node.op
            name_of = self.name_of if is_own else self.shared_name_of
            node.attr["shared_name"].s = name_of(shared_name or node.name).encode()


def copies_of(variable: Any) -> list[Any]:
    """Returns the copies of a mirrored variable, or the parts of a partitioned one; else itself."""
    copies = getattr(variable, "values", None)
    if isinstance(copies, (list, tuple)):
        return list(copies)
    return list(variable) if hasattr(variable, "_get_variable_list") else [variable]
