"""Which files are TensorFlow 1.x code and belong to a migrated program."""

import ast
from collections.abc import Callable, Iterable
from functools import cache

from tfmigrate.families.device_setter.hand_placement import (
    places_by_hand,
    uses_parameter_server_strategy,
)
from tfmigrate.families.device_setter.setters import uses_device_setter
from tfmigrate.families.tf1.core_names import core_name
from tfmigrate.families.tf1.early_calls import is_ambiguous_call, is_early_call
from tfmigrate.families.tf1.generations import is_modern, needs_eager
from tfmigrate.families.tf1.packages_of_v1 import packages_of_v1
from tfmigrate.families.towers.loops import has_tower_loops
from tfmigrate.model.reached import reached
from tfmigrate.resolve.calls import has_star_arguments, method_calls
from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.guards import depends_on_version, is_dead, is_guarded, is_guarded_by_mode
from tfmigrate.resolve.module import Module, Use, asked_once, imports, star_imports
from tfmigrate.resolve.program import Program
from tfmigrate.resolve.references import names_below_self
from tfmigrate.resolve.scopes import AssignBinding, Binding, ImportBinding, Scope
from tfmigrate.resolve.stars import stars_of_tensorflow
from tfmigrate.resolve.starts import is_start
from tfmigrate.resolve.version_tests import demands_v2
from tfmigrate.tables import symbol_table
from tfmigrate.tables.family_names import FAMILY
from tfmigrate.tables.internal_names import PACKAGE, public_name
from tfmigrate.tables.listed import listed
from tfmigrate.tables.runtime_api import ESTIMATOR, LEARN, MULTI_GPU, MULTI_GPU_OF_KERAS

# Keras and compat hold both generations of their names; TensorFlow 2.0 to 2.15 had the loss scales.
_BOTH_GENERATIONS = ("tensorflow.keras.", "tensorflow.compat.", "tensorflow.train.experimental.")
_IN_V1, _IN_V2 = f"v1-{symbol_table.NEWEST}", f"v2-{symbol_table.NEWEST}"
# Packages that TensorFlow 2.0 removed, with every name in them.
_GONE = ("tensorflow.contrib", "tensorflow.examples")
# No TensorFlow since 2.2 has multi_gpu_model, in either Keras.
_MULTI_GPU = (MULTI_GPU.source, *MULTI_GPU_OF_KERAS)
# Functions that differ only in old or new parameters: how many arguments, and which keywords, mean
# the same in both.
_SAME_CALLS = {
    **dict.fromkeys(("all", "any", "logsumexp", "max", "mean", "min", "prod", "sum"), 4),
    **dict.fromkeys(("argmax", "argmin", "expand_dims", "squeeze", "transpose"), 2),
}
_SAME_KEYWORDS = ("a", "axis", "input", "input_tensor", "keepdims", "name", "output_type", "perm")
# Methods of the Dataset of TensorFlow 1.x, which are functions of tf.compat.v1.data now.
_DATASET_METHODS = ("make_one_shot_iterator", "make_initializable_iterator")
# Names that raise an error outside a graph.
_RAISES_IN_EAGER_MODE = (
    "tensorflow.placeholder",
    "tensorflow.train.MonitoredSession",
    "tensorflow.train.MonitoredTrainingSession",
    "tensorflow.train.SingularMonitoredSession",
)
# Of tf.contrib.learn, what programs without its Estimators use.
_BESIDE_ESTIMATORS = tuple(
    f"tensorflow.contrib.learn.{name}."
    for name in ("basic_session_run_hooks", "datasets", "monitored_session")
)


@cache
def changed_names(kind: str) -> frozenset[str]:
    """Returns names of TensorFlow 2's top level.

    The list is made by scripts/tables/list_changed_names.py.

    Args:
        kind: "only" for names that compat.v1 has not, "changed" for names that mean another thing
            there, "keyword" for parameters ("summary.scalar.step") that compat.v1's function lacks.
    """
    lines = (line.split() for line in listed("changed_names"))
    return frozenset(name for of, name in lines if of == kind)


