"""What an optimizer computes with, as it is without feeds."""

from typing import Any

import tensorflow.compat.v1 as tf

_PASSES_ON = "PlaceholderWithDefault"


def feed_nothing(optimizer: Any) -> None:
    """Has an optimizer compute with its learning rate, its momentum ... as no feed changes them.

    On TensorFlow 1.x the chief's queue runner applied the gradients of synchronous workers, in
    session calls of its own, without feeds: a rate that the program fed had no effect on training
    (measured on 1.15). Here every worker applies them in the call that has its feeds.

    Args:
        optimizer: a ``tf.train.Optimizer``, whose tensors become copies of what they are.
    """
    for name, value in vars(optimizer).items():
        if tf.is_tensor(value) and hasattr(value, "op"):
            setattr(optimizer, name, _copy(value, {}))
        elif callable(value) and name in ("_lr", "_learning_rate"):
            setattr(optimizer, name, lambda rate=value: _copy(rate(), {}))


def _copy(tensor: Any, copies: dict[Any, Any]) -> Any:
    """Returns a tensor of new operations; those with a state, as of variables, are not copied."""
    if not isinstance(tensor, tf.Tensor):
        return tensor
    operation = tensor.op
    if operation.type == _PASSES_ON:
        return _copy(operation.inputs[0], copies)
    if operation.type == "Placeholder" or operation.op_def.is_stateful:
        return tensor
    if any(
        item.dtype == tf.resource or item.dtype != item.dtype.base_dtype
        for item in operation.inputs
    ):
        return tensor
    if operation not in copies:
        inputs = [_copy(item, copies) for item in operation.inputs]
        with tf.control_dependencies(None), tf.device(operation.device):
            copies[operation] = operation.graph.create_op(
                operation.type,
                inputs,
                [output.dtype for output in operation.outputs],
                name=f"{operation.name}_without_feeds",
                attrs=dict(operation.node_def.attr),
            )
    return copies[operation].outputs[tensor.value_index]
