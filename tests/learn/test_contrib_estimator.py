"""contrib.learn.Estimator of the runtime, against what TensorFlow 1.15 computed."""

from __future__ import annotations

import functools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import contrib_estimator_cases as cases
import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator
from tfmigrate_runtime.contrib.of_learn.interfaces import NotFittedError
from tfmigrate_runtime.contrib.of_learn.keys import ProblemType
from tfmigrate_runtime.contrib.of_learn.metric_spec import MetricSpec
from tfmigrate_runtime.contrib.of_learn.sk_compat import SKCompat
from tfmigrate_runtime.learn.estimator import Estimator
from tfmigrate_runtime.learn.model_fn import ModeKeys, ModelFnOps
from tfmigrate_runtime.learn.run_config import RunConfig
from tfmigrate_runtime.learn.utils import input_fn_utils

tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)
RECORDED = np.load(Path(__file__).parent / "contrib_estimator.npz")
LEARN = SimpleNamespace(
    Estimator=Estimator,
    MetricSpec=MetricSpec,
    ModeKeys=ModeKeys,
    ModelFnOps=ModelFnOps,
    SKCompat=SKCompat,
    utils=SimpleNamespace(input_fn_utils=input_fn_utils),
)
# Float32 sums are ordered differently on other CPUs and versions.
TOLERANCE = {"rtol": 1e-5, "atol": 1e-6}


def assert_same(found: dict[str, Any], name: str) -> None:
    expected = {key.split("/", 1)[1]: RECORDED[key] for key in RECORDED if key.startswith(name)}
    assert sorted(found) == sorted(expected)
    for key, value in expected.items():
        if value.dtype.kind == "U":
            assert list(found[key]) == value.tolist(), key
        else:
            np.testing.assert_allclose(found[key], value, err_msg=key, **TOLERANCE)


@pytest.mark.parametrize("name", sorted(cases.CASES))
def test_the_numbers_are_those_of_tensorflow_1_15(name: str, tmp_path: Path) -> None:
    assert_same(cases.CASES[name](LEARN, str(tmp_path), None), name)


def test_replicas_train_and_evaluate_as_one_device(tmp_path: Path) -> None:
    strategy = tf.distribute.MirroredStrategy(["/device:CPU:0", "/device:CPU:1"])
    found = {}
    for name, each in (("one", None), ("two", strategy)):
        config = RunConfig(
            model_dir=str(tmp_path / name),
            train_distribute=each,
            eval_distribute=each,
            global_batch=True,
        )
        est = Estimator(cases.tuple_model_fn, config=config, params={"rate": 0.05})
        losses = cases.Losses()
        est.fit(input_fn=functools.partial(cases.dataset, 4), steps=5, monitors=[losses])
        metrics = {"error": MetricSpec(tf.metrics.mean_absolute_error, weight_key="weight")}
        result = est.evaluate(
            input_fn=functools.partial(cases.dataset, 10), steps=2, metrics=metrics
        )
        predicted = list(est.predict(input_fn=functools.partial(cases.dataset, 5, 1)))
        found[name] = {**cases.described(est, result), "predicted": predicted}
        found[name]["losses"] = losses.values
    assert found["one"].keys() == found["two"].keys()
    assert len(found["one"]["predicted"]) == cases.ROWS
    for key, value in found["one"].items():
        np.testing.assert_allclose(found["two"][key], value, err_msg=key, **TOLERANCE)


def trained(folder: Path, model_fn: Any = cases.tuple_model_fn, **options: Any) -> Estimator:
    est = Estimator(model_fn, folder, params={"rate": 0.05}, **options)
    return est.fit(input_fn=functools.partial(cases.tensors, 4), steps=1)


def test_model_fn_gets_params_itself_config_and_model_dir(tmp_path: Path) -> None:
    seen = {}

    def model_fn(inputs: Any, targets: Any, mode: str, params: Any, config: Any, model_dir: str):
        seen[mode] = (params, config.model_dir, model_dir)
        return cases.tuple_model_fn(inputs, targets, mode, params)

    est = trained(tmp_path, model_fn)
    assert seen == {"train": (est.params, str(tmp_path), str(tmp_path))}
    assert seen["train"][0] is est.params
    with tf.Graph().as_default():
        tf.train.create_global_step()
        operations = est.model_fn(
            {"x": tf.constant(cases.X)}, tf.constant(cases.Y), ModeKeys.EVAL, est.config
        )
    assert isinstance(operations, ModelFnOps)


def test_model_fn_may_return_an_estimator_spec(tmp_path: Path) -> None:
    def model_fn(features: Any, labels: Any, mode: str, params: Any) -> estimator.EstimatorSpec:
        output, loss, train_op = cases.tuple_model_fn(features, labels, mode, params)
        return estimator.EstimatorSpec(mode, output, loss, train_op)

    metrics = {"error": MetricSpec(tf.metrics.mean_absolute_error)}
    input_fn = functools.partial(cases.tensors, 4, 1)
    results = [
        trained(tmp_path / name, each).evaluate(input_fn=input_fn, metrics=metrics)
        for name, each in (("spec", model_fn), ("tuple", cases.tuple_model_fn))
    ]
    assert results[0] == results[1]


