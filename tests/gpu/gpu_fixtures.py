"""Verifies a fixture's original and its migrated form on the same devices."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from recorded_cases import Case, load_case

from tfmigrate_runtime.verify.pipeline import verify
from tfmigrate_runtime.verify.reports.written_reports import Report
from tfmigrate_runtime.verify.request import VerifyRequest
from tfmigrate_runtime.verify.rungs.differences import greatest_difference
from tfmigrate_runtime.verify.rungs.ladder import Rung
from tfmigrate_runtime.verify.running.limits import Limits
from tfmigrate_runtime.verify.running.surroundings import environment
from tfmigrate_runtime.verify.traces.trace import at_common_steps, load_trace

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

from contenders import prepare, settings_of  # noqa: E402

TIMEOUT_SECONDS = 300.0
STEPS = {"dense": 2000, "conv": 1000}
# What is timed: the original, the default form, and that of --target keras.
FORMS = {"original": "towers.py", "default": "towers.py", "native": "towers_without_hook.py"}


@dataclass(frozen=True)
class Figures:
    """How far two programs are apart that train in lock-step: greatest absolute differences.

    Attributes:
        loss: of the losses.
        weights: of the trainable variables.
        metrics: of what evaluations returned.
        failed: the rung that does not hold or is not decided, None where all hold.
    """

    loss: float
    weights: float
    metrics: float
    failed: str | None

    @classmethod
    def of(cls, report: Report) -> Figures:
        """Returns the figures of a comparison."""
        rung = report.verdict.failed or report.verdict.undecided
        first, second = at_common_steps(report.original.chief, report.migrated.chief)
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
        return cls(*sizes, None if rung is None else _described(rung))


def _described(rung: Rung) -> str:
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


def compare_on(case: Case, kind: str) -> dict[str, object]:
    """Verifies both programs on as many devices as the fixture has replicas.

    Args:
        case: the fixture.
        kind: "gpu", or "cpu" to try it without one.

    Returns:
        A line of the table: the fixture, its steps, what it ran on, and the figures of the migrated
        program against the original on these devices, and against TensorFlow 1.15 on a CPU.
    """
    # Comparing free runs, as this did before, finds rounding that grows for 40 steps.
    request = VerifyRequest(
        case.original,
        case.migrated,
        case.arguments,
        trace=case.trace,
        devices=f"{kind}:{case.replicas}",
        every=case.every,
        limits=Limits(TIMEOUT_SECONDS),
    )
    stored = verify(request)
    here = verify(replace(request, trace=None, legacy=True, fresh=True))
    return {
        "fixture": f"{case.folder.parent.name}/{case.folder.name}",
        "steps": len(here.original.chief.loss),
        "devices": here.migrated.chief.meta["devices"]["replicas"],
        "migrated": asdict(Figures.of(here)),
        "stored": asdict(Figures.of(stored)),
    }


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