def is_compat_v1_only(qualified: str) -> bool:
    """Returns whether TensorFlow 2 removed a name ("tensorflow.train.AdamOptimizer")."""
    if (qualified + ".").startswith(_BOTH_GENERATIONS):
        return False
    parts = qualified.split(".")[1:]
    return any(_is_v1_only(".".join(parts[: i + 1])) for i in range(len(parts)))


@cache
def _is_v1_only(name: str) -> bool:
    return symbol_table.is_found(name, _IN_V1) and not symbol_table.is_found(name, _IN_V2)


def uses_estimator(module: Module) -> bool:
    """Returns whether a file uses tf.estimator, or the runtime instead of it."""
    if not module.mentions("estimator", "contrib.tpu", "contrib import tpu"):
        return False
    if any(ESTIMATOR.has(use.qualified) for use in module.uses):
        return True
    return any(b.qualified.startswith(ESTIMATOR.target) for b in imports(module))


def uses_family(module: Module) -> bool:
    """Returns whether a file uses anything of tf.contrib.estimator or tf.contrib.learn."""
    if not module.mentions("contrib"):
        return False
    families = (FAMILY + ".", LEARN.source + ".")
    names = [use.qualified + "." for use in module.uses]
    return any(n.startswith(families) and not n.startswith(_BESIDE_ESTIMATORS) for n in names)


def centres_of(program: Program) -> list[Module]:
    """Returns the files with the constructs of the rules; other files only belong to them."""
    questions = (uses_family, uses_estimator, uses_parameter_servers, has_tower_loops)
    return [
        m
        for m in program.modules
        if is_of_v1(m)
        or any(asks(m) for asks in questions)
        or any(is_lost for _, _, is_lost in packages_of_v1(program, m))
    ]


def uses_parameter_servers(module: Module) -> bool:
    """Returns whether a file places variables on parameter servers, in any way."""
    return (
        uses_device_setter(module)
        or places_by_hand(module)
        or uses_parameter_server_strategy(module)
    )


def legacy_modules(program: Program) -> list[Module]:
    """Returns the files whose ``import tensorflow`` must mean TensorFlow 1.x.

    Those are the files that use what only TensorFlow 1.x has: tf.contrib, or names that only
    compat.v1 has now. With them go the files that import or are imported by one of them and use
    names that mean something else in TensorFlow 2 (the second argument of tf.nn.dropout), where
    no file of TensorFlow 2 imports those. Files of TensorFlow 2 never are.
    """
    own = program.once(modules_of_v1)
    used_by_v2 = {
        imported for m in program.once(modules_of_v2) for imported in program.reachable(m)
    }
    beside = [
        module
        for module in program.modules
        if module not in own
        and module not in used_by_v2
        and not names_of_v2(module)
        and (
            ambiguous_calls(module)
            or any(_means_v1(module, use) for use in module.uses)
            or _names_of_v1_and_modes(module)
        )
        and program.connected(module, own)
    ]
    providers = (
        _given_tensorflow(program, [*own, *beside]) - used_by_v2 - set(modules_of_v2(program))
    )
    chosen = {*own, *beside, *providers}
    return [module for module in program.modules if module in chosen]


def _given_tensorflow(program: Program, legacy: Iterable[Module]) -> set[Module]:
    """Returns the files from which files of TensorFlow 1.x take TensorFlow."""
    sources = [
        source
        for m in legacy
        if "tensorflow" in m.star_names().values()
        or any(stars_of_tensorflow(source) for source in _sources(program, m))
        for source in _sources(program, m)
    ]
    providers = reached(sources, lambda module: _sources(program, module))
    return {module for module in providers if module.mentions("tensorflow")}


