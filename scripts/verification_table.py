"""Prints a table of docs/verification.md: how close the migrated fixtures come to TF 1.15.

python scripts/verification_table.py replicate_model_fn
python scripts/verification_table.py experiment
python scripts/verification_table.py replica_device_setter

A program that runs as a cluster has a line for each of its workers.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tfmigrate_runtime.verify.case import Case, load_case
from tfmigrate_runtime.verify.cluster_trace import load_cluster_trace
from tfmigrate_runtime.verify.compare import greatest_difference
from tfmigrate_runtime.verify.golden import cluster_program
from tfmigrate_runtime.verify.run_cluster import record_cluster
from tfmigrate_runtime.verify.run_program import Program, run_recorded
from tfmigrate_runtime.verify.trace import Trace, load_trace

FIXTURES = Path(__file__).parents[1] / "fixtures"
TIMEOUT_SECONDS = 300.0


def row(name: str, original: Trace, migrated: Trace) -> str:
    """Returns one line of the table: the greatest absolute differences over all steps."""
    differences = {
        variable: greatest_difference(values, migrated.variables[variable]).size
        for variable, values in original.variables.items()
    }
    trainable = max(differences[name] for name in original.trainable)
    moving = [size for name, size in differences.items() if "moving_" in name]
    others = [
        size
        for name, size in differences.items()
        if name not in original.trainable and "moving_" not in name
    ]
    pairs = zip(
        original.evaluations + original.predictions,
        migrated.evaluations + migrated.predictions,
        strict=True,
    )
    metric = max(
        (greatest_difference(old[key], new[key]).size for old, new in pairs for key in old),
        default=None,
    )
    loss = greatest_difference(original.loss, migrated.loss).size
    figures = [loss, trainable, max(others, default=None), max(moving, default=None), metric]
    shown = ["" if figure is None else f"{figure:.1e}" for figure in figures]
    pinned = len(migrated.meta["pinned"])
    return f"| {name} | {len(original.loss)} | {pinned} | {' | '.join(shown)} |"


def rows(case: Case) -> list[str]:
    """Runs a migrated fixture; returns its lines."""
    with tempfile.TemporaryDirectory() as scratch:
        target = Path(scratch) / "migrated.npz"
        if case.cluster is None:
            program = Program(case.migrated, case.arguments, replicas=case.replicas)
            run_recorded(program, target, TIMEOUT_SECONDS, initial_values=case.trace)
            return [row(case.folder.name, load_trace(case.trace), load_trace(target))]
        record_cluster(
            cluster_program(case, case.migrated), target, TIMEOUT_SECONDS, initial_values=case.trace
        )
        original, migrated = load_cluster_trace(case.trace), load_cluster_trace(target)
        return [
            row(f"{case.folder.name}, {name}", trace, migrated.tasks[name])
            for name, trace in original.tasks.items()
        ]


def main() -> None:
    """Runs every migrated fixture and prints its lines."""
    print(
        "| program | steps | initial values equal bit for bit | loss | weights | slots | moving "
        "averages | metrics, predictions |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for folder in sorted(path.parent for path in FIXTURES.glob(f"{sys.argv[1]}/*/case.toml")):
        for line in rows(load_case(folder)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
