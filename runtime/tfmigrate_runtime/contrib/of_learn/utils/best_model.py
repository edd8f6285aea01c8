"""Finds the checkpoint with the best evaluation."""

from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.keys import MetricKey

Metrics = dict[str, Any]


class BestModelSelector:
    """Keeps the best evaluation so far."""

    def __init__(
        self,
        event_file_pattern: str | None = None,
        compare_fn: Callable[[Metrics, Metrics], bool] | None = None,
    ) -> None:
        """Takes earlier evaluations, and what says that the second of two is better.

        Args:
            event_file_pattern: a pattern of event files with evaluations.
            compare_fn: by default the lower loss is better.
        """
        self._is_better = compare_fn or _has_lower_loss
        self._best: Metrics | None = None
        for path in sorted(tf.gfile.Glob(event_file_pattern)) if event_file_pattern else ():
            for event in tf.train.summary_iterator(path):
                values = {
                    value.tag: value.simple_value
                    for value in event.summary.value
                    if value.HasField("simple_value")
                }
                if values:
                    self._consider(values)

    def update(
        self, checkpoint_path: str | None, eval_result: Metrics | None
    ) -> tuple[str, Metrics | None]:
        """Returns checkpoint and metrics if they are the best so far, else "" and None.

        Raises:
            ValueError: one of them is missing.
        """
        if not checkpoint_path:
            raise ValueError("Checkpoint path is empty.")
        if eval_result is None:
            raise ValueError(f"{checkpoint_path} has empty evaluation results.")
        return (checkpoint_path, eval_result) if self._consider(eval_result) else ("", None)

    def _consider(self, metrics: Metrics) -> bool:
        if is_best := self._best is None or self._is_better(self._best, metrics):
            self._best = metrics
        return is_best


def _has_lower_loss(best: Metrics, candidate: Metrics) -> bool:
    for name, metrics in (("curr_best_eval_result", best), ("cand_eval_result", candidate)):
        if MetricKey.LOSS not in (metrics or {}):
            raise ValueError(f"{name} cannot be empty or no loss is found in it.")
    return bool(best[MetricKey.LOSS] > candidate[MetricKey.LOSS])
