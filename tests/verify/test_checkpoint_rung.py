"""Comparing checkpoints, and what was restored of them, of two made-up traces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from traces import trace

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare import Outcome
from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.traces.trace import Trace

META = trace().meta
TENSORS = META["checkpoint"]["tensors"]


def with_meta(**about: Any) -> Trace:
    meta = {key: value for key, value in {**META, **about}.items() if value is not None}
    return trace(meta=meta)


def last_rung(original: Trace, migrated: Trace) -> tuple[str, Outcome]:
    rung = climb(original, migrated, Tolerance()).rungs[6]
    assert rung.outcome is not None
    return rung.verdict, rung.outcome


def test_a_stored_original_restores_nothing() -> None:
    verdict, outcome = last_rung(with_meta(restored=None), trace())
    assert verdict == "same"
    assert outcome.figure == "2 tensors, one way"
    assert outcome.details == (
        "Restoring a checkpoint of the migrated program in the original was not tested: it was not "
        "run, because a stored trace was used.",
    )


def test_other_tensors_differ() -> None:
    tensors = {"dense/kernel": ["float64", [2, 3]], "new": ["int64", []]}
    verdict, outcome = last_rung(trace(), with_meta(checkpoint={"step": 1, "tensors": tensors}))
    assert verdict == "different"
    assert outcome.details == (
        "bn/moving_mean is only in the original's checkpoint.",
        "dense/kernel is float32 [2, 3] in the original's checkpoint, float64 [2, 3] in the "
        "migrated program's.",
        "new is only in the migrated program's checkpoint.",
    )


def test_what_is_not_restored_as_it_was_stored_differs() -> None:
    kernel = trace().restored["dense/kernel"].copy()
    kernel[1, 2] = 7.0
    restored = {**trace().restored, "dense/kernel": kernel, "slot": np.zeros(1)}
    verdict, outcome = last_rung(trace(), trace(restored=restored))
    assert verdict == "different"
    assert outcome.details[0].startswith(
        "The migrated program restores dense/kernel[1, 2] as 7, but the checkpoint of the original "
        "contains "
    )
    assert outcome.details[1] == (
        "The migrated program does not restore slot: it is not in the checkpoint."
    )


def test_a_checkpoint_that_cannot_be_restored_differs() -> None:
    verdict, outcome = last_rung(with_meta(restored={"error": "Key x not found."}), trace())
    assert verdict == "different"
    assert outcome.details == (
        "The original cannot restore a checkpoint of the migrated program: Key x not found.",
    )


@pytest.mark.parametrize(
    ("about", "figure", "told"),
    [
        ({"checkpoint": None}, "not recorded", "does not contain checkpoints"),
        ({"checkpoint": {"reason": "it has no Saver"}}, "no checkpoint", "it has no Saver."),
    ],
)
def test_why_they_were_not_compared_is_told(about: dict[str, Any], figure: str, told: str) -> None:
    verdict, outcome = last_rung(with_meta(**about), trace())
    assert verdict == "skipped"
    assert outcome.figure == figure
    assert told in outcome.details[0]


def test_nothing_restored_is_skipped() -> None:
    verdict, outcome = last_rung(
        with_meta(restored=None), with_meta(restored={"reason": "it cannot be written"})
    )
    assert verdict == "skipped"
    assert len(outcome.details) == 2
    assert outcome.details[1].endswith("was not tested: it cannot be written.")


def test_variables_in_parts_are_whole_in_checkpoints() -> None:
    whole = np.arange(20, dtype=np.float32).reshape(5, 4)
    checkpoint = {"table": whole, "table/slot": whole + 100}
    parts = {"table/part_0": whole[:, :1], "table/part_1": whole[:, 1:]}
    good = trace(checkpoint=checkpoint, restored={**parts, "table/part_0/slot": whole[2:] + 100})
    assert last_rung(trace(), good)[0] == "same"
    wrong = trace(checkpoint=checkpoint, restored={**parts, "table/part_0/slot": whole[:2] * 0})
    assert last_rung(trace(), wrong)[1].details == (
        "The migrated program does not restore table/part_0/slot: it is not in the checkpoint.",
    )
