"""Programs with random numbers that cannot be pinned, through the whole command."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated import Simulated, Simulation, write
from verify_support import PROGRAMS

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.running.run_program import REFERENCE_VARIABLE

CLOCK = PROGRAMS / "clock.py"
FREE = Simulation(seed=None)


@pytest.fixture
def simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Simulated:
    return Simulated(tmp_path, monkeypatch)


def rung(report: dict[str, Any], name: str) -> dict[str, Any]:
    return next(found for found in report["rungs"] if found["name"] == name)


def text(report: dict[str, Any]) -> str:
    return "\n".join(line for found in report["rungs"] for line in found["details"])


def test_no_difference_that_is_shown_is_no_decision(
    simulated: Simulated, capsys: pytest.CaptureFixture[str]
) -> None:
    code, report = simulated.verified(FREE.run, FREE.run, capsys)
    assert code == 3
    assert (report["same"], report["decided"]) == (False, False)
    last = rung(report, "several runs of both")
    assert last["verdict"] == "not decided"
    # Where the first five differ by chance, as many again are made.
    runs = len(last["samples"]["original"])
    assert runs == len(last["samples"]["migrated"])
    assert runs in (5, 10)
    assert report["conclusion"].startswith("Not decided: no difference was found")
    assert f": {runs} runs of each, p = " in report["conclusion"]
    assert "Differences below about" in text(report)
    assert [found["verdict"] for found in report["rungs"][2:6]] == ["skipped"] * 4


def test_another_learning_rate_is_found(
    simulated: Simulated, capsys: pytest.CaptureFixture[str]
) -> None:
    code, report = simulated.verified(FREE.run, Simulation(rate=0.1, seed=None).run, capsys)
    assert code == 1
    assert report["cause"] == "distribution"
    last = rung(report, "several runs of both")
    assert last["verdict"] == "different"
    # The first five runs of each differ significantly, which as many again confirm.
    assert len(last["samples"]["original"]) == 10
    assert "in the original," in text(report) and "(means)" in text(report)


def test_a_slightly_larger_learning_rate_is_found_by_how_far_variables_move(
    simulated: Simulated, capsys: pytest.CaptureFixture[str]
) -> None:
    migrated = Simulation(rate=0.065, seed=None, steps=200)
    code, report = simulated.verified(Simulation(seed=None, steps=200).run, migrated.run, capsys)
    assert code == 1
    assert rung(report, "several runs of both")["verdict"] == "different"


def test_a_lost_activation_is_found(
    simulated: Simulated, capsys: pytest.CaptureFixture[str]
) -> None:
    original = Simulation(seed=None, activation=True)
    code, report = simulated.verified(original.run, FREE.run, capsys)
    assert code == 1
    assert rung(report, "several runs of both")["verdict"] == "different"
    assert simulated.verified(original.run, original.run, capsys)[0] == 3


@pytest.mark.parametrize(
    ("migrated", "where"),
    [
        (Simulation(seed=None, rows=4), "same initial values, batch"),
        (Simulation(seed=None, steps=30), "both train the same steps"),
        (Simulation(seed=None, evaluations=1), "same calls and results"),
    ],
)
def test_what_no_random_number_changes_is_a_difference(
    simulated: Simulated,
    capsys: pytest.CaptureFixture[str],
    migrated: Simulation,
    where: str,
) -> None:
    code, report = simulated.verified(FREE.run, migrated.run, capsys)
    assert code == 1
    assert rung(report, where)["verdict"] == "different"
    assert "this does not depend on its random numbers" in text(report)


def test_steps_that_chance_decides_are_no_difference(
    simulated: Simulated, capsys: pytest.CaptureFixture[str]
) -> None:
    """As with early stopping: the original itself makes another number of steps in every run."""
    rng = np.random.default_rng(0)

    def run() -> Any:
        return Simulation(seed=None, steps=int(rng.integers(30, 90))).run()

    code, report = simulated.verified(run, run, capsys)
    assert code == 3
    assert rung(report, "both train the same steps")["verdict"] == "skipped"


def test_a_seed_that_was_lost_is_a_difference(
    simulated: Simulated, capsys: pytest.CaptureFixture[str]
) -> None:
    code, report = simulated.verified(Simulation(seed=1).run, FREE.run, capsys)
    assert code == 1
    assert "All runs of the original are the same; those of the migrated program" in text(report)
    assert "Look for a lost seed." in text(report)


@pytest.mark.parametrize(("chance", "runs"), [([], 3), (["entropy"], 4), (None, 4)])
def test_a_wrong_program_that_repeats_itself_needs_three_runs(
    simulated: Simulated,
    capsys: pytest.CaptureFixture[str],
    chance: list[str] | None,
    runs: int,
) -> None:
    wrong = Simulation(activation=True, chance=chance)
    code, report = simulated.verified(Simulation().run, wrong.run, capsys)
    assert (code, rung(report, "same loss at every step")["verdict"]) == (1, "different")
    assert len(simulated.made) == runs


def test_a_race_of_ops_is_no_difference(
    simulated: Simulated, capsys: pytest.CaptureFixture[str]
) -> None:
    """rinuboney/ladder: what reads an average and what updates it, in one run of few."""
    runs = itertools.count()

    def racing(states: Any = None) -> Any:
        made = Simulation().run(states)
        if next(runs) % 3 == 0:
            made.variables["kernel"][-1] += np.float32(0.1)
        return made

    code, report = simulated.verified(Simulation().run, racing, capsys)
    assert (code, rung(report, "same variables and slots")["verdict"]) == (3, "skipped")


def test_what_the_original_always_has_is_no_matter_of_chance(
    simulated: Simulated, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only evaluations are free in the original; the losses are always the same."""
    rng = np.random.default_rng(0)

    def run(rate: float) -> Any:
        made = Simulation(rate=rate, evaluations=1).run()
        made.evaluations[0] = {"loss": np.float32(rng.normal())}
        return made

    code, report = simulated.verified(lambda: run(0.05), lambda: run(0.051), capsys)
    assert code == 1
    assert rung(report, "same loss at every step")["verdict"] == "different"
    code, report = simulated.verified(lambda: run(0.05), lambda: run(0.05), capsys)
    assert code == 3
    assert rung(report, "same loss at every step")["verdict"] == "same"


