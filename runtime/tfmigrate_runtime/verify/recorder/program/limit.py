"""Ends a program after some steps, or soon after the first that differs from the original's.

A program ends where it would record a further step: all that belongs to the last one is recorded
then. ``meta["ended"]`` has ``after`` (how many steps) and ``differs`` (whether one of the last
does). A few steps more show what one alone does not: Nesterov's momentum begins as another learning
rate.
"""

from typing import Any, Callable, Dict, Optional

# Of the largest element of an update, or of a loss. What differs by less is left to the comparison,
# which has the whole run then.
_SHARE = 0.01
_FURTHER_STEPS = 3  # after the first that differs
_ROUNDING = 1e-5  # of the largest element of a variable


class Limit:
    """Where a program ends."""

    def __init__(self, steps: Optional[int], fails_fast: bool, stop: Callable[[], None]) -> None:
        """Takes the limit.

        Args:
            steps: how many are made, None for all.
            fails_fast: whether a step that differs is one of the last.
            stop: ends the program.
        """
        self._steps, self._fails_fast, self._stop = steps, fails_fast, stop
        self._differs_at, self.is_reached = 0, False

    def before_step(self, model: Any) -> None:
        """Ends the program if a model has made its last step."""
        step_count = len(model.steps)
        differs = bool(self._differs_at) and step_count >= self._differs_at + _FURTHER_STEPS
        if differs or (self._steps is not None and step_count >= self._steps):
            self.is_reached = True
            model.about["ended"] = {"after": step_count, "differs": bool(self._differs_at)}
            self._stop()

    def compare(self, model: Any, states: Any, values: Dict[str, Any]) -> None:
        """Compares the last step with the original's, in lock-step.

        Args:
            model: the Model that made it.
            states: the lock_step.States, after ``next``.
            values: the program's variables after the step, by name.
        """
        if not self._fails_fast or self._differs_at:
            return
        if states.differ(values, model.losses[-1], _SHARE, _ROUNDING):
            self._differs_at = len(model.steps)
