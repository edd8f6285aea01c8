"""Which programs of TensorFlow 1.x switch TensorFlow 2 to graph mode, and in which file.

The switch is of the whole process, so it is in the file that is run and never in one that is only
imported: a program of TensorFlow 2 may import that too.
"""

import ast
import contextlib
from collections.abc import Iterable
from pathlib import Path

from tfmigrate.families.graphs.branches import leave_branches
from tfmigrate.families.graphs.plan import becomes_eager
from tfmigrate.families.tf1 import is_tf1, keras_2
from tfmigrate.families.tf1.dimensions import asks_dimensions
from tfmigrate.families.tf1.entry_functions import entry_functions
from tfmigrate.families.tf1.generations import GRAPH_MODE_ONLY, has_keras_models, is_eager_style
from tfmigrate.families.tf1.keras_by_runtime import imports_runtime, will_import_runtime
from tfmigrate.families.tf1.mode_calls import SWITCHES, eager_by_option, mode_calls
from tfmigrate.families.tf1.mode_place import mode_edits
from tfmigrate.families.tf1.outer_datasets import iterates_outer_dataset
from tfmigrate.families.tf1.scripts import TRAINING_SESSIONS, builds, builds_at_once, starts
from tfmigrate.families.tf1.shipped_functions import shipped_switches
from tfmigrate.families.tf1.standalone_keras import of_tensorflow_1
from tfmigrate.families.towers.loops import has_tower_loops
from tfmigrate.files.source import SourceFile
from tfmigrate.model.edits import Edit
from tfmigrate.resolve.module import Module, imports
from tfmigrate.resolve.program import Program
from tfmigrate.resolve.starts import main_blocks
from tfmigrate.tables.family_names import FAMILY
from tfmigrate.tables.runtime_api import ESTIMATOR, LEARN

# Strategies for several processes, which an Estimator trains under in graph mode only.
_OF_SEVERAL_PROCESSES = (
    "tensorflow.contrib.distribute.CollectiveAllReduceStrategy",
    "tensorflow.contrib.distribute.ParameterServerStrategy",
    "tensorflow.distribute.experimental.MultiWorkerMirroredStrategy",
    "tensorflow.distribute.experimental.ParameterServerStrategy",
)
_SESSIONS = ("tensorflow.Session", "tensorflow.InteractiveSession")
# Names that create a graph.
_OWN_GRAPHS = ("tensorflow.Graph", "tensorflow.wrap_function", "tensorflow.function")
# Its model is built before, and draws initial values only if it is eager.
_OF_KERAS = "tensorflow.estimator.model_to_estimator"
_SHAPE = "tensorflow.disable_v2_tensorshape"
_CONTROL_FLOW = "tensorflow.disable_control_flow_v2"


def graph_mode_switches(program: Program) -> dict[Module, tuple[Edit, ...]]:
    """Returns the edits that switch a program to graph mode, by the file that they are made in.

    A program that trains by an Estimator gets ``disable_eager_execution`` where it needs that
    outside of model functions, and ``disable_v2_tensorshape`` where it asks Dimensions for their
    value. Any other program of TensorFlow 1.x gets ``disable_v2_behavior``, if it builds anything:
    its shapes, variables and control flow are TensorFlow 1.x's too then. A program that chooses a
    mode itself keeps it.
    """
    legacy = set(program.once(is_tf1.legacy_modules))
    if not program.once(_centres) and not any(map(is_tf1.needs_graph, program.modules)):
        return {}  # following the imports of other people's programs takes long
    switches: dict[Module, tuple[Edit, ...]] = {}
    for start in program.once(starts):
        reached = program.reachable(start)
        names = _switches(program, start, reached, legacy)
        # Before 2.16, tf.layers and tf.keras are Keras 2's.
        keras = not program.estimator and _asks_for_keras(program, start, reached)
        if not names and not keras:
            continue
        if keras and _needs_keras_at_once(program, start, reached):
            switches[start] = keras_2.setting_at_the_top(start)
            keras = False
        added = mode_edits(
            program,
            start,
            names,
            migrated=start in legacy,
            shared=any(start in program.reachable(m) for m in program.modules if m is not start),
            alone=not any(builds(m) for m in reached & legacy if m is not start),
            keras=keras,
        )
        switches[start] = (*switches.get(start, ()), *added)
    if not program.estimator:
        for root in _unstarted_roots(program):
            switches.setdefault(root, keras_2.setting_at_the_top(root))
    for module in program.modules:
        if module in legacy and not any(map(mode_calls, program.reachable(module))):
            shipped = shipped_switches(program, module, legacy)
            switches[module] = tuple(dict.fromkeys((*switches.get(module, ()), *shipped)))
    return {module: edits for module, edits in switches.items() if edits}


