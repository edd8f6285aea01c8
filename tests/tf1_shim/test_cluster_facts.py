"""What clusters and strategies are, as TensorFlow 1.15 has them (semantics.md, 3).

The stored answers are those of TensorFlow 1.15 (scripts/record/record_legacy_clusters.py).
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from legacy_clusters import PROGRAMS, SECONDS, STORED

ORIGINAL: dict[str, Any] = json.loads(STORED.read_text("utf-8"))["facts"]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("facts")
    result = subprocess.run(
        [
            *(sys.executable, "-m", "tfmigrate_runtime.tf1_shim"),
            *(str(PROGRAMS / "cluster_facts.py"), str(folder)),
        ],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-3000:]
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    assert found.keys() == ORIGINAL.keys()
    return found


def test_3_01_without_parameter_servers_there_is_no_device_function(said: dict[str, Any]) -> None:
    assert said["setters"] == [True, True, True, False] == ORIGINAL["setters"]


def test_3_02_variables_go_around_the_servers_and_the_rest_to_the_worker(
    said: dict[str, Any],
) -> None:
    assert said["placements"] == ORIGINAL["placements"]
    around = [said["placements"]["three"][name] for name in ("global_step", "w1", "b1", "w2", "b2")]
    assert around == [f"/job:ps/task:{task}" for task in (0, 1, 2, 0, 1)]


def test_3_06_as_many_tokens_at_first_as_gradients_are_averaged(said: dict[str, Any]) -> None:
    assert said["tokens"] == ORIGINAL["tokens"]
    assert said["tokens"][:4] == [2, 3, 0, 5]


def test_3_07_a_worker_looks_every_30_seconds_for_the_work_of_the_chief(
    said: dict[str, Any],
) -> None:
    assert said["waiting"] == 30 == ORIGINAL["waiting"]


@pytest.mark.parametrize("case", sorted(ORIGINAL["run_configs"]))
def test_a_run_config_reads_its_task_as_it_did(said: dict[str, Any], case: str) -> None:
    assert said["run_configs"][case] == ORIGINAL["run_configs"][case]


@pytest.mark.parametrize("case", sorted(ORIGINAL["strategies"]))
def test_a_strategy_has_the_devices_that_it_had(said: dict[str, Any], case: str) -> None:
    assert said["strategies"][case] == ORIGINAL["strategies"][case]


@pytest.mark.parametrize(
    "fact",
    [
        "core_strategies",
        "monitored",
        "names",
        "reductions",
        "strategies_given_twice",
        "trained_by_client",
    ],
)
def test_strategies_do_and_refuse_what_they_did(said: dict[str, Any], fact: str) -> None:
    assert said[fact] == ORIGINAL[fact]


def test_one_client_trains_and_evaluates_on_two_workers(said: dict[str, Any]) -> None:
    found, wanted = said["client"], ORIGINAL["client"]
    assert found.keys() == wanted.keys()
    for key, value in wanted.items():
        # Values are added up in another order than by pscpu/pscpu.
        assert found[key] == pytest.approx(value, rel=1e-6)
