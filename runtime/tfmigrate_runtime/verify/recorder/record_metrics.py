"""What loops without ``evaluate`` measure: the results of metrics of Keras.

Part of ``record_native.py``; runs on Python 3.6 or newer, TensorFlow 2 and Keras 3.
``meta["native"]["metrics"]`` has ``[global step, name, value]`` of each call of ``result`` outside
of functions and of ``fit``, ``evaluate`` and ``predict``.
"""

import functools
from typing import Any, Callable, Dict, List

MODULE = "keras.src.metrics.metric"
_MOST = 10000


class LoopMetrics:
    """Records the results of metrics."""

    def __init__(self, trace: Any, is_inside: Callable[[], bool]) -> None:
        """Takes where steps are recorded, and what tells whether a model's method is running."""
        self._trace, self._is_inside = trace, is_inside
        self._results: List[List[Any]] = []

    def observe(self, kind: Any) -> None:
        """Wraps ``result`` of every metric, which each class has of its own."""
        initialize = kind.__init__

        @functools.wraps(initialize)
        def noting(this: Any, *arguments: Any, **options: Any) -> None:
            initialize(this, *arguments, **options)
            this.result = self._noting_result(this, this.result)

        kind.__init__ = noting

    def _noting_result(self, metric: Any, original: Callable[..., Any]) -> Any:
        @functools.wraps(original)
        def result(*arguments: Any, **options: Any) -> Any:
            metric_value = original(*arguments, **options)
            self._add(metric, metric_value)
            return metric_value

        return result

    def _add(self, metric: Any, found: Any) -> None:
        import numpy as np
        import tensorflow as tf

        if not tf.executing_eagerly() or self._is_inside() or len(self._results) >= _MOST:
            return
        value = np.asarray(found)
        if value.ndim == 0 and value.dtype.kind in "fiu":
            step = self._trace.steps[-1] if self._trace.steps else 0
            self._results.append([step, str(metric.name), float(value)])

    def meta(self) -> Dict[str, Any]:
        """Returns the entry for ``meta["native"]``."""
        return {"metrics": self._results} if self._results else {}
