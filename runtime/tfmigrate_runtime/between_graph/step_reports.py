"""What workers in lockstep report to each other in a step, with the gradients: a few numbers."""

import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow.compat.v1 as tf

KIND = tf.float32  # of the numbers, which gradients usually are: one reduction has both
_LARGEST = 2**24  # a number of this kind is exact up to it
NUMBERS = 5  # of each worker
_OWN, _OF_ALL = "between_graph_report", "between_graph_reports"  # collections of a graph


@dataclass(frozen=True)
class Call:
    """What a session call does.

    Attributes:
        is_step: whether the workers have to make it together.
        writes: how each shared variable, by its number, is written, by each operation.
        waits: the numbers of its operations that wait for the other workers.
        saves: whether it writes a checkpoint.
        reports: what the workers report in it, as ``find`` returns it.
        copies: what it runs in place of operations that wait for the other workers.
    """

    is_step: bool
    writes: Mapping[int, Sequence[int]]
    waits: Sequence[int]
    saves: bool
    reports: tuple[Any, Any] | None
    copies: Mapping[Any, Any]


def number_for(value: Any) -> int:
    """Returns a number that a report can have, another one for most other values."""
    return zlib.crc32(repr(value).encode()) % _LARGEST


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
