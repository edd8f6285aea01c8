"""The Exporter of tf.contrib.estimator, which programs import from its internal path."""

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_estimator import exporter as exporter_lib

__all__ = ["StepsExporter"]

_STEP = tf.GraphKeys.GLOBAL_STEP


class StepsExporter(exporter_lib.Exporter):  # type: ignore[misc]
    """Exports at the first evaluation at or after each of the given steps, and keeps all."""

    def __init__(
        self,
        steps_to_keep: Sequence[Any],
        name: str = "steps_exporter",
        serving_input_receiver_fn: Callable[[], Any] | None = None,
        event_file_pattern: str | None = "eval/*.tfevents.*",
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
    ) -> None:
        """Takes the steps; ``event_file_pattern``, below model_dir, tells which have been.

        Raises:
            ValueError: none of the steps is a positive integer.
        """
        self._exporter = exporter_lib._SavedModelExporter(
            name, serving_input_receiver_fn, assets_extra, as_text
        )
        self._event_file_pattern = event_file_pattern
        self._model_dir: str | None = None
        steps = [step for step in steps_to_keep if isinstance(step, int) and step > 0]
        if not steps:
            raise ValueError("`steps_to_keep` list must have at least one positive integer")
        if list(steps_to_keep) != steps:
            tf.logging.warn(
                "Changed `steps_to_keep`, by omitting non-integer or less than 1 elements, to [%s]",
                ", ".join(map(str, steps)),
            )
        self._steps_to_keep = sorted(steps)

    @property
    def name(self) -> str:
        """The name of the folder of the exports."""
        return str(self._exporter.name)

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: dict[str, Any],
        is_the_final_export: bool,
    ) -> Any:
        """Exports where a step is due; returns the folder or None.

        Raises:
            ValueError: the evaluation has no global step.
        """
        if not eval_result or _STEP not in eval_result:
            raise ValueError(
                "`eval_result` is empty, or does not have global step. This should never happen "
                "as Estimator always sets the global step in `eval_result`. Please file a bug "
                f"report. Got eval_result: {eval_result}"
            )
        self._leave_out_evaluated(estimator.model_dir)
        step = eval_result[_STEP]
        due = [one for one in self._steps_to_keep if one <= step]
        if not due:
            return None
        result = self._exporter.export(
            estimator, export_path, checkpoint_path, eval_result, is_the_final_export
        )
        self._steps_to_keep = [one for one in self._steps_to_keep if one > step]
        if due[-1] == step:
            tf.logging.info("Performing model export at step %d.", step)
        else:
            tf.logging.warn("Performing model export at step %d instead of %d.", step, due[-1])
        return result

    def _leave_out_evaluated(self, model_dir: str) -> None:
        """Drops the steps up to the last one that an earlier process evaluated at."""
        if self._model_dir == model_dir or not self._event_file_pattern:
            return
        self._model_dir = model_dir
        pattern = str(PurePath(model_dir) / self._event_file_pattern)
        evaluated = [
            event.step
            for path in tf.gfile.Glob(pattern)
            for event in tf.train.summary_iterator(path)
        ]
        last = max(evaluated, default=0)
        self._steps_to_keep = [step for step in self._steps_to_keep if step > last]
