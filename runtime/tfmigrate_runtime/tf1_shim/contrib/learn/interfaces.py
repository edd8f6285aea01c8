"""What contrib.learn's Estimators have in common with each other and with scikit-learn."""

from __future__ import annotations

import abc
from typing import Any


class NotFittedError(ValueError, AttributeError):
    """There is no checkpoint yet."""


class Evaluable(abc.ABC):
    """Something with a folder of checkpoints that can be evaluated."""

    @property
    @abc.abstractmethod
    def model_dir(self) -> Any:
        """The folder of checkpoints."""

    @abc.abstractmethod
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        feed_fn: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
    ) -> Any:
        """Returns metrics by name."""


class Trainable(abc.ABC):
    """Something that can be trained."""

    @abc.abstractmethod
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Any = None,
        max_steps: int | None = None,
    ) -> Any:
        """Trains and returns itself."""


class Parameters:
    """Parameters as scikit-learn reads and sets them: the public attributes."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the public attributes that cannot be called, with those of attributes."""
        found: dict[str, Any] = {}
        for name, value in vars(self).items():
            if name.startswith("_") or callable(value):
                continue
            found[name] = value
            if deep and hasattr(value, "get_params"):
                inner = value.get_params().items()
                found.update({f"{name}__{key}": item for key, item in inner})
        return found

    def set_params(self, **params: Any) -> Any:
        """Sets attributes, ``outer__inner`` those of an attribute; returns itself.

        Raises:
            ValueError: there is no such parameter.
        """
        valid = self.get_params(deep=True) if params else {}
        for name, value in params.items():
            outer, *inner = name.split("__", 1)
            if outer not in valid:
                raise ValueError(
                    f"Invalid parameter {outer} for estimator {type(self).__name__}. Check the "
                    "list of available parameters with `estimator.get_params().keys()`."
                )
            if inner:
                valid[outer].set_params(**{inner[0]: value})
            else:
                setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """Returns the class and its parameters."""
        params = self.get_params(deep=False).items()
        return f"{type(self).__name__}({', '.join(f'{name}={value}' for name, value in params)})"
