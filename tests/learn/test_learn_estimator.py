"""contrib.learn's Estimator: what model functions return, metrics, predictions, exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator, learn

FLOAT32 = 1e-6
X = np.linspace(-1, 1, 24).reshape(12, 2).astype(np.float32)
Y = X @ np.float32([[1.0], [-2.0]])


def input_fn() -> Any:
    """Gives one batch for ever, as tensors."""
    return {"x": tf.constant(X)}, tf.constant(Y)


def dataset_fn() -> Any:
    """Gives batches of four rows, once."""
    return tf.data.Dataset.from_tensor_slices(({"x": X}, Y)).batch(4)


def operations(features: Any, labels: Any, mode: str) -> tuple[Any, Any, Any]:
    w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
    output = tf.matmul(features["x"], w)
    if mode == learn.ModeKeys.INFER:
        return output, None, None
    loss = tf.losses.mean_squared_error(labels, output)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return output, loss, train_op


def ops_fn(features: Any, labels: Any, mode: str) -> learn.ModelFnOps:
    output, loss, train_op = operations(features, labels, mode)
    return learn.ModelFnOps(mode, {"output": output, "twice": 2 * output}, loss, train_op)


def mean_squared_error(predictions: Any, labels: Any) -> Any:
    return tf.metrics.mean_squared_error(labels, predictions)


class TestTraining:
    @pytest.mark.parametrize("model_fn", [operations, ops_fn], ids=["tuple", "ModelFnOps"])
    def test_numbers_are_those_of_the_core_estimator(self, tmp_path: Path, model_fn: Any) -> None:
        def core_fn(features: Any, labels: Any, mode: str) -> Any:
            output, loss, train_op = operations(features, labels, mode)
            return estimator.EstimatorSpec(mode, output, loss, train_op)

        ours = learn.Estimator(model_fn, tmp_path / "ours").fit(input_fn=input_fn, steps=5)
        core = estimator.Estimator(core_fn, tmp_path / "core").train(input_fn, steps=5)
        assert ours.get_variable_names() == core.get_variable_names()
        np.testing.assert_array_equal(ours.get_variable_value("w"), core.get_variable_value("w"))
        # Only that of tf.estimator made a summary of the loss (measured on 1.15.5).
        tags = [
            {
                value.tag
                for event in tf.train.summary_iterator(str(next(folder.glob("events.*"))))
                for value in event.summary.value
            }
            for folder in (tmp_path / "ours", tmp_path / "core")
        ]
        assert tags == [set(), {"loss"}]
        wanted = core.evaluate(input_fn, steps=1)
        assert ours.evaluate(input_fn=input_fn, steps=1) == pytest.approx(wanted, rel=FLOAT32)

    def test_two_replicas_train_as_one(self, tmp_path: Path) -> None:
        with tf.Graph().as_default():
            strategy = tf.distribute.MirroredStrategy(["/device:CPU:0", "/device:CPU:1"])
        both = learn.RunConfig(train_distribute=strategy, global_batch=True)
        two = learn.Estimator(ops_fn, tmp_path / "two", both).fit(input_fn=input_fn, steps=5)
        one = learn.Estimator(ops_fn, tmp_path / "one").fit(input_fn=input_fn, steps=5)
        np.testing.assert_allclose(
            two.get_variable_value("w"), one.get_variable_value("w"), rtol=0, atol=FLOAT32
        )

    def test_limits(self, tmp_path: Path) -> None:
        made = learn.Estimator(ops_fn, tmp_path)
        made.fit(input_fn=input_fn, max_steps=3).fit(input_fn=input_fn, max_steps=3)
        assert made.get_variable_value("global_step") == 3
        made.partial_fit(input_fn=input_fn)
        made.fit(input_fn=input_fn, steps=2)
        assert made.get_variable_value("global_step") == 6
        with pytest.raises(ValueError, match="both steps and max_steps"):
            made.fit(input_fn=input_fn, steps=1, max_steps=1)

    def test_what_the_model_function_takes(self, tmp_path: Path) -> None:
        seen: dict[str, Any] = {}

        def model_fn(
            features: Any, labels: Any, mode: str, params: Any, config: Any, model_dir: str
        ) -> Any:
            seen.update(params=params, config=config, model_dir=model_dir)
            return ops_fn(features, labels, mode)

        def engineer(features: Any, labels: Any) -> Any:
            return {"x": features["raw"] * 2}, labels

        def raw_input_fn() -> Any:
            return {"raw": tf.constant(X / 2)}, tf.constant(Y)

        made = learn.Estimator(
            model_fn, tmp_path, params={"a": 1}, feature_engineering_fn=engineer
        ).fit(input_fn=raw_input_fn, steps=5)
        plain = learn.Estimator(ops_fn, tmp_path / "plain").fit(input_fn=input_fn, steps=5)
        assert seen.pop("config").model_dir == made.model_dir
        assert seen == {"params": {"a": 1}, "model_dir": made.model_dir}
        np.testing.assert_allclose(
            made.get_variable_value("w"), plain.get_variable_value("w"), rtol=0, atol=FLOAT32
        )
        with pytest.raises(ValueError, match="does not have a params argument"):
            learn.Estimator(ops_fn, tmp_path, params={"a": 1})

    def test_wrong_values(self, tmp_path: Path) -> None:
        made = learn.Estimator(lambda features, labels: (1, 2), tmp_path)
        with pytest.raises(ValueError, match="Unrecognized value returned by model_fn"):
            made.fit(input_fn=input_fn, steps=1)
        with pytest.raises(ValueError, match="Either x or input_fn"):
            made.fit(steps=1)
        with pytest.raises(learn.NotFittedError, match="Couldn't find trained model"):
            made.evaluate(input_fn=input_fn)


class TestModelFnOps:
    def test_what_a_mode_needs(self) -> None:
        with tf.Graph().as_default():
            one = tf.constant(1.0)
            for mode, message in (
                ("train", "Missing train_op"),
                ("eval", "Missing loss"),
                ("infer", "Missing predictions"),
                ("other", "Invalid mode other"),
            ):
                with pytest.raises(ValueError, match=message):
                    learn.ModelFnOps(mode)
            with pytest.raises(ValueError, match="Loss must be scalar"):
                learn.ModelFnOps("eval", one, tf.zeros([2]))
            with pytest.raises(TypeError, match="must be SessionRunHook instances"):
                learn.ModelFnOps("eval", one, one, training_hooks=[3])
            assert learn.ModelFnOps("eval", one, tf.zeros([1])).loss.shape == []

    def test_as_an_estimator_spec(self) -> None:
        with tf.Graph().as_default():
            scores = tf.constant([[0.25, 0.75]])
            ops = learn.ModelFnOps(
                "infer",
                scores,
                eval_metric_ops={"loss": (scores, scores), "other": (scores, scores)},
                output_alternatives={
                    "kind": (learn.ProblemType.CLASSIFICATION, {"probabilities": scores}),
                    "size": (learn.ProblemType.LINEAR_REGRESSION, {"scores": scores}),
                },
            )
            spec = ops.estimator_spec("size")
            assert set(spec.eval_metric_ops) == {"other"}
            kinds = {name: type(output).__name__ for name, output in spec.export_outputs.items()}
            assert kinds == {
                "kind": "ClassificationOutput",
                "size": "RegressionOutput",
                "serving_default": "RegressionOutput",
            }


class TestMetrics:
    def test_specs_functions_and_pairs(self, tmp_path: Path) -> None:
        made = learn.Estimator(ops_fn, tmp_path).fit(input_fn=input_fn, steps=1)
        metrics = {
            "spec": learn.MetricSpec(tf.metrics.mean_squared_error, prediction_key="output"),
            ("pair", "output"): mean_squared_error,
            "value": learn.MetricSpec(
                lambda predictions, labels: tf.reduce_sum(labels), prediction_key="twice"
            ),
        }
        results = made.evaluate(input_fn=dataset_fn, steps=2, metrics=metrics)
        assert results["spec"] == pytest.approx(results["loss"], rel=FLOAT32)
        assert results["pair"] == pytest.approx(results["loss"], rel=FLOAT32)
        assert "value" in results
        assert set(made.evaluate(input_fn=dataset_fn)) == {"loss", "global_step"}
        with pytest.raises(ValueError, match="should be None or dict"):
            made.evaluate(input_fn=dataset_fn, metrics=["spec"])  # type: ignore[arg-type]

    def test_weights(self) -> None:
        given: dict[str, Any] = {}

        def metric(target: Any, logits: Any, weight: Any = None) -> str:
            given.update(target=target, logits=logits, weight=weight)
            return "made"

        spec = learn.MetricSpec(metric, "p", "l", "w")
        inputs, labels, predictions = {"w": 1}, {"l": 2, "m": 0}, {"p": 3, "q": 0}
        assert spec.create_metric_ops(inputs, labels, predictions) == "made"
        assert given == {"target": 2, "logits": 3, "weight": 1}
        assert str(spec) == (
            "MetricSpec(metric_fn=metric, prediction_key=p, label_key=l, weight_key=w)"
        )
        positional = learn.MetricSpec(lambda labels, x: (labels, x))
        assert positional.create_metric_ops({}, 1, {"only": 2}) == (1, 2)
        alone = learn.MetricSpec(lambda x: x)
        assert alone.create_metric_ops({}, 1, 2) == 2

    @pytest.mark.parametrize(
        "spec, labels, error, message",
        [
            (lambda: learn.MetricSpec(lambda p: p, "p", "l"), 1, ValueError, "missing from"),
            (lambda: learn.MetricSpec(lambda label, labels: 1), 1, ValueError, "Ambiguous"),
            (lambda: learn.MetricSpec(lambda labels, p: 1, "p"), 1, KeyError, "missing from"),
            (lambda: learn.MetricSpec(lambda labels, p: 1), 1, ValueError, "single element dict"),
            (
                lambda: learn.MetricSpec(lambda labels, p: 1, "a", "l"),
                1,
                ValueError,
                "requires labels dict",
            ),
        ],
    )
    def test_contradictions(self, spec: Any, labels: Any, error: Any, message: str) -> None:
        with pytest.raises(error, match=message):
            spec().create_metric_ops({}, labels, {"a": 1, "b": 2})


class TestPredictions:
    def test_examples_and_batches(self, tmp_path: Path) -> None:
        made = learn.Estimator(ops_fn, tmp_path).fit(input_fn=input_fn, steps=3)
        wanted = X @ made.get_variable_value("w")
        examples = list(made.predict(input_fn=dataset_fn))
        np.testing.assert_allclose([e["output"] for e in examples], wanted, atol=FLOAT32)
        np.testing.assert_allclose([e["twice"] for e in examples], 2 * wanted, atol=FLOAT32)
        batches = list(made.predict(input_fn=dataset_fn, iterate_batches=True, outputs=["twice"]))
        assert [list(batch) for batch in batches] == [["twice"]] * 3
        # One batch for ever is predicted once.
        assert len(list(made.predict(input_fn=input_fn))) == len(X)
        at_once = made.predict(input_fn=input_fn, as_iterable=False)
        np.testing.assert_allclose(at_once["output"], wanted, atol=FLOAT32)

    def test_arrays_of_a_canned_model(self, tmp_path: Path) -> None:
        columns = learn.infer_real_valued_columns_from_input(X)
        made = learn.DNNClassifier([2], columns, str(tmp_path), n_classes=3)
        made.fit(X, np.arange(len(X)) % 3, steps=1)
        # Its own predict returns the classes alone.
        classes = made.predict(X, as_iterable=False)
        found = learn.SKCompat(made).predict(X, batch_size=2)
        assert sorted(found) == ["classes", "logits", "probabilities"]
        assert found["classes"].tolist() == classes.tolist() == list(made.predict(X))
        assert found["logits"].shape == (len(X), 3)

    def test_one_tensor(self, tmp_path: Path) -> None:
        made = learn.Estimator(operations, tmp_path).fit(input_fn=input_fn, steps=3)
        wanted = X @ made.get_variable_value("w")
        np.testing.assert_allclose(list(made.predict(input_fn=input_fn)), wanted, atol=FLOAT32)


class TestExports:
    def exported(self, made: learn.Estimator, folder: Path, **options: Any) -> Any:
        spec = {"x": tf.FixedLenFeature([2], tf.float32)}
        serving = learn.build_parsing_serving_input_fn(spec)
        path = made.export_savedmodel(folder, serving, **options)
        return tf.saved_model.load_v2(path.decode())

    def test_a_model_without_heads(self, tmp_path: Path) -> None:
        made = learn.Estimator(operations, tmp_path / "model").fit(input_fn=input_fn, steps=3)
        loaded = self.exported(made, tmp_path / "export")
        assert set(loaded.signatures) == {
            "serving_default",
            "default_input_alternative:default_output_alternative",
        }
        features = tf.train.Features(
            feature={"x": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0]))}
        )
        serialized = tf.train.Example(features=features).SerializeToString()
        with tf.Graph().as_default(), tf.Session() as session:
            path = str(next((tmp_path / "export").iterdir()))
            meta = tf.saved_model.load(session, ["serve"], path)
            signature = meta.signature_def["serving_default"]
            found = session.run(
                signature.outputs["output"].name, {signature.inputs["examples"].name: [serialized]}
            )
        np.testing.assert_allclose(found, [[1.0, 2.0]] @ made.get_variable_value("w"), atol=FLOAT32)

    def test_heads(self, tmp_path: Path) -> None:
        def model_fn(features: Any, labels: Any, mode: str) -> Any:
            output, loss, train_op = operations(features, labels, mode)
            heads = {
                "size": (learn.ProblemType.LINEAR_REGRESSION, {"scores": output}),
                "kind": (learn.ProblemType.CLASSIFICATION, {"probabilities": output}),
                "all": (learn.ProblemType.UNSPECIFIED, {"a": output, "b": output}),
            }
            return learn.ModelFnOps(mode, output, loss, train_op, output_alternatives=heads)

        made = learn.Estimator(model_fn, tmp_path / "model").fit(input_fn=input_fn, steps=1)
        with pytest.raises(ValueError, match="Please specify a default_output_alternative"):
            self.exported(made, tmp_path / "none")
        with pytest.raises(ValueError, match="Requested default_output_alternative: other"):
            self.exported(made, tmp_path / "other", default_output_alternative_key="other")
        self.exported(made, tmp_path / "size", default_output_alternative_key="size")
        with tf.Graph().as_default(), tf.Session() as session:
            path = str(next((tmp_path / "size").iterdir()))
            meta = tf.saved_model.load(session, ["serve"], path)
        methods = {
            name: definition.method_name.rpartition("/")[2]
            for name, definition in meta.signature_def.items()
            if not name.startswith("__")
        }
        assert methods == {
            "serving_default": "regress",
            "default_input_alternative:size": "regress",
            "default_input_alternative:kind": "classify",
            "default_input_alternative:all": "predict",
        }
