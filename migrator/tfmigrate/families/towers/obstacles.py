"""What keeps the body of a loop over towers from becoming a replica function.

Two kinds. A function is no loop: it cannot break, yield, or list its variables by name. And
tf.distribute treats replicas as one: a metric or an average made in each tower is combined over all
of them, and an optimizer applied in each makes one step, where 1.x made one for each tower. What
functions of other files do counts as the loop's own: most models are
built there. A method of an unknown object may be any of its name, so that this refuses too much
rather than too little.
"""

import ast
from collections.abc import Collection, Iterator

from tfmigrate.model.findings import first_of
from tfmigrate.model.reached import reached
from tfmigrate.resolve.calls import called
from tfmigrate.resolve.cluster_calls import OPTIMIZERS, server_calls
from tfmigrate.resolve.definitions import bound_elsewhere
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.name_flow import FUNCTIONS, loop_exits, own_nodes
from tfmigrate.resolve.scopes import Binding
from tfmigrate.rulekit.basics import Program, Refusal

NAME_TABLES = ("locals", "vars", "exec", "eval")
_ACROSS_REPLICAS = ("tensorflow.metrics", "tensorflow.train.ExponentialMovingAverage")
SESSIONS = (
    "tensorflow.Session",
    "tensorflow.InteractiveSession",
    "tensorflow.train.MonitoredTrainingSession",
    "tensorflow.train.Supervisor",
)


def obstacles(program: Program, module: Module, loop: ast.For) -> list[Refusal]:
    """Returns what prevents the conversion, each with its place; no refusal twice.

    What other files do is reported at the loop, once for all places that do the same.
    """
    places: dict[Refusal, dict[str, None]] = {
        refusal: {} for refusal in (*_control_flow(loop), *_surroundings(module, loop))
    }
    for owner, node in run_in_program(program, module, loop.body):
        for refusal in _of_the_graph(owner, node, node if owner is module else loop):
            elsewhere = places.setdefault(refusal, {})
            if owner is not module:
                elsewhere[f"{owner.source.display}:{getattr(node, 'lineno', 1)}"] = None
    return [_with_places(refusal, list(elsewhere)) for refusal, elsewhere in places.items()]


def _with_places(refusal: Refusal, places: list[str]) -> Refusal:
    """Returns a refusal that names the first of the places in other files, and counts the rest."""
    if not places:
        return refusal
    return Refusal(refusal.node, f"{refusal.reason} ({first_of(places, 1)})", refusal.action)


def _control_flow(loop: ast.For) -> Iterator[Refusal]:
    if loop.orelse:
        yield Refusal(loop, "it has an `else`", "move the `else` block below the loop")
    for exit_ in loop_exits(loop.body):
        kind = "break" if isinstance(exit_, ast.Break) else "continue"
        yield Refusal(exit_, f"`{kind}` ends an iteration early", f"turn `{kind}` into `if`")
    for node in own_nodes(loop.body):
        if isinstance(node, ast.Return):
            yield Refusal(node, "`return` leaves the loop", "return after the loop")
        else:
            yield from in_function(node, "loop", NAME_TABLES)


def in_function(node: ast.AST, what: str, name_tables: Collection[str]) -> Iterator[Refusal]:
    """Yields why a node of code that becomes a function would mean something else there.

    Args:
        what: what the code is now.
        name_tables: the functions that read its variables by their names.
    """
    if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
        yield Refusal(node, "it contains `yield` or `await`", f"move that out of the {what}")
    elif isinstance(node, ast.Delete) and any(isinstance(t, ast.Name) for t in node.targets):
        yield Refusal(node, "it deletes a variable", "remove the `del`")
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        text = "it contains a `global` or `nonlocal` statement"
        yield Refusal(node, text, f"move the statement above the {what}")
    elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
        text = "`import *` cannot move into a function"
        yield Refusal(node, text, "move the import to the top of the file")
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in name_tables:
            text = f"`{node.func.id}()` reads the variables of the {what} by name"
            yield Refusal(node, text, "read the variables directly")
        elif node.func.id == "super" and not node.args:
            text = "`super()` without arguments does not work in a replica function"
            yield Refusal(node, text, "pass the class and the instance to `super`")


def _surroundings(module: Module, loop: ast.For) -> Iterator[Refusal]:
    of_cluster = [use.node for use in module.uses_of(*OPTIMIZERS)]
    for node in (*(call.func for call in server_calls(module)), *of_cluster):
        text = "the program runs on several workers, each with its own towers"
        yield Refusal(node, text, "run the towers on a single machine")
    for outer in module.ancestors(loop):
        if isinstance(outer, (*FUNCTIONS, ast.ClassDef)):
            return
        for item in getattr(outer, "items", ()):
            if called(module, item.context_expr) == "tensorflow.control_dependencies":
                text = "control dependencies around it do not apply in replica functions"
                action = "move the control dependencies into the loop"
                yield Refusal(item.context_expr, text, action)


