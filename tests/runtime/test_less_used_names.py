"""add_metrics, parse specs, evaluation in training, logit functions, names of hooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from runtime_support import FLOAT32, W0, X, Y, batches, config, linear_model

from tfmigrate_runtime import estimator, rnn
from tfmigrate_runtime.estimator import event_files
from tfmigrate_runtime.optimizers import get_optimizer_instance

ONE = estimator.RunConfig(tf_random_seed=1)


def predicting(features: Any, labels: Any, mode: str) -> Any:
    """A linear model that takes its only feature out of the dict."""
    w = tf.get_variable("w", initializer=W0)
    output = tf.matmul(features.pop("x"), w)
    if mode == estimator.ModeKeys.PREDICT:
        return estimator.EstimatorSpec(mode, predictions={"y": output})
    loss = tf.losses.mean_squared_error(labels, output)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return estimator.EstimatorSpec(
        mode,
        {"y": output},
        loss,
        train_op,
        {"mae": tf.metrics.mean_absolute_error(labels, output)},
    )


def dict_batches() -> Any:
    return tf.data.Dataset.from_tensors(({"x": X}, Y)).repeat(2)


class TestAddMetrics:
    def test_metrics_are_added_and_replaced(self, tmp_path: Path) -> None:
        def more(labels: Any, predictions: Any, features: Any, config: Any) -> Any:
            assert config.tf_random_seed == 1
            return {
                "rows": tf.metrics.mean(tf.reduce_sum(features["x"])),
                "mae": tf.metrics.mean(tf.constant(7.0)),
                "mse": tf.metrics.mean_squared_error(labels, predictions["y"]),
            }

        plain = estimator.Estimator(predicting, tmp_path, ONE)
        results = estimator.add_metrics(plain, more).evaluate(dict_batches)
        assert results["rows"] == pytest.approx(float(X.sum()), rel=FLOAT32)
        assert results["mae"] == 7
        assert results["mse"] == pytest.approx(results["loss"], rel=FLOAT32)
        assert plain.evaluate(dict_batches)["mae"] != 7

    def test_other_arguments_are_refused(self, tmp_path: Path) -> None:
        plain = estimator.Estimator(predicting, tmp_path, ONE)
        with pytest.raises(ValueError, match=r"following not expected args: \['weights'\]"):
            estimator.add_metrics(plain, lambda labels, weights: {})


class TestForwardFeatures:
    def test_features_are_among_the_predictions(self, tmp_path: Path) -> None:
        plain = estimator.Estimator(predicting, tmp_path, ONE)
        plain.train(dict_batches, steps=1)
        found = list(estimator.forward_features(plain, "x").predict(dict_batches))
        assert [list(row["x"]) for row in found] == [list(row) for row in X] * 2
        assert "x" not in next(iter(plain.predict(dict_batches)))

    def test_keys_are_checked(self, tmp_path: Path) -> None:
        plain = estimator.Estimator(predicting, tmp_path, ONE)
        with pytest.raises(TypeError, match="either a string or a list"):
            estimator.forward_features(plain, 1)  # type: ignore[arg-type]
        plain.train(dict_batches, steps=1)
        with pytest.raises(ValueError, match='Key "z" is not in features'):
            list(estimator.forward_features(plain, ["z"]).predict(dict_batches))


class TestParseExampleSpecs:
    columns = (
        tf.feature_column.numeric_column("a"),
        tf.feature_column.categorical_column_with_identity("b", 3),
    )

    def test_a_classifiers_records(self) -> None:
        spec = estimator.classifier_parse_example_spec(self.columns, "label", tf.string)
        assert spec == {
            "a": tf.FixedLenFeature((1,), tf.float32),
            "b": tf.VarLenFeature(tf.int64),
            "label": tf.FixedLenFeature((1,), tf.string),
        }

    def test_a_regressors_records(self) -> None:
        weight = tf.feature_column.numeric_column("weight")
        spec = estimator.regressor_parse_example_spec(
            self.columns, "label", label_dimension=3, label_default=[0.0] * 3, weight_column=weight
        )
        assert spec["label"] == tf.FixedLenFeature((3,), tf.float32, [0.0] * 3)
        assert spec["weight"] == tf.FixedLenFeature((1,), tf.float32)
        with_name = estimator.regressor_parse_example_spec(self.columns, "label", weight_column="w")
        assert with_name["w"] == spec["weight"]

    @pytest.mark.parametrize(
        "label, weight, message",
        [
            ("a", None, "label should not be used as feature"),
            ("label", "a", "weight_column should not be used as feature"),
            ("label", 3, "weight_column should be an instance of"),
        ],
    )
    def test_contradictions(self, label: str, weight: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            estimator.classifier_parse_example_spec(self.columns, label, weight_column=weight)


class TestInMemoryEvaluatorHook:
    @pytest.mark.parametrize("fused", [True, False])
    def test_evaluates_current_weights(self, tmp_path: Path, fused: bool) -> None:
        for several in (False, True):
            folder = tmp_path / str(several)
            run_config = config(fused_steps=fused, log_step_count_steps=None)
            if not several:
                run_config = run_config.replace(train_distribute=None, eval_distribute=None)
            trained = estimator.Estimator(linear_model(), folder, run_config)
            hook = estimator.experimental.InMemoryEvaluatorHook(
                trained, batches(epochs=1), name="now", every_n_iter=4
            )
            trained.train(batches(epochs=20), hooks=[hook], steps=10)
            events = event_files.scalars(f"{trained.eval_dir('now')}/events*")
            found = {step: values["loss"] for step, values in events}
            assert sorted(found) == [0, 4, 8, 10]
            # Not the folder through which the weights pass.
            files = Path(trained.eval_dir("now")).glob("events*")
            assert not any(b"checkpoint_path" in file.read_bytes() for file in files)
            assert found[0] == pytest.approx(float(np.mean((X @ W0 - Y) ** 2)), rel=FLOAT32)
            # What is evaluated at the end is what the last checkpoint has.
            last = trained.evaluate(batches(epochs=1))
            assert found[10] == pytest.approx(last["loss"], rel=FLOAT32)
            state = tf.train.get_checkpoint_state(str(folder))
            assert [Path(p).name for p in state.all_model_checkpoint_paths] == [
                "model.ckpt-0",
                "model.ckpt-10",
            ], "no checkpoints but those of training"

    def test_intervals_must_be_positive(self, tmp_path: Path) -> None:
        trained = estimator.Estimator(linear_model(), tmp_path, ONE)
        with pytest.raises(ValueError, match="invalid every_n_iter=0"):
            estimator.experimental.InMemoryEvaluatorHook(trained, batches(), every_n_iter=0)


class TestLogitFunctions:
    columns = (tf.feature_column.numeric_column("x", shape=(X.shape[1],)),)

    def test_linear(self) -> None:
        with tf.Graph().as_default(), tf.Session() as session:
            logits = estimator.experimental.call_logit_fn(
                estimator.experimental.linear_logit_fn_builder(2, self.columns),
                {"x": tf.constant(X)},
                "train",
                None,
                ONE,
            )
            names = {variable.op.name for variable in tf.global_variables()}
            session.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(session.run(logits), np.zeros((len(X), 2)))
        assert names == {"linear_model/x/weights", "linear_model/bias_weights"}

    def test_deep(self) -> None:
        build = estimator.experimental.dnn_logit_fn_builder
        with tf.Graph().as_default(), tf.Session() as session:
            logit_fn = build(3, [4], self.columns, tf.nn.relu, 0.5, None, False)
            features = {"x": tf.constant(X)}
            with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
                dropped = estimator.experimental.call_logit_fn(
                    logit_fn, features, "train", None, ONE
                )
                logits = estimator.experimental.call_logit_fn(logit_fn, features, "eval", None, ONE)
            session.run(tf.global_variables_initializer())
            first, again = session.run(logits), session.run(logits)
            np.testing.assert_array_equal(first, again)
            assert first.shape == (len(X), 3)
            assert np.abs(session.run(dropped) - first).max() > 1e-3
        with pytest.raises(ValueError, match="units must be an int"):
            build("3", [4], self.columns, tf.nn.relu, None, None, False)

    def test_what_is_no_tensor_is_refused(self) -> None:
        with pytest.raises(ValueError, match="logit_fn should return a Tensor"):
            estimator.experimental.call_logit_fn(lambda features: [1], {}, "eval", None, ONE)


class TestStopAtCheckpoint:
    def test_the_chief_stops_at_the_step(self, tmp_path: Path) -> None:
        trained = estimator.Estimator(linear_model(), tmp_path, ONE)
        hook = estimator.experimental.make_stop_at_checkpoint_step_hook(trained, 3)
        trained.train(batches(epochs=20), hooks=[hook])
        assert trained.get_variable_value("global_step") == 3

    def test_a_worker_waits_for_the_checkpoint(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        trained = estimator.Estimator(linear_model(), tmp_path, ONE)
        with monkeypatch.context() as patched:
            patched.setattr(estimator.RunConfig, "is_chief", property(lambda self: False))
            hook = estimator.experimental.make_stop_at_checkpoint_step_hook(trained, 3, 0.0)
        steps = trained.config.replace(save_checkpoints_steps=5)
        again = estimator.Estimator(linear_model(), tmp_path, steps)
        again.train(batches(epochs=20), hooks=[hook])
        # Step 3 was first in the checkpoint of step 5.
        assert again.get_variable_value("global_step") == 5


def test_hooks_are_those_of_tf_train() -> None:
    for name in ("SessionRunHook", "StopAtStepHook", "SessionRunArgs", "NanTensorHook"):
        assert getattr(estimator, name) is getattr(tf.train, name)


@pytest.mark.parametrize("name", ["KMeans", "LinearSDCA"])
def test_experimental_names_without_equivalent_say_what_to_use(name: str) -> None:
    with pytest.raises(AttributeError, match=f"experimental.{name} has no equivalent.*use "):
        getattr(estimator.experimental, name)


def test_optimizers_by_name_instance_and_function() -> None:
    given = tf.train.MomentumOptimizer(0.1, 0.9)
    assert get_optimizer_instance(given) is given
    assert isinstance(get_optimizer_instance("Ftrl", learning_rate=0.1), tf.train.FtrlOptimizer)
    assert get_optimizer_instance(lambda: given) is given
    with pytest.raises(ValueError, match="learning_rate must be specified"):
        get_optimizer_instance("Adam")
    with pytest.raises(ValueError, match="Unsupported optimizer name: Nadam"):
        get_optimizer_instance("Nadam", 0.1)


def test_cells_are_known_by_what_they_have() -> None:
    assert rnn._like_rnncell(tf.nn.rnn_cell.GRUCell(2))
    assert not rnn._like_rnncell(len)
