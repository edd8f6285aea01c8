"""Where code that moves still reads the values that it read, and does what it did once.

The input function is called where the model is made, and perhaps a second time. Code that then
reads a variable before it is set, draws a second time, or prints again would not be the same.
"""

import ast
from collections.abc import Iterator, Sequence

from tfmigrate.model.edits import Code
from tfmigrate.model.reached import reached
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import Binding, place_of, root_of
from tfmigrate_keras.conversion import Conversion, refuse
from tfmigrate_keras.estimator_uses import Use
from tfmigrate_keras.own_functions import definition

_QUIET = (ast.FunctionDef, ast.Import, ast.ImportFrom, ast.Pass)
_GENERATORS = (
    "numpy.random.RandomState",
    "numpy.random.default_rng",
    "numpy.random.Generator",
    "random.Random",
)
_BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try)
_LOGS = ("tensorflow.logging.", "logging.", "absl.logging.")
_ONCE = ("print", "next", "open", "input")  # called twice, they do or give something else


def is_known_at(
    plan: Conversion, module: Module, code: Code, place: ast.stmt, until: ast.AST | None = None
) -> bool:
    """Returns whether the names of code have their values at a place already.

    Args:
        code: the code that moves to the place.
        place: the statement above which it is evaluated.
        until: where it was evaluated, in the same function; what follows that is of no interest.
    """
    here = module.names.scope_of[place]
    reached = list(_reached(plan, module, code.parts))
    bodies = [function for home, function in reached if home is module]
    for node in _loads(module, [*code.parts, *bodies]):
        scope, bindings = module.names.variable(node)
        if scope is None or _is_within(module, scope.node, [*code.parts, *bodies]):
            continue
        if scope is here:
            if _is_bound_below(module, bindings, place, until):
                return False
        elif scope.parent is not None and not any(_is_within(module, node, [b]) for b in bodies):
            return False
    return True


def _is_bound_below(
    module: Module, bindings: Sequence[Binding], place: ast.stmt, until: ast.AST | None
) -> bool:
    """Returns whether a name gets a value between a place and another."""
    for binding in bindings:
        if isinstance(bound := place_of(binding), ast.arg):
            continue
        last = until is None or module.position(bound) < module.position(until)
        if module.position(bound) > module.position(place) and last:
            return True
    return False


