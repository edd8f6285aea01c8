"""The arguments of scikit-learn for an Estimator (``tf.contrib.learn.SKCompat``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.interfaces import joined


class SKCompat:
    """An Estimator that takes arrays instead of input functions."""

    def __init__(self, estimator: Any) -> None:
        """Wraps an Estimator."""
        self._estimator = estimator

    def fit(
        self,
        x: Any,
        y: Any,
        batch_size: int | None = 128,
        steps: int | None = None,
        max_steps: int | None = None,
        monitors: Sequence[Any] | None = None,
    ) -> SKCompat:
        """Trains on shuffled rows, without end unless there are steps.

        Args:
            x: features as an array, or arrays by name.
            y: labels.
            batch_size: rows of a step, None for all.
            steps: how many steps, None for no limit.
            max_steps: the global step to stop at, None for no limit.
            monitors: SessionRunHooks.
        """
        input_fn, feed_fn = self._estimator._of_arrays(x, y, batch_size, shuffle=True, epochs=None)
        hooks = [*([tf.train.FeedFnHook(feed_fn)] if feed_fn else []), *(monitors or ())]
        self._estimator.fit(input_fn=input_fn, steps=steps, max_steps=max_steps, monitors=hooks)
        return self

    def score(
        self,
        x: Any,
        y: Any,
        batch_size: int | None = 128,
        steps: int | None = None,
        metrics: Mapping[Any, Any] | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Evaluates the latest checkpoint with all rows, once.

        Args:
            x: features as an array, or arrays by name.
            y: labels.
            batch_size: rows of a batch, None for all.
            steps: how many batches, None for all.
            metrics: MetricSpecs by name.
            name: the name of the evaluation, for its folder of events.

        Returns:
            The metrics by name.
        """
        input_fn, feed_fn = self._estimator._of_arrays(x, y, batch_size)
        results: dict[str, Any] = self._estimator.evaluate(
            input_fn=input_fn, feed_fn=feed_fn, steps=steps, metrics=metrics, name=name
        )
        return results

    def predict(
        self, x: Any, batch_size: int | None = 128, outputs: Sequence[str] | None = None
    ) -> Any:
        """Returns the predictions for all rows: an array, or arrays by name.

        Args:
            x: features as an array, or arrays by name.
            batch_size: rows of a batch, None for all.
            outputs: which predictions, None for all.
        """
        # Not the Estimator's own method: those of canned models return one of the predictions.
        inputs = self._estimator._of_arrays(x, None, batch_size)
        return joined(list(self._estimator._infer(*inputs, outputs, True, True)))
