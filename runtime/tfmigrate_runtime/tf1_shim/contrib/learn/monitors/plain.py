"""Monitors that print, stop, save and compare."""

# A model_dir may be a URL (gs://...), which pathlib would mangle.
# ruff: noqa: PTH118

import os
import time
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.tf1_shim.contrib.learn.monitors.base import BaseMonitor, EveryN, fetched


class NanLossDuringTrainingError(RuntimeError):
    """The loss is not a number any more."""

    def __str__(self) -> str:
        """Says so."""
        return "NaN loss during training."


class StopAtStep(BaseMonitor):
    """Stops after some steps, or at a step."""

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        """Takes one of the two.

        Raises:
            ValueError: none or both are given.
        """
        super().__init__()
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps = num_steps or 0
        self._last_step = last_step

    @property
    def run_on_all_workers(self) -> bool:
        """True: every worker has to stop."""
        return True

    def step_begin(self, step: int) -> list[Any]:
        """Counts from the first step that it sees."""
        super().step_begin(step)
        if self._last_step is None:
            self._last_step = step + self._num_steps - 1
        return []

    def step_end(self, step: int, output: dict[Any, Any]) -> bool:
        """Returns True at the last step."""
        super().step_end(step, output)
        return self._last_step is not None and step >= self._last_step


class PrintTensor(EveryN):
    """Logs values of tensors."""

    def __init__(self, tensor_names: Any, every_n: int = 100, first_n: int = 1) -> None:
        """Takes names of tensors, or those by the names under which they are logged."""
        super().__init__(every_n, first_n)
        named = isinstance(tensor_names, dict)
        self._tensor_names = tensor_names if named else {name: name for name in tensor_names}

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Asks for the tensors."""
        return super().every_n_step_begin(step) + list(self._tensor_names.values())

    def every_n_step_end(self, step: int, outputs: dict[Any, Any]) -> bool:
        """Logs them."""
        _log_values("Step %d: %s", step, self._tensor_names, outputs)
        return super().every_n_step_end(step, outputs)


class LoggingTrainable(EveryN):
    """Logs values of trainable variables."""

    def __init__(self, scope: str | None = None, every_n: int = 100, first_n: int = 1) -> None:
        """Takes the scope of the variables, None for all."""
        super().__init__(every_n, first_n)
        self._scope = scope
        self._names: dict[str, str] = {}

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Asks for the variables."""
        super().every_n_step_begin(step)
        variables = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope=self._scope)
        self._names = {each.name: each.value().name for each in variables}
        return list(self._names.values())

    def every_n_step_end(self, step: int, outputs: dict[Any, Any]) -> bool:
        """Logs them."""
        _log_values("Logging Trainable: Step %d: %s", step, self._names, outputs)
        return super().every_n_step_end(step, outputs)


