"""The training loop: single steps where a hook needs each one, several at a time elsewhere."""

import math
import time
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator import devices, fused_steps, shared_copies
from tfmigrate_runtime.estimator.copied_steps import unrolled_loops
from tfmigrate_runtime.estimator.model_graph import ModelGraph
from tfmigrate_runtime.estimator.progress import ProgressLine
from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.estimator.step_plan import StepPlan, last_step

# Long enough that the call no longer counts, short enough for Ctrl-C and for hooks that go by time.
_SECONDS_PER_CALL = 0.25
_FIRST_STEPS = 10
_MOST_STEPS = 10_000


def fused_steps_of(
    model: ModelGraph, train_op: Any, config: RunConfig, steps: int
) -> fused_steps.FusedSteps | None:
    """Returns a loop of the model's steps, None where they have to be made one by one.

    Args:
        model: the model.
        train_op: the operation that runs a step.
        config: the RunConfig.
        steps: how many steps will be made at most.
    """
    if not config.fused_steps:
        return None
    if (reason := fused_steps.why_not(train_op, model.loss)) is not None:
        tf.logging.info("One training step per session.run: %s.", reason)
        return None
    variables: list[list[Any]] = []
    if devices.share_a_cpu(config.train_distribute, config.session_config):
        variables = shared_copies.mirrored(tf.global_variables() + tf.local_variables())
    return fused_steps.build(
        train_op,
        model.loss,
        model.global_step_on_one_device,
        variables,
        unrolls=steps >= unrolled_loops.FEWEST_STEPS,
    )


class TrainingLoop:
    """Makes steps until a hook or the end of the input stops the session.

    Attributes:
        any_step_done: whether a step was made.
        on_step: called after every session call.
    """

    def __init__(
        self,
        fused: fused_steps.FusedSteps | None,
        nan_hook: Any,
        global_step: Any,
        shows_progress: bool = False,
    ) -> None:
        """Takes what the loop needs of the graph.

        Args:
            fused: the loop of steps, None for one by one.
            nan_hook: the ``NanTensorHook`` of the loss.
            global_step: int64 scalar tensor.
            shows_progress: whether a line on the terminal says how far training is.
        """
        self._fused, self._nan_hook = fused, nan_hook
        self._global_step, self._shows_progress = global_step, shows_progress
        self.any_step_done = False
        self.last_loss: Any = None  # also where the input ends, which the session takes for an end
        self.on_step: Callable[[], None] = lambda: None

    def run(self, session: Any, fetches: Any) -> None:
        """Makes the steps; ``last_loss`` is the loss of the last one.

        Args:
            session: the MonitoredSession.
            fetches: what one step runs.

        Raises:
            tf.train.NanLossDuringTrainingError: the loss became NaN.
            tf.errors.OutOfRangeError: the input ended, which the session takes for an end.
        """
        if not self._shows_progress:
            self._make_steps(session, fetches, lambda steps, loss: None)
            return

        def read_step(step_context: Any) -> int:
            return int(step_context.session.run(self._global_step))

        line = ProgressLine(session.run_step_fn(read_step), last_step(session._hooks))
        with line.showing():
            self._make_steps(session, fetches, line.advance)

    def _make_steps(self, session: Any, fetches: Any, report: Callable[[int, Any], None]) -> None:
        def steps_made(steps: int, loss: Any) -> None:
            self.last_loss = loss
            report(steps, loss)

        free_steps = None
        if self._fused is not None:
            free_steps = _FreeSteps(session, self._fused, self._nan_hook, steps_made)
        while not session.should_stop():
            _, loss = session.run(fetches)
            self.any_step_done = True
            self.on_step()
            steps_made(1, loss)
            if free_steps is not None and not session.should_stop():
                free_steps.run()


class _FreeSteps:
    """Makes the steps that no hook has to see."""

    def __init__(
        self,
        session: Any,
        fused: fused_steps.FusedSteps,
        nan_hook: Any,
        report: Callable[[int, Any], None],
    ) -> None:
        self._session, self._report, self._fused = session, report, fused
        # The session's own list: others than the caller may have added hooks to it.
        self._plan = StepPlan(session._hooks, nan_hook._loss_tensor)
        self._most = _FIRST_STEPS
        self._expected_step: int | None = None
        watchers = self._plan.who_sees_every_step()
        self._is_off = bool(watchers)
        if watchers:
            tf.logging.info(
                "One training step per session.run: %s must see every step.", ", ".join(watchers)
            )

    def run(self) -> None:
        """Makes steps until a hook has to see the next one."""
        if self._is_off:
            return
        step = self._session.run_step_fn(self._read_step)
        # The first step made manually tells by how much a step moves the global step.
        if self._expected_step is not None:
            if step != self._expected_step:
                tf.logging.info(
                    "One training step per session.run: global_step does not always advance by "
                    "the same amount."
                )
                self._is_off = True
                return
            while self._session.run_step_fn(self._run_once):
                pass
            step = self._session.run_step_fn(self._read_step)
        self._expected_step = step + 1

    def _read_step(self, step_context: Any) -> int:
        return self._fused.read_step(step_context.session)

    def _run_once(self, step_context: Any) -> bool:
        """Makes steps in one call; returns whether there may be more."""
        session = step_context.session
        step = self._fused.read_step(session)
        count = min(self._plan.free_steps(step), self._most)
        # One step, too: which steps are copies must not depend on the time that calls take.
        if count < 1:
            return False
        start = time.monotonic()
        loss, reached = self._fused.run(session, count)
        self._plan.skipped(reached - step)
        self._report(reached - step, loss)
        if math.isnan(loss):
            tf.logging.error("Model diverged with loss = NaN.")
            raise tf.train.NanLossDuringTrainingError
        if time.monotonic() - start < _SECONDS_PER_CALL:
            self._most = min(2 * self._most, _MOST_STEPS)
        return True
