"""The migrator's tables of what the runtime's packages offer are true."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from tfmigrate.tables.runtime_api import BETWEEN_GRAPH, COORDINATOR, PACKAGES, TOWERS, Package


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_every_name_of_the_table_is_there_and_no_other(package: Package) -> None:
    if not any(package.modules.values()):  # a function in a module
        parent, _, name = package.target.rpartition(".")
        assert importlib.import_module(parent).__all__ == [name]
        return
    for path, names in package.modules.items():
        module = _module(package, path)
        below = f"{path}." if path else ""
        modules = {
            other.removeprefix(below)
            for other in package.modules
            if other.startswith(below) and other and "." not in other.removeprefix(below)
        }
        own = set(getattr(module, "__all__", ())) or _public_names(module)
        if package.name not in ("layers", "slim"):  # whose names are tf_slim's for the most part
            assert own == names | modules
        for name in names | modules:
            assert hasattr(module, name)
            assert package.offers(below + name)


def _module(package: Package, path: str) -> Any:
    """Returns a module of a package: an attribute of it, or one that has to be imported."""
    module = importlib.import_module(package.target)
    for part in filter(None, path.split(".")):
        if not hasattr(module, part):
            importlib.import_module(f"{module.__name__}.{part}")
        module = getattr(module, part)
    return module


def _public_names(module: Any) -> set[str]:
    return {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    }


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_other_names_are_not_offered(package: Package) -> None:
    assert package.offers("")
    assert not package.offers("nothing")
    for path in filter(None, package.modules):
        assert package.offers(path)
        assert not package.offers(f"{path}.nothing")


@pytest.mark.parametrize(
    "package", [BETWEEN_GRAPH, TOWERS, COORDINATOR], ids=lambda package: package.target
)
def test_what_the_rules_write_is_there(package: Package) -> None:
    module = importlib.import_module(package.target)
    assert package.modules[""] <= set(module.__all__)
