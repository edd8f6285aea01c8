"""Comparing the first batches of two made-up traces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from traces import trace

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare import Outcome
from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.traces.trace import Trace

X, Y = trace().batch["0/0"], trace().batch["0/1"]
ANOTHER_LOSS = trace().loss * 1.5


def of_batch(**batch: Any) -> dict[str, Any]:
    """Returns changes of a trace that give it another first batch."""
    arrays = {
        name.removeprefix("s").replace("_", "/"): np.asarray(value) for name, value in batch.items()
    }
    shapes = {name: list(value.shape) for name, value in arrays.items()}
    meta = {**trace().meta, "batch": {"shapes": shapes, "reason": None}}
    return {"batch": arrays, "meta": meta}


def third_rung(migrated: Trace, original: Trace | None = None) -> Outcome:
    outcome = climb(original or trace(), migrated, Tolerance()).rungs[2].outcome
    assert outcome is not None
    return outcome


def test_rows_may_come_in_another_order() -> None:
    order = [4, 5, 6, 7, 0, 1, 2, 3]
    outcome = third_rung(trace(**of_batch(s0_0=X[order], s0_1=Y[order])))
    assert outcome.same
    assert outcome.figure == "2 equal, batch of 8 rows"


def test_rows_must_stay_together() -> None:
    outcome = third_rung(trace(**of_batch(s0_0=X, s0_1=Y[::-1]), loss=ANOTHER_LOSS))
    assert not outcome.same
    assert outcome.details[0].startswith("8 of 8 rows of the first batch are not in the original's")


def test_what_float32_cannot_hold_is_the_same() -> None:
    near = X * np.float32(1 + 3e-7)
    assert not np.array_equal(near, X)
    assert third_rung(trace(**of_batch(s0_0=near[::-1], s0_1=Y[::-1]))).same
    far = X.copy()
    far[2, 1] += np.float32(1e-3)
    outcome = third_rung(trace(**of_batch(s0_0=far, s0_1=Y), loss=ANOTHER_LOSS))
    assert outcome.details[0].startswith("1 of 8 rows")


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (4, "4 rows instead of 8: 2 replicas split one batch"),
        (
            16,
            "16 rows instead of 8: each of 2 replicas reads a batch, where the original splits one",
        ),
        (6, "6 rows instead of 8. Check the batch size."),
    ],
)
def test_another_number_of_rows_is_told(rows: int, told: str) -> None:
    changes = of_batch(s0_0=np.resize(X, (rows, 3)), s0_1=np.resize(Y, rows))
    verdict = climb(trace(), trace(**changes, loss=ANOTHER_LOSS), Tolerance())
    outcome = verdict.rungs[2].outcome
    assert outcome is not None
    assert verdict.failed is verdict.rungs[2]
    assert told in outcome.details[0]
    assert "explain TFM201" in outcome.details[0] or rows == 6
    assert outcome.details[1].startswith("The loss first differs at step 1: ")


def test_another_width_is_told() -> None:
    outcome = third_rung(trace(**of_batch(s0_0=X[:, :2], s0_1=Y), loss=ANOTHER_LOSS))
    assert outcome.details[0] == "Rows of the first batch have shape [2] instead of [3]."


def test_what_does_not_show_in_the_first_step_is_no_difference() -> None:
    outcome = third_rung(trace(**of_batch(s0_0=X[:4], s0_1=Y[:4])))
    assert outcome.same
    assert outcome.figure == "2 equal, batch not compared"
    assert outcome.details[0].startswith(
        "First batches look different, but the first step is the same: The first batch has 4 rows"
    )


def test_components_of_several_lengths_are_compared_one_by_one() -> None:
    changes = of_batch(fed_x=X, fed_weights=np.arange(3.0))
    assert third_rung(trace(**changes), trace(**changes)).same
    other = of_batch(fed_x=X, fed_weights=np.arange(3.0) + 1)
    outcome = third_rung(trace(**other, loss=ANOTHER_LOSS), trace(**changes))
    assert outcome.details[0].startswith("1 of 3 rows")


def test_numbers_of_rows_are_left_out() -> None:
    queue = of_batch(s0_0=np.arange(8), s0_1=X, s0_2=Y)
    assert third_rung(trace(), trace(**queue)).figure == "2 equal, batch of 8 rows"
    wrong = of_batch(s0_0=X[::-1], s0_1=Y)
    assert not third_rung(trace(**wrong, loss=ANOTHER_LOSS), trace(**queue)).same


def test_inputs_of_other_kinds_are_not_compared() -> None:
    outcome = third_rung(trace(**of_batch(s0_0=X), loss=ANOTHER_LOSS))
    assert outcome.same
    assert outcome.details[0] == (
        "The first batch was not compared: the original reads float32 [8, 3], int64 [8], the "
        "migrated program float32 [8, 3]."
    )


@pytest.mark.parametrize(
    ("batch", "told"),
    [
        (None, "its trace does not contain it. Record it again to compare it."),
        ({"shapes": {}, "reason": "it reads none"}, "it reads none."),
    ],
)
def test_why_it_was_not_compared_is_told(batch: Any, told: str) -> None:
    meta = {**trace().meta, "batch": batch}
    if batch is None:
        del meta["batch"]
    outcome = third_rung(trace(), trace(meta=meta))
    assert outcome.same
    assert outcome.details == (f"The first batch of the original was not recorded: {told}",)
