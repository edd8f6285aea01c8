"""What commands share that are passed on to the package that runs programs."""

import importlib.util
from collections.abc import Callable
from types import ModuleType

from tfmigrate.commands.arguments import FAILED, complain


def run_with_tensorflow(command: str, load: Callable[[], ModuleType], arguments: list[str]) -> int:
    """Runs a command of the runtime, where that is installed.

    Args:
        command: its name.
        load: imports the module with its ``main``.
        arguments: those after the command.
    """
    names = {"tfmigrate_runtime": "TensorFlow", "numpy": "TensorFlow", "tensorflow": "TensorFlow"}
    names["psutil"] = "psutil"
    missing = [shown for name, shown in names.items() if importlib.util.find_spec(name) is None]
    if missing:
        complain(f"tfmigrate {command} needs {missing[0]}; run: pip install 'tfmigrate[runtime]'")
        return FAILED
    code: int = load().main(arguments)
    return code
