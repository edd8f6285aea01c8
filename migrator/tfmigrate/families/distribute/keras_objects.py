"""Which class of Keras the value of an expression is of, in the files of a program.

Followed are what origins.py follows, classes of the program that derive from one of Keras, and
functions, classes and variables of other files of the program.

A name alone says too little: ``reset_states`` of a recurrent layer is in Keras 3, that of a metric
is not. An object that may be of something else as well has no class here, and nothing is reported.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tfmigrate.families.tf1.standalone_keras import PACKAGE
from tfmigrate.resolve.definitions import definition, only_bound_elsewhere
from tfmigrate.resolve.origins import class_around, is_self, origins, returned
from tfmigrate.resolve.scopes import AssignBinding
from tfmigrate.rulekit.basics import Module, Program

_OF_TENSORFLOW = "tensorflow."
_MODEL = "models.Model"
_MODELS = ("Model", "Sequential", "models.Model", "models.Sequential")
_MAKE_MODELS = ("load_model", "clone_model", "model_from_json", "model_from_config")
_DEPTH = 8


@dataclass(frozen=True)
class KerasObject:
    """An object of a class of Keras, or of one that derives from it.

    Attributes:
        name: the class of Keras, below Keras ("models.Model").
        own: what the program's classes between define and set themselves.
    """

    name: str
    own: frozenset[str] = frozenset()


def keras_name(program: Program, module: Module, node: ast.expr) -> str:
    """Returns the name below Keras that an expression means ("layers.Dense"); "" for none."""
    name = (module.resolve(node) or "").removeprefix(_OF_TENSORFLOW)
    if not name.startswith(f"{PACKAGE}."):
        return ""
    root = module.names.root_import(node)
    if root is not None and program.is_own(module, root.source):
        return ""
    return name.removeprefix(f"{PACKAGE}.")


def keras_objects(
    program: Program, module: Module, node: ast.expr, depth: int = 0
) -> frozenset[KerasObject]:
    """Returns what an expression may be; nothing where it may be something else as well.

    Args:
        node: an expression of its tree.
        depth: how many steps led to it.
    """
    if depth > _DEPTH:
        return frozenset()
    if is_self(module, node):
        own = class_around(module, node)
        return frozenset(derived_from(program, module, own, depth)) if own else frozenset()
    objects: set[KerasObject] = set()
    for place, origin in _origins(program, module, node, depth):
        known = _of_origin(program, place, origin, depth) if origin is not None else frozenset()
        if not known:
            return frozenset()
        objects |= known
    return frozenset(objects)


def _origins(
    program: Program, module: Module, node: ast.expr, depth: int
) -> Iterator[tuple[Module, ast.expr | None]]:
    """Yields the expressions that a value may come from, each with its file; None for unknown."""
    owner, binding = only_bound_elsewhere(program, module, node) or (module, None)
    if isinstance(binding, AssignBinding) and depth <= _DEPTH:
        yield from _origins(program, owner, binding.value, depth + 1)
        return
    unknown = node if isinstance(node, ast.Attribute) else None  # self.model of a callback
    yield from ((module, origin) for origin in origins(module, node) or (unknown,))


def _of_origin(
    program: Program, module: Module, node: ast.expr, depth: int
) -> frozenset[KerasObject]:
    if isinstance(node, ast.Attribute):
        return _of_attribute(program, module, node, depth)
    if isinstance(node, ast.Subscript):
        layers = isinstance(node.value, ast.Attribute) and node.value.attr == "layers"
        is_one = layers and not isinstance(node.slice, ast.Slice)
        return _layer_of(program, module, node.value, depth) if is_one else frozenset()
    if not isinstance(node, ast.Call):
        return frozenset()
    if name := keras_name(program, module, node.func):
        return frozenset(_made_by(name))
    if (own := definition(program, module, node.func)) is not None:
        place, callee = own
        if isinstance(callee, ast.ClassDef):
            return frozenset(derived_from(program, place, callee, depth))
        return _returned_by(program, place, callee, depth)
    if isinstance(node.func, ast.Attribute) and node.func.attr == "get_layer":
        return _layer_of(program, module, node.func, depth)
    return frozenset()


def _made_by(name: str) -> Iterator[KerasObject]:
    """Yields what calling a name of Keras makes."""
    last = name.rpartition(".")[2]
    if last in _MAKE_MODELS or (name.startswith("applications.") and last[:1].isupper()):
        yield KerasObject(_MODEL)
    elif last[:1].isupper():
        yield KerasObject(name)


def _of_attribute(
    program: Program, module: Module, node: ast.Attribute, depth: int
) -> frozenset[KerasObject]:
    """Returns the optimizer of a model, or the model of a callback."""
    owners = keras_objects(program, module, node.value, depth + 1)
    # The program's class sets an attribute of this name itself.
    if any(node.attr in owner.own for owner in owners):
        return frozenset()
    if node.attr == "optimizer" and owners and all(map(is_model, owners)):
        return frozenset((KerasObject("optimizers.Optimizer"),))
    if node.attr == "model" and owners and all(o.name.startswith("callbacks.") for o in owners):
        return frozenset((KerasObject(_MODEL),))
    return frozenset()


def _layer_of(
    program: Program, module: Module, node: ast.expr, depth: int
) -> frozenset[KerasObject]:
    assert isinstance(node, ast.Attribute)
    owners = keras_objects(program, module, node.value, depth + 1)
    is_layer = bool(owners) and all(map(is_model, owners))
    return frozenset((KerasObject("layers.Layer"),) if is_layer else ())


def is_model(value: KerasObject) -> bool:
    """Returns whether an object is a model of Keras."""
    return value.name in _MODELS


def _returned_by(
    program: Program, module: Module, function: ast.FunctionDef, depth: int
) -> frozenset[KerasObject]:
    objects: set[KerasObject] = set()
    for value in returned(module, function) or ():
        if not (known := keras_objects(program, module, value, depth + 1)):
            return frozenset()
        objects |= known
    return frozenset(objects)


def derived_from(
    program: Program, module: Module, owner: ast.ClassDef, depth: int = 0
) -> Iterator[KerasObject]:
    """Yields the classes of Keras that a class of the program derives from.

    Args:
        owner: a class of it.
        depth: how many steps led to it.
    """
    if depth > _DEPTH:
        return
    for base in owner.bases:
        if name := keras_name(program, module, base):
            yield KerasObject(name, _own_members(module, owner))
            continue
        place, base_class = definition(program, module, base) or (module, None)
        if isinstance(base_class, ast.ClassDef):
            for value in derived_from(program, place, base_class, depth + 1):
                yield KerasObject(value.name, value.own | _own_members(module, owner))


def _own_members(module: Module, owner: ast.ClassDef) -> frozenset[str]:
    """Returns what a class defines, and sets on its objects."""
    members = {s.name for s in owner.body if isinstance(s, (ast.FunctionDef, ast.ClassDef))}
    targets = [t for s in owner.body if isinstance(s, ast.Assign) for t in s.targets]
    members |= {t.id for t in targets if isinstance(t, ast.Name)}
    for node in module.all(ast.Attribute, owner):
        if isinstance(node.ctx, ast.Store) and is_self(module, node.value):
            members.add(node.attr)
    return frozenset(members)