def test_a_model_fn_must_return_three_things(tmp_path: Path) -> None:
    est = Estimator(lambda features, labels: (features, labels), tmp_path)
    with pytest.raises(ValueError, match="Unrecognized value returned by model_fn"):
        est.fit(input_fn=functools.partial(cases.tensors, 4), steps=1)


def test_params_must_be_taken() -> None:
    with pytest.raises(ValueError, match="does not have a params argument"):
        Estimator(lambda features, labels: None, params={"rate": 1.0})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "Either x or input_fn must be provided"),
        ({"x": cases.X, "input_fn": cases.tensors}, "Can not provide both input_fn and x or y"),
        ({"batch_size": 2, "input_fn": cases.tensors}, "both input_fn and batch_size"),
    ],
)
def test_input_is_either_arrays_or_a_function(
    arguments: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        Estimator(cases.tuple_model_fn, tmp_path, params={}).fit(steps=1, **arguments)


def test_without_a_checkpoint_there_is_nothing_to_evaluate(tmp_path: Path) -> None:
    est = Estimator(cases.tuple_model_fn, tmp_path, params={})
    with pytest.raises(NotFittedError, match="Couldn't find trained model at"):
        est.evaluate(input_fn=functools.partial(cases.tensors, 4, 1))
    with pytest.raises(NotFittedError, match="Couldn't find trained model at"):
        est.predict(input_fn=functools.partial(cases.tensors, 4, 1))


def test_input_must_be_like_that_before(tmp_path: Path) -> None:
    est = trained(tmp_path)
    with pytest.raises(ValueError, match="Features are incompatible with given information"):
        est.evaluate(input_fn=lambda: ({"x": tf.constant(cases.X[:, :2])}, tf.constant(cases.Y)))


def test_predict_names_an_unknown_output(tmp_path: Path) -> None:
    est = trained(tmp_path)
    with pytest.raises(ValueError, match="not valid in case of non-dict predictions"):
        list(est.predict(input_fn=functools.partial(cases.tensors, 4, 1), outputs=["y"]))


@pytest.mark.parametrize(
    ("key", "message"),
    [(None, "Please specify a default_output_alternative"), ("none", "Requested default_output")],
)
def test_one_of_several_heads_is_the_default(key: str, message: str, tmp_path: Path) -> None:
    est = Estimator(functools.partial(cases.named_model_fn, LEARN), tmp_path)
    est.fit(input_fn=functools.partial(cases.tensors, 4), steps=1)
    with pytest.raises(ValueError, match=message):
        est.export_savedmodel(tmp_path / "export", cases.serialized(LEARN), key)


def operations(mode: str, **options: Any) -> ModelFnOps:
    return ModelFnOps(mode, tf.constant([[1.0]]), tf.constant([2.0]), tf.no_op(), **options)


def test_model_fn_ops_of_several_heads_are_an_estimator_spec() -> None:
    with tf.Graph().as_default():
        scores, classes = tf.constant([[0.5]]), tf.constant([["a"]])
        heads = {
            "value": (ProblemType.LINEAR_REGRESSION, {"scores": scores}),
            "kind": (ProblemType.LOGISTIC_REGRESSION, {"classes": classes, "scores": scores}),
        }
        metrics = {"loss": tf.metrics.mean(1.0), "other": tf.metrics.mean(1.0)}
        given = operations("infer", output_alternatives=heads, eval_metric_ops=metrics)
        spec = given.estimator_spec("kind")
        assert spec.mode == estimator.ModeKeys.PREDICT
        assert spec.loss.shape == []
        assert sorted(spec.eval_metric_ops) == ["other"]
        assert sorted(spec.export_outputs) == ["kind", "serving_default", "value"]
        assert isinstance(spec.export_outputs["value"], estimator.export.RegressionOutput)
        assert spec.export_outputs["serving_default"].classes is classes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", 1.0, 2.0), "Missing train_op"),
        (("eval", 1.0), "Missing loss"),
        (("infer",), "Missing predictions"),
        (("predict", 1.0), "Invalid mode predict"),
        (("eval", 1.0, [1.0, 2.0]), "Loss must be scalar"),
        (("eval", 1.0, 1.0, None, [1.0]), "eval_metric_ops must be a dict"),
    ],
)
def test_model_fn_ops_have_what_their_mode_needs(arguments: Any, message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        ModelFnOps(*arguments)


def test_a_limit_of_no_steps_makes_one_as_it_did(tmp_path: Path) -> None:
    est = Estimator(cases.tuple_model_fn, tmp_path, params={"rate": 0.05})
    est.fit(input_fn=functools.partial(cases.tensors, 4), steps=0)
    assert est.get_variable_value("global_step") == 1
    with pytest.raises(ValueError, match="Can not provide both steps and max_steps"):
        est.fit(input_fn=functools.partial(cases.tensors, 4), steps=1, max_steps=2)
