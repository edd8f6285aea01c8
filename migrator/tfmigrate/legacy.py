"""Which files are TensorFlow 1.x code that a migrated program is made of."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from importlib import resources

from tfmigrate.core_names import core_name
from tfmigrate.device_setters import uses_device_setter
from tfmigrate.hand_placement import places_by_hand, uses_parameter_server_strategy
from tfmigrate.module import Module, Use, imports
from tfmigrate.program import Program
from tfmigrate.replication import FAMILY
from tfmigrate.runtime_api import ESTIMATOR, LEARN
from tfmigrate.tower_loops import has_tower_loops


@cache
def compat_v1_only() -> frozenset[str]:
    """Returns the names that compat.v1 has and TensorFlow 2's top level has not.

    The list is made by scripts/list_compat_v1_names.py; each name stands for all below it.
    """
    text = resources.files("tfmigrate").joinpath("data/compat_v1_only.txt").read_text("utf-8")
    return frozenset(line for line in text.splitlines() if line and not line.startswith("#"))


def is_compat_v1_only(qualified: str) -> bool:
    """Says whether a name ("tensorflow.train.AdamOptimizer") is gone from TensorFlow 2."""
    parts = qualified.split(".")[1:]
    names = compat_v1_only()
    return any(".".join(parts[: i + 1]) in names for i in range(len(parts)))


def uses_estimator(module: Module) -> bool:
    """Says whether a file uses tf.estimator, or our runtime in its place already."""
    if not module.mentions("estimator"):
        return False
    if any(ESTIMATOR.has(use.qualified) for use in module.uses):
        return True
    return any(b.qualified.startswith(ESTIMATOR.target) for b in imports(module))


def uses_family(module: Module) -> bool:
    """Says whether a file uses anything of tf.contrib.estimator or tf.contrib.learn."""
    if not module.mentions("contrib"):
        return False
    families = (FAMILY + ".", LEARN.source + ".")
    return any((use.qualified + ".").startswith(families) for use in module.uses)


def centres_of(program: Program) -> list[Module]:
    """Returns the files that use what the rules are about; other files only belong to them."""
    questions = (uses_family, uses_estimator, uses_parameter_servers, has_tower_loops)
    return [m for m in program.modules if any(question(m) for question in questions)]


def uses_parameter_servers(module: Module) -> bool:
    """Says whether a file places variables on parameter servers, in whatever way."""
    return (
        uses_device_setter(module)
        or places_by_hand(module)
        or uses_parameter_server_strategy(module)
    )


def legacy_modules(program: Program) -> list[Module]:
    """Returns the files whose ``import tensorflow`` must mean TensorFlow 1.x.

    Those are the files that use the replicate_model_fn family or tf.contrib.learn or have towers,
    and those that use names only compat.v1 has and are, import, or are imported by a file that
    uses tf.estimator, a device setter or towers.
    """
    centres = program.once(centres_of)
    return [
        module
        for module in program.modules
        if uses_family(module)
        or has_tower_loops(module)
        or (
            program.connected(module, centres)
            and any(_needs_v1_import(module, use) for use in module.uses)
        )
    ]


def _needs_v1_import(module: Module, use: Use) -> bool:
    """Says whether a name is gone from TensorFlow 2 and not reached by way of compat.v1 already."""
    old = is_compat_v1_only(use.qualified) or core_name(use.qualified) is not None
    if not old or ".compat.v1." in ast.unparse(use.node):
        return False
    root = module.names.root_import(use.node)
    return root is None or not (root.qualified + ".").startswith("tensorflow.compat.v1.")


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
    """Says whether a file belongs to a program with a loop over towers."""
    return module in program.once(_groups_of_towers)


def _groups_of_towers(program: Program) -> dict[Module, list[str]]:
    return _groups_around(program, has_tower_loops, "towers")


def _groups_around(
    program: Program, is_centre: Callable[[Module], bool], what: str
) -> dict[Module, list[str]]:
    """Returns the groups of the centres, of what they import, and of what imports them."""
    found: dict[Module, list[str]] = {}
    for centre in program.modules:
        if not is_centre(centre):
            continue
        (group, *_) = found.setdefault(centre, [f"{what} of {centre.source.display}"])
        for module in program.modules:
            if program.connected(module, [centre]):
                groups = found.setdefault(module, [])
                groups += [group] if group not in groups else []
    return found
