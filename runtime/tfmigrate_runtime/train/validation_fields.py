"""What both runtimes' ValidationMonitors hold (``tf.contrib.learn.monitors.ValidationMonitor``)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any


class ValidationFields:
    """What is evaluated, how often, and what was best.

    Attributes:
        early_stopped: whether it has ended training.
        best_step: the step at which the best metric was found, None before the first evaluation.
        best_value: the best metric.
        best_metrics: all metrics of that evaluation.
    """

    _estimator: Any

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[..., Any] | None = None,
        batch_size: int | None = None,
        eval_steps: int | None = None,
        every_n_steps: int = 100,
        metrics: Any = None,
        hooks: Sequence[Any] | None = None,
        early_stopping_rounds: int | None = None,
        early_stopping_metric: str = "loss",
        early_stopping_metric_minimize: bool = True,
        name: str | None = None,
        check_interval_secs: float | None = 5,
    ) -> None:
        """Plans evaluations.

        Args:
            x: features as an array, for ``learn.Estimator``; else None.
            y: labels as an array, for ``learn.Estimator``; else None.
            input_fn: the input of evaluations.
            batch_size: rows of a batch of x and y.
            eval_steps: batches of an evaluation, None for all.
            every_n_steps: steps between two looks for a new checkpoint.
            metrics: MetricSpecs by name, for ``learn.Estimator``; else None.
            hooks: hooks of the evaluation session.
            early_stopping_rounds: end training when the metric has not been better for so many
                steps, None for never.
            early_stopping_metric: the name of that metric.
            early_stopping_metric_minimize: whether less is better.
            name: the name of the evaluation, for its folder of events.
            check_interval_secs: the least time between two looks, None for any.

        Raises:
            ValueError: there is neither x nor input_fn.
        """
        if x is None and input_fn is None:
            raise ValueError("Either x or input_fn should be provided.")
        self.input_fn, self.eval_steps, self.hooks = input_fn, eval_steps, hooks
        self.name = name
        self.x, self.y, self.batch_size, self.metrics = x, y, batch_size, metrics
        self.early_stopping_rounds = early_stopping_rounds
        self.early_stopping_metric = early_stopping_metric
        self.early_stopping_metric_minimize = early_stopping_metric_minimize
        self.early_stopped = False
        self.best_step: int | None = None
        self.best_value: Any = None
        self.best_metrics: Mapping[str, Any] | None = None
        self._check_interval_secs = check_interval_secs
        self._latest_path: str | None = None
        self._plan(every_n_steps)

    def _plan(self, every_n_steps: int) -> None:
        """Takes the steps between two looks."""
        raise NotImplementedError

    def _evaluated(self) -> dict[str, Any]:
        """Evaluates the Estimator.

        Raises:
            ValueError: it is of tf.estimator, and an argument is for one of contrib.learn.
        """
        of_arrays = {"x": self.x, "y": self.y, "batch_size": self.batch_size}
        of_arrays["metrics"] = self.metrics
        given = {name: value for name, value in of_arrays.items() if value is not None}
        if given and not hasattr(self._estimator, "fit"):
            raise ValueError(
                "tf.estimator.Estimator does not support following arguments: x, y, batch_size, "
                "metrics. Should set as `None` in ValidationMonitor"
            )
        options = {"steps": self.eval_steps, "hooks": self.hooks, "name": self.name, **given}
        results: dict[str, Any] = self._estimator.evaluate(input_fn=self.input_fn, **options)
        return results