def _sources(program: Program, module: Module) -> list[Module]:
    """Returns the own modules that a file may take TensorFlow from."""
    means = (program.source_of(module, binding) for binding in imports(module))
    named = [source for source, _ in filter(None, means) if _has_tensorflow(source)]
    return [*program.star_sources(module), *named]


def _has_tensorflow(module: Module) -> bool:
    bound = any(binding.qualified == "tensorflow" for binding in imports(module))
    return bound or bool(stars_of_tensorflow(module))


def ambiguous_calls(module: Module) -> list[Use]:
    """Returns the functions whose calls mean another thing before 1.0 than in TensorFlow 2."""
    return [
        use
        for use in module.uses
        if is_ambiguous_call(module, use) and not reached_by_compat(module, use.node)
    ]


def is_kept_off(program: Program, module: Module, node: ast.AST) -> bool:
    """Returns whether a place needs no migration, because it is not reached on TensorFlow 2.

    In a file that runs on TensorFlow 2 that is all that a test or ``try`` guards; in a file of
    TensorFlow 1.x only what a test certainly rules out.
    """
    if is_dead(module, node):
        return True
    return module not in program.once(_legacy_set) and is_guarded_by_mode(module, node)


def _legacy_set(program: Program) -> frozenset[Module]:
    return frozenset(program.once(legacy_modules))


def modules_of_v1(program: Program) -> list[Module]:
    """Returns the files that use names only TensorFlow 1.x has, and none only TensorFlow 2 has."""
    return [m for m in program.modules if is_of_v1(m) and not names_of_v2(m)]


def modules_of_v2(program: Program) -> list[Module]:
    """Returns the files of TensorFlow 2: by their names, or by how a program is written."""
    modern = [m for m in program.modules if names_of_v2(m) and not is_of_v1(m)]
    if own := set(program.once(modules_of_v1)):
        parts = {imported for m in own for imported in program.reachable(m)}
        modern += [
            m
            for m in program.modules
            if m not in parts
            and m not in modern
            and is_root(program, m)
            and is_modern(m, program.reachable(m) - parts, own & program.reachable(m), modern)
        ]
    return modern


def is_root(program: Program, module: Module) -> bool:
    """Returns whether a program may start with a file: a script, or a file nobody imports.

    Files that import each other, as those of a package with an ``__init__.py`` that imports all of
    them, count as one.
    """
    own = program.reachable(module)
    return is_start(module) or not any(
        module in program.reachable(other) for other in program.modules if other not in own
    )


def is_of_v1(module: Module) -> bool:
    """Returns whether a file uses names that only TensorFlow 1.x has, wherever it runs.

    Code behind a test of the version, and names reached through compat.v1, do not
    count: such files run under TensorFlow 2 as they are.
    """
    return bool(names_of_v1(module)) or has_tower_loops(module)


@asked_once
def names_of_v1(module: Module) -> list[ast.AST]:
    """Returns the places of names that only TensorFlow 1.x has and that nothing guards.

    A test of eager mode guards here: a program of TensorFlow 2 may have code for both modes.
    """
    return [n for n in _names_of_v1_and_modes(module) if not is_guarded_by_mode(module, n)]


@asked_once
def _names_of_v1_and_modes(module: Module) -> list[ast.AST]:
    """Returns the places of names that only TensorFlow 1.x has, whatever the mode is."""
    places: list[ast.AST] = [
        use.node
        for use in module.uses
        # compat.v1 has no tf.contrib either.
        if any(map(_is_gone, (use.qualified, module.names.spelled(use.node) or "")))
        or (
            (
                is_compat_v1_only(use.qualified)
                or core_name(use.qualified) is not None
                or _is_internal_v1(use.qualified)
                or is_early_call(module, use)
            )
            and not reached_by_compat(module, use.node)
        )
    ]
    places += _calls_of_dataset_methods(module)
    places += [u.node for u in module.uses_of(*_MULTI_GPU) if not reached_by_compat(module, u.node)]
    places += [node for node, name in names_below_self(module) if is_compat_v1_only(name)]
    places += [b.alias for b in imports(module) if _is_gone(imported_name(b))]
    places += [s for package in _GONE for s in star_imports(module, package)]
    return sorted((n for n in places if not is_guarded(module, n)), key=module.position)


