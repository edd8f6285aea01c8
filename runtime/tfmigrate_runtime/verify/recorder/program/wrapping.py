"""Methods and functions of TensorFlow, and of other packages, that the recorder replaces."""

import contextlib
import functools
import inspect
from typing import Any, Callable, Iterator


def wrap(owner: Any, name: str, by: Callable[..., Any]) -> None:
    """Replaces a method, or a function of a module.

    Args:
        owner: the class or the module.
        name: of what is replaced.
        by: is called instead, with what was replaced and then the arguments of the call.
    """
    original = getattr(owner, name)

    @functools.wraps(original)
    def call(*arguments: Any, **options: Any) -> Any:
        return by(original, *arguments, **options)

    setattr(owner, name, call)


def before(owner: Any, name: str, act: Callable[..., Any]) -> None:
    """Has a function called before each call, with its arguments."""

    def by(original: Any, *arguments: Any, **options: Any) -> Any:
        act(*arguments, **options)
        return original(*arguments, **options)

    wrap(owner, name, by)


def after(owner: Any, name: str, act: Callable[..., Any]) -> None:
    """Has a function called after each call, with what that returned and its arguments."""

    def by(original: Any, *arguments: Any, **options: Any) -> Any:
        result = original(*arguments, **options)
        act(result, *arguments, **options)
        return result

    wrap(owner, name, by)


def on_creation(kind: Any, act: Callable[[Any], Any]) -> None:
    """Has a function called with each new object of a class, once it is initialized."""
    after(kind, "__init__", lambda _, this, *__, **___: act(this))


def change_arguments(owner: Any, name: str, change: Callable[[Any], Any]) -> None:
    """Has a function change the arguments of each call, which it is given by their names."""
    signature = inspect.signature(getattr(owner, name))

    def by(original: Any, *arguments: Any, **options: Any) -> Any:
        bound = signature.bind(*arguments, **options)
        change(bound.arguments)
        return original(*bound.args, **bound.kwargs)

    wrap(owner, name, by)


@contextlib.contextmanager
def setting(owner: Any, name: str, value: Any = True) -> Iterator[None]:
    """Gives an attribute another value within a ``with``; one that is missing is None after it."""
    before = getattr(owner, name, None)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


class With:
    """A module, or a part of one, with another attribute."""

    def __init__(self, module: Any, name: str, value: Any) -> None:
        self._module = module
        setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def with_random(module: Any, name: str, function: Callable[..., Any]) -> With:
    """Returns a module with another function in its ``random``."""
    return With(module, "random", With(module.random, name, function))
