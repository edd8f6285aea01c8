"""What keeps the body of a loop over towers from becoming a replica function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tfmigrate.model.refusals import Refusal
from tfmigrate.resolve.cluster_calls import OPTIMIZERS, server_calls
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.name_flow import FUNCTIONS, loop_exits, own_nodes

_NAME_TABLES = ("locals", "vars", "exec", "eval")
_ACROSS_REPLICAS = (
    "tensorflow.metrics",
    "tensorflow.train.ExponentialMovingAverage",
)
_SESSIONS = (
    "tensorflow.Session",
    "tensorflow.InteractiveSession",
    "tensorflow.train.MonitoredTrainingSession",
    "tensorflow.train.Supervisor",
)


def obstacles(module: Module, loop: ast.For) -> list[Refusal]:
    """Returns what prevents the conversion, each with its place; no refusal twice."""
    found = [*_control_flow(loop), *_surroundings(module, loop), *_of_the_graph(module, loop)]
    return list(dict.fromkeys(found))


def _control_flow(loop: ast.For) -> Iterator[Refusal]:
    if loop.orelse:
        yield Refusal(loop, "it has an `else`", "move the `else` block below the loop")
    for exit_ in loop_exits(loop.body):
        kind = "break" if isinstance(exit_, ast.Break) else "continue"
        yield Refusal(exit_, f"`{kind}` ends an iteration early", f"turn `{kind}` into `if`")
    for node in own_nodes(loop.body):
        if isinstance(node, ast.Return):
            yield Refusal(node, "`return` leaves the loop", "return after the loop")
        elif isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
            yield Refusal(node, "it contains `yield` or `await`", "move that out of the loop")
        elif isinstance(node, ast.Delete) and any(isinstance(t, ast.Name) for t in node.targets):
            yield Refusal(node, "it deletes a variable", "remove the `del`")
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            text = "it contains a `global` or `nonlocal` statement"
            yield Refusal(node, text, "move the statement above the loop")
        elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            text = "`import *` cannot move into a function"
            yield Refusal(node, text, "move the import to the top of the file")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in _NAME_TABLES:
                text = f"`{node.func.id}()` reads the variables of the loop by name"
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
            call = item.context_expr
            if isinstance(call, ast.Call) and (
                module.resolve(call.func) == "tensorflow.control_dependencies"
            ):
                text = "control dependencies around it do not apply in replica functions"
                yield Refusal(call, text, "move the control dependencies into the loop")


def _of_the_graph(module: Module, loop: ast.For) -> Iterator[Refusal]:
    for node in run_by(module, loop.body):
        if not isinstance(node, ast.Call):
            continue
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if method == "eval" and module.resolve(node.func) is None:
            text = "`eval()` needs the default session, which replica functions do not have"
            yield Refusal(node, text, "evaluate after the loop")
        if method in ("apply_gradients", "minimize"):
            text = f"`{method}` is called in each tower, without averaging the gradients"
            yield Refusal(node, text, "apply averaged gradients after the loop")
        qualified = module.resolve(node.func) or ""
        if (qualified + ".").startswith(tuple(n + "." for n in _ACROSS_REPLICAS)):
            name = qualified.replace("tensorflow.", "tf.", 1)
            text = f"{name} would be combined over the replicas of tf.distribute"
            yield Refusal(node, text, f"move {name} below the loop")
        if qualified in _SESSIONS:
            yield Refusal(node, "it creates a session", "create the session after the loop")


def run_by(module: Module, statements: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yields the code that statements run: their own and that of functions they name."""
    seen: set[ast.AST] = set()
    waiting: list[ast.AST] = list(statements)
    while waiting:
        for node in module.walk(waiting.pop()):
            yield node
            for function in functions_of(module, node):
                if function not in seen:
                    seen.add(function)
                    waiting.append(function)


def functions_of(module: Module, node: ast.AST) -> list[ast.FunctionDef]:
    """Returns the functions of a file that a node may name, or call as a method."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        found = module.names.scope_of[node].lookup(node.id)
        places = [getattr(binding, "node", None) for binding in found[1]] if found else []
        functions = [p for p in places if isinstance(p, ast.FunctionDef)]
        made = [m for p in places if isinstance(p, ast.ClassDef) for m in p.body]
        return functions + [m for m in made if isinstance(m, ast.FunctionDef) and _begins(m)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if module.resolve(node.func) is not None:
            return []
        return _methods(module).get(node.func.attr, [])
    return []


@asked_once
def _methods(module: Module) -> dict[str, list[ast.FunctionDef]]:
    """Returns the methods of all classes of a file, by their names."""
    found: dict[str, list[ast.FunctionDef]] = {}
    for function in module.all(ast.FunctionDef):
        if isinstance(module.parent(function), ast.ClassDef):
            found.setdefault(function.name, []).append(function)
    return found


def _begins(method: ast.FunctionDef) -> bool:
    return method.name in ("__init__", "__call__", "call", "build")
