"""How contrib.learn's canned Estimators are asked for predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tfmigrate_runtime.contrib.of_learn.keys import PredictionKey
from tfmigrate_runtime.contrib.of_learn.metric_spec import MetricSpec
from tfmigrate_runtime.learn.estimator import Estimator


class _Readout(Estimator):
    """An Estimator one of whose predictions is returned by itself."""

    def _one(
        self, key: str, x: Any, input_fn: Any, batch_size: int | None, as_iterable: bool
    ) -> Any:
        if as_iterable:
            return _values(super().predict(x, input_fn, batch_size, [key]), key)
        if x is None:
            return super().predict(None, input_fn, batch_size, [key], False)[key]
        batches = super().predict(x, None, batch_size, [key], iterate_batches=True)
        return np.concatenate([batch[key] for batch in batches])


class Classifier(_Readout):
    """An Estimator that predicts classes."""

    def predict(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Returns classes, or the outputs that are asked for: see Estimator.predict."""
        if not outputs:
            return self.predict_classes(x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)

    def predict_classes(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns the class of every example, as an iterator or an array."""
        return self._one(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns the probabilities of all classes, as an iterator or an array."""
        return self._one(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)


class Regressor(_Readout):
    """An Estimator that predicts numbers."""

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        feed_fn: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Mapping[Any, Any] | None = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
        log_progress: bool = True,
    ) -> dict[str, Any]:
        """Evaluates a checkpoint: see Estimator.evaluate. Metrics by name are of the scores."""
        named: dict[Any, Any] = {}
        for key, metric in (metrics or {}).items():
            whole = isinstance(metric, MetricSpec) or isinstance(key, tuple)
            named[key if whole else (key, PredictionKey.SCORES)] = metric
        return super().evaluate(
            x,
            y,
            input_fn,
            feed_fn,
            batch_size,
            steps,
            named or None,
            name,
            checkpoint_path,
            hooks,
            log_progress,
        )

    def predict(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Returns scores, or the outputs that are asked for: see Estimator.predict."""
        if not outputs:
            return self.predict_scores(x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)

    def predict_scores(
        self,
        x: Any = None,
        input_fn: Any = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns the numbers of every example, as an iterator or an array."""
        return self._one(PredictionKey.SCORES, x, input_fn, batch_size, as_iterable)


def _values(predictions: Any, key: str) -> Iterator[Any]:
    return (prediction[key] for prediction in predictions)
