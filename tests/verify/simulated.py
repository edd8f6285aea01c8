"""The command with simulated programs: least squares by NumPy in the place of TensorFlow.

``verify`` runs its programs through ``run_recorded``; here that writes the trace of a simulation,
so that the whole command can be asked about many runs in no time.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfmigrate_runtime.verify import cli
from tfmigrate_runtime.verify.running import runner
from tfmigrate_runtime.verify.running.run_program import Program
from tfmigrate_runtime.verify.traces.trace import Trace

STEPS = 40
_START = np.array([0.3, -0.2, 0.1], np.float32)

# The seeds of runs without one: other numbers in every run of a test, the same in every session.
_seeds = itertools.count(1000)


def unseeded() -> int:
    """Returns the seed of a run without one."""
    return next(_seeds)


def seeds_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes a test draw the same numbers whichever tests ran before it."""
    monkeypatch.setitem(globals(), "_seeds", itertools.count(1000))


@dataclass
class Simulation:
    """A program; ``rng`` gives its random numbers, ``seed`` None draws others in every run.

    Attributes:
        rate: the learning rate.
        seed: of the batches.
        rows: of a batch.
        steps: how many are made.
        start: what the kernel starts from.
        evaluations: how many are made at the end.
        noise: added to the losses, as by another order of sums.
        activation: whether the output is the tanh of the sums.
        chance: what the recorder saw that differs in every run; None where it did not look.
    """

    rate: float = 0.05
    seed: int | None = 1
    rows: int = 8
    steps: int = STEPS
    start: float = 1.0
    evaluations: int = 0
    noise: float = 0.0
    activation: bool = False
    chance: list[str] | None = None

    def run(self, states: Any = None) -> Trace:
        """Returns the trace of a run.

        Args:
            states: the kernel before each step, in a run in lock-step.
        """
        rng = np.random.default_rng(unseeded() if self.seed is None else self.seed)
        kernel = start = _START * np.float32(self.start)
        losses, values, batch = [], [], {}
        for step in range(self.steps):
            x = rng.normal(size=(self.rows, 3))
            y = x.sum(axis=1) + rng.normal(scale=0.3, size=self.rows)
            if not step:
                batch = {"0/0": x.astype(np.float32), "0/1": y.astype(np.float32)}
            if states is not None:
                kernel = states[step]
            output = x @ kernel
            slope = np.ones_like(output)
            if self.activation:
                output = np.tanh(output)
                slope = 1 - output**2
            error = output - y
            losses.append(float(np.mean(error**2)) * (1 + self.noise))
            kernel = (kernel - self.rate * 2 * ((error * slope) @ x) / self.rows).astype(np.float32)
            values.append(kernel)
        counted = np.arange(1, self.steps + 1)
        meta: dict[str, Any] = {
            **{"format": 1, "tensorflow": "2.21.0", "python": "3.11.0", "args": [], "sources": {}},
            **{"replicas": None, "transferred": [], "calls": [], "pinned_operations": {}},
            "variables": [{"name": "kernel", "shape": [3], "dtype": "float32", "trainable": True}],
            "batch": {"shapes": {"0/0": [self.rows, 3], "0/1": [self.rows]}, "reason": None},
        }
        if self.chance is not None:
            meta["chance"] = self.chance
        return Trace(
            meta=meta,
            step=counted,
            loss=np.array(losses),
            variable_step=counted,
            initial={"kernel": start},
            variables={"kernel": np.array(values)},
            evaluations=[{"loss": np.float32(losses[-1])}] * self.evaluations,
            predictions=[],
            batch=batch,
        )


def arrays_of(trace: Trace) -> list[tuple[str, Any]]:
    """Returns the arrays of a trace as the recorder names them."""
    arrays: dict[str, Any] = {
        **{"step": trace.step, "loss": trace.loss, "variable_step": trace.variable_step},
        **{f"initial/{name}": value for name, value in trace.initial.items()},
        **{f"drawn/{name}": value for name, value in trace.drawn.items()},
        **{f"variable/{name}": value for name, value in trace.variables.items()},
        **{f"batch/{name}": value for name, value in trace.batch.items()},
    }
    for number, metrics in enumerate(trace.evaluations):
        arrays.update({f"evaluation/{number}/{name}": v for name, v in metrics.items()})
    return list(arrays.items())


def write(trace: Trace, target: Path) -> None:
    """Writes a trace as the recorder does."""
    meta = np.asarray(json.dumps(trace.meta))
    with target.open("wb") as stream:
        np.savez(stream, meta=meta, **dict(arrays_of(trace)))


def _following(simulation: Simulation, path: Path) -> Trace:
    """Returns a run in lock-step with the trace in a file, which may have fewer steps."""
    with np.load(path) as stored:
        states = [stored["initial/kernel"], *stored["variable/kernel"]]
    more = [states[-1]] * max(0, simulation.steps - len(states) + 1)
    trace = simulation.run([*states, *more])
    follow = {"forced": len(states) - 1, "free": [], "missing": []}
    return replace(trace, meta={**trace.meta, "follow": follow})


class Simulated:
    """The command, with simulations in the place of ``original.py`` and ``migrated.py``."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Prepares a folder with both files."""
        self._folder = folder
        self.made: list[str] = []
        self.programs: dict[str, Callable[[], Trace]] = {}
        for name in ("original.py", "migrated.py"):
            (folder / name).write_text("")
        monkeypatch.chdir(folder)
        monkeypatch.delenv("TFMIGRATE_REFERENCE_PYTHON", raising=False)
        monkeypatch.setattr(runner, "run_recorded", self._record)
        seeds_again(monkeypatch)

    def _record(
        self,
        program: Program,
        target: Path,
        limits: object,
        values: Path | None = None,
        *_others: object,
    ) -> None:
        del limits
        self.made.append(program.script.name)
        run = self.programs[program.script.name]
        owner = getattr(run, "__self__", None)
        if program.follow is not None and isinstance(owner, Simulation):
            trace = _following(owner, program.follow)
        else:
            trace = run()
        if values is not None:
            with np.load(values) as stored:
                wanted = {n: stored[f"initial/{n}"] for n in trace.initial}
            drawn = {
                name: value
                for name, value in trace.initial.items()
                if value.tobytes() != wanted[name].tobytes()
            }
            meta = {**trace.meta, "transferred": sorted(drawn)}
            trace = replace(trace, meta=meta, initial=wanted, drawn=drawn)
        write(trace, target)

    def verified(
        self,
        original: Callable[[], Trace],
        migrated: Callable[[], Trace],
        capsys: pytest.CaptureFixture[str],
        *options: str,
    ) -> tuple[int, dict[str, Any]]:
        """Returns the exit code and the report."""
        self.programs = {"original.py": original, "migrated.py": migrated}
        line = ["original.py", "migrated.py", "-q", "--format", "json", *options]
        code = cli.main(line)
        output = capsys.readouterr()
        assert code != 2, output.err
        return code, json.loads(output.out)
