"""What towers of a MirroredStrategy would not compute as those of a loop did."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from tfmigrate.families.native.conversion import called, refuse
from tfmigrate.families.native.own_functions import definition
from tfmigrate.families.native.steady import changed
from tfmigrate.families.native_steps.graph import Graph, Kind, assigned
from tfmigrate.families.native_steps.towers import Towers
from tfmigrate.families.native_steps.training import Training
from tfmigrate.families.towers.devices import names_in
from tfmigrate.resolve.calls import argument
from tfmigrate.resolve.module import Module
from tfmigrate.tables.native.kept import PACKAGES
from tfmigrate.tables.native.layers import FUNCTIONS as LAYERS

_NAMED = ("tensorflow.variable_scope", "tensorflow.get_variable", *LAYERS)
_NO_DEVICES = (
    *PACKAGES,
    "tensorflow.gfile.",
    "tensorflow.io.gfile.",
    "tensorflow.train.ClusterSpec",
)
_RANDOM = ("random", "truncated_normal", "shuffle", "dropout")


def check_towers(towers: Towers, training: Training) -> None:
    """Refuses what each tower would compute of other values than in the loop.

    Raises:
        Refusal: something would be.
    """
    graph, module = towers.graph, towers.graph.module
    loop = towers.loop.loop
    if not any(graph.in_towers(leaf) for leaf in graph.leaves):
        refuse(loop, "the loop over towers is in a branch")
    computed = training.computed
    if computed is None or not graph.in_towers(computed):
        refuse(computed or loop, "the gradients are not those of one tower")
    for node in (*training.made.args, *(k.value for k in training.made.keywords)):
        for inner in module.walk(node):
            if isinstance(inner, ast.Name) and graph.kind_of(inner) in (
                *(Kind.TENSOR, Kind.PLACEHOLDER, Kind.VARIABLE, Kind.BATCH),
            ):
                refuse(inner, f"the optimizer depends on the tensor `{inner.id}`")
            if isinstance(inner, ast.Name) and inner.id in _of_loop(towers):
                refuse(inner, "each tower has its own optimizer")
    for leaf in graph.of(Kind.TENSOR):
        late = module.position(leaf) > module.position(computed)
        if late and training.loss in assigned(module, leaf):
            refuse(leaf, f"`{training.loss}` is assigned again after its gradients are taken")
        if not graph.in_towers(leaf) and module.position(leaf) < module.position(loop):
            _check_random(module, leaf)


def uses_devices(towers: Towers, first: ast.stmt) -> ast.stmt | None:
    """Returns the first statement above another one that computes, such as a Dataset.

    TensorFlow has its devices then, and takes no others.
    """
    graph, module = towers.graph, towers.graph.module
    for leaf in graph.of(Kind.PLAIN, Kind.BATCH):
        early = module.position(leaf) < module.position(first)
        if early and not towers.plan.is_removed(leaf) and _computes(towers, leaf, set()):
            return leaf
    return None


def _computes(towers: Towers, place: ast.AST, seen: set[ast.AST]) -> bool:
    module = towers.graph.module
    for call in module.all(ast.Call, place):
        name = called(module, call)
        if name.startswith("tensorflow.") and not name.startswith(_NO_DEVICES):
            return True
        found = definition(towers.plan, module, call.func)
        if found is not None and found[0] is module and found[1] not in seen:
            seen.add(found[1])
            if _computes(towers, found[1], seen):
                return True
    return False


def check_known_above(graph: Graph, loop: ast.For, text: str, statement: ast.stmt) -> None:
    """Refuses code that a statement cannot follow: it reads names that are assigned later.

    Raises:
        Refusal: there is one.
    """
    module = graph.module
    names = names_in(ast.parse(text)) - names_in(loop.target)
    for node in module.all(ast.Name, graph.home):
        late = module.position(node) > module.position(statement)
        if node.id in names and isinstance(node.ctx, ast.Store) and late and graph.is_here(node):
            refuse(node, f"`{node.id}`, of the devices, is assigned below the Dataset")


def check_changes_below(graph: Graph, statements: Sequence[ast.stmt]) -> None:
    """Refuses to change what exists before a training step is traced.

    Raises:
        Refusal: statements below the loop over towers do.
    """
    own = {name for leaf in statements for name in assigned(graph.module, leaf)}
    for statement in statements:
        for name in changed(graph.module, statement):
            if name.id not in own:
                refuse(name, f"`{name.id}` is changed, and exists before a step is traced")


def check_functions(towers: Towers, functions: Sequence[ast.FunctionDef]) -> None:
    """Refuses functions that read a name of the loop, and variables of one tower alone.

    Raises:
        Refusal: there are some.
    """
    graph, module = towers.graph, towers.graph.module
    own = _of_loop(towers)
    own |= {n for leaf in graph.leaves if graph.in_towers(leaf) for n in assigned(module, leaf)}
    for function in functions:
        for node in module.all(ast.Name, function):
            if isinstance(node.ctx, ast.Load) and node.id in own and graph.is_here(node):
                refuse(node, f"a function reads `{node.id}` of the loop over towers")
    _check_names(towers, functions, own)


def _of_loop(towers: Towers) -> set[str]:
    return {n.id for n in ast.walk(towers.loop.loop.target) if isinstance(n, ast.Name)}


def _check_names(towers: Towers, functions: Sequence[ast.FunctionDef], own: Iterable[str]) -> None:
    """Refuses names of variables that depend on the tower: it has them for itself."""
    graph, module = towers.graph, towers.graph.module
    dependent: dict[ast.AST, set[str]] = {towers.loop.loop: set(own)}
    places: list[ast.AST] = [towers.loop.loop]
    while places:
        place = places.pop()
        names = dependent[place]
        for statement in module.all(ast.Assign, place):
            if _reads(module, statement.value, names):
                names |= set(assigned(module, statement))
        for call in module.all(ast.Call, place):
            if called(module, call) in _NAMED:
                given = argument(call, 0, "name_or_scope", "name")
                if called(module, call) in LAYERS:
                    given = argument(call, 99, "name", "scope")
                if given is not None and _reads(module, given, names):
                    refuse(given, "each tower has its own variables")
            found = definition(towers.plan, module, call.func)
            if found is None or found[1] not in functions:
                continue
            function = found[1]
            known = dependent.setdefault(function, set())
            parameters = [a.arg for a in function.args.args]
            given_to = [*zip(parameters, call.args, strict=False)]
            given_to += [(k.arg or "", k.value) for k in call.keywords]
            new = {name for name, value in given_to if _reads(module, value, names)} - known
            if new or (function not in places and not known):
                known |= new
                if new:
                    places.append(function)
    del graph


def _reads(module: Module, node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id in names for inner in module.walk(node))


def _check_random(module: Module, leaf: ast.stmt) -> None:
    """Refuses random numbers that all towers share: each replica would draw its own."""
    for call in module.all(ast.Call, leaf):
        name = called(module, call)
        if any(word in name.rpartition(".")[2] for word in _RANDOM):
            refuse(call, "random numbers above the loop over towers, which they share")
