"""Runs a fixture's original under the legacy runtime and its migrated form, on the same devices."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tfmigrate_runtime.verify.case import Case, load_case
from tfmigrate_runtime.verify.differences import greatest_difference
from tfmigrate_runtime.verify.ladder import climb
from tfmigrate_runtime.verify.run_program import Program, run_recorded
from tfmigrate_runtime.verify.surroundings import environment
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Trace, at_common_steps, load_trace

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks" / "programs"
RESULTS = ROOT / "build" / "gpu_results.json"  # what scripts/pages/gpu_page.py reads
TIMEOUT_SECONDS = 300.0
# One program against the other on the same GPU: the same kernels, sums of replicas in other orders.
SAME_DEVICE = 1e-5
# A GPU against the stored trace of a CPU: every product and sum of float32 in another order, and up
# to 40 steps that carry the difference on.
OTHER_DEVICE = 1e-3
STEPS = {"dense": 2000, "conv": 1000}


@dataclass(frozen=True)
class Figures:
    """How far two traces are apart: the greatest absolute differences over all steps.

    Attributes:
        loss: of the losses.
        weights: of the trainable variables.
        failed: the rung that does not hold, None where all hold.
    """

    loss: float
    weights: float
    failed: str | None

    @classmethod
    def between(cls, first: Trace, second: Trace, tolerance: Tolerance) -> Figures:
        """Compares two traces."""
        rung = climb(first, second, tolerance).failed
        first, second = at_common_steps(first, second)
        weights = [
            greatest_difference(first.variables[name], second.variables[name]).size
            for name in first.trainable
            if name in second.variables
        ]
        loss = greatest_difference(first.loss, second.loss).size
        return cls(loss, max(weights, default=0.0), None if rung is None else str(rung))


def single_process_fixtures() -> list[Path]:
    """Returns the folders of all fixtures that are one process of TensorFlow 1.x."""
    folders = sorted(path.parent for path in ROOT.glob("fixtures/*/*/case.toml"))
    cases = [load_case(folder) for folder in folders]
    return [
        case.folder
        for case in cases
        if case.cluster is None and str(load_trace(case.trace).meta["tensorflow"]).startswith("1.")
    ]


def compare_on(case: Case, kind: str, folder: Path) -> dict[str, object]:
    """Runs both programs on as many devices as the fixture has replicas.

    Args:
        case: the fixture.
        kind: "gpu", or "cpu" to try it without one.
        folder: where traces are written.

    Returns:
        A line of the table: the fixture, its steps, what it ran on, and the figures of the original
        and the migrated program on these devices, and of the original here and on TensorFlow 1.15's
        CPU.
    """
    devices = f"{kind}:{case.replicas}"
    original = Program(case.original, case.arguments, legacy=True, devices=devices)
    migrated = replace(original, script=case.migrated, legacy=False)
    traces = []
    for name, program in (("original", original), ("migrated", migrated)):
        target = folder / f"{name}.npz"
        # Of the stored trace: initial values are not what is compared.
        run_recorded(program, target, TIMEOUT_SECONDS, initial_values=case.trace)
        traces.append(load_trace(target))
    same = _as_close_as(SAME_DEVICE, case.tolerance)
    other = _as_close_as(OTHER_DEVICE, case.tolerance)
    return {
        "fixture": f"{case.folder.parent.name}/{case.folder.name}",
        "steps": len(traces[0].loss),
        "devices": traces[0].meta["devices"]["replicas"],
        "migrated": asdict(Figures.between(*traces, same)),
        "stored": asdict(Figures.between(load_trace(case.trace), traces[0], other)),
    }


def _as_close_as(size: float, tolerance: Tolerance) -> Tolerance:
    """Returns a fixture's tolerance, no stricter than ``size``."""
    return replace(
        tolerance,
        loss=max(size, tolerance.loss),
        variable=max(size, tolerance.variable),
        metric=max(size, tolerance.metric),
    )


def examples_per_second(model: str, kind: str, rounds: int) -> dict[str, float]:
    """Trains a benchmark's original and migrated program in turns; returns the medians.

    Args:
        model: "dense" or "conv".
        kind: "gpu", or "cpu" to try it without one; two of them are used.
        rounds: how often each is run.
    """
    devices = f"{kind}:2"
    commands = {
        "original": ["-m", "tfmigrate_runtime.tf1_shim", "--devices", devices],
        "migrated": [str(Path(__file__).parent / "run_on_devices.py"), devices],
    }
    rates: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            program = [str(BENCHMARKS / f"{name}.py"), model, str(STEPS[model]), kind.upper()]
            result = subprocess.run(
                [sys.executable, *command, *program],
                capture_output=True,
                text=True,
                timeout=TIMEOUT_SECONDS,
                env=environment(),
            )
            assert result.returncode == 0, result.stderr[-3000:]
            rates[name].append(float(result.stdout.split()[-1]))
    return {name: statistics.median(found) for name, found in rates.items()}


def keep(section: str, name: str, found: object) -> None:
    """Adds a finding to the file of results."""
    stored = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    stored.setdefault(section, {})[name] = found
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n", "utf-8")
