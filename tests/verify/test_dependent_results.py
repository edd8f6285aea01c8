"""Results that depend on moving averages, through the whole command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated import Simulated, Simulation

from tfmigrate_runtime.verify.trace import Trace


def with_average(shift: float, accuracy: float) -> Trace:
    """A run with a moving average, and an evaluation that uses it."""
    made = Simulation().run()
    average = {"name": "bn/moving_mean", "shape": [2], "dtype": "float32", "trainable": False}
    values = np.full((len(made.step), 2), 0.5 + shift, np.float32)
    made.initial["bn/moving_mean"] = np.zeros(2, np.float32)
    made.variables["bn/moving_mean"] = values
    made.meta["variables"].append(average)
    made.evaluations.append({"accuracy": np.float32(accuracy)})
    return made


@pytest.mark.parametrize(
    ("shift", "accuracy", "code"),
    [(0.0, 0.5, 0), (2e-3, 0.5001, 0), (2e-3, 0.504, 1), (0.0, 0.5001, 1), (2e-2, 0.5, 1)],
)
def test_results_are_held_to_what_they_are_made_of(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    shift: float,
    accuracy: float,
    code: int,
) -> None:
    command = Simulated(tmp_path, monkeypatch)

    def migrated() -> Any:
        return with_average(shift, accuracy)

    found, report = command.verified(lambda: with_average(0.0, 0.5), migrated, capsys)
    assert found == code
    said = str(report["rungs"][5]["details"])
    assert ("Results depend on moving averages" in said) == (0 < shift < 5e-3)
