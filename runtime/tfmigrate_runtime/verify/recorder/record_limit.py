"""Ends a program after some steps, or after the first that differs from the original's.

Part of ``record.py``; runs on Python 3.6 or newer. A program ends where it would record a further
step: all that belongs to the last one is recorded then. ``meta["ended"]`` has ``after`` (how many
steps) and ``differs`` (whether the last one does).
"""

from typing import Any, Callable, Dict, Optional

# Of the largest element of an update, or of a loss. What differs by less is left to the comparison,
# which has the whole run then.
_SHARE = 0.01
_ROUNDING = 1e-5  # of the largest element of a variable


class Limit:
    """Where a program ends."""

    def __init__(self, steps: Optional[int], fails_fast: bool, stop: Callable[[], None]) -> None:
        """Takes the limit.

        Args:
            steps: how many are made, None for all.
            fails_fast: whether the first step that differs is the last.
            stop: ends the program.
        """
        self._steps = steps
        self.fails_fast = fails_fast
        self._stop = stop
        self._differs = False
        self.is_reached = False

    def before_step(self, model: Any) -> None:
        """Ends the program if a model has made its last step."""
        if self._differs or (self._steps is not None and len(model.steps) >= self._steps):
            self.is_reached = True
            model.about["ended"] = {"after": len(model.steps), "differs": self._differs}
            self._stop()

    def compare(self, states: Any, values: Dict[str, Any], loss: float) -> None:
        """Compares the last step with the original's, in lock-step.

        Args:
            states: the record_follow.States, after ``next``.
            values: the program's variables after the step, by name.
            loss: of the step.
        """
        if self.fails_fast and not self._differs:
            self._differs = states.differ(values, loss, _SHARE, _ROUNDING)