def keras_of_kept(program: Program) -> dict[Module, Module]:
    """Returns the files that select Keras 2 only if a device setter or a tower loop is kept.

    Each with the file that has it: once it is converted, it imports the runtime, which asks.
    """
    first_holders: dict[Module, Module] = {}
    for start in (*program.once(starts), *_unstarted_roots(program, constructs_stay=True)):
        reached = program.reachable(start)
        holders = [m for m in reached if will_import_runtime(program, m)]
        if holders and _asks_for_keras(program, start, reached, constructs_stay=True):
            first_holders[start] = holders[0]
    return first_holders


def _unstarted_roots(program: Program, constructs_stay: bool = False) -> list[Module]:
    """Returns the files that no start imports and that need Keras 2, of those that import others.

    The script that imports them is not known: they ask for it themselves, before they use it. Where
    the runtime asks, that is too late for what ``from tensorflow.keras`` finds, and for that alone.
    """
    legacy = program.once(is_tf1.legacy_modules)
    started = {m for start in program.once(starts) for m in program.reachable(start)}
    return [
        m
        for m in program.modules
        if m not in started
        and is_tf1.is_root(program, m)
        and (
            keras_2.imports_keras(m)
            or m in program.once(of_tensorflow_1)
            or not (is_tf1.uses_estimator(m) or is_tf1.uses_family(m))
        )
        and any(
            o in legacy or is_tf1.uses_estimator(o) or _imports_v1(o) for o in program.reachable(m)
        )
        and _asks_for_keras(program, m, program.reachable(m), constructs_stay)
    ]


def _imports_v1(module: Module) -> bool:
    return any(b.qualified == "tensorflow.compat.v1" for b in imports(module))


def unstarted(program: Program) -> list[Module]:
    """Returns the files that need graph mode and that no known script starts in it.

    Of files that import each other, those that a script would import.
    """
    legacy = set(program.once(is_tf1.legacy_modules))
    started: set[Module] = set()
    for start in program.once(starts) if legacy else ():
        reached = program.reachable(start)
        if not _is_mixed(program, start, reached):
            started |= reached
    not_started = [
        m
        for m in program.modules
        if m in legacy and m not in started and _switches(program, m, program.reachable(m), legacy)
    ]
    roots = [
        m
        for m in not_started
        if not any(m in program.reachable(o) for o in not_started if o is not m)
    ]
    return [m for m in roots if not _is_switched_outside(program, m)]


def without_keras_2(program: Program) -> list[Module]:
    """Returns the files of programs of TensorFlow 2 that use layers which only Keras 2 has."""
    if not any(map(keras_2.kept_layers, program.modules)):
        return []
    affected: dict[Module, None] = {}
    for start in program.once(starts):
        reached = program.reachable(start)
        if (
            not is_tf1.is_of_v1(start)
            and (bool(is_tf1.names_of_v2(start)) or is_eager_style(start))
        ) and not any(keras_2.asks_for_keras(m) or imports_runtime(program, m) for m in reached):
            affected.update(dict.fromkeys(m for m in reached if keras_2.kept_layers(m)))
    return [m for m in program.modules if m in affected]


def _is_switched_outside(program: Program, module: Module) -> bool:
    """Returns whether a file outside the run imports a file and chooses a mode."""
    for path, text in program.importers_outside([module]):
        if not any(switch.rpartition(".")[2] in text for switch in SWITCHES):
            continue
        with contextlib.suppress(SyntaxError, ValueError):
            if mode_calls(Module(SourceFile(Path(path), path, text, "utf-8", False))):
                return True
    return False


def _centres(program: Program) -> list[Module]:
    """Returns the files for which TensorFlow 1.x's modes or its Keras may matter."""
    legacy = set(program.once(is_tf1.legacy_modules))
    return [m for m in program.modules if m in legacy or _is_of_keras_2(m)]


def _is_of_keras_2(module: Module) -> bool:
    return (
        is_tf1.uses_estimator(module)
        or is_tf1.uses_family(module)
        or bool(keras_2.kept_layers(module))
    )


def _is_mixed(program: Program, start: Module, reached: Iterable[Module]) -> bool:
    """Returns whether a program is for TensorFlow 2, or for an unknown version."""
    if is_tf1.is_of_v1(start):
        return bool(is_tf1.names_of_v2(start))
    modern = set(program.once(is_tf1.modules_of_v2))
    return any(m in modern or (is_eager_style(m) and not is_tf1.is_of_v1(m)) for m in reached)


