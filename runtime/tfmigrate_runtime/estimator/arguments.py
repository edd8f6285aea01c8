"""Which arguments a function takes that programs bring."""

import inspect
from collections.abc import Callable
from typing import Any


def argument_names(function: Callable[..., Any]) -> set[str]:
    """Returns the names of a function's arguments, without those that a partial has given."""
    bound = getattr(function, "keywords", None) or {}
    return set(inspect.signature(function).parameters) - set(bound)
