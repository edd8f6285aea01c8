"""Embedding tables that are not copied in every step.

TensorFlow copies a resource variable whenever it is read as a whole, from the first scatter into
it on (``EnsureSparseVariableAccess``): two parts of TensorFlow read so in each step and replica.
"""

import contextlib
from collections.abc import Iterable
from typing import Any
from unittest import mock

import tensorflow.compat.v1 as tf

# What a subclass may have its own way with; it then keeps it.
_UPDATES = ("_apply_sparse_shared", "_resource_apply_sparse", "_resource_apply_dense")


def adam_in_one_pass() -> contextlib.AbstractContextManager[Any]:
    """Lets compat.v1's Adam update a table as it updates any other variable.

    Its moments decay as a whole, with or without a gradient: it read and copied them seven times a
    step, and added the rows to them. The kernel of dense gradients does all of that at once, with
    zeros where there is no gradient. It computes ``m + (g - m) * (1 - beta)`` where rows had
    ``m * beta + g * (1 - beta)``, which rounds differently.
    """
    adam = tf.train.AdamOptimizer
    theirs = {name: getattr(adam, name) for name in _UPDATES}

    def apply(self: Any, grad: Any, handle: Any, indices: Any) -> Any:
        if any(getattr(type(self), name) is not theirs[name] for name in _UPDATES):
            optimizer: Any = super(adam, self)
            return optimizer._resource_apply_sparse_duplicate_indices(grad, handle, indices)
        rows = tf.shape(handle)[0]
        return self._resource_apply_dense(tf.unsorted_segment_sum(grad, indices, rows), handle)

    return mock.patch.object(adam, "_resource_apply_sparse_duplicate_indices", apply)


def row_lookups(operations: Iterable[Any]) -> dict[str, Any]:
    """Finds the gathers that read a whole variable of which they need rows.

    ``tf.nn.embedding_lookup`` reads the variables of ``tf.distribute`` so.

    Returns:
        For each such gather, by its name, the operation that reads.
    """
    users: dict[str, list[Any]] = {}
    awaited: set[str] = set()
    for op in operations:
        awaited.update(control.name for control in op.control_inputs)
        for tensor in op.inputs:
            users.setdefault(tensor.op.name, []).append(op)
    lookups = {}
    for name, ops in users.items():
        read = ops[0].inputs[0].op if ops[0].inputs else None
        # What waits for the read would not wait for the gather.
        if read is None or read.name != name or read.type != "ReadVariableOp" or name in awaited:
            continue
        if all(_gathers_rows(op, read) for op in ops):
            lookups.update({op.name: read for op in ops})
    return lookups


def _gathers_rows(op: Any, read: Any) -> bool:
    return bool(
        op.type == "GatherV2"
        and op.inputs[0].op is read
        and op.device == read.device
        and op.get_attr("batch_dims") == 0
        and tf.get_static_value(op.inputs[2]) == 0
    )


def gather_from_variable(gather: Any, read: Any) -> Any:
    """Returns the node that takes rows of a variable without reading the rest.

    Args:
        gather: the node that takes them from a tensor.
        read: the node that gives that tensor.
    """
    node = tf.NodeDef(name=gather.name, op="ResourceGather", device=gather.device)
    before = [name for each in (read, gather) for name in each.input if name[0] == "^"]
    node.input.extend([read.input[0], gather.input[1], *dict.fromkeys(before)])
    node.attr["dtype"].type = gather.attr["Tparams"].type
    node.attr["Tindices"].type = gather.attr["Tindices"].type
    return node
