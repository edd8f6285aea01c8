"""Keeps the order of reading and incrementing the global step, which TensorFlow leaves to threads.

Part of ``record.py``.

Hooks that read the global step in the run of a training step read it before it is incremented: else
threads decide whether they read it before or after, and SummarySaverHook and CheckpointSaverHook
write at different steps in each run. Estimators build models that way.

Private names of TensorFlow that are touched: ``training_util._get_or_create_global_step_read``, by
which hooks read the global step; ``Operation._add_control_input``, which orders two ops.
"""

import functools
from typing import Any, List

from . import record_variables


def read_step_before_it_counts() -> None:
    """Lets hooks read the global step before an op of the same run increments it."""
    from tensorflow.python.framework import ops
    from tensorflow.python.training import training_util

    original = training_util._get_or_create_global_step_read

    @functools.wraps(original)
    def get_or_create(graph: Any = None) -> Any:
        before = training_util._get_global_step_read(graph)
        reading = original(graph)
        # Later, a session may have the ops already, and refuses those that change.
        if before is None and reading is not None:
            graph = graph or ops.get_default_graph()
            needed = {one.name for one in record_variables.run_by([reading.op])}
            for count in _counts_of_step(training_util.get_global_step(graph)):
                if count.name not in needed:
                    count._add_control_input(reading.op)
        return reading

    training_util._get_or_create_global_step_read = get_or_create


def _counts_of_step(step: Any) -> List[Any]:
    """Returns the ops that add to the global step, outside of branches and loops."""
    consuming_ops: List[Any] = []
    for copy in record_variables.GraphVariable(step, False).copies:
        handle = getattr(copy, "handle", None)  # of a resource variable
        source = copy._ref() if handle is None and hasattr(copy, "_ref") else handle
        consuming_ops += [] if source is None else source.consumers()
    return [op for op in consuming_ops if op.type in ("AssignAdd", "AssignAddVariableOp")]
