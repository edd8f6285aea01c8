"""Constructors and functions of one family take the same arguments, which they pass on."""

import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, TypeVar

_Result = TypeVar("_Result")
_Tuple = TypeVar("_Tuple", bound=tuple[Any, ...])
_Function = TypeVar("_Function", bound=Callable[..., Any])


def argument_names(function: Callable[..., Any]) -> set[str]:
    """Returns the names of a function's arguments, without those that a partial has given."""
    bound = getattr(function, "keywords", None) or {}
    return set(inspect.signature(function).parameters) - set(bound)


def pass_on(to: Callable[..., _Result], arguments: Mapping[str, Any], /, **others: Any) -> _Result:
    """Calls a function with those of its arguments that its caller has, too: its ``locals()``."""
    names = argument_names(to)
    return to(**{name: value for name, value in arguments.items() if name in names}, **others)


def with_fields(kind: type[_Tuple], arguments: Mapping[str, Any]) -> _Tuple:
    """Returns a named tuple, from the ``locals()`` of its class's ``__new__``."""
    return tuple.__new__(kind, [arguments[name] for name in kind._fields])  # type: ignore[attr-defined]


def with_defaults(function: _Function, **defaults: Any) -> _Function:
    """Returns a function that is another but for some defaults."""
    assert isinstance(function, FunctionType)
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    values = function.__defaults__ or ()
    optional = zip(names[len(names) - len(values) :], values, strict=True)
    changed = tuple(defaults.get(name, value) for name, value in optional)
    copy = FunctionType(
        function.__code__, function.__globals__, None, changed, function.__closure__
    )
    copy.__doc__, copy.__annotations__ = function.__doc__, function.__annotations__
    return copy  # type: ignore[return-value]
