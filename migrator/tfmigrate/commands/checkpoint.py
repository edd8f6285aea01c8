"""``tfmigrate checkpoint``: passed on to the package that runs programs."""

import importlib
from types import ModuleType

from tfmigrate.commands.runtime import run_with_tensorflow


def main(arguments: list[str]) -> int:
    """Runs ``tfmigrate checkpoint`` with the arguments after it."""
    return run_with_tensorflow("checkpoint", _load, arguments)


def _load() -> ModuleType:
    return importlib.import_module("tfmigrate_runtime.checkpoint.cli")
