"""Acts on a module once a program has imported it."""

import sys
from typing import Any, Callable, Sequence, cast


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


class _Finder:
    """Finds modules as all other finders do, with loaders that act on them."""

    def __init__(self, names: Sequence[str], act: Callable[[Any], None]) -> None:
        self._names, self._act = names, act

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in self._names:
            return None
        others = (getattr(finder, "find_spec", None) for finder in sys.meta_path)
        specs = (find(name, path, target) for find in others if find and find != self.find_spec)
        return once_loaded(next((spec for spec in specs if spec is not None), None), self._act)


def when_loaded(names: Sequence[str], act: Callable[[Any], None]) -> None:
    """Acts on modules that are loaded, and on others once they are."""
    for name in names:
        if name in sys.modules:
            act(sys.modules[name])
    sys.meta_path.insert(0, cast(Any, _Finder(names, act)))
