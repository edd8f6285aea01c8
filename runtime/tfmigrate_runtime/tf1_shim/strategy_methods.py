"""Methods of strategies in TensorFlow 1.15 that no longer exist, or that forget their result."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.shim_distribute import StrategyBase

# Of tf.distribute.experimental.ParameterServerStrategy in compat.v1: each calls that of its base
# class and returns nothing.
_WITHOUT_RESULT = ("distribute_datasets_from_function", "experimental_distribute_dataset", "run")


def add_methods() -> None:
    """Gives the strategies of this process, those of tf.distribute too, their methods of 1.15."""
    base: Any = StrategyBase
    if not hasattr(base, "experimental_run_v2"):
        base.experimental_run_v2 = experimental_run_v2
    servers: Any = tf.distribute.experimental.ParameterServerStrategy
    for name in _WITHOUT_RESULT:
        if name in vars(servers):
            shared = getattr(tf.distribute.Strategy, name)
            setattr(servers, name, _with_result(vars(servers)[name], shared))


def experimental_run_v2(
    self: Any, fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Any = None
) -> Any:
    """Calls a function once for each replica (tf.distribute.Strategy of TensorFlow 1.15).

    It is ``run`` since TensorFlow 2.2.
    """
    return self.run(fn, args=tuple(args), kwargs=kwargs)


def _with_result(method: Callable[..., Any], shared: Callable[..., Any]) -> Any:
    @functools.wraps(method)
    def returning(self: Any, *arguments: Any, **options: Any) -> Any:
        self._raise_pss_error_if_eager()
        return shared(self, *arguments, **options)

    return returning
