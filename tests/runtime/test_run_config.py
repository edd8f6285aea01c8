"""RunConfig, and the checks of specs and model functions: nothing is trained here."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest
import tensorflow.compat.v1 as tf
from runtime_support import MODES, batches, linear_model

from tfmigrate_runtime import estimator

# What tf.estimator.RunConfig() of TensorFlow 1.15 has.
DEFAULTS = {
    "model_dir": None,
    "tf_random_seed": None,
    "save_summary_steps": 100,
    "save_checkpoints_steps": None,
    "save_checkpoints_secs": 600,
    "session_config": None,
    "keep_checkpoint_max": 5,
    "keep_checkpoint_every_n_hours": 10000,
    "log_step_count_steps": 100,
    "train_distribute": None,
    "device_fn": None,
    "protocol": None,
    "eval_distribute": None,
    "experimental_distribute": None,
    "experimental_max_worker_delay_secs": None,
    "session_creation_timeout_secs": 7200,
    "global_batch": False,
    "loss_reduction": None,
    "task_type": "worker",
    "task_id": 0,
    "is_chief": True,
    "master": "",
    "evaluation_master": "",
    "num_ps_replicas": 0,
    "num_worker_replicas": 1,
    "global_id_in_cluster": 0,
    "service": None,
}


class TestRunConfig:
    def test_defaults_are_those_of_tf_estimator(self) -> None:
        made = estimator.RunConfig()
        assert {name: getattr(made, name) for name in DEFAULTS} == DEFAULTS
        assert made.cluster_spec.as_dict() == {}
        assert set(DEFAULTS) <= set(dir(made))

    def test_an_unknown_name_is_an_attribute_error(self) -> None:
        with pytest.raises(AttributeError, match="no attribute 'save_steps'"):
            _ = estimator.RunConfig().save_steps

    def test_one_interval_takes_the_default_of_the_other_away(self) -> None:
        assert estimator.RunConfig(save_checkpoints_steps=5).save_checkpoints_secs is None
        assert estimator.RunConfig(save_checkpoints_secs=5).save_checkpoints_steps is None
        never = estimator.RunConfig(save_checkpoints_secs=None)
        assert (never.save_checkpoints_secs, never.save_checkpoints_steps) == (None, None)

    def test_replace(self) -> None:
        made = estimator.RunConfig(model_dir="m")
        steps = made.replace(save_checkpoints_steps=5)
        assert (steps.save_checkpoints_steps, steps.save_checkpoints_secs) == (5, None)
        assert made.save_checkpoints_secs == 600
        seconds = steps.replace(save_checkpoints_secs=7)
        assert (seconds.save_checkpoints_steps, seconds.save_checkpoints_secs) == (None, 7)
        # Taking away what was not set leaves the other alone, as in tf.estimator.
        kept = made.replace(save_checkpoints_steps=None)
        assert kept.save_checkpoints_secs == 600
        assert made.replace(global_batch=True, tf_random_seed=4).tf_random_seed == 4
        with pytest.raises(ValueError, match="no field task_id that can be replaced"):
            made.replace(task_id=3)
        with pytest.raises(ValueError, match="cannot be both set"):
            made.replace(save_checkpoints_steps=1, save_checkpoints_secs=1)

    @pytest.mark.parametrize(
        ("fields", "message"),
        [
            ({"save_checkpoints_steps": 1, "save_checkpoints_secs": 1}, "cannot be both set"),
            ({"save_checkpoints_secs": -1}, "save_checkpoints_secs should be >= 0"),
            ({"save_summary_steps": -1}, "save_summary_steps should be >= 0"),
            ({"keep_checkpoint_max": -1}, "keep_checkpoint_max should be >= 0"),
            ({"log_step_count_steps": 0}, "log_step_count_steps should be > 0"),
            ({"session_config": {}}, "session_config must be a tf.ConfigProto"),
            ({"model_dir": ""}, "model_dir should be non-empty"),
            ({"loss_reduction": "average"}, "must be one of tf.losses.Reduction"),
            ({"loss_reduction": tf.losses.Reduction.NONE}, "loss_reduction is NONE"),
        ],
    )
    def test_wrong_fields(self, fields: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            estimator.RunConfig(**fields)

    def test_experimental_distribute(self) -> None:
        class Distribute:
            train_distribute = "train"
            eval_distribute = None

        made = estimator.RunConfig(experimental_distribute=Distribute())
        assert (made.train_distribute, made.eval_distribute) == ("train", None)
        with pytest.raises(ValueError, match="either in experimental_distribute or"):
            estimator.RunConfig(train_distribute="t", experimental_distribute=Distribute())

    def test_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        one = {"cluster": {"chief": ["a:1"]}, "task": {"type": "chief", "index": 0}}
        monkeypatch.setenv("TF_CONFIG", json.dumps({**one, "model_dir": "m", "service": {"a": 1}}))
        made = estimator.RunConfig()
        assert (made.task_type, made.model_dir, made.service) == ("chief", "m", {"a": 1})
        assert estimator.RunConfig(model_dir="own").model_dir == "own"
        cluster = {"cluster": {"chief": ["a:1"], "worker": ["b:1", "c:1"]}}
        monkeypatch.setenv("TF_CONFIG", json.dumps(cluster))
        assert estimator.RunConfig().num_worker_replicas == 3
        monkeypatch.setenv("TF_CONFIG", "{")
        with pytest.raises(ValueError, match="TF_CONFIG is not valid JSON"):
            estimator.RunConfig()


class TestEstimatorSpec:
    def test_each_mode_needs_its_fields(self) -> None:
        with pytest.raises(ValueError, match="Missing predictions"):
            estimator.EstimatorSpec(MODES.PREDICT)
        with pytest.raises(ValueError, match="Missing loss"):
            estimator.EstimatorSpec(MODES.EVAL)
        with tf.Graph().as_default():
            loss = tf.constant(1.0)
            with pytest.raises(ValueError, match="Missing train_op"):
                estimator.EstimatorSpec(MODES.TRAIN, loss=loss)
            with pytest.raises(ValueError, match="Loss must be scalar"):
                estimator.EstimatorSpec(MODES.EVAL, loss=tf.zeros([2]))
            with pytest.raises(TypeError, match="must be SessionRunHook"):
                estimator.EstimatorSpec(MODES.EVAL, loss=loss, evaluation_hooks=["hook"])
            with pytest.raises(TypeError, match="scaffold must be"):
                estimator.EstimatorSpec(MODES.EVAL, loss=loss, scaffold="scaffold")
            with pytest.raises(TypeError, match=r"\(metric_value, update_op\).*accuracy"):
                estimator.EstimatorSpec(MODES.EVAL, loss=loss, eval_metric_ops={"accuracy": loss})

    def test_a_loss_of_one_element_is_a_scalar(self) -> None:
        with tf.Graph().as_default():
            made = estimator.EstimatorSpec(MODES.EVAL, loss=tf.zeros([1]))
            assert made.loss.shape.rank == 0
            assert made.eval_metric_ops == {}
            replaced = made._replace(predictions={"p": made.loss})
            assert isinstance(replaced, estimator.EstimatorSpec)
            assert replaced.predictions == {"p": made.loss}


class TestSpecs:
    def test_wrong_values(self) -> None:
        for kind in (estimator.TrainSpec, estimator.EvalSpec):
            with pytest.raises(TypeError, match="input_fn must be callable"):
                kind(input_fn=3)  # type: ignore[arg-type]
            with pytest.raises(TypeError, match="must be SessionRunHook"):
                kind(batches(), hooks=[3])
        with pytest.raises(ValueError, match="max_steps > 0"):
            estimator.TrainSpec(batches(), max_steps=0)
        with pytest.raises(ValueError, match="steps > 0"):
            estimator.EvalSpec(batches(), steps=0)
        with pytest.raises(ValueError, match="must not be negative"):
            estimator.EvalSpec(batches(), throttle_secs=-1)

    def test_defaults_are_those_of_tf_estimator(self) -> None:
        spec = estimator.EvalSpec(batches())
        assert (spec.steps, spec.start_delay_secs, spec.throttle_secs) == (100, 120, 600)
        assert (spec.name, spec.hooks, spec.exporters) == (None, (), ())
        assert estimator.TrainSpec(batches()).max_steps is None


class TestModelFunctions:
    """Which parameters a model function may have."""

    def built(self, model_fn: Any, params: Any = None) -> Any:
        made = estimator.Estimator(model_fn, "unused", params=params)
        with tf.Graph().as_default():
            tf.train.create_global_step()
            features, labels = {"x": tf.zeros([2, 3])}, tf.zeros([2, 1])
            return made.model_fn(features, labels, MODES.EVAL, made.config)

    def test_any_subset(self) -> None:
        base = linear_model()

        class Model:
            def __call__(self, features: Any, labels: Any, mode: str) -> Any:
                return base(features, labels, mode)

            def method(self, features: Any, labels: Any, mode: str, config: Any) -> Any:
                assert config.tf_random_seed is None
                return base(features, labels, mode)

        def bound(features: Any, labels: Any, mode: str, params: Any, width: int) -> Any:
            assert (params["a"], width) == (1, 3)
            return base(features, labels, mode)

        def keywords(**given: Any) -> Any:
            assert set(given) == {"features", "labels", "mode", "params", "config"}
            return base(given["features"], given["labels"], given["mode"])

        def optional(features: Any, labels: Any, mode: str, width: int = 3) -> Any:
            assert width == 3
            return base(features, labels, mode)

        for model_fn, params in (
            (base, None),
            (Model(), None),
            (Model().method, None),
            (functools.partial(bound, width=3), {"a": 1}),
            (functools.partial(keywords), {"a": 1}),
            (optional, None),
            (lambda features, labels: base(features, labels, MODES.EVAL), None),
        ):
            assert self.built(model_fn, params).loss is not None

    def test_wrong_ones_are_refused(self) -> None:
        with pytest.raises(ValueError, match="must include features"):
            estimator.Estimator(lambda labels, mode: None)
        with pytest.raises(ValueError, match=r"not expected args: \['width'\]"):
            estimator.Estimator(lambda features, width: None)
        with pytest.raises(ValueError, match="does not take labels"):
            self.built(lambda features, mode: None)
        with pytest.raises(ValueError, match="got NoneType"):
            self.built(lambda features, labels: None)

    def test_params_are_copied(self) -> None:
        params = {"a": [1]}
        made = estimator.Estimator(lambda features, params: None, "unused", params=params)
        params["a"].append(2)
        made.params["a"].append(3)
        assert made.params == {"a": [1]}

    def test_the_folder_is_said_once(self) -> None:
        named = estimator.RunConfig(model_dir="one")
        assert estimator.Estimator(linear_model(), config=named).model_dir == "one"
        with pytest.raises(ValueError, match="with different values"):
            estimator.Estimator(linear_model(), "two", named)
        with pytest.raises(ValueError, match="must be an instance"):
            estimator.Estimator(linear_model(), config={"model_dir": "one"})  # type: ignore[arg-type]
        assert estimator.Estimator(linear_model()).model_dir

    def test_limits_of_training(self) -> None:
        made = estimator.Estimator(linear_model())
        with pytest.raises(ValueError, match="both steps and max_steps"):
            made.train(batches(), steps=1, max_steps=1)
        with pytest.raises(ValueError, match="Must specify steps > 0"):
            made.train(batches(), steps=0)
        with pytest.raises(ValueError, match="Must specify max_steps > 0"):
            made.train(batches(), max_steps=-1)
        with pytest.raises(ValueError, match="Must specify steps > 0"):
            made.evaluate(batches(), steps=0)
        with pytest.raises(ValueError, match="has not been trained"):
            made.get_variable_names()
