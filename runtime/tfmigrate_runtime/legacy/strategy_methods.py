"""Methods that strategies had in TensorFlow 1.15 and have no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorflow.python.distribute import distribute_lib


def add_methods() -> None:
    """Gives the strategies of this process, those of tf.distribute too, their methods of 1.15."""
    base: Any = distribute_lib.StrategyBase
    if not hasattr(base, "experimental_run_v2"):
        base.experimental_run_v2 = experimental_run_v2


def experimental_run_v2(
    self: Any, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
) -> Any:
    """Calls a function once for each replica (tf.distribute.Strategy of TensorFlow 1.15).

    It is ``run`` since TensorFlow 2.2. That of ParameterServerStrategy returns nothing, so the one
    that all strategies share is called.
    """
    return distribute_lib.StrategyBase.run(self, fn, args=tuple(args), kwargs=kwargs)
