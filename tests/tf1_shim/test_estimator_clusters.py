"""Estimators in clusters of TF_CONFIG, plain and under strategies, beside TensorFlow 1.15's.

The stored answers are those of TensorFlow 1.15 (scripts/record/record_legacy_clusters.py).
"""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from legacy_clusters import STORED, estimators

ORIGINAL: dict[str, Any] = json.loads(STORED.read_text("utf-8"))["estimators"]
LAST_STEP = 40
# A weight is halved with each step towards its target: after 40 steps it is there.
TOLERANCE = 1e-6


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    interpreter = [sys.executable, "-m", "tfmigrate_runtime.tf1_shim"]
    return estimators(interpreter, tmp_path_factory.mktemp("clusters"))


@pytest.mark.parametrize("process", sorted(ORIGINAL))
def test_each_task_knows_what_it_is(said: dict[str, Any], process: str) -> None:
    assert said[process].keys() == ORIGINAL[process].keys()
    for kind, wanted in ORIGINAL[process].items():
        found = said[process][kind]
        # The evaluator asks once for each checkpoint that it finds: one more or less.
        assert _distinct(found["CONFIG"]) == _distinct(wanted["CONFIG"])
        assert found["DONE"] is wanted["DONE"]


def test_chief_and_worker_train_together_and_the_evaluator_sees_the_end(
    said: dict[str, Any],
) -> None:
    (step, weights), *_ = said["chief"]["plain"]["RESULT"]
    # One of two may be making a step while the other makes the last one.
    assert LAST_STEP <= step <= LAST_STEP + 1
    assert weights == pytest.approx([1.0, 2.0], abs=TOLERANCE)
    assert said["evaluator"]["plain"]["EVALUATED"][-1] == step
    assert ORIGINAL["chief"]["plain"]["RESULT"][0][0] == LAST_STEP


@pytest.mark.parametrize("kind", ["collective", "servers"])
def test_a_strategy_trains_a_cluster_as_it_did(said: dict[str, Any], kind: str) -> None:
    found, wanted = said["chief"][kind]["RESULT"], ORIGINAL["chief"][kind]["RESULT"]
    assert found[0][0] == wanted[0][0] == 6
    assert found[0][1] == pytest.approx(wanted[0][1], abs=TOLERANCE)


def test_a_parameter_server_joins_for_ever(said: dict[str, Any]) -> None:
    assert said["server"]["plain"]["DONE"] is False
    assert said["worker"]["servers"]["DONE"] is False


def _distinct(configs: list[Any]) -> list[Any]:
    return [config for index, config in enumerate(configs) if config not in configs[:index]]
