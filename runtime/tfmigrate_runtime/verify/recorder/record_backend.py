"""The backend that a program chooses for Keras 3, of which only TensorFlow is recorded.

Part of ``record.py``; runs on Python 3.6 or newer. TensorFlow loads Keras, which reads its
backend once: the recorder imports TensorFlow before the program chooses.
"""

import ast
import contextlib
import json
import os
from typing import Any, Iterator

from . import record_script

_VARIABLE = "KERAS_BACKEND"
_RECORDED = "tensorflow"


@contextlib.contextmanager
def recorded() -> Iterator[None]:
    """Lets Keras be loaded on TensorFlow, and leaves the choice to the program afterwards."""
    previous = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = _RECORDED
    try:
        yield
    finally:
        del os.environ[_VARIABLE]
        if previous is not None:
            os.environ[_VARIABLE] = previous


def check(native: Any) -> None:
    """Ends a program that Keras would run on something other than TensorFlow."""
    chosen = os.environ.get(_VARIABLE) or _configured()
    if chosen != _RECORDED:
        native.refuse(
            "Keras runs this program on %s, and only Keras on TensorFlow is recorded (%s)"
            % (chosen, _VARIABLE)
        )


def check_failed(native: Any, script: str) -> None:
    """As ``check``, for a program that failed: code for another backend may be why."""
    if native is not None and any(map(_names_keras, record_script.paths_of(script))):
        check(native)


def _configured() -> str:
    """Returns the backend in the configuration of Keras, which counts without the variable."""
    folder = os.environ.get("KERAS_HOME") or os.path.join(os.path.expanduser("~"), ".keras")
    try:
        with open(os.path.join(folder, "keras.json")) as stream:
            config = json.load(stream)
    except (OSError, ValueError):
        return _RECORDED
    return str(config.get("backend") or _RECORDED)


def _names_keras(path: str) -> bool:
    """Whether a file imports Keras itself."""
    try:
        with open(path, "rb") as stream:
            tree = ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError):
        return False
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
        elif isinstance(node, ast.Attribute):
            names.append(node.attr)
    return any(name.split(".")[0] == "keras" for name in names)
