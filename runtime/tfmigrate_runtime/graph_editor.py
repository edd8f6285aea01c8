"""tf.contrib.graph_editor on TensorFlow 2: what an operation is computed of.

``from tfmigrate_runtime import graph_editor`` in its place. What changed graphs is not here.
"""

from collections.abc import Callable, Iterable
from typing import Any

from tfmigrate_runtime.compat import graphs

__all__ = ["get_backward_walk_ops"]


def get_backward_walk_ops(
    seed_ops: Any,
    inclusive: bool = True,
    within_ops: Iterable[Any] | None = None,
    within_ops_fn: Callable[[Any], bool] | None = None,
    stop_at_ts: Iterable[Any] = (),
    control_inputs: bool = False,
) -> Any:
    """Returns the operations that others are computed of.

    Args:
        seed_ops: operations, or tensors, from which the walk starts.
        inclusive: whether these are among the result.
        within_ops: operations that the walk does not leave; None for all.
        within_ops_fn: says whether the walk may reach an operation.
        stop_at_ts: tensors at which it stops.
        control_inputs: whether it follows control inputs as well.

    Raises:
        TypeError: ``seed_ops`` or ``within_ops`` are no operations.
    """
    return graphs.get_backward_walk_ops(
        seed_ops, inclusive, within_ops, within_ops_fn, stop_at_ts, control_inputs
    )
