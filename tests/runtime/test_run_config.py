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


CLUSTER = {"chief": ["a:1"], "worker": ["b:1", "c:1"]}
ALONE = {"chief": ["a:1"]}


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
        with pytest.raises(ValueError, match="Replacing task_id is not supported"):
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
            ({"session_config": {}}, "session_config must be instance of ConfigProto"),
            ({"model_dir": ""}, "model_dir should be non-empty"),
            ({"tf_random_seed": 1.5}, "tf_random_seed must be integer"),
            ({"experimental_max_worker_delay_secs": 0.5}, "must be an integer"),
            ({"device_fn": lambda node: "/cpu:0"}, "exactly one argument"),
            ({"protocol": "http"}, "protocol should be grpc"),
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
        assert estimator.RunConfig(model_dir="m").model_dir == "m"
        cluster = {"cluster": {"chief": ["a:1"], "worker": ["b:1", "c:1"]}}
        cluster["task"] = {"type": "worker", "index": 1}
        monkeypatch.setenv("TF_CONFIG", json.dumps(cluster))
        assert estimator.RunConfig().num_worker_replicas == 3
        monkeypatch.setenv("TF_CONFIG", "{")
        with pytest.raises(ValueError, match="TF_CONFIG is not valid JSON"):
            estimator.RunConfig()

    @pytest.mark.parametrize(
        ("tf_config", "message"),
        [
            ({"cluster": CLUSTER}, "Set type and index in"),
            ({"cluster": CLUSTER, "task": {"type": "worker"}}, "Set index in"),
            ({"cluster": CLUSTER, "task": {"type": "worker", "index": -1}}, "non-negative"),
            ({"cluster": CLUSTER, "task": {"type": "worker", "index": 2}}, "2 is not a valid task"),
            ({"cluster": CLUSTER, "task": {"type": "wrker", "index": 0}}, "wrker is not a valid"),
            ({"cluster": ALONE, "task": {"type": "wrker", "index": 0}}, "wrker is not a valid"),
            ({"cluster": ALONE, "task": {"type": "chief", "index": 3}}, "3 is not a valid task_id"),
            (
                {"cluster": {"master": ["a:1"]}, "task": {"type": "evaluator", "index": 0}},
                "the master evaluates",
            ),
            (
                {"cluster": {"chief": ["a:1", "b:1"]}, "task": {"type": "chief", "index": 1}},
                'must have only one "chief" node. It has 2',
            ),
            (
                {"cluster": {**ALONE, "master": ["b:1"]}, "task": {"type": "chief", "index": 0}},
                "job `chief` is not supported",
            ),
            ({"task": {"type": "worker", "index": 1}}, "would train alone, as worker 1"),
            ({"task": {"type": "ps", "index": 0}}, "would train alone, as ps 0"),
            ({"task": {"type": "chief", "index": 0}}, "task type must be WORKER"),
            ({"model_dir": "other"}, "'m' in RunConfig and 'other' in TF_CONFIG"),
            ({"model_dir": ""}, "model_dir in TF_CONFIG should be non-empty"),
            ([], "TF_CONFIG is not an object"),
        ],
    )
    def test_what_1_15_refuses(
        self, monkeypatch: pytest.MonkeyPatch, tf_config: Any, message: str
    ) -> None:
        monkeypatch.setenv("TF_CONFIG", json.dumps(tf_config))
        with pytest.raises(ValueError, match=message):
            estimator.RunConfig(model_dir="m")

    def test_masters_of_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """As tensorflow_estimator 1.15 takes them: evaluation's only where no other task trains."""
        masters = {"session_master": "grpc://s:1", "eval_session_master": "grpc://e:1"}
        for task, cluster, expected in (
            (None, None, ("grpc://s:1", "grpc://e:1")),
            (("worker", 1), CLUSTER, ("grpc://s:1", "")),
            (("evaluator", 0), CLUSTER, ("", "grpc://e:1")),
        ):
            given: dict[str, Any] = dict(masters)
            if task:
                given |= {"cluster": cluster, "task": {"type": task[0], "index": task[1]}}
            monkeypatch.setenv("TF_CONFIG", json.dumps(given))
            made = estimator.RunConfig()
            assert (made.master, made.evaluation_master) == expected


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

    def test_what_is_no_tensor_of_the_graph(self) -> None:
        with tf.Graph().as_default():
            elsewhere = tf.constant(1.0)
        with tf.Graph().as_default():
            loss = tf.constant(1.0)
            sparse = tf.SparseTensor([[0]], [1.0], [1])
            for fields, error, message in (
                ({"loss": 1.0}, TypeError, "loss must be Tensor, given: 1.0"),
                ({"predictions": 1.0}, TypeError, "predictions must be Tensor"),
                ({"predictions": {"p": [1.0]}}, TypeError, r"predictions\[p\] must be Tensor"),
                ({"predictions": {"p": sparse}}, TypeError, r"predictions\[p\] must be Tensor"),
                ({"predictions": elsewhere}, ValueError, "must be from the default graph"),
                ({"loss": elsewhere}, ValueError, "must be from the default graph"),
                ({"train_op": elsewhere}, ValueError, "must be from the default graph"),
                ({"eval_metric_ops": {"m": (loss, elsewhere)}}, ValueError, "the default graph"),
                ({"eval_metric_ops": [loss]}, TypeError, "eval_metric_ops must be a dict"),
            ):
                given = {"loss": loss, "predictions": loss, "train_op": loss, **fields}
                for mode in (MODES.TRAIN, MODES.EVAL, MODES.PREDICT):
                    with pytest.raises(error, match=message):
                        estimator.EstimatorSpec(mode, **given)

    def test_what_is_exported_of_predictions(self) -> None:
        output = estimator.export.PredictOutput
        with tf.Graph().as_default():
            y = tf.constant(1.0)
            made = estimator.EstimatorSpec(MODES.PREDICT, {"y": y})
            assert made.export_outputs == {"serving_default": output({"y": y})}
            one = estimator.EstimatorSpec(MODES.PREDICT, y, export_outputs={"a": output(y)})
            assert one.export_outputs == {"serving_default": output(y), "a": output(y)}
            assert estimator.EstimatorSpec(MODES.EVAL, loss=y).export_outputs is None
            with pytest.raises(ValueError, match="one of them must be 'serving_default'"):
                outputs = {"a": output(y), "b": output(y)}
                estimator.EstimatorSpec(MODES.PREDICT, y, export_outputs=outputs)
            with pytest.raises(TypeError, match="must be ExportOutput objects"):
                estimator.EstimatorSpec(MODES.PREDICT, y, export_outputs={"a": y})

    def test_a_scaffold_is_there_without_being_given(self) -> None:
        with tf.Graph().as_default():
            tf.get_variable("v", initializer=1.0)
            made = estimator.EstimatorSpec(MODES.EVAL, loss=tf.constant(1.0))
            assert made.scaffold.finalize().saver is not None

    def test_a_replaced_field_is_checked(self) -> None:
        with tf.Graph().as_default():
            made = estimator.EstimatorSpec(MODES.EVAL, loss=tf.constant(1.0))
            with pytest.raises(ValueError, match="mode of EstimatorSpec cannot be changed"):
                made._replace(mode=MODES.TRAIN)
            with pytest.raises(ValueError, match="Loss must be scalar"):
                made._replace(loss=tf.zeros([2]))
            assert made._replace(mode=MODES.EVAL).loss is made.loss

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
            with pytest.raises(TypeError, match="`input_fn` must be callable"):
                kind(input_fn=3)  # type: ignore[arg-type]
            with pytest.raises(TypeError, match="must be SessionRunHook"):
                kind(batches(), hooks=[3])
        with pytest.raises(ValueError, match="max_steps > 0"):
            estimator.TrainSpec(batches(), max_steps=0)
        with pytest.raises(ValueError, match="steps > 0"):
            estimator.EvalSpec(batches(), steps=0)
        with pytest.raises(ValueError, match="throttle_secs >= 0, given: -1"):
            estimator.EvalSpec(batches(), throttle_secs=-1)
        with pytest.raises(TypeError, match="`name` must be string"):
            estimator.EvalSpec(batches(), name=5)  # type: ignore[arg-type]

    def test_exporters(self) -> None:
        def exporter(name: Any) -> Any:
            return estimator.FinalExporter(name, lambda: None)

        one, other = exporter("one"), exporter("other")
        assert estimator.EvalSpec(batches(), exporters=one).exporters == (one,)
        assert estimator.EvalSpec(batches(), exporters=iter([one, other])).exporters == (one, other)
        for wrong in ("x", ["x"], [one, None], 3):
            with pytest.raises(TypeError, match="must be an Exporter, an iterable of Exporter"):
                estimator.EvalSpec(batches(), exporters=wrong)
        with pytest.raises(ValueError, match="must have unique names"):
            estimator.EvalSpec(batches(), exporters=[one, exporter("one")])
        for nameless, message in (
            ("", "`None` or empty"),
            (None, "`None` or empty"),
            (4, "string"),
        ):
            with pytest.raises(ValueError, match=message):
                estimator.EvalSpec(batches(), exporters=exporter(nameless))

    def test_defaults_are_those_of_tf_estimator(self) -> None:
        spec = estimator.EvalSpec(batches())
        assert (spec.steps, spec.start_delay_secs, spec.throttle_secs) == (100, 120, 600)
        assert (spec.name, spec.hooks, spec.exporters) == (None, (), ())
        assert estimator.TrainSpec(batches()).max_steps is None


