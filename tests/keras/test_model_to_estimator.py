"""An Estimator of a compiled Keras model computes what TensorFlow 1.15's model_to_estimator did.

TensorFlow 1.15 wrote models.npz: ``TF1.15-PYTHON tests/keras/programs/keras_models.py FILE``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from long_tail import long

HERE = Path(__file__).parent
TOLERANCE = 1e-5


def _run(program: str, *options: str) -> None:
    run = subprocess.run(
        [sys.executable, *([program] if program else []), *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"},
    )
    assert run.returncode == 0, run.stderr[-4000:]


# Each model once, each variant at least twice; the other combinations reach no other line.
_SOME = (
    *("one:sequential", "one:batch_norm", "one:two_outputs", "two:regularized_adam"),
    *("two:train_optimizer", "saver:sample_weights", "saver:weights_set"),
)


@pytest.mark.parametrize(
    "options",
    [["eager", *_SOME], *long([["eager"], []])],
    ids=["eager", "all, eager", "all, graph"],
)
def test_training_evaluation_prediction_checkpoint_and_export(
    options: list[str], tmp_path: Path
) -> None:
    _run(str(HERE / "programs" / "keras_models.py"), str(tmp_path / "ours.npz"), *options)
    with np.load(HERE / "models.npz") as wanted, np.load(tmp_path / "ours.npz") as found:
        named = tuple(f"{option}/" for option in options if ":" in option)
        compared = [key for key in wanted.files if key.startswith(named or "")]
        assert sorted(found.files) == sorted(compared)
        differences = [key for key in compared if not _near(found[key], wanted[key])]
    assert not differences


def _near(found: Any, wanted: Any) -> bool:
    return found.shape == wanted.shape and np.allclose(found, wanted, TOLERANCE, TOLERANCE)


REFUSED = """\
from tfmigrate_runtime import estimator
import tensorflow.compat.v1 as tf

def refuses(error, part, **options):
    try:
        estimator.model_to_estimator(**options)
    except error as problem:
        assert part in str(problem), problem
    else:
        raise AssertionError(part)

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
refuses(ValueError, "Either", keras_model=None)
refuses(ValueError, "not both", keras_model=model, keras_model_path="m.h5")
refuses(ValueError, "not been compiled", keras_model=model)
model.compile("sgd", "mse")
refuses(ValueError, "Checkpoint format", keras_model=model, checkpoint_format="h5")
config = estimator.RunConfig(global_batch=True)
refuses(ValueError, "global_batch=False", keras_model=model, config=config)

import keras
other = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(1)])
other.compile("sgd", "mse")
refuses(ValueError, "tf.keras", keras_model=other)
"""

# The model itself is used after an Estimator was made of it, which exports before it has trained.
USED = """
import sys
import numpy as np
x = np.ones([4, 2], np.float32)
y = np.zeros([4, 1], np.float32)
loss = model.evaluate(x, y, verbose=0)
made = estimator.model_to_estimator(model, model_dir=sys.argv[1])

def receiver():
    x = tf.placeholder(tf.float32, [None, 2])
    return estimator.export.ServingInputReceiver({"dense_input": x}, {"dense_input": x})

exported = tf.saved_model.load_v2(made.export_saved_model(sys.argv[1] + "/exported", receiver))
served = exported.signatures["serving_default"](dense_input=tf.constant(x))
np.testing.assert_allclose(served["dense"], model.predict(x, verbose=0), rtol=1e-6)
made.train(lambda: tf.data.Dataset.from_tensor_slices((x, y)).batch(4), steps=1)
assert model.evaluate(x, y, verbose=0) == loss
model.save(sys.argv[1] + "/model.h5")
assert tf.keras.models.load_model(sys.argv[1] + "/model.h5").evaluate(x, y, verbose=0) == loss
model.fit(x, y, verbose=0)
assert model.evaluate(x, y, verbose=0) < loss
"""


def test_what_is_refused_and_what_the_model_does_afterwards(tmp_path: Path) -> None:
    _run("", "-c", REFUSED + USED, str(tmp_path))
