"""The whole command on made-up traces: its exit code must be that of the ladder."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from tfmigrate_runtime.verify import cli
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs import ladder
from tfmigrate_runtime.verify.rungs.ladder import Verdict
from tfmigrate_runtime.verify.running import runner
from tfmigrate_runtime.verify.running.run_program import Program
from tfmigrate_runtime.verify.traces.trace import Trace

_BELOW = {
    "initial": "initial",
    "drawn": "drawn",
    "laws": "law",
    "fixed": "fixed",
    "variables": "variable",
    "batch": "batch",
    "checkpoint": "checkpoint",
    "restored": "restored",
    "written": "written",
}


def write(trace: Trace, path: Path) -> None:
    """Writes a trace as the recorder does."""
    np.savez(path, meta=json.dumps(trace.meta), **_arrays(trace))


def _arrays(trace: Trace) -> dict[str, Any]:
    arrays: dict[str, Any] = {name: getattr(trace, name) for name in ("step", "loss")}
    arrays["variable_step"] = trace.variable_step
    for name, prefix in _BELOW.items():
        arrays.update({f"{prefix}/{key}": value for key, value in getattr(trace, name).items()})
    for kind in ("evaluation", "prediction"):
        for number, results in enumerate(getattr(trace, f"{kind}s")):
            arrays.update({f"{kind}/{number}/{key}": value for key, value in results.items()})
    if trace.tower_loss is not None:
        arrays["tower_loss"] = trace.tower_loss
    for number, model in enumerate(trace.models, start=1):
        arrays.update({f"model/{number}/{key}": value for key, value in _arrays(model).items()})
    for number, end in enumerate(trace.ends.values()):
        arrays.update({f"end/{number}/{key}": value for key, value in end.items()})
    for name in ("fetched", "event_values"):
        if getattr(trace, name).size:
            arrays[name] = getattr(trace, name)
    return {**arrays, **trace.exported, **trace.saved}


def exit_code(original: Trace, migrated: Trace, *options: str) -> int:
    """Returns what the command ends with where its two programs record these traces."""
    traces = {"original.py": original, "migrated.py": migrated}

    def record(program: Program, target: Path, *_others: object, **_named: object) -> None:
        write(traces[program.script.name], target)

    with (
        tempfile.TemporaryDirectory() as folder,
        mock.patch.object(runner, "run_recorded", record),
    ):
        scripts = [Path(folder) / name for name in traces]
        for script in scripts:
            script.touch()
        return cli.main([*map(str, scripts), "--legacy", "-q", "--format", "json", *options])


def climb(original: Trace, migrated: Trace, tolerance: Tolerance) -> Verdict:
    """Returns the verdict on two traces, which the command's exit code must be that of."""
    verdict = ladder.climb(original, migrated, tolerance)
    if tolerance == Tolerance():
        assert exit_code(original, migrated) == (0 if verdict.same else 1)
    return verdict
