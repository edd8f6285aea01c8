"""Fixtures: a program, how to run it, and how close its migrated form must come."""

import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

from tfmigrate_runtime.verify.chance.run_statistics import final_loss
from tfmigrate_runtime.verify.rounding.tolerance import Loose, Tolerance
from tfmigrate_runtime.verify.running.cluster import ONE_PROCESS, Cluster
from tfmigrate_runtime.verify.running.program import Program
from tfmigrate_runtime.verify.running.run_program import run_recorded
from tfmigrate_runtime.verify.running.surroundings import ProgramFailed
from tfmigrate_runtime.verify.traces.recording import Recording, add_final_losses, load_recording

_SECONDS = 600.0  # that a recording may take


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


def record_golden(case: Case, python: str) -> Recording:
    """Records a fixture's original; its trace is replaced only by a valid one.

    Args:
        case: the fixture; of one whose workers run freely, further runs give the spread.
        python: an interpreter with TensorFlow 1.x.

    Raises:
        ProgramFailed: it failed, or ran on an unexpected TensorFlow, or for an unexpected
            number of steps.
    """
    program = program_of(case, case.original, python)
    # Next to the target, so that it can be moved there at once.
    with tempfile.TemporaryDirectory(prefix=".trace-", dir=case.folder) as folder:
        target = Path(folder) / "trace.npz"
        run_recorded(program, target, _SECONDS)
        recording = load_recording(target)
        version = recording.meta["tensorflow"]
        if not version.startswith("1."):
            raise ProgramFailed(f"{python} has TensorFlow {version}, but golden traces need 1.x")
        steps = sum(len(task.step) for task in recording.tasks.values())
        built = case.replicas if recording.is_cluster else recording.chief.replicas_built
        if (steps, built) != (case.steps, case.replicas):
            raise ProgramFailed(
                f"{case.original} trained {steps} steps on {built} replicas, case.toml expects "
                f"{case.steps} on {case.replicas}"
            )
        losses = []
        for _ in range(case.free_runs):
            again = Path(folder) / "free.npz"
            run_recorded(replace(program, turns=False), again, _SECONDS)
            losses.append(final_loss(load_recording(again).tasks))
        if losses:
            add_final_losses(target, losses)
        target.replace(case.trace)
    return recording


def program_of(case: Case, script: Path, python: str = sys.executable) -> Program:
    """Returns a fixture's original or migrated program as it is run.

    Args:
        case: the fixture.
        script: the program.
        python: the interpreter.
    """
    return Program(
        script,
        case.arguments,
        python,
        case.replicas if case.cluster is None else None,
        case.every,
        cluster=case.cluster or ONE_PROCESS,
        turns=case.turns,
    )
