"""TFM518: Keras 3 saves models under other names of files."""

from __future__ import annotations

import pytest
from support import check_unchanged, found

CODE = "TFM518"
HEAD = "import tensorflow as tf\n\nmodel = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"


@pytest.mark.parametrize(
    "line",
    [
        "model.save('a.keras')",
        "model.save('a.h5')",
        "model.save(path)",
        "model.save_weights('a.weights.h5')",
        "model.save_weights(path)",
        "model.export('/tmp/a')",
        "tf.train.Checkpoint(model=model).save('/tmp/a')",
        "other.save('/tmp/a')",
    ],
)
def test_names_that_keras_3_takes(line: str) -> None:
    assert found(f"{HEAD}{line}\n", CODE) == []


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("model.save('/tmp/model')", ".keras, .h5 or .hdf5"),
        ("model.save('/tmp/model', save_format='tf')", "save_format"),
        ("model.save(path, save_format='h5')", "save_format"),
        ("model.save_weights('/tmp/w')", ".weights.h5"),
        ("model.save_weights('w.h5')", ".weights.h5"),
    ],
)
def test_names_that_it_refuses(line: str, word: str) -> None:
    (finding,) = found(f"{HEAD}{line}\n", CODE)
    assert finding.severity.value == "manual"
    assert word in finding.message
    check_unchanged(f"{HEAD}{line}\n")


@pytest.mark.parametrize(
    "made",
    ["tf.keras.Model(i, o)", "tf.keras.models.Sequential()", "tf.keras.applications.VGG16()"],
)
def test_every_class_of_models_counts(made: str) -> None:
    text = f"import tensorflow as tf\n\nmodel = {made}\nmodel.save('/tmp/model')\n"
    assert len(found(text, CODE)) == 1


def test_a_program_on_keras_2_saves_as_it_did() -> None:
    text = 'import os\n\nos.environ["TF_USE_LEGACY_KERAS"] = "1"\n' + HEAD
    assert found(f"{text}model.save('/tmp/model')\n", CODE) == []
