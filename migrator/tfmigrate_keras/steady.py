"""Code that TensorFlow 1.x ran for each graph, and the conversion runs once: it must not notice.

A model function ran for each mode, and again for each training; a counter, a draw or a variable
that changes in between had an effect each time.
"""

import ast
from collections.abc import Callable, Iterable, Iterator

from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate_keras.conversion import REPEATED, Conversion, reads, refuse
from tfmigrate_keras.known_values import has_effect

_CHANGES = ("append", "extend", "insert", "update", "setdefault", "add", "pop", "remove", "clear")
_CHANGING = ("random", "time", "datetime", "uuid", "numpy.random")
_GENERATORS = ("RandomState", "default_rng", "Random")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

Place = tuple[Module, ast.AST]
Variable = tuple[object, str]
"""A variable: its scope, or the file that an import is of, and its name; a file: itself and ""."""


def changed(module: Module, place: ast.AST) -> Iterator[ast.Name]:
    """Yields the names of objects that code changes, by methods or by assignments."""
    for node in module.walk(place):
        held: ast.expr | None = None
        if isinstance(node, ast.Attribute) and node.attr in _CHANGES and not module.resolve(node):
            held = node.value
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            held = None if isinstance(node.ctx, ast.Load) else node.value
        while isinstance(held, (ast.Attribute, ast.Subscript)):
            held = held.value
        if isinstance(held, ast.Name):
            yield held


def check_model_code(plan: Conversion, place: Place) -> None:
    """Refuses code of a model that does more than to build it, which each mode did.

    Raises:
        Refusal: it changes something outside of it, or draws.
    """
    for function, module in plan.model_code.items():
        for node in module.walk(function):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                refuse(node, f"the model function sets `{node.names[0]}` each time it is called")
            if not isinstance(node, ast.Call) or plan.is_removed(node):
                continue
            what = f"the model function calls `{ast.unparse(node.func)[:60]}`, which each mode did"
            shows = isinstance(node.func, ast.Name) and node.func.id == "print"
            package, _, name = (module.resolve(node.func) or "").rpartition(".")
            draws = package in _CHANGING and not (name in _GENERATORS and node.args)
            if draws or (not shows and has_effect(module, function, node)):
                refuse(node, what)
        parameters = [a.arg for a in function.args.args]
        for held in plan.left(changed(module, function)):
            if held.id == "params" and held.id in parameters:
                refuse(held, "the model function changes `params`, of which it had a copy")
            if not _is_inside(module, held, [function]):
                refuse(held, f"the model function changes `{held.id}` each time it is called")
    check_steady(plan, [(m, f) for f, m in plan.model_code.items()], place)


def check_steady(plan: Conversion, code: Iterable[Place], place: Place) -> None:
    """Refuses code that reads what changes after a place: TensorFlow 1.x read it before, or after.

    Args:
        code: the code that builds the model.
        place: where the program begins to use it.

    Raises:
        Refusal: a variable or an object that it reads may change.
    """
    read: set[Variable] = set()
    inside: set[ast.AST] = set()
    for module, root in code:
        inside.update(module.walk(root))
        for node in plan.left(module.all(ast.Name, root)):
            if not _is_inside(module, node, [root]):
                read.update(_meant(plan, module, node))
    for module in plan.program.modules:
        is_late = _lateness(module, place)
        for node in _stores(module):
            if node in inside or not read.intersection(_meant(plan, module, node)):
                continue
            if is_late(node):
                what = "the model, which is built once, reads it"
                refuse(node, f"`{node.id}` changes here, and {what}")


def _stores(module: Module) -> Iterator[ast.Name]:
    """Yields the names that a file sets, and those of objects that it changes."""
    yield from (n for n in module.all(ast.Name) if not isinstance(n.ctx, ast.Load))
    yield from changed(module, module.tree)
    for statement in module.all(ast.Expr):
        call = statement.value
        if isinstance(call, ast.Call) and (module.resolve(call.func) or "").startswith("numpy."):
            yield from (a for a in call.args if isinstance(a, ast.Name))


def _meant(plan: Conversion, module: Module, node: ast.Name) -> Iterator[Variable]:
    """Yields the variable that a name means, and those of an own file that is read through it."""
    scope, bindings = module.names.variable(node)
    imported = [b for b in bindings if isinstance(b, ImportBinding)]
    for binding in imported:
        if (origin := plan.program.source_of(module, binding)) is None:
            yield None, binding.qualified
            continue
        home, name = origin
        parent = module.parent(node)
        if not name and isinstance(parent, ast.Attribute):
            name = parent.attr
        yield home.names.scope_of[home.tree] if name else home, name
    if (qualified := module.resolve(node)) and not imported:
        yield None, qualified  # such as the flags
    elif scope is not None and not imported:
        yield scope, node.id


def _is_inside(module: Module, name: ast.Name, places: list[ast.AST]) -> bool:
    """Returns whether a name is bound within one of some places."""
    scope = module.scope(name)
    holders = [] if scope is None else [scope.node, *module.ancestors(scope.node)]
    return any(holder in places for holder in holders if isinstance(holder, _FUNCTIONS))


def _lateness(module: Module, place: Place) -> Callable[[ast.AST], bool]:
    """Returns what says whether code may run after a place was reached for the first time."""
    home, at = place
    function = home.function(at)
    started = [at] if (home is module and function is module.tree) else []
    if home is module and isinstance(function, ast.FunctionDef):
        loads = reads(module, module.tree, function.name)
        started = [n for n in loads if module.function(n) is module.tree]

    def is_late(node: ast.AST) -> bool:
        around = module.function(node)
        if home is module and around is function:
            return _is_after(module, node, at)
        if around is module.tree:
            return any(_is_after(module, node, start) for start in started)
        return True

    return is_late


def _is_after(module: Module, node: ast.AST, place: ast.AST) -> bool:
    """Returns whether a node is below a place, or in a loop with it."""
    around = set(module.ancestors(place))
    loops = (a for a in module.ancestors(node) if isinstance(a, REPEATED))
    return module.position(node) > module.position(place) or any(a in around for a in loops)
