"""Adam of small variables in fused steps, as the operations that its kernel is made of.

The kernel shares the elements of a variable between the threads of a CPU: from a hundred elements
on, as it takes the cost of all of them for that of each (``ApplyAdamNonCuda``). To wake a thread
takes longer than to update some thousands.
"""

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.copied_steps.step_nodes import is_on_cpu, values_of

# Elements: below, the kernel keeps to one thread; above, it is as fast as its operations are.
SMALLEST, LARGEST = 128, 16_384
_FLOAT = tf.float32.as_datatype_enum


def write_out_small_adam(definition: Any, variables: Iterable[Any]) -> None:
    """Replaces the updates of small variables; the numbers are the same.

    Args:
        definition: a GraphDef, which is changed.
        variables: the operations that are the handles of variables.
    """
    if _threads() == 1:
        return
    handles = {op.name: op for op in variables if op.type == "VarHandleOp"}
    for node in list(definition.node):
        if node.op == "ResourceApplyAdam" and _is_small(node, handles.get(node.input[0])):
            _Update(definition, node).write()


def _threads() -> int:
    """Returns how many threads an operation on the CPU may use."""
    thread_count = tf2.config.threading.get_intra_op_parallelism_threads()
    return (
        thread_count or int(os.environ.get("TF_NUM_INTRAOP_THREADS") or 0) or (os.cpu_count() or 1)
    )


def _is_small(node: Any, handle: Any) -> bool:
    if handle is None or handle.get_attr("dtype") != tf.float32 or node.attr["use_nesterov"].b:
        return False
    size = tf.TensorShape(handle.get_attr("shape")).num_elements()
    if size is None or not SMALLEST <= size <= LARGEST:
        return False
    return is_on_cpu(node.device, handle.device)


class _Update:
    """The nodes of one update."""

    def __init__(self, definition: Any, node: Any) -> None:
        self._definition, self._node, self._count = definition, node, 0

    def write(self) -> None:
        """Adds them; the node becomes one that waits for them."""
        inputs = values_of(self._node)
        handles, (power_1, power_2, rate, beta_1, beta_2, epsilon, gradient) = (
            inputs[:3],
            inputs[3:],
        )
        variable, m, v = (self._read(handle) for handle in handles)
        one = self._one()
        root = self._add("Sqrt", self._add("Sub", one, power_2))
        alpha = self._add("RealDiv", self._add("Mul", rate, root), self._add("Sub", one, power_1))
        square = self._add("Mul", gradient, gradient)
        m = self._towards(m, gradient, self._add("Sub", one, beta_1))
        v = self._towards(v, square, self._add("Sub", one, beta_2))
        divisor = self._add("AddV2", self._add("Sqrt", v), epsilon)
        step = self._add("RealDiv", self._add("Mul", m, alpha), divisor)
        variable = self._add("Sub", variable, step)
        assigned = [
            self._add("AssignVariableOp", handle, value)
            for handle, value in zip(handles, (variable, m, v), strict=True)
        ]
        self._node.op = "NoOp"
        self._node.input[:] = [f"^{name}" for name in assigned]
        self._node.attr.clear()

    def _towards(self, moment: str, value: str, share: str) -> str:
        distance = self._add("Sub", value, moment)
        return self._add("AddV2", moment, self._add("Mul", distance, share))

    def _read(self, handle: str) -> str:
        awaited = [name for name in self._node.input if name[0] == "^"]
        return self._add("ReadVariableOp", handle, *awaited)

    def _one(self) -> str:
        name = self._add("Const")
        self._definition.node[-1].attr["value"].tensor.CopyFrom(tf.make_tensor_proto(np.float32(1)))
        return name

    def _add(self, kind: str, *inputs: str) -> str:
        self._count += 1
        node = self._definition.node.add(
            name=f"{self._node.name}/written_out/{kind}_{self._count}",
            op=kind,
            device=self._node.device,
        )
        node.input.extend(inputs)
        node.attr["T" if kind in _ARITHMETIC else "dtype"].type = _FLOAT
        return str(node.name)


_ARITHMETIC = ("AddV2", "Sub", "Mul", "RealDiv", "Sqrt")
