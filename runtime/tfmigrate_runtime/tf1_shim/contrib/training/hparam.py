"""``tf.contrib.training.HParams`` (contrib/training/python/training/hparam.py)."""

from __future__ import annotations

import json
import numbers
from typing import Any

from tfmigrate_runtime.legacy.contrib.training.parsed_values import parse_values
from tfmigrate_runtime.training import hparams_proto

__all__ = ["HParams", "parse_values"]


class HParams:
    """Hyperparameters as attributes, each with the type of its first value."""

    _HAS_DYNAMIC_ATTRIBUTES = True

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        """Takes the first values.

        Args:
            hparam_def: an HParamDef that has them, instead of ``kwargs``.
            model_structure: kept as it is.
            **kwargs: first values by name.

        Raises:
            ValueError: both are given, or ``add_hparam`` refuses one.
        """
        # By name: the type of the value, or of the elements of a list, and whether it is a list.
        self._hparam_types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        first = hparams_proto.values(hparam_def) if hparam_def else kwargs
        for name, value in first.items():
            self.add_hparam(name, value)
        if hparam_def and kwargs:
            raise ValueError("hparam_def and initialization values are mutually exclusive")

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds one.

        Raises:
            ValueError: the name is taken, or the value is an empty list.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        is_list = isinstance(value, (list, tuple))
        if is_list and not value:
            raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
        self._hparam_types[name] = (type(value[0] if is_list else value), is_list)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Gives one another value.

        Raises:
            KeyError: there is none of this name.
            ValueError: the value has another type.
        """
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list):
            if not is_list:
                raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
            setattr(self, name, [_cast(name, kind, element) for element in value])
            return
        if is_list:
            raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
        setattr(self, name, _cast(name, kind, value))

    def del_hparam(self, name: str) -> None:
        """Removes one, if it is there."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Takes values from text, "a=1,b=[2,3]"; returns itself.

        Raises:
            ValueError: it cannot be read, or a name is unknown.
        """
        kinds = {name: kind for name, (kind, _) in self._hparam_types.items()}
        return self.override_from_dict(parse_values(values, kinds))

    def parse_json(self, values_json: str) -> HParams:
        """Takes values from a JSON object; returns itself."""
        return self.override_from_dict(json.loads(values_json))

    def override_from_dict(self, values_dict: dict[str, Any]) -> HParams:
        """Takes values by name; returns itself.

        Raises:
            KeyError: a name is unknown.
            ValueError: a value has another type.
        """
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map: dict[str, Any]) -> HParams:
        """Is ``override_from_dict``, by its older name."""
        return self.override_from_dict(values_map)

    def set_model_structure(self, model_structure: Any) -> None:
        """Keeps an object."""
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """Returns the object that was kept."""
        return self._model_structure

    def to_json(
        self, indent: int | None = None, separators: Any = None, sort_keys: bool = False
    ) -> str:
        """Returns all values as a JSON object; the arguments are those of json.dumps."""
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def values(self) -> dict[str, Any]:
        """Returns all values by name."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """Returns a value, or the default where there is none of this name.

        Raises:
            ValueError: the default has another type than the value.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            self._check_default(key, default)
        return getattr(self, key)

    def _check_default(self, key: str, default: Any) -> None:
        kind, is_list = self._hparam_types[key]
        described = f"list<{kind}>" if is_list else str(kind)
        message = f"Hparam '{key}' of type '{described}' is incompatible with default={default}"
        if is_list != isinstance(default, list):
            raise ValueError(message)
        try:
            for element in default if is_list else [default]:
                _cast(key, kind, element)
        except ValueError as error:
            raise ValueError(f"{message}. {error}") from error

    def __contains__(self, key: str) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({sorted(self.values().items())})"

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns an HParamDef.

        Raises:
            ValueError: a value has a type that it has no place for.
        """
        del export_scope
        return hparams_proto.message(self.values(), self._hparam_types)

    @staticmethod
    def from_proto(hparam_def: Any, import_scope: str | None = None) -> HParams:
        """Returns the hyperparameters of an HParamDef."""
        del import_scope
        return HParams(hparam_def=hparam_def)


def _cast(name: str, kind: type, value: Any) -> Any:
    """Returns a value of the type that a hyperparameter has.

    Raises:
        ValueError: it is of another kind: no text for a number, no number for a bool, no float for
            an int, and none of these the other way round but an int for a float.
    """
    if type(value) is kind or issubclass(kind, type(None)):
        return value
    is_bool = isinstance(value, bool)
    fits = (
        (not issubclass(kind, (str, bytes)) or isinstance(value, (str, bytes)))
        and issubclass(kind, bool) == is_bool
        and (not issubclass(kind, numbers.Integral) or isinstance(value, numbers.Integral))
        and (not issubclass(kind, numbers.Number) or isinstance(value, numbers.Number))
    )
    if not fits:
        raise ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")
    cast: Any = kind
    return cast(value)
