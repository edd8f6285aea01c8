"""SessionRunHooks, saving listeners and scaffolds under two replicas."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import MODES, batches, config, linear_model, train

from tfmigrate_runtime import estimator


def scalars(folder: Path, tag: str) -> dict[int, float]:
    """Returns the values of a tag in a folder's event files, by step."""
    found = {}
    for path in sorted(folder.glob("events.out.tfevents.*")):
        for event in tf.train.summary_iterator(str(path)):
            for value in event.summary.value:
                if value.tag == tag:
                    found[event.step] = value.simple_value
    return found


class Listener(tf.train.CheckpointSaverListener):  # type: ignore[misc]
    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []

    def before_save(self, session: Any, global_step_value: int) -> None:
        self.calls.append(("before", int(global_step_value)))

    def after_save(self, session: Any, global_step_value: int) -> None:
        self.calls.append(("after", int(global_step_value)))

    def end(self, session: Any, global_step_value: int) -> None:
        self.calls.append(("end", int(global_step_value)))


class GlobalStep(tf.train.SessionRunHook):  # type: ignore[misc]
    """Fetches the global step variable, a tensor by its name, and the step once more at the end."""

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.weights: list[Any] = []

    def begin(self) -> None:
        self.variable = tf.train.get_global_step()

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs({"step": self.variable, "w": "w:0"})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.steps.append(int(run_values.results["step"]))
        self.weights.append(run_values.results["w"])

    def end(self, session: Any) -> None:
        self.steps.append(int(session.run(self.variable)))


def test_a_hook_may_fetch_the_global_step(tmp_path: Path) -> None:
    hook = GlobalStep()
    trained, _ = train(linear_model(), tmp_path, hooks=[hook], steps=2)
    assert hook.steps == [1, 2, 2]
    np.testing.assert_array_equal(hook.weights[-1], trained.get_variable_value("w"))
    evaluating = GlobalStep()
    trained.evaluate(batches(epochs=1), hooks=[evaluating])
    assert set(evaluating.steps) == {2}


class Pair(NamedTuple):
    first: Any
    second: Any


