"""contrib.learn's RunConfig reads TF_CONFIG as TensorFlow 1.15 did.

What that made of the cases is in run_configs.json, by scripts/record/record_learn_settings.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import learn_support
import pytest
import run_config_cases
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator, training
from tfmigrate_runtime.learn import Experiment, learn_runner
from tfmigrate_runtime.learn.run_config import ClusterConfig, Environment, RunConfig, TaskType

RECORDED = json.loads((Path(__file__).parent / "run_configs.json").read_text())
# "" was no folder there either.
DIFFERENT = {"empty model_dir": {"model_dir": None}}
CLUSTER = {"master": ["m:1"], "worker": ["w:1", "w:2"], "ps": ["p:1"]}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Takes TF_CONFIG away, which cases set."""
    monkeypatch.setenv("TF_CONFIG", "")
    yield


def in_cluster(monkeypatch: pytest.MonkeyPatch, kind: str, index: int = 0, **more: Any) -> None:
    given = {"cluster": CLUSTER, "task": {"type": kind, "index": index}, "environment": "cloud"}
    monkeypatch.setenv("TF_CONFIG", json.dumps({**given, **more}))


@pytest.mark.parametrize("name", run_config_cases.CASES)
def test_properties_are_those_of_tensorflow_1(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The strategy of parameter servers is the runtime's own.
    monkeypatch.setattr(RunConfig, "train_distribute", None)
    expected = {**RECORDED[name], **DIFFERENT.get(name, {})}
    assert run_config_cases.properties(RunConfig, name) == expected


@pytest.mark.parametrize("name", run_config_cases.UID_CASES)
def test_uids_differ_where_those_of_tensorflow_1_did(name: str) -> None:
    assert run_config_cases.has_same_uid(RunConfig, name) == RECORDED["uid: " + name]


def test_it_is_one_of_tf_estimator() -> None:
    made = RunConfig(tf_random_seed=1, global_batch=True)
    assert isinstance(made, estimator.RunConfig)
    replaced = made.replace(model_dir="m", save_checkpoints_steps=4)
    assert isinstance(replaced, RunConfig)
    assert (replaced.model_dir, replaced.save_checkpoints_secs) == ("m", None)
    assert (made.save_checkpoints_secs, replaced.global_batch) == (600, True)
    assert (made.task.cluster, made.global_id_in_cluster, made.service) == ({}, 0, None)
    with pytest.raises(TypeError, match="num_gpus"):
        RunConfig(num_gpus=3)


def test_an_estimator_keeps_it(tmp_path: Path) -> None:
    made = RunConfig(tf_random_seed=1)
    config = estimator.Estimator(learn_support.model_fn, tmp_path, made).config
    assert isinstance(config, RunConfig)
    assert (config.model_dir, config.tf_random_seed) == (str(tmp_path), 1)
    assert config.uid() == RunConfig(model_dir=str(tmp_path)).uid()


def test_learn_runner_takes_it(tmp_path: Path) -> None:
    given = training.HParams(steps=3)

    def experiment_fn(run_config: RunConfig, hparams: training.HParams) -> Experiment:
        return Experiment(
            estimator.Estimator(learn_support.model_fn, config=run_config),
            learn_support.train_input_fn,
            learn_support.eval_input_fn,
            train_steps=hparams.steps,
            eval_steps=1,
        )

    config = RunConfig(model_dir=str(tmp_path))
    metrics, exports = learn_runner.run(experiment_fn, run_config=config, hparams=given)
    assert (metrics["global_step"], exports) == (3, [])


def test_values_that_training_refused_are_refused_at_once() -> None:
    with pytest.raises(ValueError, match="cannot be both set"):
        RunConfig(save_checkpoints_steps=1, save_checkpoints_secs=1)
    with pytest.raises(ValueError, match="keep_checkpoint_max should be >= 0"):
        RunConfig(keep_checkpoint_max=-1)


def test_wrong_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CONFIG", "{")
    with pytest.raises(ValueError, match="TF_CONFIG is not valid JSON"):
        RunConfig()
    cluster = {**CLUSTER, "chief": ["c:1"]}
    in_cluster(monkeypatch, "worker", 1, cluster=cluster)
    with pytest.raises(ValueError, match="job `chief` is not supported"):
        RunConfig()


def test_the_runtime_knows_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    in_cluster(monkeypatch, "master")
    made = RunConfig()
    assert (made.task_type, made.is_chief, made.num_worker_replicas) == ("master", True, 3)
    assert (made.task.type, made.task.address) == ("chief", "m:1")
    assert made.task.cluster == {"chief": ["m:1"], "worker": ["w:1", "w:2"], "ps": ["p:1"]}
    assert made.cluster_spec.as_dict() == CLUSTER
    in_cluster(monkeypatch, "worker", 1)
    made = RunConfig()
    assert (made.task.type, made.task.index, made.task.address) == ("worker", 1, "w:2")
    assert made.global_id_in_cluster == 2
    # Its session is its own: nothing is to be joined.
    assert RunConfig(master="").task.cluster == {}


def test_parameter_servers_have_their_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    assert RunConfig().train_distribute is None
    in_cluster(monkeypatch, "worker", 1)
    made = RunConfig()
    uid = made.uid()
    with tf.Graph().as_default():
        strategy = made.train_distribute
    assert isinstance(strategy, tf.distribute.experimental.ParameterServerStrategy)
    assert strategy.num_replicas_in_sync == 1
    assert made.train_distribute is strategy
    assert made.uid() == uid
    given: Any = object()
    assert RunConfig(train_distribute=given).train_distribute is given
    alone = {"worker": ["w:1", "w:2"]}
    in_cluster(monkeypatch, "worker", 1, cluster=alone)
    assert RunConfig().train_distribute is None


def test_a_cluster_without_a_chief_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(tf.logging, "warning", said.append)
    in_cluster(monkeypatch, "master")
    RunConfig()
    in_cluster(monkeypatch, "master", environment="local")  # the first worker is chief
    RunConfig()
    RunConfig(master="")
    assert len(said) == 1
    in_cluster(monkeypatch, "worker", cluster={"worker": ["w:1"], "ps": ["p:1"]})
    RunConfig()
    monkeypatch.setenv("TF_CONFIG", '{"task": {"type": "master", "index": 0}}')
    RunConfig()
    assert len(said) == 3
    assert "training waits for one" in said[0]


def test_names_of_environments_and_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (Environment.LOCAL, Environment.CLOUD, Environment.GOOGLE) == (
        "local",
        "cloud",
        "google",
    )
    assert (TaskType.MASTER, TaskType.WORKER, TaskType.PS) == ("master", "worker", "ps")
    in_cluster(monkeypatch, "worker", 1)
    made = ClusterConfig()
    assert (made.master, made.task_id, ClusterConfig.get_task_id()) == ("grpc://w:2", 1, 1)
