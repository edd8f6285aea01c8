"""Packages of TensorFlow 1.x that packages of the runtime replace."""

from __future__ import annotations

import importlib
import pkgutil

from tfmigrate.tables import runtime_packages
from tfmigrate.tables.package import Package
from tfmigrate.tables.runtime_packages.between_graph import PACKAGE as BETWEEN_GRAPH
from tfmigrate.tables.runtime_packages.coordinator import PACKAGE as COORDINATOR
from tfmigrate.tables.runtime_packages.distribute import PACKAGE as DISTRIBUTE
from tfmigrate.tables.runtime_packages.estimator import PACKAGE as ESTIMATOR
from tfmigrate.tables.runtime_packages.layers import PACKAGE as LAYERS
from tfmigrate.tables.runtime_packages.learn import PACKAGE as LEARN
from tfmigrate.tables.runtime_packages.mnist import PACKAGE as MNIST
from tfmigrate.tables.runtime_packages.towers import PACKAGE as TOWERS
from tfmigrate.tables.runtime_packages.training import PACKAGE as TRAINING

__all__ = [
    "BETWEEN_GRAPH",
    "COORDINATOR",
    "DISTRIBUTE",
    "ESTIMATOR",
    "LAYERS",
    "LEARN",
    "MNIST",
    "PACKAGES",
    "TOWERS",
    "TRAINING",
    "Package",
    "is_offered",
    "replaced",
]


def _all() -> tuple[Package, ...]:
    """Returns every package that replaces one of TensorFlow 1.x."""
    modules = [
        importlib.import_module(f"{runtime_packages.__name__}.{info.name}")
        for info in pkgutil.iter_modules(runtime_packages.__path__)
    ]
    packages: list[Package] = [module.PACKAGE for module in modules]
    return tuple(package for package in packages if package.source)


PACKAGES = _all()


def is_offered(qualified: str) -> bool:
    """Returns whether a package of the runtime has a name of TensorFlow 1.x."""
    return any(package.offers_qualified(qualified) for package in PACKAGES)


def replaced(qualified: str) -> str:
    """Returns the name of TensorFlow 1.x that one of the runtime replaces, or the name itself."""
    for package in PACKAGES:
        if qualified == package.target or qualified.startswith(f"{package.target}."):
            name = qualified.removeprefix(package.target).lstrip(".")
            if package.offers(name):
                return f"{package.source}.{name}".rstrip(".")
    return qualified
