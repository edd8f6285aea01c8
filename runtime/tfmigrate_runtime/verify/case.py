"""Fixtures: a program, how to run it, and how close its migrated form must come."""

import sys
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from tfmigrate_runtime.verify.cluster import Cluster
from tfmigrate_runtime.verify.tolerance import Loose, Tolerance


@dataclass(frozen=True)
class Case:
    """One fixture.

    Attributes:
        folder: its folder.
        title: one line.
        original: the original's entry script.
        migrated: the migrated program's entry script.
        migrated_estimator: the entry script for --target estimator, which may be missing.
        migrated_keras: the entry script for --target keras, which may be missing.
        trace: the golden trace, recorded with real TensorFlow 1.x.
        arguments: the program's arguments, with ``{out}`` for a fresh folder.
        steps: how many steps it trains; of a cluster, all workers together.
        replicas: over how many towers or replicas.
        tolerance: how close losses, variables and metrics must be.
        cluster: the jobs it is run as, ``[cluster]`` of the file; None for one process.
        turns: whether the cluster's workers take turns.
        every: steps, of a worker its own, between the trace's records of variables.
        free_runs: how many runs without turns give the spread of its final loss, 0 for none.
    """

    folder: Path
    title: str
    original: Path
    migrated: Path
    migrated_estimator: Path
    migrated_keras: Path
    trace: Path
    arguments: tuple[str, ...]
    steps: int
    replicas: int
    tolerance: Tolerance
    cluster: Cluster | None = None
    turns: bool = False
    every: int = 1
    free_runs: int = 0


def load_case(folder: Path) -> Case:
    """Reads a fixture's case.toml.

    Raises:
        FileNotFoundError: the folder has none.
        KeyError: a key is missing.
        ClusterError: its cluster is invalid.
    """
    with (folder / "case.toml").open("rb") as stream:
        table = tomllib.load(stream)
    case, run, limits = table["case"], table["run"], table["tolerance"]
    jobs = table.get("cluster", {})
    is_single = (folder / "original.py").exists()

    def entry(name: str) -> Path:
        return folder / f"{name}.py" if is_single else folder / name / case["entry"]

    return Case(
        folder=folder,
        title=case["title"],
        original=entry("original"),
        migrated=entry("migrated"),
        migrated_estimator=entry("migrated_estimator"),
        migrated_keras=entry("migrated_keras"),
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
        cluster=Cluster.parse(jobs["jobs"]) if jobs else None,
        turns=jobs.get("turns", False),
        every=jobs.get("every", run.get("every", 1)),
        free_runs=jobs.get("free_runs", 0),
    )
