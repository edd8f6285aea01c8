"""Prints a table of verification_results.md: how far migrated fixtures are from TensorFlow 1.15.

python scripts/report/verification_table.py replicate_model_fn
python scripts/report/verification_table.py experiment
python scripts/report/verification_table.py replica_device_setter
python scripts/report/verification_table.py --legacy experiment
python scripts/report/verification_table.py --target-estimator PYTHON replicate_model_fn

A program that runs as a cluster has a line for each of its workers. With --legacy the originals are
run, by the legacy runtime, from initial values that they draw themselves. With --target-estimator
what was made for tf.estimator is run, by an interpreter with TensorFlow 2.15.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from tfmigrate_runtime.verify.rungs.differences import greatest_difference
from tfmigrate_runtime.verify.running.run_program import run_recorded
from tfmigrate_runtime.verify.traces.recording import load_recording
from tfmigrate_runtime.verify.traces.trace import Trace, at_common_steps

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from recorded_cases import Case, load_case, program_of

FIXTURES = Path(__file__).parents[2] / "fixtures"
TIMEOUT_SECONDS = 300.0


def row(name: str, original: Trace, migrated: Trace) -> str:
    """Returns one line of the table: the greatest absolute differences over all common steps."""
    original, migrated = at_common_steps(original, migrated)
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
    pinned = len(migrated.meta.get("pinned") or equal_at_the_start(original, migrated))
    return f"| {name} | {len(original.loss)} | {pinned} | {' | '.join(shown)} |"


def equal_at_the_start(original: Trace, migrated: Trace) -> list[str]:
    """Returns the variables that start from the same values bit for bit."""
    return [
        name
        for name, value in original.initial.items()
        if name in migrated.initial and migrated.initial[name].tobytes() == value.tobytes()
    ]


def rows(case: Case, legacy: bool, estimator_python: str = "") -> list[str]:
    """Runs a fixture's migrated program, or its original by the legacy runtime.

    Args:
        case: the fixture.
        legacy: whether to run its original.
        estimator_python: what runs the form that was made for tf.estimator; "" for another.
    """
    script, values = (case.original, None) if legacy else (case.migrated, case.trace)
    python = estimator_python or sys.executable
    if estimator_python:
        script = case.migrated_estimator
        if not script.exists():
            return []
    with tempfile.TemporaryDirectory() as scratch:
        target = Path(scratch) / "new.npz"
        program = replace(program_of(case, script, python), legacy=legacy)
        run_recorded(program, target, TIMEOUT_SECONDS, initial_values=values)
        original, new = load_recording(case.trace), load_recording(target)
        return [
            row(", ".join(filter(None, (case.folder.name, name))), trace, new.tasks[name])
            for name, trace in original.tasks.items()
        ]


def main() -> None:
    """Runs every fixture of a family and prints its lines."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("family", help="a folder of fixtures/")
    parser.add_argument(
        "--legacy", action="store_true", help="the originals, by the legacy runtime"
    )
    parser.add_argument(
        "--target-estimator",
        metavar="PYTHON",
        default="",
        help="what was made for tf.estimator, by this interpreter with TensorFlow 2.15",
    )
    options = parser.parse_args()
    print(
        "| program | steps | initial values equal bit for bit | loss | weights | slots | moving "
        "averages | metrics, predictions |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for folder in sorted(path.parent for path in FIXTURES.glob(f"{options.family}/*/case.toml")):
        for line in rows(load_case(folder), options.legacy, options.target_estimator):
            print(line, flush=True)


if __name__ == "__main__":
    main()
