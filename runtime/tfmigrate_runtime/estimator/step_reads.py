"""What a training step computes of the global step is of the step that it begins with.

Model functions that add up gradients ask whether ``global_step % n == 0`` and return ``tf.group``
of an update and of ``global_step.assign_add(1)``, without an order between the two. In TensorFlow
1.x such a condition read the step first (semantics.md, section 3). A learning rate, which casts the
step, mostly came after the increment: of that step or of the next, by chance. Here all read first.
"""

from collections.abc import Iterable
from typing import Any

from tfmigrate_runtime.train.executed import executed_by

_INCREMENTS = ("AssignVariableOp", "AssignAddVariableOp")


def read_before_increments(train_ops: Iterable[Any], global_step: Any) -> None:
    """Lets increments of the global step wait for what else reads it in the same step.

    Args:
        train_ops: what the replicas train with.
        global_step: the global step variable.
    """
    targets = [getattr(each, "op", each) for each in train_ops if each is not None]
    executed = executed_by((), targets, ())
    for copy in getattr(global_step, "values", (global_step,)):
        consumers = [op for op in copy.handle.consumers() if op.name in executed]
        for read in (op for op in consumers if op.type == "ReadVariableOp"):
            needed = executed_by((), [read], ())
            for increment in consumers:
                if increment.type in _INCREMENTS and increment.name not in needed:
                    increment._add_control_input(read)