class CaptureVariable(EveryN):
    """Keeps values of a variable by step."""

    def __init__(self, var_name: str, every_n: int = 100, first_n: int = 1) -> None:
        """Takes the variable's name."""
        super().__init__(every_n, first_n)
        self._var_name = var_name
        self._values: dict[int, Any] = {}

    @property
    def values(self) -> dict[int, Any]:
        """The values by step."""
        return self._values

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Asks for the variable."""
        return [*super().every_n_step_begin(step), self._var_name]

    def every_n_step_end(self, step: int, outputs: dict[Any, Any]) -> bool:
        """Keeps it."""
        self._values[step] = fetched(outputs, self._var_name)
        return super().every_n_step_end(step, outputs)


class SummarySaver(EveryN):
    """Writes summaries."""

    def __init__(
        self,
        summary_op: Any,
        save_steps: int = 100,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
    ) -> None:
        """Takes a summary, or the Scaffold that has one, and where it is written."""
        super().__init__(every_n_steps=save_steps)
        self._summary_op, self._scaffold = summary_op, scaffold
        self._summary_writer = summary_writer
        if summary_writer is None and output_dir:
            self._summary_writer = tf.summary.FileWriter(output_dir)

    def set_estimator(self, estimator: Any) -> None:
        """Writes to the Estimator's folder where no other is given."""
        super().set_estimator(estimator)
        if self._summary_writer is None:
            self._summary_writer = tf.summary.FileWriter(estimator.model_dir)

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Asks for the summary."""
        super().every_n_step_begin(step)
        if self._summary_op is None and self._scaffold is not None:
            self._summary_op = self._scaffold.summary_op
        return [] if self._summary_op is None else [self._summary_op]

    def every_n_step_end(self, step: int, outputs: dict[Any, Any]) -> bool:
        """Writes it."""
        if self._summary_op is not None and self._summary_writer:
            self._summary_writer.add_summary(fetched(outputs, self._summary_op), step)
        return super().every_n_step_end(step, outputs)

    def end(self, session: Any = None) -> None:
        """Writes what is left."""
        super().end(session=session)
        if self._summary_writer:
            self._summary_writer.flush()


class CheckpointSaver(BaseMonitor):
    """Saves checkpoints after the first step, every few steps or seconds, and at the end."""

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
    ) -> None:
        """Takes where, and how often.

        Raises:
            ValueError: none or both of save_secs and save_steps are given.
        """
        super().__init__()
        if save_steps is None and save_secs is None:
            raise ValueError("Either save_steps or save_secs should be provided")
        if save_steps is not None and save_secs is not None:
            raise ValueError("Can not provide both save_steps and save_secs.")
        self._saver, self._scaffold = saver, scaffold
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._summary_writer = tf.summary.FileWriterCache.get(checkpoint_dir)
        self._save_secs, self._save_steps = save_secs, save_steps
        self._saved: tuple[int, float] | None = None
        self._begun_step = 0

    def begin(self, max_steps: int | None = None) -> None:
        """Forgets the last training."""
        super().begin(max_steps)
        self._saved = None

    def step_begin(self, step: int) -> list[Any]:
        """Notes the step."""
        self._begun_step = step
        return super().step_begin(step)

    def post_step(self, step: int, session: Any) -> None:
        """Saves where it is time."""
        super().post_step(step, session)
        if self._saved is None or self._is_due(step, *self._saved):
            self._save(step, session)

    def end(self, session: Any = None) -> None:
        """Saves the last step."""
        super().end(session)
        self._save(self._begun_step, session)

    def _is_due(self, step: int, saved_step: int, saved_time: float) -> bool:
        if self._save_steps is not None:
            return step >= saved_step + self._save_steps
        return time.time() >= saved_time + (self._save_secs or 0)

    def _save(self, step: int, session: Any) -> None:
        if self._saved is not None and self._saved[0] == step:
            return
        tf.logging.info("Saving checkpoints for %d into %s.", step, self._save_path)
        self._saved = (step, time.time())
        saver = self._scaffold.saver if self._saver is None else self._saver
        saver.save(session, self._save_path, global_step=step)
        log = tf.SessionLog(status=tf.SessionLog.CHECKPOINT, checkpoint_path=self._save_path)
        self._summary_writer.add_session_log(log, step)


class StepCounter(EveryN):
    """Writes steps per second."""

    def __init__(
        self, every_n_steps: int = 100, output_dir: str | None = None, summary_writer: Any = None
    ) -> None:
        """Takes where it is written."""
        super().__init__(every_n_steps=every_n_steps)
        self._last: tuple[int, float] | None = None
        self._summary_writer = summary_writer
        if summary_writer is None and output_dir:
            self._summary_writer = tf.summary.FileWriterCache.get(output_dir)

    def set_estimator(self, estimator: Any) -> None:
        """Writes to the Estimator's folder where no other is given."""
        super().set_estimator(estimator)
        if self._summary_writer is None:
            self._summary_writer = tf.summary.FileWriterCache.get(estimator.model_dir)

    def every_n_step_end(self, step: int, outputs: dict[Any, Any]) -> bool:
        """Writes the speed since the last time."""
        now = time.time()
        if self._last is not None and self._summary_writer:
            speed = (step - self._last[0]) / (now - self._last[1])
            value = tf.Summary.Value(tag="global_step/sec", simple_value=speed)
            self._summary_writer.add_summary(tf.Summary(value=[value]), step)
        self._last = (step, now)
        return super().every_n_step_end(step, outputs)


class NanLoss(EveryN):
    """Stops where the loss is not a number."""

    def __init__(
        self, loss_tensor: Any, every_n_steps: int = 100, fail_on_nan_loss: bool = True
    ) -> None:
        """Takes the loss."""
        super().__init__(every_n_steps=every_n_steps)
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Asks for the loss."""
        return [*super().every_n_step_begin(step), self._loss_tensor]

    def every_n_step_end(self, step: int, outputs: dict[Any, Any]) -> bool:
        """Returns True where the loss is not a number.

        Raises:
            NanLossDuringTrainingError: the same, with ``fail_on_nan_loss``.
        """
        super().every_n_step_end(step, outputs)
        if not np.isnan(fetched(outputs, self._loss_tensor)):
            return False
        if self._fail_on_nan_loss:
            tf.logging.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        tf.logging.warning("Model diverged with loss = NaN.")
        return True


def get_default_monitors(
    loss_op: Any = None,
    summary_op: Any = None,
    save_summary_steps: int = 100,
    output_dir: str | None = None,
    summary_writer: Any = None,
) -> list[BaseMonitor]:
    """Returns monitors that print the loss and write summaries, as far as these are given."""
    monitors: list[BaseMonitor] = []
    if loss_op is not None:
        monitors.append(PrintTensor({"loss": loss_op.name}))
    if summary_op is not None:
        saver = SummarySaver(summary_op, save_summary_steps, output_dir, summary_writer)
        monitors.append(saver)
    return monitors


def _log_values(message: str, step: int, names: dict[str, str], outputs: dict[Any, Any]) -> None:
    shown = [f"{tag} = {fetched(outputs, name)}" for tag, name in names.items() if name in outputs]
    tf.logging.info(message, step, ", ".join(shown))
