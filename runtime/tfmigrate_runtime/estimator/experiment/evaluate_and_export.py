"""What ``Experiment(checkpoint_and_export=True)`` does with every checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import tensorflow.compat.v1 as tf

if TYPE_CHECKING:
    from tfmigrate_runtime.estimator.experiment.experiment import Experiment


class EvaluateAndExport(tf.train.CheckpointSaverListener):  # type: ignore[misc]
    """Evaluates and exports every checkpoint as it is written.

    Attributes:
        metrics: those of the last evaluation, None before the first.
        export_results: what the export strategies returned then.
    """

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self._latest_path: str | None = None
        self.metrics: Any = None
        self.export_results: list[Any] | None = None

    def after_save(self, session: Any, global_step_value: int) -> None:
        """Evaluates and exports, unless it has this checkpoint already."""
        path = tf.train.latest_checkpoint(self._experiment.estimator.model_dir)
        if not path or path == self._latest_path:
            return
        self._latest_path = path
        self.metrics = self._experiment.call_evaluate(
            name="intermediate_export", checkpoint_path=path
        )
        self.export_results = self._experiment.export(self.metrics, checkpoint_path=path)