class FetchesVariables(tf.train.SessionRunHook):  # type: ignore[misc]
    """Fetches a variable in every form, and stops at a step that it has seen."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.seen: list[dict[str, Any]] = []

    def begin(self) -> None:
        (w,) = tf.trainable_variables()
        self.fetches = {
            "step": tf.train.get_global_step(),
            "name": "global_step:0",
            "pair": Pair([w], (w.value(), "w:0")),
            "identity": tf.identity(w),
            "twice": "twice:0",
        }

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self.fetches)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.seen.append(run_values.results)
        if run_values.results["step"] >= self.last:
            run_context.request_stop()


def _one_weight(features: Any, labels: Any, mode: str) -> Any:
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    # Part of the loss, so read before the update; an operation beside it, which the hook made
    # itself, reads before or after the update by chance, in TensorFlow 1.15.5 as here.
    twice = tf.multiply(2.0, w, name="twice")
    loss = tf.reduce_mean(tf.square(features["x"] * twice / 2.0 - labels))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=step)


def test_a_hook_gets_the_new_values_of_variables(tmp_path: Path) -> None:
    """As from TensorFlow 1.15.5; what the loss is computed from has the old value there, too."""
    rows = ({"x": np.float32([1.0, 2.0])}, np.float32([2.0, 4.0]))
    hook = FetchesVariables(last=3)
    trained, _ = train(
        _one_weight,
        tmp_path,
        config(1),
        10,
        lambda: tf.data.Dataset.from_tensors(rows).repeat(),
        [hook],
    )
    assert hook.seen == [
        {"step": k, "name": k, "pair": Pair([w], (w, w)), "identity": w, "twice": twice}
        for k, w, twice in [(1, 1.0, 0.0), (2, 1.5, 2.0), (3, 1.75, 3.0)]
    ]
    assert trained.get_variable_value("global_step") == 3


def test_a_hook_under_train_distribute_gets_the_old_values(tmp_path: Path) -> None:
    """TensorFlow 1.x had variables that an operation reads there already."""
    hook = GlobalStep()
    train(linear_model(), tmp_path, config(2, global_batch=False), hooks=[hook], steps=2)
    assert hook.steps == [0, 1, 2]


def test_a_hook_of_predictions_finds_the_graph_when_it_is_called(tmp_path: Path) -> None:
    class Asks(tf.train.SessionRunHook):  # type: ignore[misc]
        steps: list[int] = []  # noqa: RUF012

        def before_run(self, run_context: Any) -> Any:
            return tf.train.SessionRunArgs(tf.train.get_global_step())

        def after_run(self, run_context: Any, run_values: Any) -> None:
            self.steps.append(int(run_values.results))

    trained, _ = train(linear_model(), tmp_path, steps=2)
    assert len(list(trained.predict(batches(epochs=1), hooks=[Asks()]))) > 0
    assert set(Asks.steps) == {2}


def test_stop_at_step_and_early_stop(tmp_path: Path) -> None:
    stop = tf.train.StopAtStepHook(last_step=3)
    trained, losses = train(linear_model(), tmp_path, hooks=[stop], steps=10)
    assert len(losses) == 3
    trained.train(batches(), hooks=[tf.train.StopAtStepHook(num_steps=2)])
    assert trained.get_variable_value("global_step") == 5


def test_a_variables_name_stands_for_its_value(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for replicas in (1, 2):
        hook = tf.train.LoggingTensorHook({"step": "global_step"}, every_n_iter=1)
        with caplog.at_level(logging.INFO, logger="tensorflow"):
            train(linear_model(), tmp_path, config(replicas), hooks=[hook], steps=1)
        assert f"step = {replicas}" in caplog.text  # the second one goes on


def test_logging_by_tensor_name(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def named(mode: str, output: Any) -> dict[str, Any]:
        tf.identity(tf.reduce_sum(output), name="sum_of_outputs")
        tf.identity(tf.constant(0.125), name="learning_rate")
        return {}

    hook = tf.train.LoggingTensorHook(["learning_rate", "sum_of_outputs"], every_n_iter=1)
    with caplog.at_level(logging.INFO, logger="tensorflow"):
        train(linear_model(spec=named), tmp_path, hooks=[hook], steps=1)
    assert "learning_rate = 0.125, sum_of_outputs = " in caplog.text


def test_a_loss_that_is_nan_stops_training(tmp_path: Path) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        spec = linear_model()(features, labels, mode)
        return spec._replace(loss=spec.loss * float("nan"))

    with pytest.raises(tf.train.NanLossDuringTrainingError):
        train(model_fn, tmp_path)


def test_listeners_are_called_around_checkpoints(tmp_path: Path) -> None:
    listener = Listener()
    run_config = config(save_checkpoints_steps=2)
    trained = estimator.Estimator(linear_model(), tmp_path, run_config)
    trained.train(batches(), max_steps=3, saving_listeners=[listener])
    assert listener.calls == [
        *[(when, step) for step in (0, 2, 3) for when in ("before", "after")],
        ("end", 3),
    ]


def test_listeners_need_checkpoints(tmp_path: Path) -> None:
    never = config(save_checkpoints_steps=None, save_checkpoints_secs=None)
    trained = estimator.Estimator(linear_model(), tmp_path, never)
    with pytest.raises(ValueError, match="There should be a CheckpointSaverHook"):
        trained.train(batches(), steps=1, saving_listeners=[Listener()])
    trained.train(batches(), steps=1)
    assert trained.latest_checkpoint() is None


@pytest.mark.parametrize("place", ["hooks", "training_chief_hooks"])
def test_a_programs_own_saver_hook_is_the_only_one(tmp_path: Path, place: str) -> None:
    """It gets the listeners, those of train_and_evaluate too, as in tf.estimator."""
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=3)

    def own(mode: str, output: Any) -> dict[str, Any]:
        in_model = mode == MODES.TRAIN and place == "training_chief_hooks"
        return {"training_chief_hooks": [hook]} if in_model else {}

    listener = Listener()
    trained = estimator.Estimator(
        linear_model(spec=own), tmp_path, config(save_checkpoints_steps=1)
    )
    trained.train(
        batches(),
        hooks=[hook] if place == "hooks" else [],
        max_steps=4,
        saving_listeners=[listener],
    )
    assert [step for when, step in listener.calls if when == "after"] == [0, 3, 4]
    state = tf.train.get_checkpoint_state(str(tmp_path))
    names = [Path(path).name for path in state.all_model_checkpoint_paths]
    assert names == ["model.ckpt-0", "model.ckpt-3", "model.ckpt-4"]


def test_a_saver_hook_without_a_list_of_listeners_is_refused(tmp_path: Path) -> None:
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=3)
    del hook._listeners
    trained = estimator.Estimator(linear_model(), tmp_path, config())
    with pytest.raises(ValueError, match=r"listeners=\[\.\.\.\]"):
        trained.train(batches(), hooks=[hook], steps=1, saving_listeners=[Listener()])


def test_event_files_have_the_tags_of_tf_estimator(tmp_path: Path) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        spec = linear_model()(features, labels, mode)
        tf.summary.scalar("rate", tf.constant(0.5))
        metrics = {"error": tf.metrics.mean(spec.loss)} if mode == MODES.EVAL else {}
        return spec._replace(eval_metric_ops=metrics)

    run_config = config(save_summary_steps=1, log_step_count_steps=1)
    trained, losses = train(model_fn, tmp_path, run_config, steps=3)
    # Its loss is a tensor called "loss", so the summary's tag has to be another (run on 1.15.5).
    written = scalars(tmp_path, "loss_1")
    assert list(written.values()) == pytest.approx(losses)
    assert set(scalars(tmp_path, "rate").values()) == {0.5}
    assert scalars(tmp_path, "global_step/sec")
    result = trained.evaluate(batches(epochs=1), name="test")
    assert Path(trained.eval_dir("test")) == tmp_path / "eval_test"
    folder = Path(trained.eval_dir("test"))
    assert scalars(folder, "error") == {3: pytest.approx(result["error"])}
    assert scalars(folder, "loss") == {3: pytest.approx(result["loss"])}
    tensors = [
        value.tensor.string_val[0].decode()
        for path in folder.glob("events.*")
        for event in tf.train.summary_iterator(str(path))
        for value in event.summary.value
        if value.tag == "checkpoint_path"
    ]
    assert tensors == [trained.latest_checkpoint()]


def test_a_summary_saver_hook_of_the_model(tmp_path: Path) -> None:
    def own(mode: str, output: Any) -> dict[str, Any]:
        summary = tf.summary.scalar("mean_output", tf.reduce_mean(output))
        hook = tf.train.SummarySaverHook(1, output_dir=str(tmp_path / "own"), summary_op=summary)
        return {"training_hooks": [hook]} if mode == MODES.TRAIN else {}

    train(linear_model(spec=own), tmp_path, config(global_batch=False), steps=2)
    assert len(scalars(tmp_path / "own", "mean_output")) == 2


def test_a_scaffold_initialises_and_saves(tmp_path: Path) -> None:
    initialised: list[float] = []

    def own(mode: str, output: Any) -> dict[str, Any]:
        if mode != MODES.TRAIN:
            return {}
        counter = tf.get_local_variable("counter", initializer=0.0)
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(["a"], [3.0]), default_value=0.0
        )
        looked_up = table.lookup(tf.constant("a"))
        local = tf.group(
            tf.tables_initializer(), tf.local_variables_initializer(), counter.initializer
        )
        scaffold = tf.train.Scaffold(
            init_fn=lambda scaffold, session: initialised.append(len(initialised)),
            local_init_op=local,
            saver=tf.train.Saver(max_to_keep=1),
        )
        hook = tf.train.FinalOpsHook(looked_up)
        return {"scaffold": scaffold, "training_hooks": [hook]}

    trained, losses = train(
        linear_model(spec=own), tmp_path, config(save_checkpoints_steps=1), steps=3
    )
    assert initialised == [0, 1]  # each replica's, for its own copies of the variables
    state = tf.train.get_checkpoint_state(str(tmp_path))
    assert len(state.all_model_checkpoint_paths) == 1
    assert trained.get_variable_names() == ["global_step", "w"]
    trained.train(batches(), steps=1)
    assert initialised == [0, 1]  # restored, not initialised
    assert np.isfinite(losses).all()
