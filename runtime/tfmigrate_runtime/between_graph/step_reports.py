"""What workers in lockstep report to each other in a step, with the gradients: a few numbers."""

from collections.abc import Collection
from typing import Any

import tensorflow.compat.v1 as tf

KIND = tf.float32  # of the numbers, which gradients usually are: one reduction has both
LARGEST = 2**24  # a number of this kind is exact up to it
NUMBERS = 4  # of each worker
_OWN, _OF_ALL = "between_graph_report", "between_graph_reports"  # collections of a graph


def own_report(workers: int) -> Any:
    """Returns what this worker reports: [workers, NUMBERS], zeros where it is not fed.

    Args:
        workers: how many there are.
    """
    if not (known := tf.get_collection_ref(_OWN)):
        nothing = tf.zeros([workers, NUMBERS], KIND)
        known.append(tf.placeholder_with_default(nothing, nothing.shape, "report"))
    # A copy is on the device of this replica; what is fed is on none, and has no destination.
    return tf.identity(known[0])


def note(reports: Any) -> None:
    """Notes what all workers together report in a step.

    Args:
        reports: the sum of theirs, [workers, NUMBERS].
    """
    tf.add_to_collection(_OF_ALL, reports)


def find(graph: Any, operations: Collection[Any]) -> tuple[Any, Any] | None:
    """Returns the own report, to feed, and those of all, to fetch; None where a step has none."""
    reports = [tensor for tensor in graph.get_collection(_OF_ALL) if tensor.op in operations]
    return (graph.get_collection(_OWN)[0], reports[0]) if reports else None
