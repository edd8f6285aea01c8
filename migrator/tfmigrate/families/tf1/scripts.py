"""Which files of TensorFlow 1.x start programs, as far as what they run shows it."""

import ast
import builtins

from tfmigrate.families.device_setter.setters import uses_device_setter
from tfmigrate.families.tf1.entry_functions import entry_functions
from tfmigrate.families.tf1.generations import (
    GRAPH_MODE_ONLY,
    INPUT_QUEUES,
    SAME_IN_BOTH_MODES,
    has_keras_models,
)
from tfmigrate.families.tf1.is_tf1 import is_root, legacy_modules, names_of_v1, needs_graph
from tfmigrate.families.towers.loops import has_tower_loops
from tfmigrate.resolve.starts import called_by, calls_at_once, is_start
from tfmigrate.rulekit.basics import Module, Program
from tfmigrate.rulekit.tensorflow_import import tensorflow_import

# Sessions outside the functions of an Estimator and outside a separate graph.
TRAINING_SESSIONS = tuple(
    f"tensorflow.train.{name}"
    for name in (
        "MonitoredSession", "MonitoredTrainingSession", "SingularMonitoredSession", "Supervisor",
    )
)  # fmt: skip
# Names that also fail in eager mode, but run in graph mode if an Estimator calls them.
_QUEUES = (
    *INPUT_QUEUES,
    "tensorflow.train.limit_epochs",
    "tensorflow.train.range_input_producer",
    "tensorflow.train.start_queue_runners",
)
# Other calls that only scripts make at their top level.
_OF_SCRIPTS = (
    "tensorflow.get_variable",
    "tensorflow.global_variables_initializer",
    "tensorflow.train.Saver",
    "tensorflow.train.Server",
)
# Of tf.contrib, what builds nothing.
_SETTINGS = ("tensorflow.contrib.training.HParams", "tensorflow.contrib.training.parse_values")


def starts(program: Program) -> list[Module]:
    """Returns the files that programs start with, and those with the commands of a package.

    Where no such file starts a file, one that runs code of TensorFlow 1.x when it is
    executed does, if no other file imports it.
    """
    commands = program.once(entry_functions)
    start_files = [m for m in program.modules if is_start(m) or m in commands]
    started = {m for start in start_files for m in program.reachable(start)}
    legacy = program.once(legacy_modules)
    builders = {m for m in legacy if builds(m)}
    builders |= {m for m in program.modules if needs_graph(m)}
    builders |= {m for m in program.modules if has_keras_models(m) and program.connected(m, legacy)}
    unstarted = [
        m
        for m in program.modules
        if m not in started and program.reachable(m) & builders and is_root(program, m)
    ]
    start_files += [
        m
        for m in unstarted
        if _runs_at_once(program, m, builders) and not any(program.importers_outside([m]))
    ]
    return start_files


def _runs_at_once(program: Program, module: Module, builders: set[Module]) -> bool:
    """Returns whether executing a file runs code of TensorFlow 1.x."""
    if any(map(builds_at_once, program.reachable(module))):
        return True
    if has_tower_loops(module) and not tensorflow_import(module):
        return True
    if any(module.function(call) is module.tree for call in module.calls_of(*_OF_SCRIPTS)):
        return True
    called = list(called_by(module, calls_at_once(module)))
    calls = [*calls_at_once(module), *(c for part in called for c in module.all(ast.Call, part))]
    if module in builders:
        places = {id(node) for node in names_of_v1(module)}
        if any(id(n) in places for part in called for n in ast.walk(part)):
            return True
        if any(isinstance(module.parent(c), ast.Expr) and _trains(module, c) for c in calls):
            return True
    roots = [_root(call) for call in calls]
    stars = {m for source in program.star_sources(module) for m in program.reachable(source)}
    if stars & builders and any(_is_unbound(module, root) for root in roots):
        return True  # a function that `import *` gives
    imported = {module.names.root_import(root) for root in roots}
    return any(b and program.loaded_by(module, b.statement) & builders for b in imported)


def _trains(module: Module, call: ast.Call) -> bool:
    """Returns whether a call whose result nobody takes builds something, or runs it.

    A library that is imported creates constants, and calls no `fit` of a model.
    """
    root = _root(call)
    if (names := [module.resolve(call.func)]) == [None] and isinstance(root, ast.Name):
        calls = [value for value in module.values(root) if isinstance(value, ast.Call)]
        names = [module.resolve(call.func) for call in calls]
    return bool(names) and all(name and _is_of_library(name) for name in names)


def _is_of_library(name: str) -> bool:
    parts = name.split(".")
    return parts[0] in ("tensorflow", "keras") and name not in _SETTINGS and _builds_by(parts)


def _builds_by(parts: list[str]) -> bool:
    return len(parts) > 1 and parts[1] not in SAME_IN_BOTH_MODES


def _is_unbound(module: Module, node: ast.expr) -> bool:
    """Returns whether a file itself binds no such name, and Python has none either."""
    if not isinstance(node, ast.Name) or hasattr(builtins, node.id):
        return False
    return not module.bindings(node)


def _root(call: ast.Call) -> ast.expr:
    """Returns the first name of the function that a call names."""
    node: ast.expr = call.func
    while isinstance(node, (ast.Attribute, ast.Call)):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node


def builds(module: Module) -> bool:
    """Returns whether a file of TensorFlow 1.x builds or runs operations."""
    places = {id(node) for node in names_of_v1(module)}
    named = [use.qualified for use in module.uses if id(use.node) in places]
    return has_tower_loops(module) or any(
        _builds_by(name.split(".")) for name in named if name not in _SETTINGS
    )


def builds_at_once(module: Module) -> bool:
    """Returns whether a file needs graph mode while it is being imported."""
    uses = module.uses_of(*GRAPH_MODE_ONLY, *_QUEUES, *TRAINING_SESSIONS)
    devices = module.uses_of("tensorflow.device") if uses_device_setter(module) else []
    return any(module.function(use.node) is module.tree for use in (*uses, *devices) if uses)
