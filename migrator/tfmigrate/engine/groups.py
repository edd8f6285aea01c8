"""Which groups of changes are joined because their files import each other."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tfmigrate.engine.without_runtime import needs_runtime
from tfmigrate.rulekit.basics import Draft, Joins, Module, Program
from tfmigrate.rulekit.registry import Rule, rules


def linked(program: Program, drafts: Sequence[Draft]) -> list[Draft]:
    """Joins the groups of files of which one imports the other, and both are to change.

    A file that two programs share cannot be migrated for one of them alone: it would be TensorFlow
    1.x code in a migrated program, or migrated code in a program that needs manual work. Files
    with only a changed import of TensorFlow do not count: both TensorFlows have compat.v1. Nor do
    files with only changed names that TensorFlow 1.15 has too: the rest of a program that needs
    manual work must still run.

    Returns:
        The drafts, each with the name of its joined group.
    """
    known = {rule.code: rule for rule in rules()}
    bound = {d.module for d in drafts if _is_bound(d, known) or needs_runtime(d)}
    whole = bound | {
        draft.module
        for draft in drafts
        if (draft.edits or (draft.blocks and not draft.construct))
        and _joins(draft, known) is Joins.PROGRAM
    }
    drafts = [
        draft
        if draft.module in whole or not draft.edits
        else replace(draft, group=f"names of {draft.module.source.display}")
        for draft in drafts
    ]
    groups: dict[Module, set[str]] = defaultdict(set)
    for draft in drafts:
        if (
            draft.group
            and draft.module in whole
            and (_joins(draft, known) is not Joins.IMPORT or draft.module in bound)
            and (draft.edits or draft.blocks)
        ):
            groups[draft.module].add(draft.group)
    # A union of sets: each group points to another one of its set, and the last one names them all.
    leader = {draft.group: draft.group for draft in drafts}

    def find(group: str) -> str:
        while leader[group] != group:
            group = leader[group]
        return group

    # In the order of the files, so that each run gives a set the same name.
    order = {module: index for index, module in enumerate(program.modules)}
    for module in sorted(groups, key=order.__getitem__):
        reached = sorted(program.reachable(module) & groups.keys(), key=order.__getitem__)
        together = [name for other in reached for name in sorted(groups[other])]
        for name in together:
            leader[find(name)] = find(together[0])
    return [replace(draft, group=find(draft.group)) for draft in drafts]


def _joins(draft: Draft, known: Mapping[str, Rule]) -> Joins:
    return known[draft.code].joins if draft.code in known else Joins.PROGRAM


def _is_bound(draft: Draft, known: Mapping[str, Rule]) -> bool:
    """Returns whether only one generation of TensorFlow has the names that a draft is about."""
    return draft.code in known and known[draft.code].of_one_generation
