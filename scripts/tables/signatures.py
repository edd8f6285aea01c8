"""Writes the parameters of functions, classes and methods of the installed packages as JSON.

It reads a list of dotted names as JSON from standard input, and runs on Python 3.6 and TensorFlow
1.0 too:

    PYTHON scripts/tables/signatures.py RESULT.json < NAMES.json

RESULT maps each name that is there to its parameters; those that take any end with "*". Methods
are those of the classes named, as Class.method.
"""

import importlib
import inspect
import json
import os
import sys

os.environ["TF_USE_LEGACY_KERAS"] = "1"


def found(name):
    """Returns what a dotted name is, packages that load late included."""
    module, _, rest = name.partition(".")
    value = importlib.import_module(module)
    for part in rest.split("."):
        module += "." + part
        try:
            value = getattr(value, part)
        except AttributeError:
            value = importlib.import_module(module)
    return value


def parameters(function):
    """Returns the parameters of a function, None where Python does not know them."""
    while True:  # decorators of TensorFlow
        decorator = getattr(function, "_tf_decorator", None)
        inner = getattr(decorator, "decorated_target", None)
        inner = getattr(function, "__wrapped__", None) if inner is None else inner
        if inner is None:
            break
        function = inner
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    named = [
        p for p in signature.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    rest = [p.name + "*" for p in signature.parameters.values() if p not in named]
    return [p.name for p in named] + rest


def methods(owner):
    """Yields the public methods that a class defines itself or inherits, without their self."""
    for name in dir(owner):
        held = inspect.getattr_static(owner, name, None)
        if not name.startswith("_") and inspect.isfunction(held):
            known = parameters(held)
            if known:
                yield name, known[1:]


def main():
    """Looks all names up."""
    result = {}
    for name in json.load(sys.stdin):
        try:
            value = found(name)
        except Exception:  # whatever importing an old package raises
            continue
        if inspect.isclass(value):
            known = parameters(value.__init__)
            result[name] = known[1:] if known else None
            result.update((name + "." + method, p) for method, p in methods(value))
        elif callable(value):
            result[name] = parameters(value)
    known = {name: parameters for name, parameters in result.items() if parameters is not None}
    with open(sys.argv[1], "w") as file:  # noqa: PTH123 - of Python 3.6 too
        json.dump(known, file)


if __name__ == "__main__":
    main()
