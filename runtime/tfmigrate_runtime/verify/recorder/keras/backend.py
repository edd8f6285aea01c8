"""The Keras that a program chooses: Keras 2 or 3, and the backend of the latter.

The recorder imports TensorFlow before the program does, and TensorFlow reads both choices then:
which Keras ``from tensorflow.keras import layers`` finds, and, by loading Keras, the backend, of
which only TensorFlow is recorded.
"""

import ast
import builtins
import contextlib
import importlib
import importlib.util
import json
import os
import sys
from typing import Any, Iterator

from ..program import scripts

_VARIABLE = "KERAS_BACKEND"
_RECORDED = "tensorflow"
_KERAS_2 = "TF_USE_LEGACY_KERAS"
# The module whose path finds ``keras``, and the folder of tf_keras that it is found in.
_PATHS = (("tensorflow", "_v2"), ("tensorflow.compat.v1", "_v1"))


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


def install() -> None:
    """Lets the program's first import of TensorFlow read which Keras it has chosen by then.

    Without that, ``from tensorflow.keras import layers`` took Keras 3 below ``TF_USE_LEGACY_KERAS``
    where ``tf.keras``, which TensorFlow loads later, was Keras 2: a right program failed.
    """
    original = builtins.__import__

    def importing(name: str, *arguments: Any, **options: Any) -> Any:
        if name.split(".")[0] == "tensorflow":
            builtins.__import__ = original
            _choose_keras()
        return original(name, *arguments, **options)

    if hasattr(sys.modules["tensorflow"], "_tf_uses_legacy_keras"):  # 2.16 and newer
        builtins.__import__ = importing


def _choose_keras() -> None:
    spec = importlib.util.find_spec("tf_keras")
    if os.environ.get(_KERAS_2) not in ("true", "True", "1") or spec is None or not spec.origin:
        return
    for name, part in _PATHS:
        module: Any = importlib.import_module(name)
        if not getattr(module, "_tf_uses_legacy_keras", True):
            folder = os.path.join(os.path.dirname(spec.origin), "api", part)
            module.__path__ = [folder] + module.__path__
            module._tf_uses_legacy_keras = True


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
    if native is not None and any(map(_names_keras, scripts.paths_of(script))):
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
