"""SavedModels, as TensorFlow 2 loads them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf2
import tensorflow.compat.v1 as tf
from runtime_support import MODES, X, linear_model, train

from tfmigrate_runtime import estimator
from tfmigrate_runtime.estimator import export

DEFAULT = "serving_default"


def loaded(directory: bytes) -> Any:
    """Returns the signatures of a SavedModel, and keeps the model alive beside them."""
    model = tf2.saved_model.load(os.fsdecode(directory))
    return model, model.signatures


def raw_receiver() -> Any:
    with tf.Graph().as_default():
        placeholders = {"x": tf.placeholder(tf.float32, [1, 3], name="x")}
        return export.build_raw_serving_input_receiver_fn(placeholders)


def parsing_receiver() -> Any:
    return export.build_parsing_serving_input_receiver_fn(
        {"x": tf.FixedLenFeature([3], tf.float32)}
    )


def serialized() -> list[bytes]:
    def example(row: Any) -> bytes:
        values = tf.train.Feature(float_list=tf.train.FloatList(value=row))
        features = tf.train.Features(feature={"x": values})
        return bytes(tf.train.Example(features=features).SerializeToString())

    return [example(row) for row in X]


def served(mode: str, output: Any) -> dict[str, Any]:
    """Returns outputs of every kind, for prediction."""
    if mode != MODES.PREDICT:
        return {}
    classes = tf.broadcast_to(tf.constant([["no", "yes"]]), [tf.shape(output)[0], 2])
    outputs = {
        DEFAULT: export.PredictOutput({"y": output}),
        "lone": export.PredictOutput(output),
        "classify": export.ClassificationOutput(
            scores=tf.concat([1 - output, output], axis=1), classes=classes
        ),
        "regress": export.RegressionOutput(output[:, 0]),
    }
    return {"export_outputs": outputs}


def test_there_must_be_a_checkpoint(tmp_path: Path) -> None:
    made = estimator.Estimator(linear_model(), tmp_path)
    with pytest.raises(ValueError, match="Couldn't find trained model"):
        made.export_saved_model(tmp_path / "export", raw_receiver())
    assert not (tmp_path / "export").exists()


def test_wrong_outputs_are_refused(tmp_path: Path) -> None:
    def regression_only(mode: str, output: Any) -> dict[str, Any]:
        outputs = {"regress": export.RegressionOutput(output[:, 0])}
        return {"export_outputs": outputs} if mode == MODES.PREDICT else {}

    trained, _ = train(linear_model(spec=regression_only), tmp_path, steps=1)
    folder = trained.export_saved_model(tmp_path / "export", raw_receiver())
    # As in TensorFlow 1.15: it takes serialized examples only, and is left out with a warning.
    assert not tf.saved_model.load_v2(folder.decode()).signatures
    with pytest.raises(ValueError, match="needs scores, classes or both"):
        export.ClassificationOutput()

    def no_default(mode: str, output: Any) -> dict[str, Any]:
        outputs = {name: export.PredictOutput(output) for name in ("a", "b")}
        return {"export_outputs": outputs} if mode == MODES.PREDICT else {}

    made = estimator.Estimator(linear_model(spec=no_default), tmp_path)
    with pytest.raises(ValueError, match="one of them must be 'serving_default'"):
        made.export_saved_model(tmp_path / "export", raw_receiver())


def test_signatures_that_do_not_take_raw_inputs_are_left_out(tmp_path: Path) -> None:
    trained, _ = train(linear_model(spec=served), tmp_path, steps=1)
    _, signatures = loaded(trained.export_saved_model(tmp_path / "export", raw_receiver()))
    assert set(signatures) == {DEFAULT, "lone"}


def test_raw_inputs(tmp_path: Path) -> None:
    trained, _ = train(linear_model(), tmp_path, steps=2)
    extra = tmp_path / "vocabulary.txt"
    extra.write_text("words")
    directory = trained.export_saved_model(
        tmp_path / "export", raw_receiver(), assets_extra={"folder/words.txt": str(extra)}
    )
    assert Path(os.fsdecode(directory)).parent == tmp_path / "export"
    assert [path.name for path in (tmp_path / "export").iterdir()] == [
        Path(os.fsdecode(directory)).name
    ]
    words = Path(os.fsdecode(directory)) / "assets.extra" / "folder" / "words.txt"
    assert words.read_text() == "words"
    model, signatures = loaded(directory)
    found = signatures[DEFAULT](x=tf2.constant(X))["y"]
    np.testing.assert_allclose(found, X @ trained.get_variable_value("w"), rtol=1e-5)
    del model


def test_serialized_examples_and_every_kind_of_output(tmp_path: Path) -> None:
    trained, _ = train(linear_model(spec=served), tmp_path, steps=2)
    directory = trained.export_savedmodel(tmp_path / "export", parsing_receiver())
    model, signatures = loaded(directory)
    expected = X @ trained.get_variable_value("w")
    examples = tf2.constant(serialized())
    found = signatures[DEFAULT](examples=examples)["y"]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    lone = signatures["lone"](examples=examples)["output"]
    np.testing.assert_allclose(lone, expected, rtol=1e-5)
    classified = signatures["classify"](inputs=examples)
    np.testing.assert_allclose(classified["scores"][:, 1:], expected, rtol=1e-5)
    assert classified["classes"][3].numpy().tolist() == [b"no", b"yes"]
    regressed = signatures["regress"](inputs=examples)["outputs"]
    np.testing.assert_allclose(regressed, expected[:, 0], rtol=1e-5)
    del model


def test_alternative_inputs_and_older_checkpoints(tmp_path: Path) -> None:
    trained, _ = train(linear_model(), tmp_path, steps=2)

    def receiver() -> Any:
        both = tf.placeholder(tf.float32, [None, 6], name="both")
        x = both[:, :3]
        return export.ServingInputReceiver({"x": x}, {"both": both}, {"sliced": {"x": x}})

    first = trained.export_saved_model(
        tmp_path / "export", receiver, checkpoint_path=str(tmp_path / "model.ckpt-0"), as_text=True
    )
    assert (Path(os.fsdecode(first)) / "saved_model.pbtxt").is_file()
    second = trained.export_saved_model(tmp_path / "export", receiver)
    assert first != second
    weights = [
        trained.get_variable_value("w"),
        tf.train.load_variable(str(tmp_path / "model.ckpt-0"), "w"),
    ]
    for directory, w in zip((second, first), weights, strict=True):
        model, signatures = loaded(directory)
        found = signatures[DEFAULT](both=tf2.constant(np.hstack([X, X])))["y"]
        np.testing.assert_allclose(found, X @ w, rtol=1e-5)
        alternative = signatures[f"sliced:{DEFAULT}"](x=tf2.constant(X))["y"]
        np.testing.assert_allclose(alternative, X @ w, rtol=1e-5)
        del model


def test_lone_tensors_get_names() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        receiver = export.ServingInputReceiver(x, x)
        assert receiver.features == {"feature": x}
        assert receiver.receiver_tensors == {"input": x}
        lone = export.TensorServingInputReceiver(x, x)
        assert lone.features is x
        assert lone.receiver_tensors == {"input": x}


def test_what_is_no_tensor_is_no_receiver() -> None:
    export = estimator.export
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None])
        for arguments, message in (
            ((None, x), "features must be defined"),
            (({"x": [1.0]}, x), "feature x must be a Tensor, SparseTensor, or"),
            (({("x",): x}, x), "feature keys must be strings"),
            ((x, None), "receiver_tensors must be defined"),
            ((x, {"x": 3}), "receiver_tensor x must be a Tensor"),
            ((x, {1: x}), "receiver_tensor keys must be strings"),
            ((x, x, [x]), "alternatives must be a dict"),
            ((x, x, {"other": {"x": "x"}}), "receiver_tensors_alternative x must be a Tensor"),
        ):
            with pytest.raises(ValueError, match=message):
                export.ServingInputReceiver(*arguments)
        assert export.ServingInputReceiver({1: x}, x).features == {1: x}
        with pytest.raises(ValueError, match="feature must be a Tensor"):
            export.TensorServingInputReceiver({"x": x}, x)


def test_a_raw_input_of_unknown_shape() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, name="x")
        receiver = estimator.export.build_raw_serving_input_receiver_fn({"x": x})()
        assert receiver.receiver_tensors["x"].shape.rank is None


def test_a_raw_input_of_a_scalar_has_a_batch_axis() -> None:
    with tf.Graph().as_default():
        made = estimator.export.build_raw_serving_input_receiver_fn({"x": tf.constant(3.0)}, 4)()
        assert made.receiver_tensors["x"].shape.as_list() == [4]
