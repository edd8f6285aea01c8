"""TFM210: Keras layers and models."""

from __future__ import annotations

import pytest
from hazards import check_safe, check_unsafe, program
from support import check_unchanged, found

CODE = "TFM210"


@pytest.mark.parametrize(
    "body",
    [
        "x = tf.layers.dense(features, 1)\n",
        "x = tf.keras.backend.learning_phase()\n",
        "r = tf.keras.regularizers.l2(0.1)\n",
        "o = tf.keras.optimizers.Adam()\n",
        "i = tf.keras.initializers.he_normal()\n",
        "a = tf.keras.activations.relu(features)\n",
        "l = tf.keras.losses.mse(labels, features)\n",
        "d = tf.keras.datasets.mnist.load_data()\n",
        "d = tf.keras.utils.to_categorical(labels)\n",
        "x = 'tf.keras.layers.Dense'  # tf.keras.layers.Dense(1)\n",
        "x = mine.keras.layers.Dense(1)\n",
    ],
)
def test_no_variables_of_keras(body: str) -> None:
    check_safe(body, CODE)


@pytest.mark.parametrize(
    "body",
    [
        "x = tf.keras.layers.Dense(1)(features)\n",
        "x = tf.keras.models.Sequential()\n",
        "x = tf.keras.Sequential()\n",
        "x = tf.keras.Model(a, b)\n",
        "x = tf.keras.applications.VGG16()\n",
        "x = tf.python.keras.layers.Dense(1)\n",
    ],
)
def test_copies(body: str) -> None:
    check_unsafe(body, CODE, [4])


@pytest.mark.parametrize(
    "top",
    [
        "from tensorflow.keras import layers\n",
        "from tensorflow.python.keras import layers\n",
        "from tensorflow import keras\nlayers = keras.layers\n",
        "import tensorflow.keras.layers as layers\n",
        "from tensorflow.keras.layers import Dense\nimport mine as layers\nlayers.Dense = Dense\n",
    ],
)
def test_imported_layers_are_reported_once(top: str) -> None:
    text = program("x = layers.Dense(1)(layers.Flatten()(features))\n", top)
    check_unchanged(text)
    assert len(found(text, CODE)) == 1


def test_layer_as_a_base_class_of_the_module() -> None:
    check_unsafe("x = Mine()(features)\n", CODE, [2], "class Mine(tf.keras.Model):\n  pass\n")
