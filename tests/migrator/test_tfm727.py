"""TFM727: arguments of Keras 1."""

import pytest
from support import check_unchanged, found, migrate_tree, migrated

OLD = "import tensorflow as tf\nfrom keras import layers\ns = tf.Session()\n"
LAYERS = "import tensorflow as tf\nfrom keras.layers import *\ns = tf.Session()\n"


@pytest.mark.parametrize(
    "call",
    [
        "layers.Conv2D(16, (3, 3), padding='same', kernel_initializer='uniform')",
        "layers.Conv2D(16, 3)",
        "layers.Conv2D(16, kernel, strides, padding='same')",
        "layers.Conv2D(16, (3, 3), strides)",
        "layers.Conv2D(16, [3, 3], (2, 2))",
        "layers.Dense(4, **{'init': 'uniform'})",
        "layers.Embedding(input_dim=3, output_dim=4)",
        "layers.Dense(4, input_dim=3)",
        "tf.keras.layers.Conv2D(16, 3, 3)",
        "own.Conv2D(16, 3, 3, border_mode='same')",
        "own(nb_epoch=3)",
    ],
)
def test_arguments_of_keras_2_stay(call: str) -> None:
    assert not found(f"{OLD}{call}\n", "TFM727")


def test_tf_keras_of_tensorflow_1_took_none_of_them() -> None:
    text = "import tensorflow as tf\ntf.Session()\ntf.keras.layers.Conv2D(16, 3, 3)\n"
    assert "Conv2D(16, 3, 3)" in migrated(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Conv2D(16, 3, 5)", "Conv2D(16, (3, 5))"),
        ("Conv2D(16, n, n, border_mode='same')", "Conv2D(16, (n, n), padding='same')"),
        ("Conv2D(16, k, k)", "Conv2D(16, (k, k))"),
        ("Conv2D(nb_filter=16, nb_row=3, nb_col=5)", "Conv2D(filters=16, kernel_size=(3, 5))"),
        ("Conv2D(16, 3, nb_col=5)", "Conv2D(16, (3, 5))"),
        ("Conv3D(16, 3, 4, 5)", "Conv3D(16, (3, 4, 5))"),
        ("MaxPooling2D(2, dim_ordering='tf')", "MaxPooling2D(2, data_format='channels_last')"),
        ("Dense(output_dim=4, init='uniform')", "Dense(units=4, kernel_initializer='uniform')"),
        ("Dropout(p=0.5)", "Dropout(rate=0.5)"),
        (
            "GRU(4, consume_less='gpu', input_dim=3)",
            "tf.keras.layers.GRU(4, input_shape=(None, 3))",
        ),
        ("LSTM(4, input_length=5, input_dim=3)", "LSTM(4, input_shape=(5, 3))"),
        (
            "BatchNormalization(mode=0, gamma_init='one')",
            "BatchNormalization(gamma_initializer='one')",
        ),
    ],
)
def test_arguments_of_layers_become_those_of_keras_2(before: str, after: str) -> None:
    assert f"f({after}" in migrated(f"{LAYERS}k = 3\nf({before})\n").replace(
        "tf.keras.layers.", "" if "tf." not in after else "tf.keras.layers."
    )


def test_arguments_of_models() -> None:
    text = "from keras.models import Model\nm = Model(input=x, output=y)\nm.fit(x, nb_epoch=3)\n"
    result = migrated(f"import tensorflow as tf\n{text}tf.Session()\n")
    assert "m = Model(inputs=x, outputs=y)\nm.fit(x, epochs=3)\n" in result


@pytest.mark.parametrize(
    ("call", "action"),
    [
        ("m.fit_generator(g, samples_per_epoch=9)", "pass steps_per_epoch: the number of batches"),
        ("Conv2D(16, a, b)", "pass a tuple as kernel_size, and strides by name"),
        ("Conv2D(16, 3, dim_ordering=d)", "pass data_format, 'channels_last' for 'tf'"),
        ("BatchNormalization(mode=2)", "use layers with mode 0"),
    ],
)
def test_what_means_something_else_is_reported(call: str, action: str) -> None:
    (finding,) = found(f"{LAYERS}{call}\n", "TFM727")
    assert finding.action.startswith(action)
    assert finding.severity.value == "manual"


def test_programs_of_keras_3() -> None:
    text = "from keras.layers import Conv2D, Convolution2D\nimport tensorflow as tf\n"
    check_unchanged(f"{text}Conv2D(16, 3, 2)\n")
    assert not found(f"{text}Conv2D(16, 3, 2)\n", "TFM727")
    (finding,) = found(f"{text}Convolution2D(16, 3, 3)\n", "TFM727")
    start = "argument 3 of keras.layers.Convolution2D is strides in Keras 3"
    assert finding.message.startswith(start)
    (finding,) = found(f"{text}Conv2D(16, 3, border_mode='same')\n", "TFM519")
    assert finding.action == "name it padding"


def test_names_that_keras_2_dropped() -> None:
    text = "import tensorflow as tf\nfrom keras.layers import {0}\ny = {0}(x)\ntf.Session()\n"
    assert "use keras.layers.add" in found(text.format("merge"), "TFM720")[0].action
    assert "dilation_rate" in found(text.format("AtrousConvolution2D"), "TFM720")[0].action
    result = migrated(text.format("Deconvolution2D"))
    assert "import Conv2DTranspose as Deconvolution2D\n" in result
    text = "from keras.layers.convolutional import Deconvolution2D\nDeconvolution2D(3, (3, 3))\n"
    assert found(text, "TFM720")[0].action == "use keras.layers.Conv2DTranspose"


def test_a_file_with_arguments_of_keras_1_is_none_of_tensorflow_2() -> None:
    files = {
        "parts.py": "import keras\nfrom keras import backend as K\ndef f(x): return K.mean(x)\n",
        "serve.py": "import tensorflow as tf\nfrom parts import f\nf(tf.Session())\n",
        "model.py": "from keras.models import Model\nfrom keras.layers import Dense\n"
        "from parts import f\nm = Model(input=x, output=Dense(3)(x))\nm.compile('sgd', f)\n",
    }
    texts, _ = migrate_tree(files)
    assert "from tensorflow.keras import backend as K" in texts["parts.py"]
    # Another program of today's Keras keeps the file that both use on Keras 3.
    modern = files["model.py"].replace("input=x, output=", "x, ")
    texts, _ = migrate_tree(files | {"model.py": modern})
    assert "parts.py" not in texts
