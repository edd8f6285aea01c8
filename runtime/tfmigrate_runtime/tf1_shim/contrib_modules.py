"""The modules of tf.contrib and their names.

A package's public names are those of ``<package>`` in ``data/contrib_names.txt``, or of the module
``tf1_shim.contrib.<package>``. A module deep in a package
(``tensorflow.contrib.learn.python.learn.estimators.run_config``) has the names of the
emulated module whose path ends the same, without "python" and what the path repeats
(``tf1_shim.contrib.learn.run_config``), then those of the whole package: who imports from such a
path asks for something that was defined there.
"""

import importlib
from functools import cache
from importlib import resources
from types import ModuleType
from typing import Any

from tfmigrate_runtime.tf1_shim.listed_names import emulated, imported
from tfmigrate_runtime.tf1_shim.not_emulated import EmulatedModule, not_emulated


@cache
def _lines() -> frozenset[str]:
    data = resources.files("tfmigrate_runtime.tf1_shim").joinpath("data/contrib_modules.txt")
    lines = data.read_text("utf-8").splitlines()
    return frozenset(line for line in lines if not line.startswith("#"))


@cache
def _modules() -> frozenset[str]:
    return frozenset(line.removesuffix("/") for line in _lines())


def existed(below: str) -> bool:
    """Returns whether TensorFlow 1.x had ``tensorflow.contrib.<below>`` ("": tf.contrib)."""
    return not below or below in _modules()


class ContribModule(EmulatedModule):
    """One module of tf.contrib, as far as it is emulated."""

    def __getattr__(self, name: str) -> Any:
        """Returns a name that the module had in TensorFlow 1.x.

        Raises:
            AttributeError: it had none, or one that is not emulated.
        """
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        below = f"{self._below}.{name}" if self._below else name
        matches = _found(self._below, name)
        if existed(below) and (not matches or isinstance(matches[0], ModuleType)):
            return importlib.import_module(f"tensorflow.contrib.{below}")
        if not matches:
            raise not_emulated(f"tf.contrib.{below}")
        setattr(self, name, matches[0])
        return matches[0]

    def __setattr__(self, name: str, value: Any) -> None:
        """Keeps a function under its name when Python sets the module of the same name.

        ``framework.python.ops.arg_scope`` is a module that can be imported from, and the function.
        """
        if isinstance(value, ContribModule):
            matches = _found(self._below, name)
            if matches and not isinstance(matches[0], ModuleType):
                value = matches[0]
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        names = {name for source in _sources(self._below) for name in _public_names(source)}
        return sorted({*vars(self), *names})


def _found(below: str, name: str) -> list[Any]:
    """Returns what a name of ``tensorflow.contrib.<below>`` is, in a list; [] for nothing."""
    matches = [getattr(source, name) for source in _sources(below) if hasattr(source, name)][:1]
    if matches and not isinstance(matches[0], ModuleType) and existed(f"{below}.{name}"):
        # A function by the name of its module: replicate_model_fn, where there were only modules.
        return [] if f"{below}/" in _lines() else matches
    return matches


def _public_names(source: ModuleType) -> list[str]:
    return list(getattr(source, "__all__", None) or dir(source))


@cache
def _sources(below: str) -> tuple[ModuleType, ...]:
    """Returns the emulated modules that have the names of a module, the closest first."""
    package, *submodules = below.split(".")
    # First the package itself: it lets what its modules are made of work on this TensorFlow.
    if not below or (whole := emulated(package)) is None:
        return ()
    # learn.python.learn.estimators.run_config -> estimators.run_config, then run_config
    inner = submodules[2:] if submodules[:2] == ["python", package] else submodules
    endings = [".".join(inner[start:]) for start in range(len(inner))]
    roots = getattr(whole, "roots", ())
    modules = [
        module
        for ending in endings
        for module in (emulated(f"{package}.{ending}"), *(imported(f"{r}.{ending}") for r in roots))
    ]
    return (*(module for module in modules if module is not None), whole)
