"""The places that public modules had up to version 0.2: pickles have these names.

``tfmigrate_runtime.estimator`` was ``tfmigrate_runtime.train.estimator`` then, found under its
public name by an import hook. Type checkers and editors do not run hooks, so modules are where
programs import them now, and the hook is for the old places.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from types import ModuleType

_PACKAGE = __name__.rpartition(".")[0]  # a vendored copy has another name
_OLD = (f"{_PACKAGE}.train.", f"{_PACKAGE}.contrib.")


class _AtNewPlace(Loader):
    """Loads a module by the name that it has now."""

    def __init__(self, own: ModuleSpec) -> None:
        self._own = own

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Returns the module itself."""
        module = importlib.import_module(self._own.name)
        self._own = module.__spec__ or self._own
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Gives the module its own spec back, which the import of the old name replaced."""
        replaced, module.__spec__ = module.__spec__, self._own
        assert replaced is not None
        # Else an import of estimator.train_and_evaluate would hide the function of that name.
        below = f"{self._own.name}."
        for name in [name for name in sys.modules if name.startswith(below)]:
            sys.modules.setdefault(f"{replaced.name}.{name[len(below) :]}", sys.modules[name])


class _Finder(MetaPathFinder):
    """Finds old names; it has to come first, as a module's folder has files under both names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns the spec of a module that was below train/ or contrib/ and is one level up."""
        old = next((each for each in _OLD if fullname.startswith(each)), None)
        if old is None:
            return None
        above = fullname.rpartition(".")[0]
        if sys.modules[above].__name__ == above and PathFinder.find_spec(fullname, path):
            return None  # it is there still
        try:
            own = find_spec(f"{_PACKAGE}.{fullname.removeprefix(old)}")
        except ModuleNotFoundError:
            return None
        return own and ModuleSpec(fullname, _AtNewPlace(own), origin=own.origin)


_FINDER = _Finder()


def install() -> None:
    """Lets programs import modules by their old names."""
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