class TestSubclasses:
    """Whoever calls a member that a program's subclass replaces does not get it."""

    def test_members_may_not_be_replaced(self) -> None:
        class Predicts(estimator.Estimator):
            def predict(self, *arguments: Any, **options: Any) -> Any:
                return iter(())

        with pytest.raises(ValueError, match=r"cannot override members.*\['predict'\]"):
            Predicts(linear_model(), "unused")

    def test_nor_may_private_ones_of_tensorflow_1_15(self) -> None:
        class Trains(estimator.Estimator):
            def _train_model(self, *arguments: Any) -> Any:
                return None

        with pytest.raises(ValueError, match=r"cannot override members.*\['_train_model'\]"):
            Trains(linear_model(), "unused")

    def test_others_may_be_added(self) -> None:
        class Adds(estimator.Estimator):
            places = 3

            def __init__(self) -> None:
                super().__init__(linear_model(), "unused")

            @property
            def model_fn(self) -> Any:
                return super().model_fn

            def more(self) -> int:
                return self.places

        assert Adds().more() == 3


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
        with pytest.raises(ValueError, match="model_fn must be callable, given: None"):
            estimator.Estimator(None)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="must include features"):
            estimator.Estimator(lambda labels, mode: None)
        with pytest.raises(ValueError, match=r"not expected args: \['width'\]"):
            estimator.Estimator(lambda features, width: None)
        with pytest.raises(ValueError, match="does not take labels"):
            self.built(lambda features, mode: None)
        with pytest.raises(ValueError, match="got NoneType"):
            self.built(lambda features, labels: None)

    def test_params_without_an_argument_for_them(self) -> None:
        with pytest.raises(ValueError, match="does not include params argument"):
            estimator.Estimator(linear_model(), "unused", params={"rate": 0.1})
        towers = estimator.RunConfig(global_batch=True)  # replicate_model_fn took params for any
        assert estimator.Estimator(linear_model(), "unused", towers, params={"a": 1}).params

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
        with pytest.raises(ValueError, match="Could not find trained model"):
            made.get_variable_names()
