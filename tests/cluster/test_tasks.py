"""What TF_CONFIG says, and which strategies are for it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator import cluster
from tfmigrate_runtime.train import peers


def run_config(monkeypatch: pytest.MonkeyPatch, task: Any, **jobs: Any) -> estimator.RunConfig:
    text = json.dumps({"cluster": jobs, "task": {"type": task[0], "index": task[1]}})
    monkeypatch.setenv("TF_CONFIG", text)
    return estimator.RunConfig()


def test_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TF_CONFIG", raising=False)
    config = estimator.RunConfig()
    assert (config.task_type, config.task_id, config.is_chief) == ("worker", 0, True)
    assert (config.master, config.num_worker_replicas, config.num_ps_replicas) == ("", 1, 0)
    assert not config.cluster_spec
    cluster.check(config)


def test_tasks_with_parameter_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = {"chief": ["a:1"], "worker": ["b:2", "c:3"], "ps": ["d:4"], "evaluator": ["e:5"]}
    config = run_config(monkeypatch, ("worker", 1), **jobs)
    assert (config.master, config.is_chief) == ("grpc://c:3", False)
    assert (config.num_worker_replicas, config.num_ps_replicas) == (3, 1)
    assert config.global_id_in_cluster == 2
    assert sorted(config.cluster_spec.jobs) == ["chief", "ps", "worker"]
    assert run_config(monkeypatch, ("chief", 0), **jobs).is_chief
    assert run_config(monkeypatch, ("ps", 0), **jobs).global_id_in_cluster == 3


def test_evaluator_is_not_in_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = {"chief": ["a:1"], "worker": ["b:2"], "ps": ["d:4"], "evaluator": ["e:5"]}
    config = run_config(monkeypatch, ("evaluator", 0), **jobs)
    assert not config.cluster_spec
    assert (config.num_worker_replicas, config.global_id_in_cluster) == (0, None)
    assert not config.is_chief


def test_first_worker_is_chief_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_config(monkeypatch, ("worker", 0), worker=["a:1", "b:2"]).is_chief
    assert not run_config(monkeypatch, ("worker", 1), worker=["a:1", "b:2"]).is_chief
    assert run_config(monkeypatch, ("master", 0), master=["a:1"], worker=["b:2"]).is_chief
    assert not run_config(monkeypatch, ("worker", 0), master=["a:1"], worker=["b:2"]).is_chief


def test_a_master_is_the_chief_of_strategies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs see the name that TF_CONFIG has; strategies know no master."""
    jobs = {"master": ["a:1"], "worker": ["b:2"], "ps": ["d:4"]}
    for index, kind in enumerate(jobs):
        config = run_config(monkeypatch, (kind, 0), **jobs)
        renamed = {"master": "chief"}.get(kind, kind)
        assert (config.task_type, config.task.type) == (kind, renamed)
        assert (sorted(config.cluster_spec.jobs), config.global_id_in_cluster) == (
            sorted(jobs),
            index,
        )
        assert config.task.cluster == {"chief": ["a:1"], "worker": ["b:2"], "ps": ["d:4"]}
        assert config.master == f"grpc://{jobs[kind][0]}"


@pytest.mark.parametrize("kind", ["evaluator", "ps"])
def test_a_task_that_does_not_train(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """It would train the model once more beside the others, into the same folder."""
    config = run_config(monkeypatch, (kind, 0), chief=["a:1"], ps=["d:4"])
    made = estimator.Estimator(lambda features: None, "unused", config)
    with pytest.raises(ValueError, match=f"this task is {kind} 0, which does not train: call"):
        made.train(lambda: None, steps=1)


def test_task_that_the_cluster_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="2 is not a valid task_id for task_type worker"):
        run_config(monkeypatch, ("worker", 2), worker=["a:1", "b:2"])
    with pytest.raises(ValueError, match="the same task: remove one"):
        run_config(monkeypatch, ("chief", 0), chief=["a:1"], master=["b:2"])
    monkeypatch.setenv("TF_CONFIG", "{")
    with pytest.raises(ValueError, match="not valid JSON"):
        estimator.RunConfig()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "TF_CONFIG is empty: unset it"),
        ('{"cluster": {"worker": ["a:1", "b:2"]}}', "task type must be set.* Set type and index"),
        (
            '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker"}}',
            "task index must be set.* Set index in",
        ),
    ],
)
def test_a_process_that_does_not_know_its_task(
    monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    """TensorFlow 1.15 raised an error, too; all tasks would be the first worker."""
    monkeypatch.setenv("TF_CONFIG", text)
    with pytest.raises(ValueError, match=message):
        estimator.RunConfig()


@pytest.mark.parametrize("text", ["{}", '{"cluster": {"chief": ["a:1"]}}'])
def test_one_task_needs_no_name(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("TF_CONFIG", text)
    assert estimator.RunConfig().is_chief


def test_strategy_of_one_process_in_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    config = run_config(monkeypatch, ("worker", 0), worker=["a:1", "b:2"])
    with pytest.raises(ValueError, match="cluster of 2 tasks, but train_distribute is no strategy"):
        cluster.check(config)
    mirrored = config.replace(train_distribute=tf.distribute.MirroredStrategy(["/cpu:0"]))
    with pytest.raises(ValueError, match="is MirroredStrategyV1, for one process"):
        cluster.check(mirrored)


@pytest.mark.parametrize("gone, seconds", [(peers.ENDED, 10), (peers.SILENT, 60)])
def test_parameter_server_sees_a_worker_of_half_a_second(
    monkeypatch: pytest.MonkeyPatch, gone: str, seconds: int
) -> None:
    """A training of a few steps must not begin and end between two looks.

    A worker behind a cut link may still train: the server waits longer for it.
    """
    clock = [0.0]
    jobs = {"worker": ["a:1"], "ps": ["d:4"]}
    with tf.Graph().as_default():
        strategy = tf.distribute.experimental.ParameterServerStrategy()
    config = run_config(monkeypatch, ("ps", 0), **jobs).replace(
        train_distribute=strategy, session_creation_timeout_secs=60
    )
    monkeypatch.setattr(cluster, "start_server", lambda config, proto: None)
    monkeypatch.setattr(cluster, "look", lambda address: "" if 0.3 <= clock[0] < 0.8 else gone)
    # The module's time alone: threads of other tests sleep, too.
    own_time = SimpleNamespace(
        monotonic=lambda: clock[0],
        sleep=lambda seconds: clock.__setitem__(0, clock[0] + seconds),
    )
    monkeypatch.setattr(cluster, "time", own_time)
    with tf.Graph().as_default():
        cluster.serve_parameters(config)
    assert seconds < clock[0] < seconds + 3


@pytest.mark.parametrize("module", ["between_graph", "coordinator.server", "graphs.server"])
def test_a_port_that_is_taken_is_named(module: str, tmp_path: Path) -> None:
    """TensorFlow says "Could not start gRPC server" only."""
    program = (
        "import sys, tensorflow.compat.v1 as tf\n"
        f"from tfmigrate_runtime.{module} import Server\n"
        "Server({'ps': [sys.argv[1]], 'worker': ['localhost:1']}, 'ps', 0).join()\n"
    )
    with socket.create_server(("", 0)) as taken:
        address = f"localhost:{taken.getsockname()[1]}"
        result = subprocess.run(
            [sys.executable, "-c", program, address], capture_output=True, text=True, cwd=tmp_path
        )
    assert result.returncode == 1
    said = f"the server of ps 0 cannot listen at {address}: another process has this port"
    assert said in result.stderr
