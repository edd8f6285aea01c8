"""``--map``: a file that pairs variables of a Keras program with the original's.

It is read before programs are run, and in the user's interpreter, on Python 3.6 or newer. A map is
JSON, a name of the original for each variable of the migrated program::

    {"net/dense/weights": "dense/kernel",
     "net/conv/weights": {"variable": "conv/kernel", "transpose": [1, 2, 0, 3]},
     "net/flat": {"variable": "grid/kernel", "reshape": true},
     "net/unused": null}

Names of the migrated program are paths of Keras variables (``variable.path``) or names of
``tf.Variable``. ``transpose`` are the axes that bring the migrated variable into the original's
order, ``reshape`` gives it the original's shape after that; ``null`` leaves a variable out.
"""

import json
from typing import Any, Dict, List, Optional, Sequence


class RefusedError(Exception):
    """Variables cannot be paired; the text is one line."""


class Layout:
    """How the value of a migrated variable is converted to the original's layout."""

    def __init__(self, transpose: Optional[List[int]] = None, reshape: bool = False) -> None:
        """Takes the axes in the original's order, and whether the shape is changed after that."""
        self._transpose, self._reshape = transpose, reshape

    def to_original(self, value: Any, shape: Sequence[int]) -> Any:
        """Returns a value of the migrated program as the original has it."""
        import numpy as np

        value = value if self._transpose is None else np.transpose(value, self._transpose)
        return value.reshape(shape) if self._reshape else value

    def to_migrated(self, value: Any, shape: Sequence[int]) -> Any:
        """Returns a value of the original as the migrated program has it."""
        import numpy as np

        axes = self._transpose
        if self._reshape:
            value = value.reshape(shape if axes is None else [shape[axis] for axis in axes])
        return value if axes is None else np.transpose(value, np.argsort(axes))


class Entry:
    """The entry of a map for one variable of the original."""

    def __init__(self, variable: Optional[str], layout: Layout) -> None:
        """Takes the variable of the migrated program, None for none, and its layout."""
        self.variable, self.layout = variable, layout


def read(path: str) -> Dict[str, Entry]:
    """Reads a map.

    Raises:
        RefusedError: it is not a valid map.
    """
    try:
        with open(path) as stream:
            document = json.load(stream)
    except OSError as error:
        raise RefusedError("--map %s: %s" % (path, error.strerror))
    except ValueError as error:
        raise RefusedError("--map %s is not JSON: %s" % (path, error))
    if not isinstance(document, dict):
        raise RefusedError("--map %s: expected a JSON object" % path)
    return {name: _entry(path, name, value) for name, value in document.items()}


def _entry(path: str, name: str, value: Any) -> Entry:
    if value is None or isinstance(value, str):
        return Entry(value, Layout())
    wrong = not isinstance(value, dict) or not isinstance(value.get("variable"), str)
    if not wrong:
        axes = value.get("transpose")
        wrong = bool(set(value) - {"variable", "transpose", "reshape"})
        wrong = wrong or not isinstance(value.get("reshape", False), bool)
        if axes is not None:
            is_order = isinstance(axes, list) and all(axes.count(i) == 1 for i in range(len(axes)))
            wrong = wrong or not is_order
    if wrong:
        raise RefusedError(
            '--map %s: %r needs a name, null, or {"variable": name, "transpose": axes, '
            '"reshape": true}' % (path, name)
        )
    return Entry(value["variable"], Layout(axes, value.get("reshape", False)))
