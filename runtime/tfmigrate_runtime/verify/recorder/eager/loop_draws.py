"""Records the random numbers that steps of eager programs of TensorFlow 1.x draw.

A port to Keras 3 is given them (``draws/of_original.py``): its generators draw others, so that each
with dropout was different. As there, draws count since a GradientTape opened, and in a function
since its start.
"""

import collections
import functools
from typing import Any, Callable, Dict, Tuple

from ..draws import of_steps
from ..program import wrapping
from . import in_functions


class EagerDraws:
    """What has been drawn since the last step."""

    def __init__(
        self, trace: Any, place: Callable[[Any], Tuple[int, Any]], is_used: Callable[[], bool]
    ) -> None:
        """Takes the trace, ``PinnedRandomness.place``, and ``EagerTraining.is_used``."""
        self._trace, self._place, self._is_used = trace, place, is_used
        self._values: Dict[str, Any] = {}
        self._kinds: Dict[str, str] = {}
        self._count = 0
        self._is_open = False  # whether a GradientTape was opened since the last step

    def install(self) -> None:
        """Wraps what opens tapes and what makes ops that draw."""
        from tensorflow.python.eager import backprop
        from tensorflow.python.ops import gen_random_ops

        tape = backprop.GradientTape
        wrapping.before(tape, "__enter__", self._note_start)
        for kind, (name, _) in of_steps.KINDS.items():
            wrapping.wrap(gen_random_ops, name, functools.partial(self._drawing, kind))

    def step_made(self) -> None:
        """Records what was drawn for the step that was just recorded."""
        self._trace.draws.add(self._values, len(self._trace.steps) - 1, self._kinds)
        self._values, self._kinds, self._count, self._is_open = {}, {}, 0, False

    def _note_start(self, _tape: Any) -> None:
        from tensorflow.python.eager import context

        self._is_open |= context.executing_eagerly()

    def _drawing(self, kind: str, original: Any, *arguments: Any, **options: Any) -> Any:
        from tensorflow.python.eager import context

        drawn = original(*arguments, **options)
        if not self._is_used():
            return drawn
        if context.executing_eagerly():
            if self._is_open:
                self._add("0/%d" % self._count, kind, drawn.numpy())
                self._count += 1
        elif _is_of_step(drawn.graph):
            replica, graph = self._place(drawn.graph)
            if not hasattr(graph, "_tfmigrate_eager_draws"):
                graph._tfmigrate_eager_draws = collections.Counter()
            number = graph._tfmigrate_eager_draws[replica]
            graph._tfmigrate_eager_draws[replica] += 1
            add = functools.partial(self._add, "%d/%d" % (replica, number), kind)
            in_functions.call_when_run(add, [drawn])
        return drawn

    def _add(self, key: str, kind: str, value: Any) -> None:
        self._values[key], self._kinds[key] = value, kind


def _is_of_step(graph: Any) -> bool:
    """Returns whether a graph is that of a function that an eager program calls."""
    if str(getattr(graph, "name", "")).startswith("Dataset_"):
        return False  # runs whenever a batch is prepared
    return in_functions.are_eager_outside() and in_functions.can_call()