def _of_the_graph(owner: Module, node: ast.AST, place: ast.AST) -> Iterator[Refusal]:
    """Yields what one node of the code that a tower runs must not do.

    Args:
        owner: the file of the node.
        node: the node.
        place: where it is reported.
    """
    if not isinstance(node, ast.Call):
        return
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if method == "eval" and owner.resolve(node.func) is None:
        text = "`eval()` needs the default session, which replica functions do not have"
        yield Refusal(place, text, "evaluate after the loop")
    if method in ("apply_gradients", "minimize"):
        text = f"`{method}` is called in each tower, without averaging the gradients"
        yield Refusal(place, text, "apply averaged gradients after the loop")
    qualified = owner.resolve(node.func) or ""
    if (qualified + ".").startswith(tuple(n + "." for n in _ACROSS_REPLICAS)):
        name = qualified.replace("tensorflow.", "tf.", 1)
        text = f"{name} would be combined over the replicas of tf.distribute"
        yield Refusal(place, text, f"move {name} below the loop")
    if qualified in SESSIONS:
        yield Refusal(place, "it creates a session", "create the session after the loop")


def run_by(module: Module, statements: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yields the code that statements run: their own and that of the file's functions."""
    yield from (node for _, node in run_in_program(None, module, statements))


def run_in_program(
    program: Program | None, module: Module, statements: list[ast.stmt], by_method: bool = True
) -> Iterator[tuple[Module, ast.AST]]:
    """Yields the code that statements run, in all files of the program, each node with its file.

    Args:
        program: the files; None for the file of the statements alone.
        module: the file of the statements.
        by_method: whether a method of an unknown object may be any of its name in another file.
    """

    def functions_in(code: tuple[Module, ast.AST]) -> Iterator[tuple[Module, ast.AST]]:
        owner, start = code
        for node in owner.walk(start):
            own = [(owner, function) for function in functions_of(owner, node)]
            if program and not own:
                own = functions_elsewhere(program, owner, node, by_method)
            yield from own

    starts: list[tuple[Module, ast.AST]] = [(module, statement) for statement in statements]
    for owner, start in reached(starts, functions_in):
        yield from ((owner, node) for node in owner.walk(start))


def functions_elsewhere(
    program: Program, module: Module, node: ast.AST, by_method: bool
) -> list[tuple[Module, ast.FunctionDef]]:
    """Returns the functions of other files of the program that a node may name, or call.

    Args:
        module: the file of the node.
        by_method: whether a method of an unknown object may be any of its name in another file.
    """
    if not isinstance(node, (ast.Name, ast.Attribute)) or not isinstance(node.ctx, ast.Load):
        return []
    bound = bound_elsewhere(program, module, node)
    if functions := [(owner, f) for owner, binding in bound for f in _defined([binding])]:
        return functions
    if isinstance(node, ast.Name) or not by_method or not module.call_of(node):
        return []
    if module.names.root_import(node) is not None:
        return []
    others = program.reachable(module) - {module}
    return [(other, f) for other in others for f in _methods(other).get(node.attr, [])]


def functions_of(module: Module, node: ast.AST) -> list[ast.FunctionDef]:
    """Returns the functions of a file that a node may name, or call as a method."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return _defined(module.bindings(node))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if module.resolve(node.func) is not None:
            return []
        return _methods(module).get(node.func.attr, [])
    return []


def _defined(bindings: list[Binding]) -> list[ast.FunctionDef]:
    """Returns the functions that bindings are, and what runs when classes among them are called."""
    places = [getattr(binding, "node", None) for binding in bindings]
    functions = [p for p in places if isinstance(p, ast.FunctionDef)]
    class_members = [m for p in places if isinstance(p, ast.ClassDef) for m in p.body]
    return functions + [m for m in class_members if isinstance(m, ast.FunctionDef) and _begins(m)]


@asked_once
def _methods(module: Module) -> dict[str, list[ast.FunctionDef]]:
    """Returns the methods of all classes of a file, by their names."""
    methods: dict[str, list[ast.FunctionDef]] = {}
    for function in module.all(ast.FunctionDef):
        if isinstance(module.parent(function), ast.ClassDef):
            methods.setdefault(function.name, []).append(function)
    return methods


def _begins(method: ast.FunctionDef) -> bool:
    return method.name in ("__init__", "__call__", "call", "build")
