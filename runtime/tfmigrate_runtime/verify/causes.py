"""What a verdict says in a code: a closed list, for programs that read ``--format json``.

The list is data/causes.txt, of which docs/reference/verify_causes.md is made, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources


@dataclass(frozen=True)
class Cause:
    """One code.

    Attributes:
        code: its name.
        meaning: what was found, in one sentence.
        advice: what to look at and change.
    """

    code: str
    meaning: str
    advice: str


@dataclass(frozen=True)
class FirstDifference:
    """Where two programs first differ.

    Attributes:
        step: the global step, None before the first.
        variable: its name, None for what is not a variable.
        index: the element where they differ most.
        original: the original's value, None for what is not a number.
        migrated: the migrated program's.
    """

    step: int | None = None
    variable: str | None = None
    index: tuple[int, ...] = ()
    original: float | None = None
    migrated: float | None = None


# Of a rung that fails, by its number from 1, where nothing more is known.
OF_RUNGS = (
    "steps", "trainable-variables", "initial-values", "losses", "updates", "results", "checkpoints",
    "exports", "files",
)  # fmt: skip
DISTRIBUTION = "distribution"
IN_GRAPH = "graph"
FED = "fed"
DIRECTION = "direction"
NOT_DECIDED = "not-decided"
INTERNAL = "internal-error"


def _listed() -> Iterator[Cause]:
    text = (
        resources.files("tfmigrate_runtime.verify").joinpath("data/causes.txt").read_text("utf-8")
    )
    for line in text.replace("\n  ", " ").splitlines():
        if line and not line.startswith("#"):
            code, _, found = line.partition(": ")
            yield Cause(code, *found.split(" | "))


CAUSES = {cause.code: cause for cause in _listed()}