def is_quiet(module: Module, statement: ast.stmt) -> bool:
    """Returns whether a statement only binds names to new values: nothing that exists changes."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if not isinstance(statement, ast.Assign):
        return isinstance(statement, _QUIET)
    if not all(isinstance(target, (ast.Name, ast.Tuple)) for target in statement.targets):
        return False
    lambdas = [n for n in ast.walk(statement) if isinstance(n, ast.Lambda)]
    return all(
        (module.resolve(call.func) or "").startswith(("tensorflow.", "functools.partial"))
        or _is_within(module, call, lambdas)
        for call in ast.walk(statement)
        if isinstance(call, ast.Call)
    )


def is_undisturbed(module: Module, place: ast.stmt, call: ast.Call, uses: Sequence[Use]) -> bool:
    """Returns whether nothing between a place and a call changes what exists, but for logs."""
    function = module.function(place)
    start, end = module.position(place), module.position(call)
    used = {module.statement(use.call) for use in uses if use.module is module}
    for statement in module.all(ast.stmt, function):
        if module.function(statement) is not function or isinstance(statement, _BLOCKS):
            continue
        between = start < module.position(statement) < end and statement not in used
        if between and not is_quiet(module, statement) and not _is_log(module, statement):
            return False
    return True


def _is_log(module: Module, statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    function = statement.value.func
    name = module.resolve(function) or ast.unparse(function)
    return name.startswith(_LOGS) or name == "print"


def check_text_known(module: Module, text: str, place: ast.expr) -> None:
    """Refuses code that is added at a place above the statements that set its names.

    Raises:
        Refusal: one of the names is set below the place.
    """
    statement = module.statement(place)
    for node in ast.walk(ast.parse(text or "None", mode="eval")):
        if not isinstance(node, ast.Name):
            continue
        scope, bindings = module.names.scope_of[statement].lookup(node.id) or (None, [])
        if scope is None or _is_bound_below(module, bindings, statement, None):
            refuse(place, f"`{node.id}` is not known here yet")


def check_unchanged(module: Module, node: ast.expr, between: Sequence[ast.stmt]) -> None:
    """Refuses to evaluate an expression below statements that may change its value.

    Raises:
        Refusal: one of them may.
    """
    names = {n.id for n in _loads(module, [node])}
    for statement in between:
        if isinstance(statement, ast.FunctionDef):
            continue  # only its name is bound here
        for place in module.walk(statement):
            if isinstance(place, ast.Name) and isinstance(place.ctx, ast.Store):
                changed = [place.id]
            elif isinstance(place, (ast.Attribute, ast.Subscript)):
                stored = not isinstance(place.ctx, ast.Load)
                by_call = module.call_of(place) and _is_method(module, place)
                changed = [_root(place)] if stored or by_call else []
            elif isinstance(place, ast.Call) and not isinstance(module.parent(place), ast.Lambda):
                known = (module.resolve(place.func) or "").startswith("tensorflow.")
                changed = [] if known else [_root(a) for a in place.args if isinstance(a, ast.Name)]
            else:
                continue
            if names & set(changed):
                name = next(iter(names & set(changed)))
                refuse(statement, f"`{name}` of the Estimator may change before it is used")


def check_effects(plan: Conversion, module: Module, code: Code) -> None:
    """Refuses an input function that does more than to read, where it would be called again.

    Raises:
        Refusal: another call would be noticed.
    """
    for home, function in _reached(plan, module, code.parts):
        for node in home.walk(function):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                refuse(node, "the input function changes a variable, and would be called again")
            if isinstance(node, ast.Call) and has_effect(home, function, node):
                what = ast.unparse(node.func)[:60]
                refuse(node, f"the input function calls `{what}`, and would be called again")


def check_set_once(plan: Conversion, module: Module, code: Code, place: ast.expr) -> None:
    """Refuses an input function that reads a variable of the file that is set anew below a place.

    Raises:
        Refusal: it would be called before, and not after.
    """
    for home, function in _reached(plan, module, code.parts):
        for node in _loads(home, [function]):
            scope, bindings = home.names.variable(node)
            if scope is None or scope.parent is not None or len(bindings) < 2:
                continue
            below = [b for b in map(place_of, bindings) if home.position(b) > home.position(place)]
            if home is module and below:
                refuse(node, f"`{node.id}` is set anew after the Experiment is made")


def has_effect(module: Module, function: ast.AST, call: ast.Call) -> bool:
    """Returns whether a call in a function does something, or gives something else each time."""
    if isinstance(call.func, ast.Name):
        return call.func.id in _ONCE
    if not isinstance(call.func, ast.Attribute):
        return False
    held = root_of(call.func)
    if not isinstance(held, ast.Name) or module.resolve(held):
        return False
    scope = module.scope(held)
    if scope is None or _is_within(module, scope.node, [function]):
        return False
    generates = any(called(module, value) in _GENERATORS for value in module.values(held))
    return generates or isinstance(module.parent(call), ast.Expr)


def _reached(
    plan: Conversion, module: Module, nodes: Sequence[ast.AST]
) -> Iterator[tuple[Module, ast.FunctionDef | ast.Lambda]]:
    """Yields the functions of the program that code names, and those that they name."""

    def functions_in(
        code: tuple[Module, ast.AST],
    ) -> Iterator[tuple[Module, ast.FunctionDef | ast.Lambda]]:
        home, node = code
        for inner in home.walk(node):
            if isinstance(inner, (ast.Name, ast.Attribute)):
                own_function = definition(plan, home, inner)
                lambdas = [(home, v) for v in home.values(inner) if isinstance(v, ast.Lambda)]
                yield from [own_function] if own_function else lambdas

    return reached([f for node in nodes for f in functions_in((module, node))], functions_in)


def _loads(module: Module, nodes: Sequence[ast.AST]) -> Iterator[ast.Name]:
    for node in nodes:
        for inner in module.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
                yield inner


def _is_method(module: Module, node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and not module.resolve(node)


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _is_within(module: Module, node: ast.AST, parts: Sequence[ast.AST]) -> bool:
    return any(place in parts for place in (node, *module.ancestors(node)))
