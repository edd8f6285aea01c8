"""What real programs bring along: odd inputs, specs, hooks, checkpoints and devices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import FLOAT32, MODES, W0, WIDTH, X, Y, batches, config, linear_model, train

from tfmigrate_runtime import estimator


def _summaries(folder: Path) -> dict[str, list[int]]:
    """Returns the steps of every tag in the event files of a folder."""
    steps: dict[str, list[int]] = {}
    for path in sorted(folder.glob("events.out.tfevents.*")):
        for event in tf.train.summary_iterator(str(path)):
            for value in event.summary.value:
                steps.setdefault(value.tag, []).append(event.step)
    return steps


class _Values(tf.train.SessionRunHook):  # type: ignore[misc]
    """Keeps the value of a tensor, found by its name, at every step."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.seen: list[Any] = []

    def begin(self) -> None:
        self._tensor = tf.get_default_graph().get_tensor_by_name(self._name)

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(self._tensor)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.seen.append(run_values.results)


def test_train_op_that_is_no_operation_is_refused(tmp_path: Path) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        loss = tf.losses.mean_squared_error(labels, features["x"][:, :1])
        return estimator.EstimatorSpec(mode, loss=loss, train_op="minimize")

    with pytest.raises(TypeError, match="train_op must be Operation or Tensor"):
        train(model_fn, tmp_path, config(replicas=1))


@pytest.mark.parametrize("method", ["train", "evaluate"])
def test_hook_of_another_kind_is_refused(tmp_path: Path, method: str) -> None:
    trained = estimator.Estimator(linear_model(), tmp_path, config(replicas=1))
    with pytest.raises(TypeError, match="SessionRunHook"):
        getattr(trained, method)(batches(), steps=1, hooks=[print])


def test_updateless_keras_metric_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="update_state"):
        estimator.EstimatorSpec(
            MODES.EVAL, loss=tf.constant(1.0), eval_metric_ops={"mean": tf.keras.metrics.Mean()}
        )


@pytest.mark.parametrize("devices", [["/device:GPU:0"], ["/device:GPU:0", "/device:GPU:1"]])
def test_strategy_of_missing_gpus_is_refused(tmp_path: Path, devices: list[str]) -> None:
    if tf.config.list_physical_devices("GPU"):
        pytest.skip("this machine has a GPU")
    run_config = config().replace(train_distribute=tf.distribute.MirroredStrategy(devices))
    with pytest.raises(ValueError, match=r"needs GPU:\d, but TensorFlow finds 0 GPU"):
        train(linear_model(), tmp_path, run_config)


def test_strategy_of_one_replica_places_the_model_on_its_device(tmp_path: Path) -> None:
    devices: list[str] = []

    def spec(mode: str, output: Any) -> dict[str, Any]:
        devices.append(output.device)
        return {}

    strategy = tf.distribute.OneDeviceStrategy("/device:CPU:1")
    run_config = config().replace(
        train_distribute=strategy, session_config=tf.ConfigProto(device_count={"CPU": 2})
    )
    _, losses = train(linear_model(spec=spec), tmp_path, run_config, steps=1)
    assert [tf.DeviceSpec.from_string(device).device_index for device in devices] == [1]
    # Neither split nor scaled: the loss of the whole batch.
    assert losses[0] == pytest.approx(float(np.mean((X @ W0 - Y) ** 2)), abs=FLOAT32)


def test_model_without_params_takes_an_estimator_with_params(tmp_path: Path) -> None:
    # replicate_model_fn took params for any model_fn, and dropped them.
    trained = estimator.Estimator(linear_model(), tmp_path, config(), params={"unused": 1})
    trained.train(batches(), steps=1)
    assert trained.get_variable_value("global_step") == 1


def test_private_names_that_programs_read_and_call(tmp_path: Path) -> None:
    inner = estimator.Estimator(linear_model(), tmp_path, config())
    assert inner._model_dir == str(tmp_path)

    def wrapping(features: Any, labels: Any, mode: str) -> Any:
        return inner._call_model_fn(features, labels, mode, config=inner.config)

    assert estimator.Estimator(wrapping, tmp_path, config()).train(batches(), steps=1)


def test_reported_loss_is_a_tensor_called_loss(tmp_path: Path) -> None:
    # As in replicate_model_fn, so that the summary beside it is "loss_1" (measured on 1.15.5).
    by_name = _Values("loss:0")
    run_config = config(save_summary_steps=1)
    _, losses = train(linear_model(), tmp_path, run_config, hooks=[by_name])
    assert by_name.seen == losses
    assert _summaries(tmp_path)["loss_1"] == [1, 2]


def test_summary_hook_of_the_model_writes_summaries(tmp_path: Path) -> None:
    folder = tmp_path / "own"

    def spec(mode: str, output: Any) -> dict[str, Any]:
        tf.summary.scalar("mean_output", tf.reduce_mean(output))
        hook = tf.train.SummarySaverHook(1, output_dir=folder, summary_op=tf.summary.merge_all())
        return {"training_hooks": [hook]}

    train(linear_model(spec=spec), tmp_path, steps=3)
    assert _summaries(folder) == {"mean_output": [1, 2, 3]}


