"""What contrib.learn's Estimators have in common with each other and with scikit-learn."""

from typing import Any


class Parameters:
    """Parameters as scikit-learn reads and sets them: the public attributes."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the public attributes that cannot be called, with those of attributes."""
        parameters: dict[str, Any] = {}
        for name, value in vars(self).items():
            if name.startswith("_") or callable(value):
                continue
            parameters[name] = value
            if deep and hasattr(value, "get_params"):
                inner = value.get_params().items()
                parameters.update({f"{name}__{key}": item for key, item in inner})
        return parameters

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
