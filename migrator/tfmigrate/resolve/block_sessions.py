"""What the statements of a block run: sessions, Estimators, functions of the file."""

import ast
from collections.abc import Iterator

from tfmigrate.resolve.calls import called, called_builtin
from tfmigrate.resolve.module import Module, asked_once
from tfmigrate.resolve.name_flow import FUNCTIONS, own_nodes

SESSIONS = frozenset(
    {
        "tensorflow.Session", "tensorflow.InteractiveSession", "tensorflow.train.Supervisor",
        "tensorflow.train.MonitoredSession", "tensorflow.train.MonitoredTrainingSession",
        "tensorflow.train.SingularMonitoredSession", "tensorflow.train.SessionManager",
        "tensorflow.contrib.training.train", "tensorflow.contrib.slim.learning.train",
    }
)  # fmt: skip
_ESTIMATORS = (
    "tensorflow.estimator.",
    "tensorflow.contrib.learn.",
    "tfmigrate_runtime.estimator.",
    "tfmigrate_runtime.learn.",
)
_SESSION_SETTINGS = (
    "tensorflow.ConfigProto", "tensorflow.GPUOptions", "tensorflow.GraphOptions",
    "tensorflow.summary.FileWriter", "time.time",
)  # fmt: skip
_PLAIN = (
    ast.Assign, ast.Expr, ast.Name, ast.Attribute, ast.Constant, ast.List, ast.Tuple, ast.Dict,
    ast.expr_context,
)  # fmt: skip


def graph_part(module: Module, block: ast.With) -> int:
    """Returns how many statements come before the session: what makes it, and what it is given."""
    seen: set[str] = set()
    for index, statement in enumerate(block.body):
        if any(name in SESSIONS for name in _names_used(module, statement, seen)):
            while index > 1 and _is_for_session(module, block.body[index - 1]):
                index -= 1
            return index
    return len(block.body)


def _is_for_session(module: Module, statement: ast.stmt) -> bool:
    """Returns whether a statement only prints, or creates hooks and settings, not operations."""
    if not isinstance(statement, (ast.Assign, ast.Expr)):
        return False
    calls = [n for n in module.walk(statement) if isinstance(n, ast.Call)]
    if not all(_is_of_settings(module, call) for call in calls):
        return False
    # Without a call an operator may be one of tensors.
    return bool(calls) or all(isinstance(n, _PLAIN) for n in module.walk(statement))


def _is_of_settings(module: Module, call: ast.Call) -> bool:
    """Returns whether a call prints, or makes hooks and settings."""
    if builtin := called_builtin(module, call):
        return builtin == "print"
    holder, _, name = called(module, call).rpartition(".")
    if f"{holder}.{name}" in _SESSION_SETTINGS or holder == "os.path":
        return True
    return holder == "tensorflow.train" and name.endswith("Hook")


def makes_session(module: Module, statement: ast.stmt) -> bool:
    """Returns whether running a statement makes a session, itself or by functions of the file."""
    return any(name in SESSIONS for name in _names_used(module, statement, set()))


def starts_training(name: str) -> bool:
    """Returns whether a qualified name is a session's, or makes or runs an Estimator."""
    last = name.rpartition(".")[2]
    trains = last.endswith(("Classifier", "Estimator", "Regressor")) or last == "train_and_evaluate"
    return name in SESSIONS or (name.startswith(_ESTIMATORS) and trains)


def runs_estimator(module: Module, block: ast.With) -> bool:
    """Returns whether a block builds or runs an Estimator, and creates no session itself."""
    seen: set[str] = set()
    used = [name for s in block.body for name in _names_used(module, s, seen)]
    estimators = any(name.startswith(_ESTIMATORS) for name in used)
    return estimators and not any(name in SESSIONS for name in used)


def _names_used(module: Module, statement: ast.stmt, seen: set[str]) -> Iterator[str]:
    """Yields the qualified names that running a statement uses, by functions of the file too.

    Functions whose names have been seen are left out.
    """
    for node in run_by(module, statement, seen):
        if isinstance(node, (ast.Name, ast.Attribute)) and (qualified := module.resolve(node)):
            yield qualified


def run_by(module: Module, statement: ast.AST, seen: set[str]) -> Iterator[ast.AST]:
    """Yields the code that a statement runs: its own, and that of functions it names."""
    waiting = [statement]
    while waiting:
        code = waiting.pop()
        if isinstance(code, (*FUNCTIONS, ast.ClassDef)):
            continue  # a definition runs nothing
        nodes, named = _code_of(module, code)
        yield from nodes
        new = [name for name in named if name not in seen]
        seen.update(new)
        waiting += [inner for name in new for body in module.called_code[name] for inner in body]


@asked_once
def _code_of(module: Module, statement: ast.AST) -> tuple[list[ast.AST], list[str]]:
    """Returns the code of a statement, and the names in it of functions of the file."""
    nodes: list[ast.AST] = []
    named: dict[str, None] = {}
    for node in own_nodes([statement]):
        nodes.append(node)
        if isinstance(node, ast.Lambda):
            nodes += module.walk(node)
        name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
        if isinstance(node, ast.Attribute) and module.resolve(node):
            continue  # tf.train.Saver does not run the program's own function `train`
        if name in module.called_code:
            named[name] = None
    return nodes, list(named)
