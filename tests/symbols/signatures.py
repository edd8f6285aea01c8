"""Writes which parameters the functions named on standard input take, as JSON: null for unknown.

python signatures.py < NAMES > SIGNATURES. It runs on TensorFlow 1.15 and Python 3.6 too.
"""

import importlib
import inspect
import json
import os
import sys

os.environ["TF_USE_LEGACY_KERAS"] = "1"


def found(root, name):
    """Returns the object of a dotted name below a module, packages that load late included."""
    module, value = root, importlib.import_module(root)
    for part in name.split("."):
        module += "." + part
        try:
            value = getattr(value, part)
        except AttributeError:
            value = importlib.import_module(module)
    return value


def parameters(root, name):
    """Returns the names of the parameters, None where Python does not tell them."""
    try:
        signature = inspect.signature(found(root, name))
    except (AttributeError, ImportError, TypeError, ValueError):
        return None
    return [p.name for p in signature.parameters.values()]


def main():
    """Reads {name: root module} and writes {name: parameters}."""
    names = json.load(sys.stdin)
    print(json.dumps({name: parameters(root, name) for name, root in names.items()}))


if __name__ == "__main__":
    main()
