"""All rows of predictions are compared."""

from __future__ import annotations

import numpy as np
import pytest
from changed_program import Changed
from traces import trace

from tfmigrate_runtime.verify.recorder.results import estimators
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import climb

PROGRAM, RUNG = "predicts.py", "same calls and results"


@pytest.mark.usefixtures("tensorflow_installed")
@pytest.mark.parametrize(
    ("replaced", "told"),
    [
        (
            ("ROWS, SHIFT_FROM, SHIFT = 200, 100, 0.0", "ROWS, SHIFT_FROM, SHIFT = 200, 100, 0.0"),
            "",
        ),
        (
            ("= 200, 100, 0.0", "= 64, 100, 0.0"),
            "the original returns 200 rows, the migrated program 64",
        ),
        (("= 200, 100, 0.0", "= 200, 100, 0.1"), "prediction 1: sums is "),
    ],
)
def test_through_the_command(changed: Changed, replaced: tuple[str, str], told: str) -> None:
    said = changed(PROGRAM, replaced, arguments=("{out}",))
    assert said.code == (1 if told else 0)
    assert said.failed == ([RUNG] if told else [])
    assert told in said.details(RUNG)
    assert "rows of prediction" not in said.details(RUNG)


def test_what_old_traces_lack_is_said() -> None:
    meta = {key: value for key, value in trace().meta.items() if key != "prediction_rows"}
    old = trace(predictions=[{"classes": np.arange(64)}], meta=meta)
    new = trace(
        predictions=[{"classes": np.arange(200)}], meta={**trace().meta, "prediction_rows": [200]}
    )
    verdict = climb(old, new, Tolerance())
    assert verdict.failed is None
    outcome = verdict.rungs[5].outcome
    assert outcome is not None
    assert "Only the first 64 rows of prediction 1 were compared" in outcome.details[-1]
    other = trace(predictions=[{"classes": np.arange(63)}], meta=meta)
    assert climb(other, new, Tolerance()).failed is not None


def test_rows_that_are_not_kept_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimators, "PREDICTION_BYTES", 100)
    assert estimators._rows_kept({"a": np.zeros(5, np.float32)}) == 5
    assert estimators._rows_kept({"a": np.zeros(500, np.float32)}) == 1
    meta = {**trace().meta, "prediction_rows": [300]}
    cut = trace(predictions=[{"classes": np.arange(10)}], meta=meta)
    outcome = climb(cut, cut, Tolerance()).rungs[5].outcome
    assert outcome is not None
    assert "Only the first 10 of 300 rows of prediction 1 were compared." in outcome.details
