"""Hyperparameters with names, values and fixed types (``tf.contrib.training.HParams``)."""

from __future__ import annotations

import json
import numbers
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tfmigrate_runtime.training import hparams_proto
from tfmigrate_runtime.training.parse_values import parse_values


class HParams:
    """Hyperparameters, which are attributes of this object.

    A hyperparameter has the type of its first value: int, float, bool, str, or a list of these.
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        """Makes hyperparameters.

        Args:
            hparam_def: an ``HParamDef`` message; then no others are given.
            model_structure: any object, kept for ``get_model_structure``.
            **kwargs: the hyperparameters' first values by name.

        Raises:
            ValueError: a name is one of this class, a list is empty, or hparam_def is given
                together with values.
        """
        self._hparam_types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        if hparam_def and kwargs:
            raise ValueError("hparam_def and initialization values are mutually exclusive")
        for name, value in (hparams_proto.values(hparam_def) if hparam_def else kwargs).items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a hyperparameter.

        Raises:
            ValueError: there is an attribute of this name, or the value is an empty list.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Sets a hyperparameter that exists.

        Raises:
            KeyError: it does not exist.
            ValueError: the value is not of its type.
        """
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list):
            if not is_list:
                raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
            setattr(self, name, [_cast(name, kind, each) for each in value])
            return
        if is_list:
            raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
        setattr(self, name, _cast(name, kind, value))

    def del_hparam(self, name: str) -> None:
        """Removes a hyperparameter; does nothing where there is none."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Sets hyperparameters from text, of which ``parse_values`` says the form.

        Returns:
            This object.

        Raises:
            ValueError: the text cannot be read, or a hyperparameter does not exist.
        """
        kinds = {name: kind for name, (kind, _) in self._hparam_types.items()}
        return self.override_from_dict(parse_values(values, kinds))

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        """Sets hyperparameters.

        Returns:
            This object.

        Raises:
            KeyError: a hyperparameter does not exist.
            ValueError: a value is not of its hyperparameter's type.
        """
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map: Mapping[str, Any]) -> HParams:
        """Does ``override_from_dict``, by its older name."""
        return self.override_from_dict(values_dict=values_map)

    def parse_json(self, values_json: str) -> HParams:
        """Sets hyperparameters from a JSON object.

        Returns:
            This object.

        Raises:
            KeyError: a hyperparameter does not exist.
            ValueError: the text is not JSON, or a value is not of its hyperparameter's type.
        """
        return self.override_from_dict(json.loads(values_json))

    def to_json(
        self,
        indent: int | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        """Returns the hyperparameters as a JSON object.

        Args:
            indent: spaces of an indented form, None for a single line.
            separators: what stands between items, and between a name and its value.
            sort_keys: whether names are sorted.
        """
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def values(self) -> dict[str, Any]:
        """Returns the values by name."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """Returns the value of a hyperparameter, or the default where there is none.

        Raises:
            ValueError: the default is not of the hyperparameter's type.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            self._check_default(key, default)
        return getattr(self, key)

    def set_model_structure(self, model_structure: Any) -> None:
        """Keeps an object for ``get_model_structure``."""
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """Returns the object that was kept."""
        return self._model_structure

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the hyperparameters as an ``HParamDef`` message.

        Args:
            export_scope: not used.

        Raises:
            ValueError: a value is not of one of the types that this class is for.
        """
        return hparams_proto.message(self.values(), self._hparam_types)

    @staticmethod
    def from_proto(hparam_def: Any, import_scope: str | None = None) -> HParams:
        """Returns the hyperparameters of an ``HParamDef`` message."""
        return HParams(hparam_def=hparam_def)

    def __contains__(self, key: str) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({sorted(self.values().items())})"

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def _check_default(self, key: str, default: Any) -> None:
        kind, is_list = self._hparam_types[key]
        described = f"list<{kind}>" if is_list else str(kind)
        message = f"Hparam '{key}' of type '{described}' is incompatible with default={default}"
        if is_list != isinstance(default, list):
            raise ValueError(message)
        try:
            for value in default if is_list else [default]:
                _cast(key, kind, value)
        except ValueError as error:
            raise ValueError(f"{message}. {error}") from error


def _cast(name: str, kind: type, value: Any) -> Any:
    """Returns a value as one of a hyperparameter's type.

    Raises:
        ValueError: only integers become floats, and numbers of one kind those of another kind of
            the same; nothing else is changed.
    """
    # isinstance would take True for an int.
    if type(value) is kind or kind is type(None):
        return value
    text = (str, bytes)
    if (
        (issubclass(kind, text) and not isinstance(value, text))
        or issubclass(kind, bool) != isinstance(value, bool)
        or (issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral))
        or (issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number))
    ):
        raise ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")
    return kind(value)