def test_runs_that_are_all_the_same_are_one_draw(
    simulated: Simulated, capsys: pytest.CaptureFixture[str]
) -> None:
    """The migrated program draws the same whenever it is run: five runs of it show nothing more."""
    for seed in range(4):
        code, report = simulated.verified(FREE.run, Simulation(seed=seed).run, capsys)
        assert code == 3
        assert "All runs of the migrated program are the same: they count as one." in text(report)
        assert "No difference can be detected with" in text(report)


def test_a_stored_trace_is_one_draw_where_the_original_cannot_be_run(
    simulated: Simulated, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> Any:
        from tfmigrate_runtime.verify.running.run_program import ProgramFailed

        raise ProgramFailed("no more")

    write(FREE.run(), Path("trace.npz"))
    code, report = simulated.verified(fails, FREE.run, capsys)
    assert code == 3
    assert "Only one run of the original was compared: a stored trace was used" in text(report)
    assert "No difference can be detected with" in text(report)


def test_the_original_of_a_stored_trace_is_run_again(
    simulated: Simulated, capsys: pytest.CaptureFixture[str]
) -> None:
    write(Simulation().run(), Path("trace.npz"))
    code, report = simulated.verified(Simulation().run, Simulation(rate=0.06).run, capsys)
    assert code == 1
    assert simulated.made == ["migrated.py"] * 2  # the second for its rounding
    write(FREE.run(), Path("trace.npz"))
    code, report = simulated.verified(FREE.run, FREE.run, capsys)
    assert code == 3
    assert [len(rung(report, "several runs of both")["samples"][s]) for s in ("original",)] == [5]


def test_github_is_warned_of_what_is_not_decided(
    simulated: Simulated, capsys: pytest.CaptureFixture[str]
) -> None:
    simulated.programs = {"original.py": FREE.run, "migrated.py": FREE.run}
    assert main(["original.py", "migrated.py", "-q", "--format", "github"]) == 3
    shown = capsys.readouterr().out
    assert (
        "::warning file=migrated.py,line=1,title=tfmigrate verify::Not decided: no difference"
        in shown
    )
    assert "::error" not in shown


@pytest.mark.usefixtures("tensorflow_installed")
def test_a_real_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half the batch, which the clock chooses in both."""
    monkeypatch.delenv(REFERENCE_VARIABLE, raising=False)
    half = CLOCK.read_text().replace("[8, 3]", "[4, 3]").replace("[8])", "[4])")
    (tmp_path / "half.py").write_text(half.replace("(8, 3)", "(4, 3)").replace("=8)", "=4)"))
    line = [str(CLOCK), str(tmp_path / "half.py"), "--legacy", "-q", "--format", "json"]
    assert main([*line, "--", "--rate=0.05"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["rungs"][2]["verdict"] == "different"
    assert "The first batch has 4 rows instead of 8" in text(report)
