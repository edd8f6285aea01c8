"""Embedding tables that are not copied in every step.

TensorFlow copies a resource variable whenever it is read as a whole, from the first scatter into
it on (``EnsureSparseVariableAccess``): two parts of TensorFlow read so in each step and replica.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import tensorflow.compat.v1 as tf


@contextlib.contextmanager
def adam_without_copies() -> Iterator[None]:
    """Lets compat.v1's Adam update a table with three passes over it.

    Its moments decay as a whole, with or without a gradient: it read and copied them seven times a
    step, and made a tensor of each part of the formula. The numbers are the same, to the last bit.
    """
    adam = tf.train.AdamOptimizer
    before = adam._apply_sparse_shared

    def apply(self: Any, grad: Any, var: Any, indices: Any, scatter_add: Any) -> Any:
        if not hasattr(var, "handle"):
            return before(self, grad, var, indices, scatter_add)
        return _apply_to_rows(self, grad, var, indices)

    adam._apply_sparse_shared = apply
    try:
        yield
    finally:
        adam._apply_sparse_shared = before


def _apply_to_rows(adam: Any, grad: Any, var: Any, indices: Any) -> Any:
    def of_type(tensor: Any) -> Any:
        return tf.cast(tensor, var.dtype.base_dtype)

    moments = [adam.get_slot(var, "m"), adam.get_slot(var, "v")]
    betas = [of_type(adam._beta1_t), of_type(adam._beta2_t)]
    decayed = [moment * beta for moment, beta in zip(moments, betas, strict=True)]
    added = [grad * (1 - betas[0]), (grad * grad) * (1 - betas[1])]
    rows = indices[:, tf.newaxis]
    updates = [
        # In place: nobody else has the product.
        moment.assign(tf.tensor_scatter_nd_add(product, rows, values), read_value=False)
        for moment, product, values in zip(moments, decayed, added, strict=True)
    ]
    powers = [of_type(power) for power in adam._get_beta_accumulators()]
    with tf.control_dependencies(updates):
        # With betas of 1 the op leaves the moments as they are now.
        return tf.raw_ops.ResourceApplyAdam(
            var=var.handle,
            m=moments[0].handle,
            v=moments[1].handle,
            beta1_power=powers[0],
            beta2_power=powers[1],
            lr=of_type(adam._lr_t),
            beta1=of_type(1),
            beta2=of_type(1),
            epsilon=of_type(adam._epsilon_t),
            grad=tf.zeros(tf.shape(var), var.dtype.base_dtype),
            use_locking=adam._use_locking,
        )


def row_lookups(operations: Iterable[Any]) -> dict[str, Any]:
    """Finds the gathers that read a whole variable of which they need rows.

    ``tf.nn.embedding_lookup`` reads the variables of ``tf.distribute`` so.

    Args:
        operations: all operations of a step.

    Returns:
        For each such gather, by its name, the operation that reads.
    """
    users: dict[str, list[Any]] = {}
    awaited: set[str] = set()
    for op in operations:
        awaited.update(control.name for control in op.control_inputs)
        for tensor in op.inputs:
            users.setdefault(tensor.op.name, []).append(op)
    found = {}
    for name, ops in users.items():
        read = ops[0].inputs[0].op if ops[0].inputs else None
        # What waits for the read would not wait for the gather.
        if read is None or read.name != name or read.type != "ReadVariableOp" or name in awaited:
            continue
        if all(_gathers_rows(op, read) for op in ops):
            found.update({op.name: read for op in ops})
    return found


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
