"""The base class of monitors, which are called at every training step."""

from typing import Any


class BaseMonitor:
    """Watches a training. Its steps count from 1; it sees fetches by the names it asked for."""

    def __init__(self) -> None:
        """Begins outside of any step."""
        self._begun = False
        self._current_epoch: int | None = None
        self._current_step: int | None = None
        self._max_steps: int | None = None
        self._estimator: Any = None

    @property
    def run_on_all_workers(self) -> bool:
        """Whether it watches workers that are not chief too."""
        return False

    def set_estimator(self, estimator: Any) -> None:
        """Takes the Estimator that it watches.

        Raises:
            ValueError: that is None.
        """
        if estimator is None:
            raise ValueError("Missing estimator.")
        self._estimator = estimator

    def begin(self, max_steps: int | None = None) -> None:
        """Is called when the graph is complete.

        Raises:
            ValueError: the last training has not ended.
        """
        if self._begun:
            raise ValueError("begin called twice without end.")
        self._max_steps, self._begun = max_steps, True

    def end(self, session: Any = None) -> None:
        """Is called after the last step.

        Raises:
            ValueError: the training had not begun.
        """
        if not self._begun:
            raise ValueError("end called without begin.")
        self._max_steps = None
        self._begun = False

    def epoch_begin(self, epoch: int) -> None:
        """Is called where an epoch begins.

        Raises:
            ValueError: within another one, or the number is negative.
        """
        if self._current_epoch is not None:
            raise ValueError("epoch_begin called twice without epoch_end.")
        if epoch < 0:
            raise ValueError(f"Invalid epoch {epoch}.")
        self._current_epoch = epoch

    def epoch_end(self, epoch: int) -> None:
        """Is called where an epoch ends.

        Raises:
            ValueError: another one had begun.
        """
        if self._current_epoch != epoch:
            raise ValueError(f"epoch_end expected {self._current_epoch} but got {epoch}.")
        self._current_epoch = None

    def step_begin(self, step: int) -> list[Any]:
        """Returns tensors, or names of tensors, to be fetched at this step.

        Raises:
            ValueError: the step is negative or after the last one.
        """
        if step < 0 or (self._max_steps is not None and step > self._max_steps):
            raise ValueError(f"Invalid step {step}.")
        self._current_step = step
        return []

    def step_end(self, step: int, output: dict[Any, Any]) -> bool:
        """Sees what was fetched; returns True to stop the training.

        Raises:
            ValueError: another step had begun.
        """
        if self._current_step != step:
            raise ValueError(f"step_end expected {self._current_step} but got {step}.")
        self._current_step = None
        return False

    def post_step(self, step: int, session: Any) -> None:
        """Is called after all monitors have seen the step."""


class EveryN(BaseMonitor):
    """Watches the first steps, then one of every few, and the last one."""

    def __init__(self, every_n_steps: int = 100, first_n_steps: int = 1) -> None:
        """Takes how often; each of the first ``first_n_steps`` steps is watched."""
        super().__init__()
        self._every_n_steps, self._first_n_steps = every_n_steps, first_n_steps
        self._last_successful_step: int | None = None
        self._last_active_step: int | None = 0
        self._is_active = False

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Returns tensors to be fetched at a watched step."""
        return []

    def every_n_step_end(self, step: int, outputs: dict[Any, Any]) -> bool:
        """Sees what was fetched at a watched step; returns True to stop the training."""
        return False

    def every_n_post_step(self, step: int | None, session: Any) -> None:
        """Is called after a watched step, and at the end."""

    def step_begin(self, step: int) -> list[Any]:
        """Decides whether this step is watched."""
        super().step_begin(step)
        due = step >= self._every_n_steps + (self._last_active_step or 0)
        self._is_active = step <= self._first_n_steps or due or step == self._max_steps
        return self.every_n_step_begin(step) if self._is_active else []

    def step_end(self, step: int, output: dict[Any, Any]) -> bool:
        """Lets a watched step be seen."""
        super().step_end(step, output)
        return self.every_n_step_end(step, output) if self._is_active else False

    def post_step(self, step: int, session: Any) -> None:
        """Notes the step."""
        super().post_step(step, session)
        if self._is_active:
            self.every_n_post_step(step, session)
            self._last_active_step = step
        self._last_successful_step = step

    def end(self, session: Any = None) -> None:
        """Lets the last step be seen, if it was not watched."""
        super().end(session=session)
        if self._last_successful_step != self._last_active_step:
            self.every_n_post_step(self._last_successful_step, session)


def fetched(outputs: dict[Any, Any], request: Any) -> Any:
    """Returns what was fetched for a tensor, which may have been asked for by its name."""
    return outputs[request] if request in outputs else outputs[request.name]
