"""Finds code of a replicated model that behaved differently in towers.

Towers shared one graph, its collections and its variable scopes; a replica sees only what it adds
itself. So code that read what other towers had added, made a variable for each tower, or lost
gradients on Python 3 computes something else in replicas (semantics.md, 1.9 to 1.20).
"""

import ast
from collections.abc import Iterator

from tfmigrate.resolve.calls import method_calls
from tfmigrate.resolve.family_members import own_copies
from tfmigrate.resolve.scopes import AssignBinding
from tfmigrate.rulekit.basics import Module, Program

GRADIENTS = "tensorflow.gradients"
# Empty when a second tower reads them, on Python 3 (semantics.md, 1.9).
_ITERATORS = ("zip", "map", "filter", "iter", "reversed")
VARIABLE_SCOPE = "tensorflow.get_variable_scope"
_HOOKS = ("tensorflow.train.", "tensorflow.estimator.")
_SESSIONS = ("tensorflow.Session", "tensorflow.InteractiveSession")


def model_modules(program: Program) -> Iterator[tuple[Module, str]]:
    """Yields the modules that may contain a replicated model, each with its group."""
    for module, group in program.imported_by_groups.items():
        if not own_copies(module):
            yield module, group


def within_function(module: Module, node: ast.AST) -> bool:
    """Returns whether a node is in a function, which towers may run."""
    return not isinstance(module.function(node), ast.Module)


def in_session_hook(module: Module, node: ast.AST) -> bool:
    """Returns whether a node is in a method of a session hook, which runs once for all towers."""
    function = module.function(node)
    owner = module.parent(function) if not isinstance(function, ast.Module) else None
    return (
        isinstance(owner, ast.ClassDef)
        and getattr(function, "name", "") != "__init__"  # model functions create hooks
        and any(is_session_hook(module, base) for base in owner.bases)
    )


def is_session_hook(
    module: Module, node: ast.expr, seen: frozenset[ast.ClassDef] = frozenset()
) -> bool:
    """Returns whether an expression is a session hook of TensorFlow, or a subclass of one."""
    name = module.resolve(node) or ""
    if name.startswith(_HOOKS) and name.endswith("Hook"):
        return True
    return any(
        is_session_hook(module, base, seen | {owner})
        for owner in module.all(ast.ClassDef)
        if isinstance(node, ast.Name) and owner.name == node.id and owner not in seen
        for base in owner.bases
    )


def runs_a_session(module: Module, node: ast.AST) -> bool:
    """Returns whether the function around a node opens a session, which no model function does.

    It runs what it builds immediately, not in towers.
    """
    function = module.function(node)
    return any(module.function(call) is function for call in module.calls_of(*_SESSIONS))


def apply_gradients_calls(module: Module) -> list[ast.Call]:
    """Returns the calls of a method named apply_gradients, in the order of the text."""
    calls = method_calls(module, "apply_gradients")
    return sorted((call for call, _ in calls), key=module.position)


def is_one_shot(module: Module, node: ast.expr | None) -> bool:
    """Returns whether an expression is an iterator that can be read once (``zip``, a generator)."""
    if isinstance(node, ast.GeneratorExp):
        return True
    if isinstance(node, ast.Call):
        return _makes_iterators(module, node.func)
    if isinstance(node, ast.Name):
        bindings = [b for b in module.bindings(node) if isinstance(b, AssignBinding)]
        before = [b.value for b in bindings if b.statement.lineno < node.lineno]
        return (
            bool(before)
            and not isinstance(before[-1], ast.Name)
            and is_one_shot(module, before[-1])
        )
    return False


def _makes_iterators(module: Module, function: ast.expr) -> bool:
    if isinstance(function, ast.Name) and not module.bindings(function):
        return function.id in _ITERATORS
    prefix, _, name = (module.resolve(function) or "").rpartition(".")
    if prefix == "itertools":
        return True
    return prefix in ("six.moves", "builtins", "six.moves.builtins") and name in _ITERATORS