def _switches(
    program: Program, start: Module, reached: Iterable[Module], legacy: set[Module]
) -> list[str]:
    """Returns the names of the functions that the starting file of a program has to call."""
    reached = list(reached)
    if program.once(becomes_eager):
        chosen = any(mode_calls(m, _CONTROL_FLOW) for m in reached)
        return [] if chosen or not leave_branches(reached) else [_CONTROL_FLOW.rpartition(".")[2]]
    if not (migrated := [m for m in reached if m in legacy]) and _runs_compat_graph(reached):
        return ["disable_v2_behavior"]
    if is_tf1.uses_estimator(start) and start.uses_of(*_SESSIONS, *TRAINING_SESSIONS):
        migrated = list({*migrated, start})
    if not migrated or _is_mixed(program, start, reached):
        return []
    chosen = any(_chooses(program, m, start) for m in reached)
    if not any(map(_has_estimators, reached)):
        eager = any(is_eager_style(m) for m in reached)
        session = any(m.uses_of(*GRAPH_MODE_ONLY) for m in migrated)
        # Models of tf.keras train in either mode, but as in TensorFlow 1.x in graphs alone: eager
        # metrics have other names, so that a callback that monitors "val_acc" never acts.
        built = any(map(builds, migrated)) or any(map(has_keras_models, reached))
        building = built and (session or not eager)
        return ["disable_v2_behavior"] if building and not chosen else []
    names = []
    # An Estimator calls its own functions, such as an input for serving, in a graph. A Dataset is
    # copied to that graph from another one, but not if it is eager.
    outside = any(
        (m.uses_of(*GRAPH_MODE_ONLY) and m is start)
        or builds_at_once(m)
        or iterates_outer_dataset(m)
        or m.uses_of(*_OF_SEVERAL_PROCESSES, *TRAINING_SESSIONS)
        or (m.uses_of(*_SESSIONS) and not m.uses_of("tensorflow.Graph"))
        for m in migrated
    )
    outside = outside or any(m.uses_of(_OF_KERAS) for m in reached)
    if not chosen and (outside or any(map(has_tower_loops, migrated))):
        names.append("disable_eager_execution")
    dimensions = any(asks_dimensions(m) for m in migrated)
    if dimensions and not any(mode_calls(m, _SHAPE, *SWITCHES[:1]) for m in reached):
        names.append("disable_v2_tensorshape")
    return names


def _has_estimators(module: Module) -> bool:
    """Returns whether a file uses more of tf.estimator or tf.contrib.learn than ``ModeKeys``.

    Programs that train in sessions have these names for their modes, too.
    """
    if not (is_tf1.uses_estimator(module) or is_tf1.uses_family(module)):
        return False
    packages = tuple(f"{p}." for p in (FAMILY, LEARN.source, LEARN.target, ESTIMATOR.target))
    names = [f"{use.qualified}." for use in module.uses]
    names = [n for n in names if n.startswith(packages) or ESTIMATOR.has(n.rstrip("."))]
    return not names or not all(".ModeKeys." in name for name in names)


def _runs_compat_graph(reached: Iterable[Module]) -> bool:
    """Returns whether a program of compat.v1 fails in eager mode, and creates no graph itself."""
    if any(
        is_tf1.names_of_v2(m)
        or is_eager_style(m)
        or has_keras_models(m)
        or is_tf1.uses_estimator(m)
        or mode_calls(m)
        or m.uses_of(*_OWN_GRAPHS)
        for m in reached
    ):
        return False
    return any(map(is_tf1.needs_graph, reached))


def _chooses(program: Program, module: Module, start: Module) -> bool:
    """Returns whether a file chooses a mode itself.

    Other files' ``__main__`` blocks do not run, and nor do their commands.
    """
    blocks: list[ast.stmt] = []
    if module is not start:
        blocks = [*main_blocks(module), *program.once(entry_functions).get(module, [])]
    optional = eager_by_option(module)
    return any(
        node not in optional and not any(block in blocks for block in module.ancestors(node))
        for node in mode_calls(module)
    )


def _asks_for_keras(
    program: Program, start: Module, reached: Iterable[Module], constructs_stay: bool = False
) -> bool:
    """Returns whether a program has to select Keras 2 itself; importing the runtime does it too.

    Args:
        start: the file that it starts with.
        reached: that file, and what it imports.
        constructs_stay: whether its device setters and towers stay as they are.
    """
    reached = list(reached)
    centres = program.once(_centres)
    # A file with a Keras model may use no name that only TensorFlow 1.x has.
    standalone = program.once(of_tensorflow_1).intersection(reached)
    if not any(m in centres for m in reached) or not (keras_2.needs_keras_2(reached) or standalone):
        return False
    if any(map(keras_2.asks_for_keras, reached)) or _is_mixed(program, start, reached):
        return False
    by_runtime = any(imports_runtime(program, m, constructs_stay) for m in reached)
    return not by_runtime or _needs_keras_at_once(program, start, reached)


def _needs_keras_at_once(program: Program, start: Module, reached: Iterable[Module]) -> bool:
    """Returns whether Keras 2 is needed before the file that is run has imported all others."""
    standalone = program.once(of_tensorflow_1)
    return any(
        m in standalone
        or keras_2.needs_keras_at_once(m)
        or (m is not start and keras_2.builds_on_keras_2(m) and not imports_runtime(program, m))
        for m in reached
    )
