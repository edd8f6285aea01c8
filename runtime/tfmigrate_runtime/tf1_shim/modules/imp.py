"""Replaces ``imp``, which Python 3.12 removed, with the functions that programs use."""

import importlib.machinery
import importlib.util
import sys
import types
from importlib import reload

__all__ = ["load_source", "new_module", "reload"]


def load_source(name: str, pathname: str) -> types.ModuleType:
    """Runs a file as the module ``name`` and returns it.

    Raises:
        FileNotFoundError: there is no such file.
    """
    loader = importlib.machinery.SourceFileLoader(name, pathname)
    if (spec := importlib.util.spec_from_loader(name, loader)) is None:
        raise ImportError(f"{pathname} cannot be loaded", name=name)
    module = sys.modules.setdefault(name, importlib.util.module_from_spec(spec))
    loader.exec_module(module)
    return module


def new_module(name: str) -> types.ModuleType:
    """Returns an empty module, which is not in ``sys.modules``."""
    return types.ModuleType(name)
