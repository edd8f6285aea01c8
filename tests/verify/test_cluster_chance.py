"""Clusters that are not the same twice, and those that lost their synchrony, by the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated import Simulation, arrays_of, seeds_again, unseeded

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.running import runner
from tfmigrate_runtime.verify.running.program import Program
from tfmigrate_runtime.verify.traces.trace import Trace

Workers = Callable[[], list[Trace]]


def workers(
    synchronous: bool = False,
    rate: float = 0.05,
    seed: int | None = None,
    steps: tuple[int, int] | None = None,
    runs_ahead: bool = False,
) -> Workers:
    """Returns what two workers do; without a seed they make another number of steps each time."""
    rng = np.random.default_rng(unseeded() if seed is None else seed)

    def run() -> list[Trace]:
        first = 40 if seed is not None else int(rng.integers(30, 50))
        counts = steps or (first, 80 - first)
        made = [
            Simulation(rate=rate, seed=None if seed is None else seed + i, steps=count).run()
            for i, count in enumerate(counts)
        ]
        about = {"placement": {"kernel": "/job:ps/task:0"}, "synchronous": synchronous}
        about["runs_ahead"] = runs_ahead
        return [replace(trace, meta={**trace.meta, **about, "skipped": 0}) for trace in made]

    return run


@pytest.fixture
def verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Runs the command on simulated clusters; returns its exit code and report."""
    programs: dict[str, Workers] = {}
    seeds_again(monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TFMIGRATE_REFERENCE_PYTHON", raising=False)

    def record(program: Program, target: Path, *_others: object) -> None:
        traces = {f"worker/{i}": t for i, t in enumerate(programs[program.script.name]())}
        metas = {name: trace.meta for name, trace in traces.items()}
        arrays = {f"{n}/{key}": v for n, trace in traces.items() for key, v in arrays_of(trace)}
        about = {"cluster": program.cluster.jobs, "turns": program.turns, "tasks": metas}
        first = {key: next(iter(metas.values()))[key] for key in ("format", "tensorflow", "python")}
        meta = {**first, **about, "args": [], "sources": {}}
        with target.open("wb") as stream:
            np.savez(stream, meta=np.asarray(json.dumps(meta)), **arrays)

    monkeypatch.setattr(runner, "run_recorded", record)

    def verify(original: Workers, migrated: Workers, *options: str) -> tuple[int, dict[str, Any]]:
        programs.update({"original.py": original, "migrated.py": migrated})
        for name in programs:
            (tmp_path / name).write_text("")
        line = ["original.py", "migrated.py", "--cluster", "ps=1,worker=2", "-q", *options]
        code = main([*line, "--format", "json"])
        output = capsys.readouterr()
        assert code != 2, output.err
        return code, json.loads(output.out)

    return verify


Verified = Callable[..., tuple[int, dict[str, Any]]]


def text(report: dict[str, Any]) -> str:
    return "\n".join(line for found in report["rungs"] for line in found["details"])


def test_workers_that_run_freely_decide_nothing(verified: Verified) -> None:
    """They make another number of steps, and see another first batch, in every run."""
    code, report = verified(workers(), workers())
    assert code == 3
    assert report["conclusion"].startswith("Not decided: no difference was found")
    assert ": 5 runs of each" in report["conclusion"]


def test_workers_that_run_freely_at_another_rate_differ(verified: Verified) -> None:
    code, report = verified(workers(), workers(rate=0.11))
    assert code == 1
    assert report["rungs"][-1]["name"] == "several runs of both"


def test_synchronous_workers_with_initial_tokens_decide_nothing(verified: Verified) -> None:
    """In lock-step, all gradients could be stale: every worker would wait for the others."""
    both = workers(synchronous=True, runs_ahead=True, seed=1)
    for options in ((), ("--turns",)):
        code, report = verified(both, both, *options)
        assert code == 3
        assert "pass num_tokens=0 to" in text(report)
        assert "--turns for" not in text(report)


def test_a_lost_synchrony_is_named(verified: Verified) -> None:
    for options in ((), ("--turns",)):
        original = workers(synchronous=True, seed=1)
        code, report = verified(original, workers(seed=1), *options)
        assert code == 1
        assert report["rungs"][0]["figure"] == "synchrony lost"
        assert "The workers of the original train synchronously" in text(report)


def test_workers_in_turns_that_draw_freely_decide_nothing(verified: Verified) -> None:
    code, report = verified(workers(steps=(40, 40)), workers(steps=(40, 40)), "--turns")
    assert code == 3
    assert "The original is not reproducible, so these values depend on chance." in text(report)


def test_workers_in_turns_are_asked_whether_they_are_the_same_twice(verified: Verified) -> None:
    assert verified(workers(seed=1), workers(seed=1), "--turns")[0] == 0
    code, report = verified(workers(seed=1), workers(seed=1, rate=0.06), "--turns")
    assert code == 1
    assert "not reproducible" not in text(report)
    code, report = verified(workers(seed=1), workers(steps=(40, 40)), "--turns")
    assert code == 1
    assert "Look for a lost seed." in text(report)


@pytest.mark.parametrize(("at", "code"), [(5, 0), (0, 3)])
def test_steps_without_numbers_are_not_compared(verified: Verified, at: int, code: int) -> None:
    def run() -> list[Trace]:
        made = workers(seed=1)()
        for trace in made:
            trace.loss[at:] = np.nan
            trace.variables["kernel"][at:] = np.nan
        return made

    found, report = verified(run, run, "--turns")
    assert found == code
    if at:
        assert report["conclusion"].startswith("The programs train the same up to step 5, after")


def test_synchronous_workers_that_race_have_lost_no_seed(verified: Verified) -> None:
    """They share averages: runs of the original may be the same by chance."""
    original = workers(synchronous=True, seed=1)
    code, report = verified(original, workers(synchronous=True, steps=(40, 40)))
    assert code == 3
    assert "Look for a lost seed." not in text(report)
