"""Graphs that a session has finalized, to which operations are added."""

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def opened(graph: Any) -> Iterator[None]:
    """A context in which a graph is the default one, and takes operations.

    Args:
        graph: the graph; it is finalized afterwards if it was before.
    """
    was_finalized = graph.finalized
    graph._unsafe_unfinalize()
    try:
        with graph.as_default():
            yield
    finally:
        if was_finalized:
            graph.finalize()
