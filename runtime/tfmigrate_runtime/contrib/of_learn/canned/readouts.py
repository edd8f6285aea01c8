"""What contrib.learn's canned models add to an Estimator, which is the next class of theirs."""

from collections.abc import Callable, Mapping
from typing import Any

from tfmigrate_runtime.contrib.of_learn.keys import PredictionKey
from tfmigrate_runtime.contrib.of_learn.metric_spec import MetricSpec


class Canned:
    """A model without its Estimator, that of either runtime.

    Attributes:
        _readout: the method for predictions without outputs; without it, Estimator.predict is.
    """

    _ops: Any  # of the Estimator
    _readout = ""

    def __init__(
        self, model_fn: Any, model_dir: Any, config: Any, params: Any, feature_engineering_fn: Any
    ) -> None:
        super().__init__(  # type: ignore[call-arg]  # of the Estimator
            model_fn, model_dir, config, params, feature_engineering_fn
        )

    def predict(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """Returns classes or scores, or the outputs that are asked for: see Estimator.predict."""
        if self._readout and not outputs:
            return getattr(self, self._readout)(x, input_fn, batch_size, as_iterable)
        return super().predict(  # type: ignore[misc]  # of the Estimator
            x, input_fn, batch_size, outputs, as_iterable, iterate_batches
        )

    def _predicted(
        self, key: str, x: Any, input_fn: Any, batch_size: int | None, as_iterable: bool
    ) -> Any:
        """Returns one of the predictions by itself."""
        predictions = super().predict(  # type: ignore[misc]  # of the Estimator
            x, input_fn, batch_size, [key], as_iterable
        )
        return (row[key] for row in predictions) if as_iterable else predictions[key]


class Classifier(Canned):
    """Predicts classes and their probabilities."""

    _readout = "predict_classes"

    def predict_classes(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns the class of every example, as an iterator or an array."""
        return self._predicted(PredictionKey.CLASSES, x, input_fn, batch_size, as_iterable)

    def predict_proba(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns the probabilities of all classes, as an iterator or an array."""
        return self._predicted(PredictionKey.PROBABILITIES, x, input_fn, batch_size, as_iterable)


class Regressor(Canned):
    """Predicts numbers."""

    _readout = "predict_scores"

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[[], Any] | None = None,
        feed_fn: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Mapping[Any, Any] | None = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
        log_progress: bool = True,
    ) -> Any:
        """Evaluates a checkpoint: see Estimator.evaluate. Metrics by name are of the scores."""
        named: dict[Any, Any] = {}
        for key, metric in (metrics or {}).items():
            whole = isinstance(metric, MetricSpec) or isinstance(key, tuple)
            named[key if whole else (key, PredictionKey.SCORES)] = metric
        positional = (x, y, input_fn, feed_fn, batch_size, steps, named or None, name)
        return super().evaluate(  # type: ignore[misc]  # of the Estimator
            *positional, checkpoint_path, hooks, log_progress
        )

    def predict_scores(
        self,
        x: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """Returns the numbers of every example, as an iterator or an array."""
        return self._predicted(PredictionKey.SCORES, x, input_fn, batch_size, as_iterable)
