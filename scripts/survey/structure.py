"""What the structure of a migrated text says: mode switches, imports, signs of TensorFlow 2."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from chains import Names
from texts import Text

SWITCHES = ("disable_v2_behavior", "disable_eager_execution")
_SESSIONS = ("Session", "InteractiveSession", "MonitoredTrainingSession", "MonitoredSession")
_SESSIONS += ("SingularMonitoredSession", "Supervisor")
# Calls that make nothing of a graph.
_HARMLESS = (
    *("app", "flags", "logging", "compat", "gfile", "io", "test", "config", "version", "errors"),
    *("ConfigProto", "GPUOptions", "RunOptions", "HParams", "executing_eagerly", "autograph"),
    *("reset_default_graph", "Graph", "set_random_seed", "random", "keras", "sysconfig", "data"),
    *(
        "enable_eager_execution",
        "enable_v2_behavior",
        "get_logger",
        "python",
        "python_io",
        "estimator",
    ),
    *(
        "feature_column",
        "distribute",
        "resource_loader",
        "DType",
        "as_dtype",
        "TensorShape",
        "saved_model",
    ),
    *("disable_v2_tensorshape", "disable_resource_variables", "disable_control_flow_v2", "summary"),
    *(
        "train",
        "get_default_graph",
        "dtypes",
        "Dimension",
        "NodeDef",
        "GraphDef",
        "user_ops",
        "load_op_library",
    ),
)
_METHODS = ("make_one_shot_iterator", "make_initializable_iterator", "output_types", "eval")
_METHODS += ("output_shapes", "output_classes", "compute_gradients", "apply_gradients")
_TF2 = ("function", "GradientTape")


def eager_session(names: Names, tree: ast.Module) -> int:
    """Returns the line of a session that no graph is made for; 0 for none."""
    found = 0
    for node in ast.walk(tree):
        name = names.called(node)
        if isinstance(node, ast.Attribute) and node.attr in ("as_default", "Graph"):
            return 0
        if name.startswith("tensorflow.") and name.rpartition(".")[2] in _SESSIONS:
            found = found or getattr(node, "lineno", 0)
    return found


def switches(tree: ast.Module) -> bool:
    """Returns whether a file chooses graph mode somewhere."""
    return any(isinstance(node, ast.Attribute) and node.attr in SWITCHES for node in ast.walk(tree))


def has_main(tree: ast.Module) -> bool:
    """Returns whether a file tests for ``__main__``."""
    return any(
        isinstance(node, ast.If)
        and any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(node.test))
        for node in tree.body
    )


def starts(tree: ast.Module) -> bool:
    """Returns whether a file does work by itself."""
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, (ast.With, ast.For, ast.While)):
            return True
        called = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
        plain = not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef))
        if plain and any(isinstance(part, ast.Name) and part.id in defined for part in called):
            return True
    return False


def late_switch(names: Names, tree: ast.Module) -> int:
    """Returns the line of the first graph code above the switch to graph mode; 0 for none."""
    first = 0
    for node in _executed(tree):
        name = names.called(node)
        assert isinstance(node, ast.Call)
        if name.rpartition(".")[2] in SWITCHES:
            return first
        below = name.split(".")[1:]
        harmless = (*_HARMLESS, "__version__", "VERSION")
        if name.startswith("tensorflow.") and below and below[0] not in harmless:
            first = first or node.lineno
    return 0


def _executed(tree: ast.Module) -> Iterator[ast.Call]:
    """Yields the calls that run when a module is started, in the order of the text."""
    waiting: list[ast.AST] = list(reversed(tree.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(node, ast.Call):
            yield node
        waiting += reversed(list(ast.iter_child_nodes(node)))


def tf2_evidence(names: Names, tree: ast.Module) -> str:
    """Returns a name that only programs of TensorFlow 2 use; "" for none."""
    for node in ast.walk(tree):
        for chain in names.chains_of(node) if isinstance(node, (ast.Attribute, ast.Name)) else ():
            name = ".".join(filter(None, chain))
            if any(name == f"tensorflow.{known}" for known in _TF2):
                return f"{name} in line {node.lineno}"
    return ""


def graph_methods(tree: ast.Module) -> bool:
    """Returns whether methods are called, or a session is fed, as only graph mode has it."""
    return any(
        (isinstance(node, ast.Attribute) and node.attr in _METHODS)
        or (isinstance(node, ast.keyword) and node.arg == "feed_dict")
        for node in ast.walk(tree)
    )


def double_imports(before: ast.Module, after: Text) -> list[tuple[int, str]]:
    """Returns imports that a module, or one cell, has twice at its top and had once."""
    assert after.tree is not None
    # A module may have a new name: what is imported counts, not from where.
    old = Counter(name.partition("import ")[2] for _, name in _top_imports(before))
    seen: Counter[tuple[int, str]] = Counter()
    found = []
    for line, name in _top_imports(after.tree):
        cell = after.places[line - 1][0]
        seen[cell, name] += 1
        if seen[cell, name] > max(_before(old, name), 1):
            found.append((line, name))
    return found


def _before(old: Counter[str], name: str) -> int:
    imported = name.partition("import ")[2]
    return max(old[imported], old[imported.replace(".compat.v1", "")])


def unused_imports(before: ast.Module, after: ast.Module) -> list[tuple[int, str]]:
    """Returns new imports at the top of a module whose name nothing uses."""
    old = {name for _, name in _top_imports(before)}
    used = {node.id for node in ast.walk(after) if isinstance(node, ast.Name)}
    was_unused = _unused_names(before)
    found = []
    for line, name in _top_imports(after):
        bound = name.rpartition(" as ")[2]
        if name not in old and bound not in used and bound not in was_unused and bound != "*":
            found.append((line, name))
    return found


def _unused_names(tree: ast.Module) -> set[str]:
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    used = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return ({name.rpartition(" as ")[2] for _, name in _top_imports(tree)} | bound) - used


def _top_imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                yield node.lineno, f"import {alias.name} as {bound}"
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            for alias in node.names:
                module = "." * node.level + (node.module or "")
                yield (
                    node.lineno,
                    f"from {module} import {alias.name} as {alias.asname or alias.name}",
                )
