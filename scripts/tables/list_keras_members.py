"""Writes which members and arguments of Keras 2's classes and functions Keras 3 lacks.

Compared are the public names that both have: ``tf.keras`` of TensorFlow 1.15 and the package
tf-keras, with the package keras. Run it with the interpreter of TensorFlow 1.15, and a folder that
``pip install --target FOLDER --no-deps keras==2.2.4 keras_applications keras_preprocessing`` and
scipy<1.6 and pyyaml have filled, for the order of arguments before Keras was tf.keras:

    python scripts/tables/list_keras_members.py PYTHON_1_15 FOLDER

With ``--list PACKAGE FILE`` it writes what one package has; so the script itself keeps to what
Python 3.7 understands.
"""

import ast
import importlib
import inspect
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from list_lost_members import ABSTRACT, _tree, members

TARGET = Path(__file__).parents[2] / "migrator/tfmigrate/data/keras_members.txt"
OLD, SECOND, NEW = "tensorflow.keras", "tf_keras", "keras"
OLD_IN_2 = "tensorflow.compat.v1.keras"
IN_GRAPHS = OLD_IN_2 + " in graphs"  # where other base classes take the place of Layer and Model
ROOTS = ("tensorflow", "tf_keras", "keras")
# Modules of implementations, and those of other packages.
LEFT_OUT = (
    "export",
    "src",
    "legacy",
    "api",
    "tensorflow",
    "distribute",
    "distribution",
    "experimental",
)
# What is called a lot although it is private.
PRIVATE = ("_make_predict_function", "_make_test_function", "_make_train_function")
# Keras 2's optimizers answer for it without having it; Keras 3 takes and ignores the other.
UNLISTED, IGNORED = "lr", "decay"
# The same parameter under another name.
SAME = {"lr": "learning_rate", "input_shape": "shape", "inputs": "sequences"}
# Keras calls these methods, and TFM518 is about how models are saved.
OF_KERAS = frozenset(
    (
        *("add_loss", "add_variable_from_reference", "build", "call", "compute_mask"),
        *("compute_output_shape", "get_initial_state", "save", "save_weights", "update_step"),
    )
)
HEADER = """\
# What Keras 2 has and Keras 3 lacks, of names that both have, without "keras.".
#   lost NAMES: members of classes that Keras 3 lacks, with * if Keras 2 calls the method itself
#   lost-in-2 NAMES: members that TensorFlow 1.15 has, and tf.compat.v1.keras lacks in eager mode
#   lost-in-graphs NAMES: the same where TensorFlow 2's behavior is disabled
#   takes NAMES: the parameters of functions, classes and methods in Keras 3
#   moved NAMES: by position, from 0, the parameter in Keras 2 > that in Keras 3, where the
#     order changed
#   moved-in-2 NAMES: the same of TensorFlow 1.15 and tf.compat.v1.keras
#   moved-since-2.2 NAMES: the same of the package keras 2.2 and Keras 3
# Made by scripts/tables/list_keras_members.py from TensorFlow 1.15, tf-keras {old} and Keras {new}.
"""


def public(package):
    """Returns the public functions and classes of a package, each by its names."""
    found, waiting, seen = {}, [(importlib.import_module(package), "")], set()
    while waiting:
        module, path = waiting.pop(0)
        if id(module) in seen:
            continue
        seen.add(id(module))
        for name in dir(module):
            value = getattr(module, name, None)
            below = (path + "." + name).lstrip(".")
            if name.startswith("_") or name in LEFT_OUT:
                continue
            if inspect.ismodule(value):
                if "keras" in (value.__name__ or ""):
                    waiting.append((value, below))
            elif callable(value):
                found[below] = value
    return found


def described(package):
    """Returns what each public name has: members, methods called by Keras, parameters."""
    values = public(package.split()[0])
    if package == IN_GRAPHS:
        values = {name: _as_in_graphs(value) for name, value in values.items()}
    return {name: _of(value, values.values()) for name, value in values.items()}


