"""The names under which programs import the runtime, whatever folder their modules are in.

Migrated programs have ``from tfmigrate_runtime import estimator``, which is
``tfmigrate_runtime.train.estimator``: one module under two names, and so is every module in it.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import CodeType, ModuleType

# The migrator reads this table from the text of this file.
FOLDERS = {
    "train": (
        "between_graph",
        "coordinator",
        "distribute",
        "estimator",
        "graphs",
        "towers",
    ),
    "contrib": (
        "crf",
        "data",
        "datasets",
        "eager",
        "framework",
        "image",
        "image_ops",
        "layers",
        "learn",
        "legacy_seq2seq",
        "lookup",
        "losses",
        "metrics",
        "mixed_precision",
        "opt",
        "optimizers",
        "predictor",
        "projector",
        "rnn",
        "seq2seq",
        "slim",
        "staging",
        "summary",
        "tfprof",
        "training",
    ),
}
_RENAMED = {"legacy": "tf1_shim"}
_PACKAGE = __name__.rpartition(".")[0]  # a vendored copy has another name
_PLACES = {
    name: f"{folder}.{name}" for folder, names in FOLDERS.items() for name in names
} | _RENAMED


def place_of(name: str) -> str | None:
    """Returns the full name of the module that a public name is; None for other names.

    Args:
        name: a full name, ``tfmigrate_runtime.learn.io``.
    """
    package, _, below = name.partition(f"{_PACKAGE}.")
    first, dot, rest = below.partition(".")
    return None if package or first not in _PLACES else f"{_PACKAGE}.{_PLACES[first]}{dot}{rest}"


class _Alias(InspectLoader):
    """Loads the module of a public name by its own name."""

    def __init__(self, own: ModuleSpec) -> None:
        self._own = own

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Returns the module itself."""
        module = importlib.import_module(self._own.name)
        self._own = module.__spec__ or self._own
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Gives the module its own spec back, which the import of the public name replaced."""
        replaced, module.__spec__ = module.__spec__, self._own
        assert replaced is not None
        # Else an import of estimator.train_and_evaluate would hide the function of that name.
        below = f"{self._own.name}."
        for name in [name for name in sys.modules if name.startswith(below)]:
            sys.modules.setdefault(f"{replaced.name}.{name[len(below) :]}", sys.modules[name])

    def get_code(self, fullname: str) -> CodeType | None:
        """Returns the code of the module, for ``python -m``."""
        loader = self._own.loader
        return loader.get_code(self._own.name) if isinstance(loader, InspectLoader) else None

    def get_source(self, fullname: str) -> str | None:
        """Returns the source of the module."""
        loader = self._own.loader
        return loader.get_source(self._own.name) if isinstance(loader, InspectLoader) else None


class _Finder(MetaPathFinder):
    """Finds public names; it has to come first, as the folder of a module is found under both."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns the spec of a public name whose module is there."""
        name = place_of(fullname)
        own = name and _found(name)
        if not own:
            return None
        folders = own.submodule_search_locations
        spec = ModuleSpec(fullname, _Alias(own), origin=own.origin, is_package=folders is not None)
        if folders is not None:
            spec.submodule_search_locations = list(folders)
        return spec


def _found(name: str) -> ModuleSpec | None:
    """Returns the spec of a module; a vendored copy may lack its folder too."""
    try:
        return find_spec(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            return None
        raise


_FINDER = _Finder()


def install() -> None:
    """Lets programs import the public names."""
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
