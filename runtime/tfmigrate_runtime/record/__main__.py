"""Runs a port, observed: ``python -m tfmigrate_runtime.record [--module] SCRIPT [ARGUMENTS]``.

``tfmigrate verify`` starts this file in the port's interpreter, which needs NumPy and the port's
framework, neither TensorFlow nor an installed ``tfmigrate_runtime``.
"""

import sys

if __name__ == "__main__" and "tfmigrate_runtime" not in sys.modules:
    # Started by its path: the package is the one that this file is in, and nothing else that is
    # installed beside it.
    import types
    from pathlib import Path

    del sys.path[:1]
    _package = types.ModuleType("tfmigrate_runtime")
    _package.__path__ = [str(Path(__file__).resolve().parents[1])]
    sys.modules["tfmigrate_runtime"] = _package

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

FAILED = 2


def main() -> int:
    """Runs the program; returns its exit code, 2 where it made no step."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--module", default="", help="run the script as this module")
    parser.add_argument("--scratch", default="", help="the folder that replaces {out}")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    try:
        import numpy  # noqa: F401
    except ImportError:
        sys.stderr.write(f"record: {sys.executable} has no NumPy: install it in that environment\n")
        return FAILED
    from tfmigrate_runtime.record import follower
    from tfmigrate_runtime.record.environment import FOLLOW, OUT
    from tfmigrate_runtime.record.maps import PairingError
    from tfmigrate_runtime.record.original import TraceError
    from tfmigrate_runtime.verify.recorder.program import scripts

    try:
        run = follower.run_from(os.environ.get(FOLLOW), os.environ.get(OUT))
    except (TraceError, PairingError) as error:
        follower.refuse(str(error))
    assert run is not None, f"{OUT} is not set"
    raw_arguments = options.arguments[1:] if options.arguments[:1] == ["--"] else options.arguments
    arguments = [argument.replace("{out}", options.scratch) for argument in raw_arguments]
    if options.scratch:
        Path(options.scratch).mkdir(parents=True, exist_ok=True)
    run.script, run.arguments = options.script, raw_arguments
    _observe_frameworks(run)
    if not scripts.run_program(options.script, arguments, options.module or None):
        return FAILED
    run.write()
    if not run.step_number:
        sys.stderr.write(
            f"record: {options.script} ended without a training step: no optimizer of PyTorch or "
            "Keras made one, and tfmigrate_runtime.record was not called\n"
        )
        return FAILED
    return 0


def _observe_frameworks(run: Any) -> None:
    """Observes the frameworks that the program imports, once it does."""
    from tfmigrate_runtime.record.observe_keras import KerasObserver
    from tfmigrate_runtime.record.observe_torch import TorchObserver

    once_imported("torch", lambda torch: TorchObserver(torch, run).install())
    once_imported("keras", lambda keras: KerasObserver(keras, run).install())


def once_imported(name: str, act: Callable[[Any], None]) -> None:
    """Calls a function with a module when the program has imported it."""
    from tfmigrate_runtime.verify.recorder.program.imports import once_loaded

    class Finder:
        """Finds that module with the finders behind it."""

        def find_spec(self, full: str, path: Any = None, target: Any = None) -> Any:
            if full != name:
                return None
            behind = sys.meta_path[sys.meta_path.index(self) + 1 :]
            specs = (finder.find_spec(full, path, target) for finder in behind)
            return once_loaded(next((spec for spec in specs if spec), None), act)

    sys.meta_path.insert(0, Finder())


if __name__ == "__main__":
    sys.exit(main())