def _as_in_graphs(value):
    """Returns the class that Keras makes of another where it builds graphs."""
    from tf_keras.src.engine import base_layer, base_layer_v1, training, training_v1
    from tf_keras.src.utils import version_utils

    for v2, v1 in ((training.Model, training_v1.Model), (base_layer.Layer, base_layer_v1.Layer)):
        if _is_subclass(value, v2):
            value = version_utils.swap_class(value, v2, v1, use_v2=False)
    return value


def _of(value, values):
    if not inspect.isclass(value):
        taken = sorted(_taken(value)[0])
        return {"takes": taken, "open": _taken(value)[1], "order": _order(value)}
    takes, is_open = _of_constructor(value)
    having = members(value, ROOTS)
    return {
        "members": {name: kind == ABSTRACT for name, kind in having.items()},
        "hooks": sorted(_hooks(value, values, having)),
        "methods": {
            n: {"takes": sorted(_taken(v)[0]), "open": _taken(v)[1], "order": _order(v)}
            for n, v in _methods(value)
        },
        "order": _order(value.__init__),
        "takes": sorted(takes),
        "open": is_open,
    }


def _is_subclass(value, of):
    return inspect.isclass(value) and issubclass(value, of)


def _methods(owner):
    for name in dir(owner):
        held = inspect.getattr_static(owner, name)
        if not name.startswith("_") and inspect.isfunction(held):
            yield name, getattr(owner, name)


def _hooks(owner, values, having):
    """Yields the methods of a class that Keras's own subclasses override, or have to."""
    for name, kind in having.items():
        below = (other for other in values if _is_subclass(other, owner) and other is not owner)
        overridden = isinstance(kind, list) and any(name in vars(other) for other in below)
        if overridden or kind == ABSTRACT:
            yield name


def _parameters(function):
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None


def _taken(function):
    """Returns the names of parameters, and whether a function takes others too."""
    known = _parameters(function)
    if known is None:
        return set(), True
    named = {p.name for p in known if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}
    return named - {"self"}, any(p.kind == p.VAR_KEYWORD for p in known)