def _is_internal_v1(qualified: str) -> bool:
    """Returns whether a name of ``tensorflow.python`` itself is public in compat.v1 only."""
    if not qualified.startswith(PACKAGE + "."):
        return False
    name = qualified.split(".")[2]
    is_public = public_name(f"{PACKAGE}.{name}") == (name, "")
    return is_public and is_compat_v1_only(f"tensorflow.{name}")


def _calls_of_dataset_methods(module: Module) -> list[ast.Attribute]:
    """Returns the calls of methods that the Datasets of TensorFlow 2 do not have."""
    if not module.mentions(*_DATASET_METHODS):
        return []
    uses = [use for use in module.uses if use.qualified.startswith("tensorflow.data.")]
    if not uses or any(reached_by_compat(module, use.node) for use in uses):
        return []
    own = {function.name for function in module.all(ast.FunctionDef)}
    calls = method_calls(module, *(set(_DATASET_METHODS) - own))
    return [method for _, method in calls if module.resolve(method) is None]


@asked_once
def names_of_v2(module: Module) -> list[ast.AST]:
    """Returns the places of what only TensorFlow 2 has and that nothing guards.

    Those are names, keywords of calls, and statements that stop the file under TensorFlow 1.x.
    """
    names: list[ast.AST] = [
        place
        for use in module.uses
        for place in _only_in_v2(module, use)
        if not reached_by_compat(module, use.node) and not depends_on_version(module, use.node)
    ]
    eager = [
        n
        for n in needs_eager(module)
        if not _is_of_compat(module, n) and not _asserts_mode_of_v1(module, n)
    ]
    return [*names, *demands_v2(module), *(n for n in eager if not is_guarded_by_mode(module, n))]


def _asserts_mode_of_v1(module: Module, node: ast.AST) -> bool:
    """Returns whether a function of a library of TensorFlow 1.x asserts that eager mode is on.

    Programs that enable it may call that function, and others the rest.
    """
    in_function = module.function(node) is not module.tree
    is_assertion = isinstance(node, ast.Assert) and in_function
    return is_assertion and is_of_v1(module) and not is_start(module)


def _only_in_v2(module: Module, use: Use) -> list[ast.AST]:
    """Returns a name if only TensorFlow 2 has it, and else the keywords that only it takes."""
    if _is_listed(use.qualified, changed_names("only")):
        return [use.node]
    if (call := module.call_of(use.node)) is None:
        return []
    name = use.qualified.partition(".")[2]
    return [k for k in call.keywords if f"{name}.{k.arg}" in changed_names("keyword")]


def _is_of_compat(module: Module, node: ast.AST) -> bool:
    return isinstance(node, ast.expr) and reached_by_compat(module, node)


def _means_v1(module: Module, use: Use) -> bool:
    """Returns whether a name means something else in TensorFlow 2."""
    return (
        _is_listed(use.qualified, changed_names("changed"))
        and not reached_by_compat(module, use.node)
        and not _is_same_call(module, use)
    )


def _is_same_call(module: Module, use: Use) -> bool:
    """Returns whether a call does the same in both generations, by its arguments."""
    parent, _, name = use.qualified.rpartition(".")
    same = _SAME_CALLS.get(name.removeprefix("reduce_"), 0)
    call = module.call_of(use.node)
    return (
        parent in ("tensorflow", "tensorflow.math")
        and call is not None
        and not has_star_arguments(call)
        and len(call.args) <= same
        and all(k.arg in _SAME_KEYWORDS for k in call.keywords)
    )


