"""What loops without ``evaluate`` measure: the results of metrics of Keras.

``meta["native"]["metrics"]`` has ``[global step, name, value, start]`` of each call of ``result``
outside of functions and of ``fit``, ``evaluate`` and ``predict``. What a metric measures began at
the global step ``start``, when it was made or reset: if no step was made since, it is of an
evaluation.
"""

import functools
import weakref
from typing import Any, Callable, Dict, List

MODULE = "keras.src.metrics.metric"
_MOST = 10000


class LoopMetrics:
    """Records the results of metrics."""

    def __init__(self, trace: Any, is_inside: Callable[[], bool]) -> None:
        """Takes where steps are recorded, and what tells whether a model's method is running."""
        self._trace, self._is_inside = trace, is_inside
        self._results: List[List[Any]] = []
        # By metric, the global step at which what it measures began.
        self._starts: Any = weakref.WeakKeyDictionary()

    def observe(self, kind: Any) -> None:
        """Wraps ``result`` of every metric, which each class has of its own."""
        initialize = kind.__init__

        @functools.wraps(initialize)
        def noting(this: Any, *arguments: Any, **options: Any) -> None:
            initialize(this, *arguments, **options)
            self._starts[this] = self._step()
            this.result = self._noting_result(this, this.result)
            for name in ("reset_state", "reset_states"):
                if hasattr(this, name):
                    setattr(this, name, self._noting_reset(this, getattr(this, name)))

        kind.__init__ = noting

    def _noting_result(self, metric: Any, original: Callable[..., Any]) -> Any:
        @functools.wraps(original)
        def result(*arguments: Any, **options: Any) -> Any:
            metric_value = original(*arguments, **options)
            self._add(metric, metric_value)
            return metric_value

        return result

    def _noting_reset(self, metric: Any, original: Callable[..., Any]) -> Any:
        @functools.wraps(original)
        def reset(*arguments: Any, **options: Any) -> Any:
            self._starts[metric] = self._step()
            return original(*arguments, **options)

        return reset

    def _step(self) -> int:
        return self._trace.steps[-1] if self._trace.steps else 0

    def _add(self, metric: Any, result: Any) -> None:
        import numpy as np
        import tensorflow as tf

        if not tf.executing_eagerly() or self._is_inside() or len(self._results) >= _MOST:
            return
        value = np.asarray(result)
        if value.ndim == 0 and value.dtype.kind in "fiu":
            start = self._starts.get(metric, 0)
            self._results.append([self._step(), str(metric.name), float(value), start])

    def meta(self) -> Dict[str, Any]:
        """Returns the entry for ``meta["native"]``."""
        return {"metrics": self._results} if self._results else {}
