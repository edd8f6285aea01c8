"""TFM519: members and arguments of Keras 2 that Keras 3 lacks."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import check_unchanged, found, migrate_tree

from tfmigrate.tables.keras_members import lost_members, taken_arguments

CODE = "TFM519"
HEAD = "import tensorflow as tf\n\nmodel = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"
STANDALONE = "from keras.models import Sequential\n\nmodel = Sequential()\n"
KERAS_2 = 'import os\n\nos.environ["TF_USE_LEGACY_KERAS"] = "1"\n'
METRIC = "class Mine(tf.keras.metrics.Metric):\n  def reset_states(self): self.total = 0\n"


def _messages(text: str) -> list[str]:
    return [f.message for f in found(text, CODE)]


@pytest.mark.parametrize(
    "line",
    [
        "model.fit(x, y, epochs=2, validation_data=z)",
        "model.summary()",
        "model.output_shape",
        "other.fit_generator(x)",  # its class is unknown
        "model.optimizer.learning_rate = 0.1",
        "model = tf.keras.Model(inputs=i, outputs=o, name='a')",
        "d = tf.keras.layers.Dense(2, input_shape=(3,), dtype='float32', name='d')",
        "d = tf.keras.layers.Dense(2, **settings)",
        "o = tf.keras.optimizers.SGD(0.1, decay=0.0)",  # which changed nothing
        "o = tf.keras.optimizers.Adam(lr=0.1)",  # TFM513
        "tf.keras.callbacks.ModelCheckpoint(path, save_freq=10)",
        "tf.keras.metrics.Mean().reset_states()",  # TFM512
        "if hasattr(model, 'fit_generator'): model.fit_generator(x)",
        "class Mine(tf.keras.Model):\n  def fit_generator(self): pass\nMine().fit_generator()",
        "class Mine(tf.keras.layers.Layer):\n  def call(self, x): self.add_loss(x)\n",
        "class Mine(tf.keras.layers.Layer):\n  def apply(self, x): return x\n",
        "model.compile('sgd', 'mse')",
        "model.compile('sgd', 'mse', None)",
        "model.compile('sgd', 'mse', *more)",  # any number of them
        "model.compile('sgd', 'mse', metrics=['accuracy'])",
        "model.compile(*more)",
        "tf.keras.layers.Conv2D(8, 3, 1, 'same')",
        "tf.keras.layers.Embedding(5, 3, 'uniform', None, None)",
        "import keras\nkeras.optimizers.SGD(0.1, 0.9, True)",
    ],
)
def test_what_keras_3_has(line: str) -> None:
    assert _messages(f"{HEAD}{line}\n") == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("model.fit_generator(x)", "fit_generator of keras.Sequential"),
        ("model.predict_classes(x)", "predict_classes of keras.Sequential"),
        ("model.optimizer.lr = 0.1", "lr of keras.optimizers.Optimizer"),
        ("print(model.layers[0].input_shape)", "input_shape of keras.layers.Layer"),
        ("print(model.get_layer('a').output_shape)", "output_shape of keras.layers.Layer"),
        ("tf.keras.applications.VGG16().fit_generator(x)", "fit_generator of keras.models.Model"),
        ("tf.keras.optimizers.SGD(0.1).minimize(f, v)", "minimize of keras.optimizers.SGD"),
        ("model.fit(x, y, workers=2)", "fit of Keras 3 has no argument workers"),
        ("model.compile('sgd', sample_weight_mode='temporal')", "no argument sample_weight_mode"),
        ("tf.keras.optimizers.SGD(0.1, decay=1e-6)", "optimizers.SGD of Keras 3 has no argument"),
        ("tf.keras.layers.LSTM(2, batch_input_shape=(1, 2, 3))", "no argument batch_input_shape"),
        ("tf.keras.layers.Dense(2, init='uniform')", "layers.Dense of Keras 3 has no argument"),
        ("tf.keras.callbacks.ModelCheckpoint(p, period=2)", "has no argument period"),
        ("model.add_loss(tf.reduce_mean(x))", "add_loss of Keras 3 takes a tensor"),
        (METRIC, "Mine overrides reset_states of keras.metrics.Metric"),
        (
            "class Mine(tf.keras.callbacks.Callback):\n"
            "  def on_epoch_end(self, epoch): self.model.optimizer.lr = self.validation_data\n",
            "lr of keras.optimizers.Optimizer is not in Keras 3, where setting it has no effect",
        ),
        (
            "class Mine(tf.keras.optimizers.Optimizer):\n"
            "  def _resource_apply_dense(self, grad, var, state): return var.assign_sub(grad)\n",
            "Mine overrides _resource_apply_dense",
        ),
        ("def make(): return model\nmake().fit_generator(x)", "fit_generator of keras.Sequential"),
        (
            "model.compile('sgd', 'mse', ['accuracy'])",
            "argument 3 of keras.Sequential.compile was metrics in earlier versions and is "
            "loss_weights in Keras 3",
        ),
        ("tf.keras.Input([3], None, 'x')", "was name in earlier versions and is dtype in Keras 3"),
        (
            "import keras\nkeras.optimizers.SGD(0.1, 0.9, 1e-6)",
            "argument 3 of keras.optimizers.SGD was decay in earlier versions and is nesterov",
        ),
    ],
)
def test_what_it_lacks(line: str, message: str) -> None:
    assert any(message in reported for reported in _messages(f"{HEAD}{line}\n"))
    check_unchanged(f"{HEAD}{line}\n")


def test_standalone_keras_counts_without_another_sign_of_its_version() -> None:
    text = STANDALONE + "model.fit_generator(x)\nmodel.save_weights('a.h5')\n"

    assert len(found(text, CODE)) == len(found(text, "TFM518")) == 1


def test_objects_of_other_files() -> None:
    files = {
        "build.py": HEAD + "class Net(tf.keras.Model):\n  pass\n\ndef make():\n  return Net()\n",
        "train.py": "import build, tensorflow.keras\nfrom build import Net, make, model\n\n"
        "made = make()\nmade.fit_generator(1)\nmodel.fit_generator(2)\n"
        "Net().fit_generator(3)\nbuild.make().fit_generator(4)\n",
    }

    _, reported = migrate_tree(files)

    assert [f.line for f in reported if f.code == CODE] == [5, 6, 7, 8]


def test_a_program_that_selects_keras_2_keeps_it() -> None:
    assert _messages(f"{KERAS_2}{HEAD}model.fit_generator(x)\n") == []


def test_what_keras_2_lost_since_tensorflow_1_15() -> None:
    text = HEAD + "def train(session: tf.Session):\n  model.fit_generator(1)\n"
    text += "  return model.predict_classes(1)\n"

    assert _messages(text) == ["predict_classes of keras.Sequential is not in tf.compat.v1.keras"]
    text += "layer = tf.keras.layers.Conv2D(8, 3, 1, 'same', None, 1, 'relu')\n"
    assert _messages(text)[1] == (
        "argument 7 of keras.layers.Conv2D was activation in earlier versions and is groups in "
        "tf.compat.v1.keras"
    )


def test_what_only_models_in_graphs_have() -> None:
    text = "import tensorflow as tf\n{}tf.set_random_seed(1)\nmodel = tf.keras.Sequential()\n"
    text += "tf.keras.backend.gradients(model.total_loss, model.trainable_weights)\n"

    assert _messages(text.format("")) == []
    assert _messages(text.format("tf.enable_eager_execution()\n")) == [
        "total_loss of keras.Sequential is not in tf.compat.v1.keras"
    ]


def test_a_program_in_graphs_beside_an_eager_one() -> None:
    model = "import tensorflow as tf\n\ndef build():\n  return tf.keras.Sequential()\n"
    graph = "import tensorflow as tf\nmodel = tf.keras.Sequential()\nmodel.total_loss\n"
    files = {
        "net.py": model,
        "graph.py": f"{graph}import net\ntf.Session()\n",
        "eager.py": f"{graph}import net\ntf.enable_eager_execution()\n",
    }
    _, findings = migrate_tree(files)
    assert [Path(f.path).name for f in findings if f.code == CODE] == ["eager.py"]


def test_the_table_has_what_was_compared() -> None:
    assert "fit_generator" in lost_members("lost")["Model"].members
    assert "fit_generator" not in lost_members("lost-in-2")["Model"].members
    assert "reset_states" in lost_members("lost")["metrics.Metric"].hooks
    assert "call" not in lost_members("lost")["Model"].members
    assert {"name", "units", "input_shape"} <= taken_arguments()["layers.Dense"]


def test_apply_is_a_call_of_the_layer() -> None:
    """Keras 2 beside TensorFlow 2 has no apply either."""
    text = "import tensorflow as tf\ntf.Session()\ny = tf.keras.layers.Dense(1).apply(x)\n"
    assert [f.action for f in found(text, CODE)] == [
        "call the layer, which apply does: layer(inputs)"
    ]
