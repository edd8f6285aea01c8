"""Constructors and functions of one family take the same arguments, which they pass on."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

_Result = TypeVar("_Result")


def pass_on(to: Callable[..., _Result], arguments: Mapping[str, Any], /, **others: Any) -> _Result:
    """Calls a function with those of its arguments that its caller has, too: its ``locals()``."""
    names = inspect.signature(to).parameters
    return to(**{name: value for name, value in arguments.items() if name in names}, **others)
