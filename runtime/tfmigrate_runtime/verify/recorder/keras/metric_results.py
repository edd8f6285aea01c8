"""What loops without ``evaluate`` measure: the results of metrics of Keras.

``meta["native"]["metrics"]`` has ``[global step, name, value, start]`` of each call of ``result``
outside of functions and of ``fit``, ``evaluate`` and ``predict``. What a metric measures began at
the global step ``start``, when it was made or reset: if no step was made since, it is of an
evaluation.
"""

import functools
import weakref
from typing import Any, Callable, Dict, List

import numpy as np

from ..program import wrapping

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
        wrapping.on_creation(kind, self._follow)

    def _follow(self, metric: Any) -> None:
        self._begin(metric)
        wrapping.after(metric, "result", functools.partial(self._add, metric))
        for name in ("reset_state", "reset_states"):
            if hasattr(metric, name):
                wrapping.before(metric, name, functools.partial(self._begin, metric))

    def _begin(self, metric: Any, *_arguments: Any, **_options: Any) -> None:
        self._starts[metric] = self._step()

    def _step(self) -> int:
        return self._trace.steps[-1] if self._trace.steps else 0

    def _add(self, metric: Any, result: Any, *_arguments: Any, **_options: Any) -> None:
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
