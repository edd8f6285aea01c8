"""Runs a fixture's original under the legacy runtime and its migrated form, on the same devices."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tfmigrate_runtime.verify.case import Case, load_case
from tfmigrate_runtime.verify.differences import greatest_difference
from tfmigrate_runtime.verify.ladder import LADDER, Rung, climb
from tfmigrate_runtime.verify.run_program import Program, run_recorded
from tfmigrate_runtime.verify.surroundings import environment
from tfmigrate_runtime.verify.tolerance import Tolerance
from tfmigrate_runtime.verify.trace import Trace, at_common_steps, load_trace

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

from contenders import prepare, settings_of  # noqa: E402

TIMEOUT_SECONDS = 300.0
# One program against the other on the same GPU: the same kernels, sums of replicas in other orders.
SAME_DEVICE = 1e-5
# A GPU against the stored trace of a CPU: every product and sum of float32 in another order, and up
# to 40 steps that carry the difference on.
OTHER_DEVICE = 1e-3
STEPS = {"dense": 2000, "conv": 1000}
# What is timed: the original, the default form, and that of --target keras.
FORMS = {"original": "towers.py", "default": "towers.py", "native": "towers_without_hook.py"}


@dataclass(frozen=True)
class Figures:
    """How far two traces are apart: the greatest absolute differences over all steps.

    Attributes:
        loss: of the losses.
        weights: of the trainable variables.
        metrics: of what evaluations returned.
        failed: the rung that does not hold, None where all hold.
    """

    loss: float
    weights: float
    metrics: float
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
        metrics = [
            greatest_difference(one[name], other[name]).size
            for one, other in zip(first.evaluations, second.evaluations, strict=False)
            for name in one.keys() & other.keys()
        ]
        loss = greatest_difference(first.loss, second.loss).size
        sizes = (loss, max(weights, default=0.0), max(metrics, default=0.0))
        return cls(*sizes, None if rung is None else _told(rung))

    @property
    def differs_in_files(self) -> bool:
        """Whether all numbers agree, and what was written does not."""
        return self.failed is not None and self.failed.startswith(f"rung {len(LADDER)},")


def _told(rung: Rung) -> str:
    assert rung.outcome is not None
    found = "; ".join(rung.outcome.details) or rung.outcome.figure
    return f"rung {rung.number}, {rung.name}: {found}"


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
    line, differs_in_files = _compared(case, kind, folder)
    if differs_in_files:
        # TensorFlow's summary hook reads the step while it is updated, and may be one step early.
        line, _ = _compared(case, kind, folder)
    return line


def _compared(case: Case, kind: str, folder: Path) -> tuple[dict[str, object], bool]:
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
    here = Figures.between(*traces, same)
    line = {
        "fixture": f"{case.folder.parent.name}/{case.folder.name}",
        "steps": len(traces[0].loss),
        "devices": traces[0].meta["devices"]["replicas"],
        "migrated": asdict(here),
        "stored": asdict(Figures.between(load_trace(case.trace), traces[0], other)),
    }
    return line, here.differs_in_files


def _as_close_as(size: float, tolerance: Tolerance) -> Tolerance:
    """Returns a fixture's tolerance, no stricter than ``size``."""
    return replace(
        tolerance,
        loss=max(size, tolerance.loss or 0.0),
        variable=max(size, tolerance.variable or 0.0),
        metric=max(size, tolerance.metric or 0.0),
    )


def examples_per_second(model: str, kind: str, count: int, folder: Path) -> dict[str, float]:
    """Trains a benchmark's forms one after another; returns their rates.

    Args:
        model: "dense" or "conv".
        kind: "gpu", or "cpu" to try it without one.
        count: of devices, one replica on each.
        folder: where the programs are written.
    """
    devices = f"{kind}:{count}"
    run_migrated = [str(Path(__file__).parent / "run_on_devices.py"), devices]
    run_original = ["-m", "tfmigrate_runtime.tf1_shim", "--devices", devices]
    steps = STEPS[model] // (20 if kind == "cpu" else 1)  # on CPUs it is tried, not measured
    settings = {**settings_of(model, count, steps), "BENCHMARK_DEVICE": kind.upper()}
    if not (folder / model).exists():
        prepare(folder, model)
    rates = {}
    for form, program in FORMS.items():
        run = run_original if form == "original" else run_migrated
        result = subprocess.run(
            [sys.executable, *run, program],
            cwd=folder / model / form,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            env={**environment(), **settings},
        )
        assert result.returncode == 0, f"{form}: {result.stderr[-1500:]}"
        rates[form] = float(result.stdout.split()[-1])
    return rates
