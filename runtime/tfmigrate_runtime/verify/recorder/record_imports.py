"""Acts on a module once a program has imported it.

Part of ``record.py``; runs on Python 3.6 or newer.
"""

from typing import Any, Callable


def once_loaded(spec: Any, act: Callable[[Any], None]) -> Any:
    """Returns a module's spec with a loader that acts on the module.

    Args:
        spec: what a finder has found, None for nothing.
        act: is given the module once it was executed.
    """
    if spec is None or spec.loader is None:
        return spec
    loader: Any = spec.loader
    original = loader.exec_module

    def exec_module(module: Any) -> None:
        original(module)
        act(module)

    loader.exec_module = exec_module
    return spec
