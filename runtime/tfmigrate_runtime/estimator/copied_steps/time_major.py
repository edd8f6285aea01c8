"""Sequences in loops that were written out, which need not be turned around for the loop.

``tf.nn.dynamic_rnn`` swaps the batch and the time of what it gets and of what it gives. With the
iterations written out, the step of a sequence is taken from where it is, and the last output, which
most models use, is that of the last iteration.
"""

from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.copied_steps.step_nodes import StepNodes, is_on_cpu


def take_from_batch_major(nodes: StepNodes) -> None:
    """Replaces the items of lists that were made of swapped tensors, and stacks that are swapped.

    Args:
        nodes: the nodes of a step, after ``TensorLists.replace_reads``.
    """
    for node in list(nodes.by_name.values()):
        if node.op == "TensorListGetItem":
            _replace_item(node, nodes)
        elif node.op == "Transpose":
            _replace_swapped_stack(node, nodes)
        elif node.op == "Shape":
            _replace_shape_of_swapped(node, nodes)


def _replace_item(node: Any, nodes: StepNodes) -> None:
    index = nodes.value(node.input[1])
    list_node = nodes.origin(node.input[0])
    if index is None or list_node is None or list_node.op != "TensorListFromTensor":
        return
    swapped = nodes.origin(list_node.input[0])
    if (axis := _axis_moved_to_front(swapped, nodes)) is None:
        return
    whole = nodes.source(swapped.input[0])
    if (gradient := _gradient_of_slice(whole, axis, int(index), nodes)) is not None:
        nodes.instead[node.name] = gradient
        return
    _slice(node, whole, axis, int(index), nodes)


def _axis_moved_to_front(node: Any, nodes: StepNodes) -> int | None:
    """Returns the axis that a transposition moves to the front; None if it moves others, too."""
    if node is None or node.op != "Transpose":
        return None
    if (order := nodes.value(node.input[1])) is None:
        return None
    first, *others = (int(axis) for axis in order)
    return first if others == sorted(others) else None


def _slice(node: Any, whole: str, axis: int, index: int, nodes: StepNodes) -> None:
    """Makes a node one that takes ``whole[:, ..., index]``."""
    dtype = node.attr["element_dtype"].type
    begin, end = [0] * axis + [index], [0] * axis + [index + 1]
    vectors = [
        _constant(node, name, vector, nodes)
        for name, vector in (("begin", begin), ("end", end), ("strides", [1] * (axis + 1)))
    ]
    node.op = "StridedSlice"
    node.input[:] = [whole, *vectors]
    node.attr.clear()
    node.attr["T"].type = dtype
    node.attr["Index"].type = tf.int32.as_datatype_enum
    for mask in ("begin_mask", "end_mask"):
        node.attr[mask].i = (1 << axis) - 1
    node.attr["shrink_axis_mask"].i = 1 << axis
    for mask in ("ellipsis_mask", "new_axis_mask"):
        node.attr[mask].i = 0


def _constant(user: Any, name: str, value: Any, nodes: StepNodes) -> str:
    node = tf.NodeDef(name=f"{user.name}/{name}", op="Const", device=user.device)
    node.attr["dtype"].type = tf.int32.as_datatype_enum
    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(np.array(value, np.int32)))
    nodes.by_name[node.name] = node
    return str(node.name)


def _gradient_of_slice(whole: str, axis: int, index: int, nodes: StepNodes) -> str | None:
    """Returns one item of a gradient of ``x[:, ..., i]``: what came in, or zeros elsewhere."""
    if (node := nodes.producer(whole)) is None or node.op != "StridedSliceGrad":
        return None
    others = (1 << axis) - 1
    begin = nodes.value(node.input[1])
    masks = {name: node.attr[f"{name}_mask"].i for name in _MASKS}
    is_one_item = (
        begin is not None
        and begin.size == axis + 1
        and masks["shrink_axis"] == 1 << axis
        and masks["begin"] & others == masks["end"] & others == others
        and not masks["begin"] >> axis & 1
        and not (masks["ellipsis"] or masks["new_axis"])
    )
    if not is_one_item:
        return None
    if (where := int(begin[axis])) < 0:
        if (length := nodes.element(node.input[0], axis)) is None:
            return None
        where += int(length)
    gradient = nodes.source(node.input[4])
    if where == index:
        return gradient
    zeros = tf.NodeDef(name=f"{node.name}/zeros", op="ZerosLike", device=node.device)
    zeros.input.append(gradient)
    zeros.attr["T"].type = node.attr["T"].type
    nodes.by_name[zeros.name] = zeros
    return str(zeros.name)


_MASKS = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")


def _replace_swapped_stack(node: Any, nodes: StepNodes) -> None:
    """Makes the transposition of stacked items a stack along the axis that they get."""
    stack = nodes.origin(node.input[0])
    order = nodes.value(node.input[1])
    if stack is None or stack.op != "Pack" or stack.attr["axis"].i != 0 or order is None:
        return
    axes = [int(axis) for axis in order]
    others = [axis for axis in axes if axis != 0]
    if others != sorted(others):
        return
    awaited = [name for name in node.input if name[0] == "^"]
    node.op = "Pack"
    node.input[:] = [*stack.input, *awaited]
    node.attr.clear()
    node.attr.MergeFrom(stack.attr)
    node.attr["axis"].i = axes.index(0)


def _replace_shape_of_swapped(node: Any, nodes: StepNodes) -> None:
    """Lets a shape be that of what was swapped, in the order of that: nothing has to be swapped."""
    swapped = nodes.origin(node.input[0])
    if swapped is None or swapped.op != "Transpose" or nodes.value(swapped.input[1]) is None:
        return
    if not is_on_cpu(node.device):
        return  # shapes are on the CPU, and a GPU would reorder them
    before = tf.NodeDef()
    before.CopyFrom(node)
    before.name = f"{node.name}/before"
    before.input[0] = nodes.source(swapped.input[0])
    nodes.by_name[before.name] = before
    order = _constant(node, "order", nodes.value(swapped.input[1]), nodes)
    node.op = "GatherV2"
    node.input[:] = [before.name, order, _constant(node, "axis", 0, nodes)]
    dtype = node.attr["out_type"].type
    node.attr.clear()
    node.attr["Tparams"].type = dtype
    node.attr["Tindices"].type = node.attr["Taxis"].type = tf.int32.as_datatype_enum
    node.attr["batch_dims"].i = 0
