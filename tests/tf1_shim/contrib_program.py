"""A program of TensorFlow 1.x: looks up names of tf.contrib, and says which are not there.

python contrib_program.py < NAMES > MISSING, both JSON; names are full ones ("tensorflow...").
"""

import importlib
import json
import sys

from tfmigrate_runtime.tf1_shim import listed_names


def is_there(name):
    """Returns whether a dotted name leads to something, by imports and by attributes."""
    path, found = [], None
    for part in name.split("."):
        path.append(part)
        if hasattr(found, part):
            found = getattr(found, part)
            continue
        try:
            found = importlib.import_module(".".join(path))
        except ImportError:
            return False
    return True


def is_imported(name):
    """Says the same of ``from package import name``."""
    try:
        exec("from {} import {}".format(*name.rsplit(".", 1)), {})
    except ImportError:
        return False
    return True


def functions():
    """Says of a function, and of one with the name of its module, whether they are functions."""
    ops = "tensorflow.contrib.framework.python.ops"
    names = {}
    exec(f"from {ops}.arg_scope import add_arg_scope", names)
    exec(f"from {ops} import arg_scope", names)
    return [callable(names["add_arg_scope"]), callable(names["arg_scope"])]


def listed():
    """Returns the names of data/contrib_names.txt that are not in their places."""
    modules = [listed_names.emulated(below) for below in listed_names.lines()]
    return [f"{m.__name__}.{name}" for m in modules for name in dir(m) if not hasattr(m, name)]


asked = json.load(sys.stdin)
print(
    json.dumps(
        {
            "names": [name for name in asked["names"] if not is_there(name)],
            "imports": [name for name in asked["imports"] if not is_imported(name)],
            "functions": functions(),
            "listed": listed(),
        }
    )
)
