"""Tables of which wrong migrations were caught, and of those that were not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wrong_migrations import (
    CHECKPOINTS,
    EXPORTS,
    INITIAL,
    KINDS,
    LOSS,
    RESULTS,
    START,
    TRAINABLE,
    VARIABLES,
    WRITTEN,
    Mutation,
)

COULD_NOT_BE_RUN = "could not be run"
SAME_GRAPHS = "the same graphs run, with the same feeds"
SAME_NUMBERS = "every recorded number equals the unchanged program's, bit for bit"
_RUNGS = (
    START,
    TRAINABLE,
    INITIAL,
    LOSS,
    VARIABLES,
    RESULTS,
    CHECKPOINTS,
    EXPORTS,
    WRITTEN,
)


@dataclass(frozen=True)
class Judged:
    """What became of a wrong migration.

    Attributes:
        name: FAMILY/FIXTURE.
        mutation: the mistake.
        file: where it was made.
        rung: the name of the rung that told it, "" where none did.
        details: what verify said, or where it said nothing, how far off the run is.
        equivalent: it computes what the unchanged program does; ``details`` is the proof.
    """

    name: str
    mutation: Mutation
    file: Path
    rung: str
    details: str
    equivalent: bool = False

    @property
    def place(self) -> str:
        """Returns where it is, and what."""
        return f"{self.file}:{self.mutation.line}: {self.mutation.kind}"

    @property
    def family(self) -> str:
        """Returns the folder of fixtures/."""
        return self.name.partition("/")[0]

    @property
    def caught(self) -> bool:
        """Whether verify told it."""
        return bool(self.rung)

    @property
    def right(self) -> bool:
        """Whether the rung that told it is one that it belongs to."""
        if self.rung == COULD_NOT_BE_RUN or meaning(self.rung) in self.mutation.rungs:
            return True
        # A program that stops by its loss makes other steps: the rung of steps says so.
        return LOSS in self.mutation.rungs and "The loss already differs" in self.details


def meaning(rung: str) -> str:
    """Returns what a rung compares, as ``wrong_migrations`` calls it.

    Raises:
        ValueError: it is none that is known.
    """
    for found in _RUNGS:
        if found in rung:
            return found
    raise ValueError(rung)


def section(judged: Sequence[Judged]) -> str:
    """Returns the section's tables, in Markdown."""
    wrong = [one for one in judged if not one.equivalent]
    equivalent = [one for one in judged if one.equivalent]
    caught = sum(one.caught for one in wrong)
    right = sum(one.caught and one.right for one in wrong)
    counts = Counter(one.name for one in wrong).values()
    least, most = min(counts, default=0), max(counts, default=0)
    share = str(least) if least == most else f"{least} to {most}"
    lines = [
        f"{len(wrong)} wrong migrations of {len(counts)} programs, {share} of each: "
        f"{caught} are detected "
        f"({_percent(caught, len(wrong))}), {right} of them at the right rung "
        f"({_percent(right, len(wrong))} of all). {len(equivalent)} more change nothing that "
        "the program computes.",
        "",
        *_table("family", wrong, lambda one: one.family, None),
        "",
        *_table("mistake", wrong, lambda one: one.mutation.kind, KINDS),
    ]
    lines += ["", "Detected by:", "", "| rung | |", "|---|---|"]
    told = Counter(one.rung for one in wrong if one.caught)
    lines += [f"| {rung} | {count} |" for rung, count in told.most_common()]
    lines += _listed(
        "Detected by a different rung",
        [one for one in wrong if one.caught and not one.right],
    )
    lines += _listed("Not detected", [one for one in wrong if not one.caught])
    lines += _listed("Changes nothing that the program computes", equivalent)
    return "\n".join(lines) + "\n"


def _table(
    title: str,
    wrong: Sequence[Judged],
    group_of: Callable[[Judged], str],
    order: Sequence[str] | None,
) -> list[str]:
    groups: dict[str, list[Judged]] = {}
    for one in wrong:
        groups.setdefault(group_of(one), []).append(one)
    lines = [
        f"| {title} | wrong migrations | detected | at the right rung | could not be run |",
        "|---|---|---|---|---|",
    ]
    for name in [name for name in order if name in groups] if order else sorted(groups):
        own = groups[name]
        counts = (
            len(own),
            sum(one.caught for one in own),
            sum(one.caught and one.right for one in own),
            sum(one.rung == COULD_NOT_BE_RUN for one in own),
        )
        lines.append(f"| {name} | {' | '.join(map(str, counts))} |")
    return lines


def _listed(title: str, found: Sequence[Judged]) -> list[str]:
    if not found:
        return ["", f"{title}: none."]
    lines = ["", f"{title}:", "", "| program | place and mistake | |", "|---|---|---|"]
    return lines + [f"| {one.name} | {one.place} | {one.rung or one.details} |" for one in found]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
