"""The arguments of scikit-learn for an Estimator (``tf.contrib.learn.SKCompat``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tfmigrate_runtime.contrib.of_learn.interfaces import joined
from tfmigrate_runtime.learn.array_input import array_input_fn

if TYPE_CHECKING:
    from tfmigrate_runtime.learn.estimator import Estimator


class SKCompat:
    """An Estimator that takes arrays instead of input functions."""

    def __init__(self, estimator: Estimator) -> None:
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
        self._estimator.fit(
            input_fn=array_input_fn(x, y, batch_size, shuffle=True, epochs=None),
            steps=steps,
            max_steps=max_steps,
            monitors=monitors,
        )
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
        return self._estimator.evaluate(
            input_fn=array_input_fn(x, y, batch_size), steps=steps, metrics=metrics, name=name
        )

    def predict(
        self, x: Any, batch_size: int | None = 128, outputs: Sequence[str] | None = None
    ) -> Any:
        """Returns the predictions for all rows: an array, or arrays by name.

        Args:
            x: features as an array, or arrays by name.
            batch_size: rows of a batch, None for all.
            outputs: which predictions, None for all.
        """
        batches = self._estimator.predict(
            input_fn=array_input_fn(x, None, batch_size), outputs=outputs, iterate_batches=True
        )
        return joined(list(batches))
