"""Fixtures: a program, how to run it, and how close its migrated form must come."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from tfmigrate_runtime.verify.tolerance import Loose, Tolerance


@dataclass(frozen=True)
class Case:
    """One fixture.

    Attributes:
        folder: its folder.
        title: one line.
        original: the original's entry script.
        migrated: the migrated program's entry script.
        trace: the golden trace, recorded with real TensorFlow 1.x.
        arguments: the program's arguments, with ``{out}`` for a fresh folder.
        steps: how many steps it trains.
        replicas: over how many towers or replicas.
        tolerance: how close losses, variables and metrics must be.
    """

    folder: Path
    title: str
    original: Path
    migrated: Path
    trace: Path
    arguments: tuple[str, ...]
    steps: int
    replicas: int
    tolerance: Tolerance


def load_case(folder: Path) -> Case:
    """Reads a fixture's case.toml.

    Raises:
        FileNotFoundError: the folder has none.
        KeyError: something is missing in it.
    """
    with (folder / "case.toml").open("rb") as stream:
        table = tomllib.load(stream)
    case, run, limits = table["case"], table["run"], table["tolerance"]
    single = (folder / "original.py").exists()
    entry = case["entry"]
    return Case(
        folder=folder,
        title=case["title"],
        original=folder / "original.py" if single else folder / "original" / entry,
        migrated=folder / "migrated.py" if single else folder / "migrated" / entry,
        trace=folder / "trace.npz",
        arguments=tuple(run["args"]),
        steps=run["steps"],
        replicas=run["replicas"],
        tolerance=Tolerance(
            loss=limits["loss"],
            variable=limits["variable"],
            metric=limits["metric"],
            loose=tuple(
                Loose(rule["pattern"], rule["tolerance"], rule["reason"])
                for rule in limits.get("loose", ())
            ),
        ),
    )
