"""tfmigrate-run: runs an original TensorFlow 1.x program on current TensorFlow."""

import argparse
import runpy
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from tfmigrate_runtime.supported import UnsupportedTensorFlowError
from tfmigrate_runtime.tf1_shim import devices
from tfmigrate_runtime.tf1_shim.install import LegacyRuntimeError, prepare, serve

USAGE_ERROR = 2
_NOT_STARTED = (
    LegacyRuntimeError, ModuleNotFoundError, UnsupportedTensorFlowError, devices.DevicesError,
)  # fmt: skip
_OWN_FILES = (__file__, runpy.__file__, "<frozen runpy>")


def argument_parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="tfmigrate-run",
        usage="tfmigrate-run [options] (SCRIPT | -m MODULE) [ARGUMENTS...]",
        description="Runs an unmodified TensorFlow 1.x program on the installed TensorFlow 2. The "
        "program is executed, as by python SCRIPT ARGUMENTS.",
        epilog="The exit code is that of the program, or 2 if it could not be started.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "-m", dest="is_module", action="store_true", help="run a module, as python -m does"
    )
    parser.add_argument(
        "--devices",
        metavar="DEVICES",
        help=f"devices that the program sees as GPUs: {devices.HELP}",
    )
    parser.add_argument("script", metavar="SCRIPT", help="the program")
    parser.add_argument(
        "arguments", metavar="ARGUMENTS", nargs=argparse.REMAINDER, help="its arguments"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a program; returns 0 if it ended normally, 1 if it raised, 2 for wrong usage.

    Raises:
        SystemExit: the program's own, and argparse's.
    """
    options = argument_parser().parse_args(arguments)
    if not options.is_module and not Path(options.script).is_file():
        return _refuse(f"{options.script}: no such file")
    try:
        _become_tensorflow_1(options.devices)
    except _NOT_STARTED as error:
        return _refuse(str(error))
    sys.argv = [options.script, *options.arguments]
    try:
        if options.is_module:
            sys.path.insert(0, str(Path.cwd()))
            runpy.run_module(options.script, run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, str(Path(options.script).resolve().parent))
            runpy.run_path(options.script, run_name="__main__")
    except SyntaxError as error:
        traceback.print_exception(type(error), error, None)
        if error.filename and Path(error.filename).suffix == ".py":
            print(f"tfmigrate-run: this may be Python 2; {_PYTHON_2}", file=sys.stderr)
        return 1
    except Exception as error:
        traceback.print_exception(type(error), error, _of_program(error.__traceback__))
        return 1
    return 0


def _become_tensorflow_1(choice: str | None) -> None:
    """Prepares the TensorFlow and the devices that the program expects.

    Raises:
        LegacyRuntimeError, ModuleNotFoundError: as ``install.prepare``.
        DevicesError: the devices are not available.
    """
    chosen = devices.chosen(choice) if choice else None
    devices.install(chosen, prepare())
    serve()


_PYTHON_2 = "`tfmigrate --py2 PATH` converts such files to Python 3"


def _of_program(frames: TracebackType | None) -> TracebackType | None:
    """Leaves out the frames of this file and of runpy, which come first."""
    while frames is not None and frames.tb_frame.f_code.co_filename in _OWN_FILES:
        frames = frames.tb_next
    return frames


def _refuse(reason: str) -> int:
    print(f"tfmigrate-run: {reason}", file=sys.stderr)
    return USAGE_ERROR
