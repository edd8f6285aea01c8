"""Which names TensorFlow 2.21, its Keras and tfmigrate_runtime have, without importing them.

The table is data/present_names.txt, made by scripts/tables/list_present_names.py; what TensorFlow's
public modules hold is in the table of public names.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from tfmigrate.tables import symbol_table
from tfmigrate.tables.chains import Chain
from tfmigrate.tables.runtime_api import RUNTIME_PACKAGES
from tfmigrate.tables.runtime_modules import RUNTIME

KERAS_2, KERAS_3 = "keras2", "keras3"
_TENSORFLOW = "tensorflow"
_STANDALONE = ("keras", "tf_keras")
_INTERNAL = ("tensorflow.python", "tensorflow.core")
# What no table lists.
_UNLISTED = frozenset(
    f"tensorflow.{name}"
    for name in (
        *("compiler", "dtensor", "include", "security", "tsl", "xla"),
        *("lite.examples", "lite.python", "lite.testing", "lite.toco", "lite.tools"),
    )
)
# What is left in the folder of tools; programs used its graph_transforms and tfprof.
_TOOLS, _IN_TOOLS = "tensorflow.tools", frozenset(("common", "compatibility", "docs"))
_UNLISTED_PARTS = frozenset(("src", "_tf_keras"))
# Of generated modules the table leaves these out: each operation has them.
_DERIVED = re.compile(r"_?[A-Z]|\w*_eager_fallback$")
# Functions that only raise NotImplementedError.
_RAISING = frozenset(("keras.estimator.model_to_estimator",))


@dataclass(frozen=True)
class _Table:
    """The table.

    Attributes:
        importable: for each module that can be imported, with which Keras.
        private: names with an underscore that public modules have.
        names: what is in modules, as far as it is listed.
    """

    importable: Mapping[str, frozenset[str]]
    private: frozenset[str]
    names: Mapping[str, frozenset[str]]


def only_raises(qualified: str) -> bool:
    """Returns whether a name is there and every call of it raises NotImplementedError."""
    return _public(qualified)[1] in _RAISING


def missing_part(chain: Chain, keras: str) -> str | None:
    """Returns the first part of a name that is certainly not there.

    Args:
        chain: how the name is reached.
        keras: which Keras ``tf.keras`` is, ``KERAS_2`` or ``KERAS_3``.

    Returns:
        The part up to what is missing ("tensorflow.python.ops.rnn_cell"); None where the name is
        there, or no table knows.
    """
    if chain.root == RUNTIME:
        return _missing_of_runtime(chain.qualified)
    if chain.root not in (_TENSORFLOW, *_STANDALONE):
        return None
    if (chain.qualified + ".").startswith(_TOOLS + "."):
        tool = chain.qualified.split(".")[2:3]
        return None if _IN_TOOLS.issuperset(tool) else f"{_TOOLS}.{tool[0]}"
    reached = ""
    for part in chain.module.split("."):
        if (reached := f"{reached}.{part}".lstrip(".")) in _UNLISTED or part in _UNLISTED_PARTS:
            return None
        if keras not in _table().importable.get(reached, ()):
            return reached
    below = [part for part in (chain.member, *chain.attributes.split(".")) if part]
    for index, part in enumerate(below):
        kind = _found(reached, part, keras, imported=bool(chain.member) and not index)
        reached = f"{reached}.{part}"
        if kind is not _MODULE:
            return reached if kind is _MISSING else None
    return None


# What a part of a name is: another module, something that no table looks into, or not there.
_MODULE, _VALUE, _MISSING = "module", "value", "missing"


def _found(module: str, name: str, keras: str, imported: bool) -> str:
    whole = f"{module}.{name}"
    if name == "__version__" and _public(module)[1] == "keras":
        return _MISSING if keras == KERAS_2 else _VALUE
    if whole in _UNLISTED or name in _UNLISTED_PARTS or name.startswith("__"):
        return _VALUE
    importable = keras in _table().importable.get(whole, ())
    if module.startswith(_INTERNAL) or module.partition(".")[0] in _STANDALONE:
        listed = _table().names.get(module)
        derived = ".gen_" in module and _DERIVED.match(name)
        if importable:
            return _MODULE
        return _VALUE if listed is None or name in listed or derived else _MISSING
    if whole in _INTERNAL:  # `import tensorflow as tf` does not bring tf.python
        return _MODULE if imported else _MISSING
    place, below = _public(whole)
    if below in ("", "compat") or _is_in(below, place, keras):
        return _VALUE if symbol_table.is_leaf(below) else _MODULE
    if importable and imported:
        return _MODULE
    return _VALUE if name in _table().private else _MISSING


def _public(name: str) -> tuple[str, str]:
    """Returns the generation of TensorFlow's names that a name is of, and the part below it."""
    place, below = f"v2-{symbol_table.NEWEST}", name.removeprefix(_TENSORFLOW).lstrip(".")
    while True:
        for generation in ("v1", "v2"):
            root = f"compat.{generation}"
            if (below + ".").startswith(root + "."):
                place, below = f"{generation}-{symbol_table.NEWEST}", below[len(root) + 1 :]
                break
        else:
            return place, below


def _is_in(below: str, place: str, keras: str) -> bool:
    marks = symbol_table.places().get(below, frozenset())
    return below not in _RAISING and bool(marks & {place, f"{place}:{keras}"})


def _missing_of_runtime(name: str) -> str | None:
    """Returns a name that the package of the runtime which it is of does not have."""
    for package in RUNTIME_PACKAGES.values():
        target, modules = package.target, package.modules
        if (below := name.removeprefix(target + ".")) == name:
            continue
        path = ""
        for part in below.split("."):
            if (known := modules.get(path, package.constants.get(path))) is None:
                return None
            path = f"{path}.{part}".lstrip(".")
            if part not in known and path not in _above(modules):
                return f"{target}.{path}"
    return None


def _above(modules: Mapping[str, frozenset[str]]) -> set[str]:
    parts = [name.split(".") for name in modules]
    return {".".join(p[:length]) for p in parts for length in range(1, len(p) + 1)}


@cache
def _table() -> _Table:
    text = resources.files("tfmigrate").joinpath("data/present_names.txt").read_text("utf-8")
    importable: dict[str, frozenset[str]] = {}
    names: dict[str, set[str]] = {}
    private: set[str] = set()
    shared: list[str] = []
    for heading, words in _parts(text):
        kind, _, module = heading.partition("] ")
        if kind == "shared":
            shared = words
        elif kind == "private":
            private.update(words)
        elif kind == "names":
            names[module] = set(words)
        else:
            keras = frozenset(kind.split()[1:]) or frozenset((KERAS_2, KERAS_3))
            importable.update({f"{module}.{word}".lstrip("."): keras for word in words})
    holders = list(names)
    name = ""
    for word in shared:
        if word[0].isdigit():
            names[holders[int(word)]].add(name)
        else:
            name = word
    return _Table(
        importable, frozenset(private), {module: frozenset(n) for module, n in names.items()}
    )


def _parts(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yields each heading of the table with the words below it."""
    for part in text.partition("\n[")[2].split("\n["):
        heading, _, words = part.partition("\n")
        yield heading.removesuffix("]"), words.split()
