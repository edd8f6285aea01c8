"""An Estimator of contrib.learn that takes arrays, as scikit-learn's do."""

from __future__ import annotations

from typing import Any

from tfmigrate_runtime.contrib.of_learn.interfaces import joined
from tfmigrate_runtime.tf1_shim.contrib.learn.array_input import FeedFnHook, input_and_feed
from tfmigrate_runtime.tf1_shim.contrib.learn.interfaces import Parameters

_EXAMPLES_IN_A_BATCH = 128


class SKCompat(Parameters):
    """Feeds arrays to an Estimator."""

    def __init__(self, estimator: Any) -> None:
        """Takes the Estimator."""
        self._estimator = estimator

    def fit(
        self,
        x: Any,
        y: Any,
        batch_size: int | None = _EXAMPLES_IN_A_BATCH,
        steps: int | None = None,
        max_steps: int | None = None,
        monitors: list[Any] | None = None,
    ) -> SKCompat:
        """Trains on shuffled examples and returns itself."""
        input_fn, feed_fn = input_and_feed(x, y, None, None, batch_size, shuffle=True, epochs=None)
        hooks = [FeedFnHook(feed_fn), *(monitors or [])]
        self._estimator.fit(input_fn=input_fn, steps=steps, max_steps=max_steps, monitors=hooks)
        return self

    def score(
        self,
        x: Any,
        y: Any,
        batch_size: int | None = _EXAMPLES_IN_A_BATCH,
        steps: int | None = None,
        metrics: dict[str, Any] | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Evaluates examples in their order, all or ``steps`` batches; returns metrics by name.

        Raises:
            ValueError: metrics are no dict.
        """
        input_fn, feed_fn = input_and_feed(x, y, None, None, batch_size)
        results: dict[str, Any] = self._estimator.evaluate(
            input_fn=input_fn, feed_fn=feed_fn, steps=steps, metrics=metrics, name=name
        )
        return results

    def predict(
        self,
        x: Any,
        batch_size: int | None = _EXAMPLES_IN_A_BATCH,
        outputs: list[str] | None = None,
    ) -> Any:
        """Returns the predictions for all examples, one array or a dict of arrays."""
        input_fn, feed_fn = input_and_feed(x, None, None, None, batch_size)
        batches = self._estimator._infer_model(
            input_fn=input_fn, feed_fn=feed_fn, outputs=outputs, iterate_batches=True
        )
        return joined(list(batches))
