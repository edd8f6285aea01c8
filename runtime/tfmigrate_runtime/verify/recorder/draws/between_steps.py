"""The random numbers that a program draws between its training steps: actions of an agent, samples.

What an agent learns from depends on what it has drawn before, so a port without sessions is given
the original's numbers there, too. They count since the last step, whatever run or function draws
them; what a run of the original draws without fetching it, as initial values, does not.

Their keys begin with ``between:/``, in place of the number of a replica.
"""

from typing import Any, Callable, Dict, List, Sequence, Tuple

from ..native import functions

PLACE = "between:"
_MOST_IN_ALL = 1 << 20  # numbers
_MOST_OF_A_STEP = 2048  # ops


class RunDraws:
    """Finds what the runs of the original that make no step draw."""

    def __init__(
        self, drawing: Callable[..., List[Any]], entries: Callable[..., List[Any]]
    ) -> None:
        """Takes what finds the ops that draw, and what gives each the tensors to fetch, by keys."""
        self._drawing, self._entries = drawing, entries
        self._operations: Dict[Tuple[int, ...], Any] = {}  # by the ids of what is fetched
        self._steps, self._size = -1, 0
        self._counts: Dict[Any, int] = {}

    def of(self, fetches: Sequence[Any], steps: int) -> List[Any]:
        """Returns the ops that draw what is fetched, each with tensors and kinds by key.

        Args:
            fetches: tensors.
            steps: how many steps were made before.
        """
        key = tuple(id(tensor) for tensor in fetches)
        if key not in self._operations:
            # An agent acts before each step; next to the ops what the ids belong to.
            self._operations[key] = self._drawing(fetches), list(fetches)
        operations, _ = self._operations[key]
        if not operations or self._size > _MOST_IN_ALL:
            return []
        if steps != self._steps:
            self._steps = steps
            self._counts.clear()
        if sum(self._counts.values()) > _MOST_OF_A_STEP:
            return []
        return self._entries(operations, self._counts, PLACE)

    def add(self, drawn: Dict[str, Any]) -> None:
        """Counts the numbers that are kept."""
        self._size += sum(value.size for value in drawn.values())


class Functions:
    """Knows which functions of a program without sessions train."""

    def __init__(self) -> None:
        self._training: Dict[int, Any] = {}  # their graphs, by ids

    def note_tape(self) -> None:
        """Called where a GradientTape opens in a function, which others may call."""
        self._training.update((id(graph), graph) for graph in graphs_now())

    def train(self, graphs: Sequence[Any]) -> bool:
        """Returns whether one of these graphs has a GradientTape."""
        return any(id(graph) in self._training for graph in graphs)


def graphs_now() -> List[Any]:
    """Returns the graphs of the functions that are being built, innermost first."""
    import tensorflow as tf
    from tensorflow.python.framework import ops

    graphs = [] if tf.executing_eagerly() else functions.graphs_around(ops.get_default_graph())
    return [graph for graph in graphs if hasattr(graph, "outer_graph")]
