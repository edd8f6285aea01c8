"""Metrics that Keras calls by other names are compared with those of the original."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from traces import trace

from tfmigrate_runtime.verify.rungs.metric_names import with_names_of

FIRST = [{"loss": 0.5, "acc": 0.75, "auc": 0.8}, {"loss": 0.4, "acc": 0.8, "auc": 0.9}]


def named(evaluations: list[dict[str, float]]) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Returns the new names of evaluations compared with FIRST."""
    original, migrated = (
        trace(evaluations=[{n: np.asarray(v) for n, v in each.items()} for each in program])
        for program in (FIRST, evaluations)
    )
    renamed, lines = with_names_of(original, migrated)
    return [{n: float(v) for n, v in each.items()} for each in renamed.evaluations], lines


@pytest.mark.parametrize("evaluations", [FIRST, FIRST[:1], []])
def test_no_name_is_replaced(evaluations: list[dict[str, float]]) -> None:
    assert named(evaluations) == (evaluations, ())


def test_equal_values_give_the_name() -> None:
    new = [{"loss": m["loss"], "a": m["auc"], "accuracy": m["acc"]} for m in FIRST]
    evaluations, lines = named(new)
    assert evaluations == FIRST
    assert lines == (
        "Metric acc of the original is accuracy in the migrated program.",
        "Metric auc of the original is a in the migrated program.",
    )


def test_the_last_of_both_are_compared() -> None:
    new = [{"loss": m["loss"], "auc": m["auc"], "accuracy": 0.1} for m in FIRST]
    assert [metrics["acc"] for metrics in named(new)[0]] == [0.1, 0.1]


def test_what_equals_two_and_is_not_the_last_keeps_its_name() -> None:
    new = [{"loss": m["loss"], "one": m["acc"], "two": m["acc"]} for m in FIRST]
    assert named(new) == (new, ())


def test_what_is_equal_in_one_evaluation_only_keeps_its_name() -> None:
    new = [{"loss": m["loss"], "one": 0.75, "two": 0.9} for m in FIRST]
    assert named(new) == (new, ())