def test_summary_op_of_the_models_scaffold_writes_summaries(tmp_path: Path) -> None:
    def spec(mode: str, output: Any) -> dict[str, Any]:
        tf.summary.scalar("mean_output", tf.reduce_mean(output))
        return {"scaffold": tf.train.Scaffold(summary_op=tf.summary.merge_all())}

    train(linear_model(spec=spec), tmp_path, config(save_summary_steps=1), steps=2)
    assert _summaries(tmp_path)["mean_output"] == [1, 2]


def test_loss_of_unknown_static_shape_trains(tmp_path: Path) -> None:
    def loss(labels: Any, outputs: Any) -> Any:
        # A placeholder's shape is forgotten as that of tf.py_func's result is.
        value = tf.losses.mean_squared_error(labels, outputs)
        return tf.placeholder_with_default(tf.reshape(value, [1]), shape=None)

    _, plain = train(linear_model(), tmp_path / "plain", steps=1)
    _, losses = train(linear_model(loss), tmp_path / "unknown", steps=1)
    assert losses == plain


@pytest.mark.parametrize("replicas", [1, 2])
def test_keras_metric_counts_all_rows(tmp_path: Path, replicas: int) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        mean = tf.keras.metrics.Mean()
        mean.update_state(labels)
        loss = tf.losses.mean_squared_error(labels, tf.zeros_like(labels))
        return estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"mean": mean})

    evaluated = estimator.Estimator(model_fn, tmp_path, config(replicas)).evaluate(
        batches(size=4, epochs=1)
    )
    assert evaluated["mean"] == pytest.approx(float(Y.mean()), abs=FLOAT32)


def test_queue_with_a_counter_of_epochs_ends(tmp_path: Path) -> None:
    def input_fn() -> Any:
        rows = tf.constant(np.concatenate([X, Y], axis=1))
        queue = tf.train.input_producer(rows, shuffle=False, num_epochs=2)
        batch = tf.reshape(queue.dequeue_many(4), [4, WIDTH + 1])
        return {"x": batch[:, :WIDTH]}, batch[:, WIDTH:]

    trained = estimator.Estimator(linear_model(), tmp_path, config())
    trained.train(input_fn)
    assert trained.get_variable_value("global_step") == 2 * len(X) // 4


def test_numpy_input_returns_tensors_in_order_across_epochs() -> None:
    with tf.Graph().as_default():
        features, labels = estimator.inputs.numpy_input_fn(
            {"x": X}, Y, batch_size=5, num_epochs=2, shuffle=False
        )()
        batch_sizes, rows = [], []
        with tf.Session() as session, pytest.raises(tf.errors.OutOfRangeError):
            while True:
                got, wanted = session.run([features["x"], labels])
                batch_sizes.append(len(got))
                rows.append(np.concatenate([got, wanted], axis=1))
    assert batch_sizes == [5, 5, 5, 1]
    both_epochs = np.tile(np.concatenate([X, Y], axis=1), (2, 1))
    np.testing.assert_array_equal(np.concatenate(rows), both_epochs)


def test_numpy_input_shuffles_whole_rows() -> None:
    with tf.Graph().as_default():
        features = estimator.inputs.numpy_input_fn(X, batch_size=8, shuffle=True, num_epochs=1)()
        with tf.Session() as session:
            rows = session.run(features)
    assert sorted(map(tuple, rows)) == sorted(map(tuple, X))


def test_numpy_input_keeps_arrays_out_of_checkpoints(tmp_path: Path) -> None:
    x, y = np.zeros((100_000, WIDTH), np.float32), np.zeros((100_000, 1), np.float32)
    input_fn = estimator.inputs.numpy_input_fn({"x": x}, y, batch_size=4, shuffle=True)
    trained = estimator.Estimator(linear_model(), tmp_path, config())
    trained.train(input_fn, steps=1)
    assert (tmp_path / "model.ckpt-1.meta").stat().st_size < x.nbytes / 2


def test_warm_start_from_an_exported_model(tmp_path: Path) -> None:
    trained, _ = train(linear_model(), tmp_path / "first", steps=3)
    receiver = estimator.export.build_parsing_serving_input_receiver_fn(
        {"x": tf.FixedLenFeature([WIDTH], tf.float32)}
    )
    exported = trained.export_saved_model(tmp_path / "export", receiver)
    second = estimator.Estimator(
        linear_model(), tmp_path / "second", config(), warm_start_from=exported
    )
    second.train(batches(), steps=1)
    started = tf.train.load_variable(str(tmp_path / "second" / "model.ckpt-0"), "w")
    np.testing.assert_array_equal(started, trained.get_variable_value("w"))