def reached_by_compat(module: Module, node: ast.expr) -> bool:
    """Returns whether a name is reached through compat.v1 or compat.v2, which both have.

    A root that several statements bind counts where one of them is of compat:
    ``try: import tensorflow.compat.v1 as tf; except ImportError: import tensorflow as tf``.
    What is bound before an import that always runs does not count.
    """
    while isinstance(node, ast.Attribute):
        held = node.value
        last = held.attr if isinstance(held, ast.Attribute) else getattr(held, "id", "")
        if node.attr in ("v1", "v2") and last == "compat":
            return True
        node = node.value
    scope, bindings = module.names.variable(node)
    for binding in _bound_last(scope, bindings) if scope else ():
        if isinstance(binding, ImportBinding):
            if (binding.qualified + ".").startswith(
                ("tensorflow.compat.v1.", "tensorflow.compat.v2.")
            ):
                return True
        elif (
            isinstance(binding, AssignBinding)
            and node not in ast.walk(binding.value)
            and isinstance(binding.value, (ast.Name, ast.Attribute))
            and reached_by_compat(module, binding.value)
        ):
            return True
    return False


def _bound_last(scope: Scope, bindings: list[Binding]) -> list[Binding]:
    """Returns the bindings of a name from its last import that always runs on."""
    always = [
        index
        for index, binding in enumerate(bindings)
        if isinstance(binding, ImportBinding)
        and binding.statement in getattr(scope.node, "body", ())
    ]
    return bindings[always[-1] :] if always else bindings


@asked_once
def needs_graph(module: Module) -> bool:
    """Returns whether a file calls, through compat.v1, functions that raise in eager mode."""
    return module.mentions("compat") and any(
        reached_by_compat(module, use.node) and not is_guarded_by_mode(module, use.node)
        for use in module.uses_of(*_RAISES_IN_EAGER_MODE)
    )


def imported_name(binding: ImportBinding) -> str:
    """Returns the name that an import names: for ``import a.b`` all of it, though it binds a."""
    plain = isinstance(binding.statement, ast.Import)
    return canonical(binding.alias.name if plain else binding.qualified)


def _is_gone(qualified: str) -> bool:
    return (qualified + ".").startswith(tuple(f"{package}." for package in _GONE))


def _is_listed(qualified: str, names: frozenset[str]) -> bool:
    """Returns whether a list contains a name of TensorFlow, or a package above it."""
    parts = qualified.split(".")[1:]
    return any(".".join(parts[: i + 1]) in names for i in range(len(parts)))


def group_of(program: Program, module: Module) -> str:
    """Returns the group that a file's general edits belong to."""
    around = (
        program.once(groups_of_device_setters).get(module)
        or program.once(_groups_of_towers).get(module)
        or [f"file {module.source.display}"]
    )
    return program.related.get(module) or around[0]


def groups_of_device_setters(program: Program) -> dict[Module, list[str]]:
    """Returns the groups of each file that is part of programs with parameter servers.

    That is: the files that place variables, what they import, and what imports them.
    """
    return _groups_around(program, uses_parameter_servers, "device setter")


def is_of_towers(program: Program, module: Module) -> bool:
    """Returns whether a file belongs to a program with a loop over towers."""
    return module in program.once(_groups_of_towers)


def _groups_of_towers(program: Program) -> dict[Module, list[str]]:
    return _groups_around(program, has_tower_loops, "towers")


def _groups_around(
    program: Program, is_centre: Callable[[Module], bool], what: str
) -> dict[Module, list[str]]:
    """Returns the groups of the centres, of what they import, and of what imports them."""
    module_groups: dict[Module, list[str]] = {}
    for centre in program.modules:
        if not is_centre(centre):
            continue
        (group, *_) = module_groups.setdefault(centre, [f"{what} of {centre.source.display}"])
        for module in program.modules:
            if program.connected(module, [centre]):
                groups = module_groups.setdefault(module, [])
                groups += [group] if group not in groups else []
    return module_groups
