"""The kind of object that an expression holds."""

import ast
import enum

from tfmigrate.resolve.calls import called_builtin
from tfmigrate.resolve.identities import Identity, identity
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.origins import definition_of, is_self, origins

_STRATEGIES = ("tensorflow.distribute.", "tensorflow.contrib.distribute.", "tfmigrate_runtime.")
_DATA = ("tensorflow.data.", "tensorflow.contrib.data.")
_OPTIMIZERS = (
    "tensorflow.train.",
    "tensorflow.keras.optimizers.",
    "tensorflow.contrib.opt.",
    "tensorflow.contrib.estimator.",
)
_MAKES_ITERATOR = ("make_one_shot_iterator", "make_initializable_iterator")
# No other object that a program of TensorFlow deals with has attributes of these names.
_OF_STRATEGIES = frozenset(
    (
        "call_for_each_replica", "experimental_distribute_dataset",
        "experimental_distribute_datasets_from_function", "experimental_local_results",
        "experimental_run_v2", "num_replicas_in_sync",
    )
)  # fmt: skip


class Kind(enum.Enum):
    """A kind of object."""

    STRATEGY = "a tf.distribute strategy"
    DATASET = "a tf.data.Dataset"
    ITERATOR = "a tf.data iterator"
    OPTIMIZER = "an optimizer"
    LOGGER = "a logger of Python's logging module"
    OTHER = "something else"


@asked_once
def kind_of(module: Module, node: ast.expr) -> Kind | None:
    """Returns the kind of an expression's value; None where it is unknown."""
    if is_self(module, node):
        return Kind.OTHER
    if module.resolve(node) is not None:
        return Kind.OTHER  # a module, a class or a function
    pending = _asked_now(module)
    pending.add(node)
    kinds = {
        _of_origin(module, origin)
        for origin in origins(module, node) or ()
        if not (isinstance(origin, ast.Call) and pending & set(ast.iter_child_nodes(origin.func)))
    }
    pending.discard(node)
    (kind,) = kinds if len(kinds) == 1 else (None,)
    return kind or _annotated(module, node) or _by_use(module, node)


@asked_once
def _asked_now(module: Module) -> set[ast.expr]:
    """Returns what is being asked about: `x = x.map(f)` makes x what it was before."""
    return set()


def _of_origin(module: Module, node: ast.expr) -> Kind | None:
    if isinstance(node, (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.JoinedStr)):
        return Kind.OTHER
    if not isinstance(node, ast.Call):
        return None
    if isinstance(definition_of(module, node.func), ast.ClassDef):
        return Kind.OTHER
    if (name := module.resolve(node.func)) is not None:
        return _of_name(name)
    if isinstance(node.func, ast.Attribute):
        return _of_method(module, node.func)
    if called_builtin(module, node) == "iter" and node.args:
        known = kind_of(module, node.args[0])
        return Kind.ITERATOR if known is Kind.DATASET else known
    return None


def _of_name(name: str) -> Kind | None:
    """Returns the kind of the result of calling a name."""
    holder, _, last = name.rpartition(".")
    if name.startswith(_STRATEGIES) and last.endswith(("Strategy", "strategy")):
        return Kind.STRATEGY
    if name.startswith(_DATA):
        if last in _MAKES_ITERATOR or "Iterator" in holder.split("."):
            return Kind.ITERATOR
        parts = name.split(".")
        return Kind.DATASET if any(part.endswith("Dataset") for part in parts) else None
    if name.startswith(_OPTIMIZERS):
        return Kind.OPTIMIZER if is_optimizer_class(name) else None
    if name == "logging.getLogger":
        return Kind.LOGGER
    return None


def is_optimizer_class(name: str) -> bool:
    """Returns whether a qualified name is that of an optimizer's class."""
    holder, _, last = name.rpartition(".")
    if holder == "tensorflow.keras.optimizers":
        return last[:1].isupper()
    return f"{holder}." in _OPTIMIZERS and last.endswith("Optimizer")


def _of_method(module: Module, method: ast.Attribute) -> Kind | None:
    """Returns the kind of the result of calling a method of an object."""
    if (owner := kind_of(module, method.value)) is Kind.DATASET:
        return Kind.ITERATOR if method.attr in _MAKES_ITERATOR else Kind.DATASET
    if owner is Kind.STRATEGY and method.attr in _OF_STRATEGIES:
        return Kind.DATASET
    return None


def _annotated(module: Module, node: ast.expr) -> Kind | None:
    """Returns the kind that the annotation of a parameter declares."""
    bindings = module.bindings(node)
    annotations = [getattr(getattr(b, "node", None), "annotation", None) for b in bindings]
    (annotation,) = annotations if len(annotations) == 1 else (None,)
    name = module.resolve(annotation) if annotation is not None else None
    return _of_name(name) if name else None


def _by_use(module: Module, node: ast.expr) -> Kind | None:
    """Returns the kind of an object by attributes that only one kind has."""
    used = identity(module, node)
    return Kind.STRATEGY if used is not None and used in _used_as_strategies(module) else None


@asked_once
def _used_as_strategies(module: Module) -> set[Identity | None]:
    """Returns the names with an attribute in the file that only strategies have."""
    owners = [n.value for n in module.all(ast.Attribute) if n.attr in _OF_STRATEGIES]
    return {identity(module, owner) for owner in owners}
