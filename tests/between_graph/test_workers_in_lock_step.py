"""Workers begin with the chief's variables, end together, and say when one of them is lost."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from between_graph_support import result, results, started


@pytest.mark.parametrize("supervisor", [False, True])
def test_restart_from_a_checkpoint_that_only_the_chief_has(
    tmp_path: Path, supervisor: bool
) -> None:
    options = {"sync": True, "optimizer": "momentum", "random": True, "supervisor": supervisor}
    whole = results({**options, "steps": 8}, tmp_path / "whole", worker=2)
    options["folder"] = str(tmp_path / "model")
    half = results({**options, "steps": 4}, tmp_path / "half", worker=2)
    assert list(tmp_path.glob("model/model.ckpt-4.*"))
    again = results({**options, "steps": 4, "first_batch": 4}, tmp_path / "again", worker=2)
    assert again["worker0"]["variables"] == again["worker1"]["variables"]
    assert again["worker1"]["steps"] == [4, 5, 6, 7]
    noise = half["worker0"]["variables"].pop("noise")
    assert again["worker1"]["variables"].pop("noise") == noise, "the restored one, not a new one"
    for name, value in again["worker1"]["variables"].items():
        # The same operations on the same values.
        np.testing.assert_array_equal(value, whole["worker0"]["variables"][name], err_msg=name)
    assert not list(tmp_path.glob("model_of_worker1/*")), "the chief saves and writes summaries"


@pytest.mark.parametrize("dies, stays", [("worker1", "worker0"), ("worker0", "worker1")])
@pytest.mark.parametrize("supervisor", [False, True])
def test_worker_that_dies_is_named(tmp_path: Path, dies: str, stays: str, supervisor: bool) -> None:
    options = {"sync": True, "steps": 10**6, "supervisor": supervisor, "dies_after": {dies: 5}}
    tasks = started(options, tmp_path, worker=2)
    assert tasks[dies].wait() == 7
    died_at = time.monotonic()
    assert tasks[stays].wait(60) == 1
    assert time.monotonic() - died_at < 30
    assert f"lost worker {dies[-1]} ({tasks[dies].address})" in tasks[stays].text()


def test_worker_that_never_comes_is_named(tmp_path: Path) -> None:
    tasks = started({"sync": True, "max_wait_secs": 2}, tmp_path, worker=2)
    tasks["worker1"].kill()
    assert tasks["worker0"].wait(60) == 1
    assert f"could not reach worker 1 ({tasks['worker1'].address})" in tasks["worker0"].text()
    assert "within 2 s (max_wait_secs)" in tasks["worker0"].text()


def test_parameter_servers_end_and_say_why(tmp_path: Path) -> None:
    tasks = started({"sync": True}, tmp_path, ps=2, worker=1)
    for name in ("ps0", "ps1"):
        assert tasks[name].wait(60) == 0
        assert "parameter servers are not needed" in tasks[name].text()
        assert "BEHIND JOIN" not in tasks[name].text()
    assert len(result(tasks["worker0"])["losses"]) == 6


@pytest.mark.parametrize("job", ["chief", "master"])
def test_chief_of_a_job_of_its_own(tmp_path: Path, job: str) -> None:
    options = {"sync": True, "steps": 4}
    first, second = results(options, tmp_path / job, **{job: 1, "worker": 1}).values()
    assert first["variables"] == second["variables"]
    workers = results(options, tmp_path / "workers", worker=2)
    assert first["losses"] == workers["worker0"]["losses"]


@pytest.mark.parametrize("how", [{"by_step": True}, {"steps": 5, "stop_hook": True}])
def test_loops_that_end_by_the_global_step_end_after_the_same_step(
    tmp_path: Path, how: dict[str, object]
) -> None:
    options = {"sync": True, "sparse": "repeated", "steps": 6, **how}
    if "stop_hook" in how:
        options["steps"] = 5
    first, second = results(options, tmp_path, worker=2).values()
    assert first["steps"] == second["steps"] == list(range(7 if "by_step" in how else 5))


def test_backup_replicas_are_refused(tmp_path: Path) -> None:
    (task,) = started({"sync": True, "aggregate": 2}, tmp_path, worker=1).values()
    assert task.wait(60) == 1
    assert "replicas_to_aggregate is 2" in task.text()
    assert "1 worker(s) train" in task.text()


def test_averages_move_once_a_step(tmp_path: Path) -> None:
    options = {"sync": True, "averages": True, "steps": 1}
    first, second = results(options, tmp_path, worker=2).values()
    assert first["variables"] == second["variables"]
    found = first["variables"]
    # b1 begins with 0.1, float32.
    wanted = 0.9 * np.full(5, 0.1) + 0.1 * np.array(found["b1"])
    np.testing.assert_allclose(found["b1/ExponentialMovingAverage"], wanted, rtol=1e-6)


def test_all_parts_of_a_supervisor_can_be_made_by_the_replica_function(tmp_path: Path) -> None:
    options = {"sync": True, "supervisor": True, "optimizer": "adam", "sparse": "repeated"}
    apart = results(options, tmp_path / "apart", worker=2)
    options.update(inside=True, folder=str(tmp_path / "model"))
    inside = results(options, tmp_path / "inside", worker=2)
    assert inside["worker0"]["losses"] == apart["worker0"]["losses"]
    assert list(tmp_path.glob("model/model.ckpt-6.*"))
