"""Evaluations of an Estimator are looked for among what a loop measures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from native_program import Native
from simulated import Simulation

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare_loop_metrics import loop_metrics

METRICS = {"accuracy": np.float32(0.75), "loss": np.float32(0.5), "global_step": np.int64(40)}
ORIGINAL = replace(Simulation().run(), evaluations=[METRICS])


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        ([[40, "accuracy", 0.75], [40, "loss", 0.5]], (True, True, "2 metrics of 1 evaluation")),
        ([[40, "hits", 0.75001], [40, "loss", 0.5], [40, "rate", 3.0]], (True, True, "2 metrics")),
        ([[20, "accuracy", 0.6], [40, "accuracy", 0.75]], (True, True, "1 metric of")),
        ([[40, "accuracy", 0.6], [40, "accuracy", 0.75]], (True, True, "1 metric of")),
        ([[40, "accuracy", 0.76], [40, "loss", 0.5]], (False, True, "1 differ")),
        ([[20, "accuracy", 0.75], [20, "loss", 0.5]], (True, False, "evaluations not seen")),
        ([], (True, False, "evaluations not seen")),
    ],
)
def test_numbers_are_found_by_step_and_value(
    measured: list[list[Any]], said: tuple[bool, bool, str]
) -> None:
    run = Simulation().run()
    migrated = replace(run, meta={**run.meta, "native": {"map": "", "metrics": measured}})
    outcome = loop_metrics(ORIGINAL, migrated, Tolerance())
    assert (outcome.same, outcome.decided) == said[:2]
    assert outcome.figure.startswith(said[2])


def test_what_no_metric_has_is_not_compared() -> None:
    run = Simulation().run()
    native = {"map": "", "metrics": [[40, "loss", 0.5]]}
    outcome = loop_metrics(ORIGINAL, replace(run, meta={**run.meta, "native": native}), Tolerance())
    assert outcome.not_compared == ("accuracy of evaluation 1",)


@pytest.mark.usefixtures("tensorflow_installed")
@pytest.mark.parametrize(
    ("before", "after", "failed"),
    [
        ("", "", []),
        ("range(60, 150, 30)", "range(0, 60, 30)", ["same calls and results"]),
        ("    accuracy.reset_state()\n", "", []),  # the metric may be of the training: not compared
    ],
)
def test_metrics_of_a_loop_are_those_of_session_runs(
    native: Native, before: str, after: str, failed: list[str]
) -> None:
    said = native("measured.py", "measured_native.py", (before, after))
    assert (said.code, said.failed) == (int(bool(failed)), failed)
