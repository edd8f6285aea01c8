"""What 1.15 made of arguments of an Estimator's calls, where the runtime did something else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import tensorflow as tf2
import tensorflow.compat.v1 as tf
from runtime_support import X, batches, linear_model

from tfmigrate_runtime import estimator, learn

X_ONLY = {"x": X}


def test_hooks_and_listeners_are_checked_before_anything_is_built(tmp_path: Path) -> None:
    def never_built(features: Any) -> Any:
        raise AssertionError("the model function was called")

    made = estimator.Estimator(never_built, tmp_path)
    for call in (made.train, made.evaluate, lambda *a, **k: list(made.predict(*a, **k))):
        with pytest.raises(TypeError, match="Hooks must be a SessionRunHook"):
            call(batches(), hooks=["hook"])
    with pytest.raises(TypeError, match="must be a list of CheckpointSaverListener"):
        made.train(batches(), steps=1, saving_listeners=["listener"])


def test_a_prediction_without_an_end_is_warned_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = estimator.Estimator(linear_model(), tmp_path)
    warning = "predict yields forever"
    assert len(list(made.predict(batches(X_ONLY, epochs=1)))) == len(X)
    iterated = tf.data.make_one_shot_iterator
    next(made.predict(lambda: iterated(batches(X_ONLY)()).get_next()))
    assert warning not in caplog.text
    next(made.predict(lambda: {"x": tf.constant(X)}))
    assert warning in caplog.text


def test_logits_have_names_and_are_tensors() -> None:
    call = estimator.experimental.call_logit_fn
    with tf.Graph().as_default():
        tensor = tf.zeros([1, 1])
        assert call(lambda features: {"head": tensor}, {}, "train", None, None)["head"] is tensor
        for wrong in ([tensor], {"head": "text"}, {1: tensor}, np.zeros([1, 1])):
            with pytest.raises(ValueError, match="should return a Tensor or a dictionary"):
                call(lambda features, wrong=wrong: wrong, {}, "train", None, None)


def cluster(kind: str, index: int) -> str:
    jobs = {"master": ["a:1"], "worker": ["b:2"], "ps": ["d:4"]}
    return json.dumps({"cluster": jobs, "task": {"type": kind, "index": index}})


@pytest.mark.parametrize(
    ("kind", "filters"),
    [
        ("master", ["/job:ps", "/job:master"]),
        ("worker", ["/job:ps", "/job:worker/task:0"]),
        ("ps", ["/job:ps", "/job:worker", "/job:chief", "/job:master"]),
    ],
)
def test_sessions_of_a_cluster_do_not_wait_for_other_workers(
    monkeypatch: pytest.MonkeyPatch, kind: str, filters: list[str]
) -> None:
    monkeypatch.setenv("TF_CONFIG", cluster(kind, 0))
    made = estimator.RunConfig()
    assert list(made.session_config.device_filters) == filters
    own = tf.ConfigProto(log_device_placement=True)
    assert not estimator.RunConfig(session_config=own).session_config.device_filters
    strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    assert estimator.RunConfig(train_distribute=strategy).session_config is None


def test_a_master_evaluates_what_it_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """1.15 has no evaluator beside it; a chief leaves evaluations to the evaluator."""
    listeners = {}
    for kind in ("master", "chief", "worker"):
        monkeypatch.setenv("TF_CONFIG", cluster("worker", 0))
        if kind != "worker":
            monkeypatch.setenv("TF_CONFIG", cluster("master", 0).replace("master", kind))
        made = estimator.Estimator(linear_model(), tmp_path, estimator.RunConfig())
        trained = mock.Mock()
        monkeypatch.setattr(made, "train", trained)
        spec = estimator.TrainSpec(batches(), max_steps=1)
        assert estimator.train_and_evaluate(made, spec, estimator.EvalSpec(batches())) is None
        listeners[kind] = len(trained.call_args[1]["saving_listeners"])
    assert listeners == {"master": 1, "chief": 0, "worker": 0}


def test_one_evaluator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = {"cluster": {"chief": ["a:1"]}, "task": {"type": "evaluator", "index": 1}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(jobs))
    made = estimator.Estimator(linear_model(), tmp_path, estimator.RunConfig())
    spec = estimator.TrainSpec(batches(), max_steps=1)
    with pytest.raises(ValueError, match="there can only be one `evaluator` task"):
        estimator.train_and_evaluate(made, spec, estimator.EvalSpec(batches()))


def test_strategies_of_tensorflow_2_are_refused() -> None:
    kind = tf2.distribute.experimental.ParameterServerStrategy
    for name in ("train_distribute", "eval_distribute"):
        with pytest.raises(ValueError, match=r"Please use `tf\.compat\.v1\.distribute"):
            estimator.RunConfig(**{name: kind.__new__(kind)})


def test_shapes_that_only_a_run_shows() -> None:
    """Wrong logits, labels and weights of unknown shape stop the step, with their shapes."""
    head = estimator.RegressionHead(weight_column="w")
    with tf.Graph().as_default(), tf.Session() as session:
        logits, labels, weights = (tf.placeholder(tf.float32) for _ in range(3))
        loss = head.loss(labels, logits, {"w": weights})
        right = {logits: np.ones([2, 1]), labels: np.zeros([2, 1]), weights: np.ones([2, 1])}
        assert session.run(loss, right) == 1
        for wrong, shape, message in (
            (logits, [2, 3], "logits shape must be"),
            (labels, [3, 1], r"\[expected_labels_shape: \] \[2 1\] \[labels_shape: \] \[3 1\]"),
            (weights, [3, 1], r"\[logits_shape: \] \[2 1\] \[weights_shape: \] \[3 1\]"),
            (labels, [2], r"\[labels_shape: \] \[2\]"),
            (weights, [2], r"\[weights_shape: \] \[2\]"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                session.run(loss, {**right, wrong: np.ones(shape)})


def test_serving_inputs_from_tensors_that_were_made_eagerly() -> None:
    receiver = estimator.export.build_raw_serving_input_receiver_fn({"x": tf.constant([[1.0]])})
    with tf.Graph().as_default():
        features, receivers, alternatives = receiver()  # a named tuple in 1.15
    placeholder = receivers["x"]
    assert (features, alternatives) == ({"x": placeholder}, None)
    assert (placeholder.op.name, placeholder.shape.as_list()) == ("x", [None, 1])


def test_the_device_function_is_for_training(tmp_path: Path) -> None:
    """An evaluation looks for no parameter server, where the function puts variables on one."""
    devices: list[str] = []

    def spec(mode: str, output: Any) -> dict[str, Any]:
        devices.append(output.device)
        return {}

    run_config = estimator.RunConfig(device_fn=lambda op: "/device:CPU:0")
    made = estimator.Estimator(linear_model(spec=spec), tmp_path, run_config)
    made.train(batches(), steps=1)
    made.evaluate(batches(epochs=1))
    list(made.predict(batches(X_ONLY, epochs=1)))
    assert devices == ["/device:CPU:0", "", ""]


def test_no_keys_are_all_predictions(tmp_path: Path) -> None:
    made = estimator.Estimator(linear_model(), tmp_path)
    assert set(next(made.predict(batches(X_ONLY), predict_keys=[]))) == {"y"}


def test_an_export_of_a_mode(tmp_path: Path) -> None:
    made = estimator.Estimator(linear_model(), tmp_path / "m")
    made.train(batches(), steps=1)

    def receiver() -> Any:
        x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 1])
        return estimator.experimental.build_raw_supervised_input_receiver_fn({"x": x}, y)()

    base = str(tmp_path).encode()  # as the folder that an export returns
    exported = made.export_saved_model(base, receiver, experimental_mode="eval")
    with tf.Graph().as_default(), tf.Session() as session:
        meta_graph = tf.saved_model.loader.load(session, ["eval"], exported.decode())
    assert list(meta_graph.signature_def) == ["eval"]
    with pytest.raises(ValueError, match="An input_receiver_fn must be defined"):
        made.export_saved_model(tmp_path, None)  # type: ignore[arg-type]


def test_hooks_that_write_are_made_outside_of_graphs(tmp_path: Path) -> None:
    hook = estimator.ProfilerHook(save_steps=1, output_dir=str(tmp_path / "profile"))
    made = estimator.Estimator(linear_model(), tmp_path / "m")
    made.train(batches(), steps=2, hooks=[hook])
    assert list((tmp_path / "profile").glob("timeline-*.json"))


def test_a_shape_is_not_another_that_it_broadcasts_to() -> None:
    """As many labels of an example as examples: a vector of labels, or losses, is wrong."""
    head = estimator.MultiLabelHead(2)
    squares = estimator.RegressionHead(2, loss_fn=lambda labels, logits: tf.ones([2]))
    with tf.Graph().as_default(), tf.Session() as session:
        labels = tf.placeholder(tf.int64)
        loss = head.loss(labels, tf.zeros([2, 2]))
        assert session.run(loss, {labels: np.ones([2, 2])}) > 0
        other = squares.loss(labels, tf.zeros([2, 2]))
        for tensor, values in ((loss, [1, 1]), (other, [[1, 1]] * 2)):
            with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
                session.run(tensor, {labels: values})


def test_experiments_pass_input_functions_by_name(tmp_path: Path) -> None:
    made = estimator.Estimator(
        linear_model(), tmp_path, estimator.RunConfig(model_dir=str(tmp_path))
    )
    with mock.patch.object(estimator.Estimator, "train") as train:
        learn.Experiment(made, batches(), batches(), train_steps=1).train(delay_secs=0)
    assert set(train.call_args[1]) >= {"input_fn", "hooks", "max_steps"}
    assert train.call_args[0] == ()


def test_a_task_without_a_name_does_not_train(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = {"master": ["a:1"], "worker": ["b:2"]}
    given = {"cluster": jobs, "environment": "cloud", "task": {"index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(given))
    run_config = learn.RunConfig(master="a:1", model_dir=str(tmp_path))
    made = estimator.Estimator(linear_model(), config=run_config)
    with pytest.raises(ValueError, match="Could not start server"):
        learn.Experiment(made, batches(), batches(), train_steps=1).train(delay_secs=0)


def test_a_predicate_sees_nothing_only_at_first(tmp_path: Path) -> None:
    made = estimator.Estimator(linear_model(), tmp_path)
    made.train(batches(), steps=1)
    seen: list[bool] = []

    def goes_on(metrics: Any, checkpoint_path: str | None) -> bool:
        seen.append(metrics is None and checkpoint_path is None)
        return len(seen) < 3

    with mock.patch.object(estimator.Estimator, "evaluate", return_value=None):
        learn.Experiment(
            made, batches(), batches(), eval_delay_secs=0, continuous_eval_throttle_secs=0
        ).continuous_eval(evaluate_checkpoint_only_once=False, continuous_eval_predicate_fn=goes_on)
    assert seen == [True, False, False]
