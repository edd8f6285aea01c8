"""Programs whose losses become NaN, through the whole command: NaN equals NaN shows nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated import Simulated, Simulation

from tfmigrate_runtime.verify.traces.trace import Trace


@pytest.fixture
def simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Simulated:
    return Simulated(tmp_path, monkeypatch)


def broken(at: int, rate: float = 0.05, losses_only: bool = False, value: float = np.nan) -> Trace:
    """A run without numbers from the step at this position on."""
    made = Simulation(rate=rate).run()
    loss, kernel = made.loss.copy(), made.variables["kernel"].copy()
    loss[at:] = value
    if not losses_only:
        kernel[at:] = value
    return replace(made, loss=loss, variables={"kernel": kernel})


def text(report: dict[str, Any]) -> str:
    return "\n".join(line for found in report["rungs"] for line in found["details"])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_steps_before_are_compared(
    simulated: Simulated, capsys: pytest.CaptureFixture[str], value: float
) -> None:
    code, report = simulated.verified(
        lambda: broken(5, value=value), lambda: broken(5, value=value), capsys
    )
    assert code == 0
    assert report["conclusion"].startswith(
        "The programs train the same up to step 5, after which both have"
    )
    assert "Neither program has finite numbers from step 6 on" in text(report)


@pytest.mark.parametrize("at", [1, 5])
def test_another_learning_rate_shows_before(
    simulated: Simulated, capsys: pytest.CaptureFixture[str], at: int
) -> None:
    """With one step before only the first update tells: its loss is that of the same values."""
    code, report = simulated.verified(lambda: broken(at), lambda: broken(at, 0.051), capsys)
    assert code == 1
    failing = next(found for found in report["rungs"] if found["verdict"] == "different")
    assert failing["number"] == (5 if at == 1 else 4)


def test_nothing_is_decided_where_there_never_were_numbers(
    simulated: Simulated, capsys: pytest.CaptureFixture[str]
) -> None:
    code, report = simulated.verified(lambda: broken(0), lambda: broken(0, 0.1), capsys)
    assert code == 3
    assert report["rungs"][3]["verdict"] == "not decided"
    assert "no finite numbers from step 1" in report["conclusion"]


@pytest.mark.parametrize(("first", "second"), [(5, 6), (6, 5), (5, 40), (40, 5)])
def test_one_that_stops_having_numbers_earlier_differs(
    simulated: Simulated, capsys: pytest.CaptureFixture[str], first: int, second: int
) -> None:
    code, report = simulated.verified(lambda: broken(first), lambda: broken(second), capsys)
    assert code == 1
    assert report["rungs"][3]["verdict"] == "different"


def test_losses_that_are_no_numbers_alone_end_nothing(
    simulated: Simulated, capsys: pytest.CaptureFixture[str]
) -> None:
    """A loss may not be recorded, or not be defined: the variables are compared all the same."""
    code, report = simulated.verified(
        lambda: broken(0, losses_only=True), lambda: broken(0, losses_only=True), capsys
    )
    assert (code, report["rungs"][3]["verdict"]) == (0, "skipped")
    code, report = simulated.verified(
        lambda: broken(0, losses_only=True), lambda: broken(0, 0.051, losses_only=True), capsys
    )
    assert (code, report["rungs"][4]["verdict"]) == (1, "different")


def test_results_that_are_no_numbers_are_named(
    simulated: Simulated, capsys: pytest.CaptureFixture[str]
) -> None:
    def run() -> Trace:
        return replace(Simulation().run(), evaluations=[{"auc": np.float32(np.nan)}])

    code, report = simulated.verified(run, run, capsys)
    assert code == 0
    assert "NaN in both programs, so their equality shows nothing: auc of evaluation 1." in text(
        report
    )
