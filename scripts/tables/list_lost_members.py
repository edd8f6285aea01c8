"""Writes which members of classes of TensorFlow 1.x the classes that replace them lack.

A subclass can read, override and set what its base class has for itself. Compared are all classes
that the migrator's tables map. Run it with the interpreter of TensorFlow 1.15:

    python scripts/tables/list_lost_members.py PYTHON_1_15

With ``--list FILE`` it reads dotted names from standard input and writes their members as JSON; so
the script itself keeps to what Python 3.7 understands.
"""

import ast
import inspect
import json
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from signatures import found, parameters

TARGET = Path(__file__).parents[2] / "migrator/tfmigrate/data/lost_members.txt"
# Where TensorFlow 1.x has the classes that are replaced; what these derive from is there still.
REPLACED = ("tensorflow.contrib.", "tensorflow_estimator.")
ALL = ("tensorflow", "tfmigrate_runtime", "tf_keras", "keras", "tf_slim")
# These are for the making of TensorFlow's documentation, or Python's own.
SKIPPED = ("_estimator_api_names", "_keras_api_names", "_fields", "_abc_", "_tf_", "_replace", "__")
_LOOKED_UP = "__getattr__"
ABSTRACT, VALUE = "abstract", "value"
HEADER = """\
# Members of classes of TensorFlow 1.x that the classes which replace them lack, or have with other
# parameters. Subclasses may use them.
# Made by scripts/tables/list_lost_members.py from TensorFlow 1.15 and {version}.
"""


def members(owner, packages):
    """Returns what a class and its objects have, each with its parameters if it is a method.

    Base classes of other packages do not count.
    """
    result = {}
    for base in reversed(owner.__mro__):
        module = base.__module__ or ""
        if not module.startswith(packages) or module.endswith("_pb2"):
            continue
        result.update({name: _kind(value) for name, value in vars(base).items()})
        for name in (*_assigned(base), *getattr(base, "__dataclass_fields__", ())):
            result.setdefault(name, VALUE)
    return {n: kind for n, kind in result.items() if not n.startswith(SKIPPED) or n == _LOOKED_UP}


def _kind(value):
    if isinstance(value, property):
        return ABSTRACT if _is_abstract(value.fget) else VALUE
    if not inspect.isfunction(value):
        return VALUE
    return ABSTRACT if _is_abstract(value) else parameters(value)


def _is_abstract(function):
    """Returns whether a method is there to be overridden only."""
    if getattr(function, "__isabstractmethod__", False):
        return True
    tree = _tree(function)
    last = tree.body[0].body[-1] if tree and hasattr(tree.body[0], "body") else None
    return isinstance(last, ast.Raise) and "NotImplementedError" in ast.dump(last)


def _assigned(owner):
    """Yields the attributes that methods of a class assign to ``self``."""
    for node in ast.walk(_tree(owner) or ast.Module(body=[])):
        of = node.value if isinstance(node, ast.Attribute) else None
        if isinstance(of, ast.Name) and of.id == "self" and isinstance(node.ctx, ast.Store):
            yield node.attr


def _tree(value):
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(value)))
    except (OSError, TypeError, SyntaxError):
        return None


def listed(target, packages):
    """Writes the members of the classes that standard input names."""
    result = {}
    for name in json.load(sys.stdin):
        try:
            value = found(name)
        except Exception:  # whatever importing an old package raises
            continue
        if inspect.isclass(value):
            result[name] = members(value, packages)
    Path(target).write_text(json.dumps(result), encoding="utf-8")


def _of(python, names, packages):
    """Returns the members of the classes among names, as an interpreter has them."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "members.json"
        subprocess.run(
            [python, __file__, "--list", str(answer), *packages],
            input=json.dumps(sorted(names)),
            encoding="utf-8",
            check=True,
        )
        return json.loads(answer.read_text("utf-8"))


def lost(had, has):
    """Returns the members that a class lacks, or has as another method of its own."""
    gone = []
    for name, kind in had.items():
        if kind == ABSTRACT or (_LOOKED_UP in has and not name.startswith("_")):
            continue
        other = has.get(name)
        private = name.startswith("_") and isinstance(kind, list) and isinstance(other, list)
        if name not in has or (private and other != kind):
            gone.append(name)
    return sorted(gone)


def main(python):
    """Writes the table."""
    from list_lost_arguments import targets

    from tfmigrate.tables import symbol_table

    become = targets()
    old, new = _of(python, become, REPLACED), _of(sys.executable, set(become.values()), ALL)
    lines = {}
    for name, had in old.items():
        gone = lost(had, new.get(become[name], had))
        if gone:
            lines.setdefault(" ".join(gone), []).append(name.replace("tensorflow.", "", 1))
    text = [f"{' '.join(sorted(names))}: {gone}\n" for gone, names in lines.items()]
    head = HEADER.format(version=symbol_table.NEWEST)
    TARGET.write_text(head + "".join(sorted(text)), encoding="utf-8")
    print(f"{sum(map(len, lines.values()))} of {len(old)} classes")


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        listed(sys.argv[2], tuple(sys.argv[3:]))
    else:
        main(sys.argv[1])
