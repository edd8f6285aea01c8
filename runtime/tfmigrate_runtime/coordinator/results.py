"""What a training step returns while it may still be running on a worker."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np


class Result(np.lib.mixins.NDArrayOperatorsMixin):
    """A value that a worker is still computing: it is waited for where it is looked at.

    It behaves as the numpy array or scalar that ``Session.run`` would have returned. A program
    that looks at the loss every hundred steps leaves the workers busy in between.
    """

    __hash__ = object.__hash__

    def __init__(self, wait: Callable[[], Any], dtype: Any, shape: Any) -> None:
        """Keeps how to get the value.

        Args:
            wait: returns the value; called once, when the value is first looked at.
            dtype: the value's numpy dtype.
            shape: its static ``tf.TensorShape``.
        """
        self._wait: Callable[[], Any] | None = wait
        self._found: Any = None
        self.dtype = np.dtype(dtype)
        self._rank = shape.rank

    def value(self) -> Any:
        """Waits for the value and returns it."""
        if self._wait is not None:
            self._found = self._wait()
            self._wait = None
        return self._found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.value(), dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        values = [v.value() if isinstance(v, Result) else v for v in inputs]
        return getattr(ufunc, method)(*values, **options)

    def __float__(self) -> float:
        return float(self.value())

    def __int__(self) -> int:
        return int(self.value())

    def __index__(self) -> int:
        return operator.index(self.value())

    def __bool__(self) -> bool:
        return bool(self.value())

    def __len__(self) -> int:
        return len(self.value())

    def __iter__(self) -> Any:
        return iter(self.value())

    def __getitem__(self, key: Any) -> Any:
        return self.value()[key]

    def __format__(self, specification: str) -> str:
        return format(self.value(), specification)

    def __str__(self) -> str:
        return str(self.value())

    def __repr__(self) -> str:
        return repr(self.value())

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.value(), digits)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.value(), name)
