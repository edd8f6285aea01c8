"""``tfmigrate verify``: passed on to the package that runs programs."""

import importlib
from types import ModuleType

from tfmigrate.commands.runtime import run_with_tensorflow


def main(arguments: list[str]) -> int:
    """Runs ``tfmigrate verify`` with the arguments after it."""
    return run_with_tensorflow("verify", _load, arguments)


def _load() -> ModuleType:
    return importlib.import_module("tfmigrate_runtime.verify.cli")
