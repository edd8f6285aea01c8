"""The current locations of names of ``tensorflow.python``.

``data/moved_names.txt`` says it, as scripts/tables/list_moved_names.py has compared TensorFlow 1.15
with those that are supported. A module that still exists gets the names that it had more of; one
that is gone is rebuilt from the places to which its names were moved.
"""

import importlib
from functools import cache
from importlib import resources
from types import ModuleType
from typing import Any

from tfmigrate_runtime.tf1_shim.not_emulated import EmulatedModule, not_emulated

_OWN = "tfmigrate_runtime.tf1_shim.modules"
_DATA = "tfmigrate_runtime.data"
# Names that were given another name, and what was small enough to be written again.
_RENAMED = {
    "python.data.experimental.ops.threadpool": {
        name: f"{_DATA}:{name}" for name in ("PrivateThreadPool", "override_threadpool")
    },
    "python.framework.op_def_registry": {
        "get_registered_ops": f"{_OWN}.framework_names:get_registered_ops"
    },
    "python.framework.tensor_shape": {
        name: f"{_OWN}.framework_names:{name}" for name in ("matrix", "scalar", "vector")
    },
    "python.util.nest": {"is_sequence": "python.util.nest:is_nested"},
}
# Names of modules that are there, whose meaning depends on how TensorFlow began its process:
# the only one of 1.15 that programs import (device.py; Keras' own modules are not replaced).
_OF_VERSION_1 = {"python.framework.device": {"DeviceSpec": "compat.v1:DeviceSpec"}}
_V1 = "compat.v1"


@cache
def places() -> dict[str, dict[str, str]]:
    """Returns "module:name" of today by module of TensorFlow 1.15 (below tensorflow) and name."""
    data = resources.files("tfmigrate_runtime.tf1_shim").joinpath("data/moved_names.txt")
    by_module: dict[str, dict[str, str]] = {}
    names: dict[str, str] = {}
    for line in data.read_text("utf-8").splitlines():
        if line.startswith("  "):
            name, place = line.split()
            names[name] = place
        elif not line.startswith("#"):
            names = by_module.setdefault(line, {})
    for module, renamed in (*_RENAMED.items(), *_OF_VERSION_1.items()):
        by_module.setdefault(module, {}).update(renamed)
    return by_module


def had_submodule(module: str, name: str) -> bool:
    """Returns whether a package of TensorFlow 1.15 had a module that it may no longer have."""
    return f"{module}.{name}" in places()


def moved(module: str, name: str) -> Any:
    """Returns what ``tensorflow.<module>.<name>`` was in TensorFlow 1.15 from its place today.

    Raises:
        AttributeError: the table does not know where it is.
    """
    if (place := places().get(module, {}).get(name)) is None:
        if had_submodule(module, name):
            return importlib.import_module(f"tensorflow.{module}.{name}")
        raise AttributeError(f"module 'tensorflow.{module}' has no attribute {name!r}")
    return _at(place)


def _at(place: str) -> Any:
    """Returns what is at "module:name"."""
    source, _, path = place.partition(":")
    if source == _V1:
        target: Any = importlib.import_module("tensorflow").compat.v1
    else:
        target = importlib.import_module(
            source if source.startswith((_OWN, _DATA)) else f"tensorflow.{source}"
        )
    for part in path.split("."):
        target = getattr(target, part)
    return target


def amend(module: ModuleType, below: str) -> None:
    """Gives a module of today the names that ``tensorflow.<below>`` had more of.

    They are looked up when they are asked for. Names with two meanings get that of version 1.
    """
    for changed, place in _OF_VERSION_1.get(below, {}).items():
        setattr(module, changed, _at(place))
    own = module.__dict__.get("__getattr__")

    def __getattr__(name: str) -> Any:  # noqa: N807 - PEP 562
        if own is not None:
            try:
                return own(name)
            except AttributeError:
                pass  # the module's own way does not know it: where 1.15 had it counts
        return moved(below, name)

    module.__dict__["__getattr__"] = __getattr__


class GoneModule(EmulatedModule):
    """A module of TensorFlow 1.15 that TensorFlow no longer has."""

    def __getattr__(self, name: str) -> Any:
        """Returns a name from its place today.

        Raises:
            AttributeError: it has none.
        """
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        try:
            attribute = moved(self._below, name)
        except AttributeError:
            raise not_emulated(f"{self.__name__}.{name}") from None
        setattr(self, name, attribute)
        return attribute

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *places().get(self._below, {})})
