"""How many steps can run at once: which steps hooks, summaries and checkpoints need to see."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

EVERY_STEP = 1 << 30  # more steps than anybody makes


class StepPlan:
    """Knows which steps the hooks of a session take part in.

    Hooks of TensorFlow act at steps, or times, that they can be asked for. Any other hook sees
    every step, unless it has a method ``steps_without_me(global_step) -> int``: how many of the
    next steps may be made without its ``before_run`` and ``after_run``.
    """

    def __init__(self, hooks: Sequence[Any], watched_loss: Any) -> None:
        """Sorts hooks.

        Args:
            hooks: all hooks of the session.
            watched_loss: the loss whose ``NanTensorHook`` need not see it: who uses the plan must
                look at it instead.
        """
        self._hooks = list(hooks)
        self._watched_loss = watched_loss

    def who_sees_every_step(self) -> list[str]:
        """Returns the names of the hooks that take part in every step."""
        return sorted({type(hook).__name__ for hook in self._hooks if self._question(hook) is None})

    def free_steps(self, global_step: int) -> int:
        """Returns how many steps after ``global_step`` no hook has to see."""
        free = EVERY_STEP
        for hook in self._hooks:
            if (question := self._question(hook)) is None:
                return 0
            if (free := min(free, question(global_step))) <= 0:
                return 0
        return free

    def skipped(self, steps: int) -> None:
        """Tells the hooks that count session calls how many steps were made without them."""
        for hook in self._hooks:
            if type(hook) is tf.train.LoggingTensorHook:
                hook._iter_count += steps

    def _question(self, hook: Any) -> Callable[[int], int] | None:
        if (own := getattr(hook, "steps_without_me", None)) is not None:
            return own  # type: ignore[no-any-return]
        if isinstance(hook, tf.train.NanTensorHook) and hook._loss_tensor is not self._watched_loss:
            return None
        answer = _ANSWERS.get(type(hook))
        return None if answer is None else lambda step: answer(hook, step)


def last_step(hooks: Sequence[Any]) -> int | None:
    """Returns the global step that hooks will stop at, None if none says."""
    steps = [hook._last_step for hook in hooks if type(hook) is tf.train.StopAtStepHook]
    known = [int(step) for step in steps if step is not None]
    return min(known) if known else None


def most_steps(hooks: Sequence[Any]) -> int:
    """Returns how many steps a session with these hooks makes at most."""
    steps = [
        int(hook._last_step if hook._num_steps is None else hook._num_steps)
        for hook in hooks
        if type(hook) is tf.train.StopAtStepHook
    ]
    return min(steps, default=EVERY_STEP)


def _unlimited(hook: Any, step: int) -> int:
    return EVERY_STEP


def _until_last_step(hook: Any, step: int) -> int:
    last = hook._last_step
    return 0 if last is None else int(last) - 1 - step


def until_step_is_done(hook: Any, step: int) -> int:
    """For hooks that act after the step whose number their timer names."""
    return _until_trigger(hook._timer, step, last_seen=step) - 1


def _until_step_begins(hook: Any, step: int) -> int:
    """For hooks that ask in one step for the tensors of the next: they must see both."""
    return _until_trigger(hook._timer, step, last_seen=step) - 2


def _until_call(hook: Any, step: int) -> int:
    """For LoggingTensorHook, which counts calls."""
    return _until_trigger(hook._timer, hook._iter_count, last_seen=hook._iter_count)


def _until_trigger(timer: Any, step: int, last_seen: int) -> int:
    """Returns how many steps it is until a timer triggers."""
    last = timer.last_triggered_step()
    if isinstance(timer, tf.train.SecondOrStepTimer) and last is None:
        return 0
    if (every := getattr(timer, "_every_steps", None)) is not None:
        return int(last) + int(every) - step
    # By the clock: it may trigger at the step after the last one that it triggered for.
    return 0 if timer.should_trigger_for_step(last_seen + 1) else EVERY_STEP


_ANSWERS: dict[type, Callable[[Any, int], int]] = {
    tf.train.CheckpointSaverHook: until_step_is_done,
    tf.train.FinalOpsHook: _unlimited,
    tf.train.LoggingTensorHook: _until_call,
    tf.train.NanTensorHook: _unlimited,
    tf.train.ProfilerHook: _until_step_begins,
    tf.train.StepCounterHook: until_step_is_done,
    tf.train.StopAtStepHook: _until_last_step,
    tf.train.SummarySaverHook: _until_step_begins,
}