def _order(function):
    """Returns the names of positional parameters, without ``self``."""
    known = _parameters(function) or []
    names = [p.name for p in known if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [SAME.get(name, name) for name in names if name != "self"]


def _moved(olds, now):
    """Yields "POSITION:OLD>NEW" for each position that has another parameter in all versions.

    A parameter under another name is none: one of both has to stand elsewhere in the other order.
    """
    for position, new in enumerate(now):
        before = [(order[position], order) for order in olds if position < len(order)]
        if before and all(old != new and (old in now or new in order) for old, order in before):
            yield f"{position}:{before[-1][0]}>{new}"


def _all_moved(olds, new, name):
    """Yields a function, class or method whose positional parameters changed, and how."""
    had = [old[name] for old in olds if name in old]
    yield name, " ".join(_moved([old["order"] for old in had], new[name]["order"]))
    for method, now in new[name].get("methods", {}).items():
        orders = [
            old["methods"][method]["order"] for old in had if method in old.get("methods", ())
        ]
        if method not in OF_KERAS:
            yield name + "." + method, " ".join(_moved(orders, now["order"]))


def _of_constructor(owner):
    """Returns the parameters of a constructor: those of its base classes too, after ``**``."""
    found = set()
    for base in owner.__mro__:
        init = vars(base).get("__init__")
        if init is None:
            continue
        named, is_open = _taken(init)
        found |= named | _read(init)
        if not is_open or _refuses_others(init):
            return found, False
    return found, True


def _read(function):
    """Returns what a function takes out of its kwargs by name."""
    calls = [n for n in ast.walk(_tree(function) or ast.Module(body=[])) if isinstance(n, ast.Call)]
    return {
        str(getattr(call.args[0], "value", getattr(call.args[0], "s", "")))
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in ("pop", "get")
        and getattr(call.func.value, "id", "") == "kwargs"
    }


def _refuses_others(function):
    tests = [n for n in ast.walk(_tree(function) or ast.Module(body=[])) if isinstance(n, ast.If)]
    return any(
        getattr(test.test, "id", "") == "kwargs" and isinstance(test.body[-1], ast.Raise)
        for test in tests
    )


def _described_by(python, package, packages=""):
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        command = [python, __file__, "--list", package, str(answer)]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": packages})
        return json.loads(answer.read_text("utf-8"))


def lost(had, has):
    """Returns the members that a class lost; with * those that Keras calls itself."""
    hooks = set(had["hooks"])
    gone = {n for n in had["members"] if n not in has["members"]}
    # What only raises an error is lost too, unless it is there to be overridden.
    gone |= {n for n, raises in has["members"].items() if raises and had["members"].get(n) is False}
    gone -= {n for n in hooks if n in has["members"]}
    gone = {n for n in gone if not n.startswith("_") or n in hooks or n in PRIVATE}
    return {"*" * (name in hooks) + name for name in gone}


def _all_lost(olds, new, name):
    found = set()
    for old in olds:
        if "members" in old.get(name, ()) and "members" in new[name]:
            found |= lost(old[name], new[name])
    if found and name.startswith("optimizers.") and ".schedules." not in name:
        found.add(UNLISTED)
    # A member that another version of Keras 2 calls is one that is called.
    return sorted(n for n in found if "*" + n not in found)


def _taken_now(olds, has, name):
    """Yields the functions, classes and methods that lost parameters, with those they have."""
    had = [old[name] for old in olds if name in old]
    if any(set(old["takes"]) - set(has["takes"]) for old in had) and not has["open"]:
        yield name, has["takes"]
    for method, now in has.get("methods", {}).items():
        before = [old["methods"][method] for old in had if method in old.get("methods", ())]
        changed = any(set(old["takes"]) - set(now["takes"]) for old in before)
        if changed and not now["open"] and method not in OF_KERAS:
            yield name + "." + method, now["takes"]


def main(python, packages):
    """Writes the table."""
    import keras
    import tf_keras

    first, second = _described_by(python, OLD), _described_by(sys.executable, SECOND)
    alone = _described_by(python, NEW, packages)
    in_2, new = _described_by(sys.executable, OLD_IN_2), _described_by(sys.executable, NEW)
    in_graphs = _described_by(sys.executable, IN_GRAPHS)
    # Model makes an object of another class where its inputs are given.
    functional = _of(keras.src.models.functional.Functional, ())
    for name in ("Model", "models.Model"):
        new[name]["members"] = {**functional["members"], **new[name]["members"]}
        new[name]["takes"] = sorted({*functional["takes"], "dtype"})
    lines = {}
    for name, has in sorted(new.items()):
        for kind, olds, now in (
            ("lost", [first, second], new),
            ("lost-in-2", [first] if name in in_2 else [], in_2),
            ("lost-in-graphs", [first] if name in in_graphs else [], in_graphs),
        ):
            gone = _all_lost(olds, now, name) if name in now else []
            if gone:
                lines.setdefault((kind, " ".join(gone)), []).append(name)
        for kind, olds, now in (
            ("moved", [first, second], new),
            ("moved-in-2", [first] if name in in_2 else [], in_2),
            ("moved-since-2.2", [alone], new),
        ):
            for mover, how in _all_moved(olds, now, name) if olds else ():
                if how:
                    lines.setdefault((kind, how), []).append(mover)
        for taker, takes in _taken_now([first, second], has, name):
            shown = " ".join(n for n in takes if n != IGNORED)
            lines.setdefault(("takes", shown), []).append(taker)
    text = [f"{kind} {' '.join(names)}: {those}\n" for (kind, those), names in lines.items()]
    head = HEADER.format(old=tf_keras.__version__, new=keras.__version__)
    TARGET.write_text(head + "".join(sorted(text)), encoding="utf-8")
    print(f"{sum(map(len, lines.values()))} names")


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        Path(sys.argv[3]).write_text(json.dumps(described(sys.argv[2])), encoding="utf-8")
    else:
        main(sys.argv[1], sys.argv[2])
