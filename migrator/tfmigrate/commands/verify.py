"""``tfmigrate verify``: passed on to the package that runs programs."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable

from tfmigrate.commands.arguments import FAILED, complain


def main(arguments: list[str]) -> int:
    """Runs ``tfmigrate verify`` with the arguments after it."""
    needed = ("tfmigrate_runtime", "numpy", "tensorflow")
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        complain("tfmigrate verify needs TensorFlow; run: pip install 'tfmigrate[runtime]'")
        return FAILED
    # The only place where the migrator imports the runtime.
    hand_over: Callable[[list[str]], int] = importlib.import_module(
        "tfmigrate_runtime.verify.cli"
    ).main
    return hand_over(arguments)
