"""The program that is recorded: its files, and how it is started."""

import hashlib
import os
import runpy
import sys
import tempfile
import traceback
from typing import Any, Dict, List, Optional

from ... import shared
from . import run_names, sets

_LIBRARIES = (
    "tensorflow",
    "tensorflow_estimator",
    "tf_keras",
    "keras",
    "tf_slim",  # tf.contrib.slim, whose learning.train runs sessions
    "tfmigrate_runtime",
)
_VENDORED = "tfmigrate_vendored"


def is_library(package: str) -> bool:
    """Whether a package is TensorFlow, or takes its place."""
    return package in _LIBRARIES or package.startswith((_VENDORED, "tfmigrate_record"))


def place_of(path: Any, scratch: Optional[str]) -> str:
    """Returns a path as it is in every run: below or beside ``{out}``, or below the current folder.

    It is without what is another in every run.

    Args:
        path: a path, as text or bytes.
        scratch: the folder that replaces ``{out}``.
    """
    text = os.path.realpath(path.decode() if isinstance(path, bytes) else str(path))
    for base in (scratch, os.getcwd()):
        relative = os.path.relpath(text, os.path.realpath(base)) if base else os.pardir
        if not relative.startswith(os.pardir):
            return "/".join(map(run_names.lasting, relative.split(os.sep)))
    if text.startswith(os.path.realpath(tempfile.gettempdir()) + os.sep):
        return "a temporary folder"
    beside = os.path.dirname(os.path.realpath(scratch)) if scratch else ""
    if beside and (text + os.sep).startswith(beside + os.sep):  # as of --logdir={out}, + "_eval"
        text = os.path.relpath(text, os.path.realpath(str(scratch)))
    return "/".join(map(run_names.lasting, text.split(os.sep)))


def sources_of(script: str) -> Dict[str, str]:
    """Returns the SHA-256 of the script and of the modules it loaded from its folder."""
    folder = os.path.dirname(os.path.abspath(script))
    digests = {}
    for path in filter(os.path.isfile, paths_of(script)):  # a module may be removed again
        with open(path, "rb") as stream:
            digest = hashlib.sha256(stream.read()).hexdigest()
        digests[os.path.relpath(path, folder).replace(os.sep, "/")] = digest
    return digests


def paths_of(script: str) -> List[str]:
    """Returns the paths of the script and of the modules it loaded from its folder."""
    folder = os.path.dirname(os.path.abspath(script))
    paths = {os.path.abspath(script)}
    for module in list(sys.modules.values()):
        # Not by getattr: modules that load on use would, and stand-ins have anything as their file.
        file = getattr(module, "__dict__", {}).get("__file__")
        path = os.path.abspath(file if isinstance(file, str) else os.devnull)
        if path.startswith(folder + os.sep) and path.endswith(".py"):
            paths.add(path)
    paths.discard(os.path.abspath(__file__))
    return sorted(paths)


def run_program(script: str, arguments: List[str], module: Optional[str] = None) -> bool:
    """Runs the script as ``python script arguments`` would; returns whether it succeeded.

    A failing program leaves its traceback on stderr, without the frames of this file.

    Args:
        script: its file.
        arguments: its arguments.
        module: its name where ``python -m module arguments`` starts it, in the folder of its
            package.
    """
    sys.argv = [script] + arguments
    folder = shared.folder_of(script, module)
    sys.path.insert(0, folder)
    sets.install(folder)
    own_names = {"set": sets.OrderedSet}
    try:
        if module:
            runpy.run_module(module, own_names, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(script, own_names, run_name="__main__")
    except SystemExit as stop:
        if isinstance(stop.code, str):
            sys.stderr.write(stop.code + "\n")
        # What tf.app.run() gets from main() ends up there: an object is not a failure.
        return not stop.code or not isinstance(stop.code, (int, str))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        frames = error.__traceback__
        # Frames of this function and of runpy come first.
        while frames is not None and frames.tb_frame.f_code.co_filename in _OWN_FILES:
            frames = frames.tb_next
        traceback.print_exception(type(error), error, frames)
        return False
    return True


_OWN_FILES = (__file__, runpy.__file__, "<frozen runpy>")
