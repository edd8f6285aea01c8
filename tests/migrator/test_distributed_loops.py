"""TFM501 and TFM511 to TFM518: strategies of tf.contrib.distribute, loops of TensorFlow 2.0."""

from __future__ import annotations

import pytest
from support import check, check_unchanged, found, migrate_tree, migrated

HEAD = "import tensorflow as tf\nstrategy = tf.distribute.MirroredStrategy()\n"
STEP = """
def step(x, y):
  with tf.GradientTape() as tape:
    loss = tf.nn.compute_average_loss(loss_of(y, model(x)), global_batch_size=64)
  gradients = tape.gradient(loss, model.trainable_variables)
  optimizer.apply_gradients(zip(gradients, model.trainable_variables))
"""


@pytest.mark.parametrize(
    ("imported", "used"),
    [
        ("from tensorflow.contrib import distribute", "distribute.MirroredStrategy"),
        ("import tensorflow.contrib.distribute as d", "d.MirroredStrategy"),
        ("from tensorflow.contrib.distribute import MirroredStrategy as M", "M"),
        (
            "from tensorflow.contrib.distribute.python import mirrored_strategy",
            "mirrored_strategy.MirroredStrategy",
        ),
        (
            "from tensorflow.contrib.distribute.python.mirrored_strategy import MirroredStrategy",
            "MirroredStrategy",
        ),
    ],
)
def test_contrib_distribute_however_it_is_imported(imported: str, used: str) -> None:
    after = migrated(f"{imported}\nimport tensorflow as tf\n\ns = {used}(num_gpus=2)\n")
    assert "contrib" not in after
    assert "tfmigrate_runtime" in after
    assert f"s = {used}(num_gpus=2)" in after


def test_a_custom_loop_without_an_estimator_is_a_program() -> None:
    check(
        """\
        import tensorflow as tf

        strategy = tf.contrib.distribute.OneDeviceStrategy('/gpu:0')
        """,
        """\
        from tfmigrate_runtime import distribute

        strategy = distribute.OneDeviceStrategy('/gpu:0')
        """,
    )


@pytest.mark.parametrize("name", ["MultiWorkerAllReduce", "UpdateContext"])
def test_what_the_runtime_lacks_is_told_with_a_reason(name: str) -> None:
    told = found(f"import tensorflow as tf\nx = tf.contrib.distribute.{name}(1)\n", "TFM702")
    assert [f.line for f in told] == [2]
    assert told[0].action


def test_experimental_run_v2() -> None:
    before = HEAD + "result = strategy.experimental_run_v2(f, args=(x,), kwargs={'a': 1})\n"
    after = before.replace("experimental_run_v2", "run")
    check(before, after)
    check_unchanged(HEAD + "f = strategy.experimental_run_v2_of_mine\n")


@pytest.mark.parametrize(
    "line",
    [
        "m = tf.keras.layers.LSTM(3, stateful=True)\nm.reset_states()\n",
        "def f(m):\n  m.reset_states()\n",
        "m = tf.keras.metrics.Mean()\nm = other()\nm.reset_states()\n",
        "import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\n"
        "m = tf.keras.metrics.Mean()\nm.reset_states()\n",
    ],
)
def test_reset_states_of_other_things(line: str) -> None:
    check_unchanged(f"import tensorflow as tf\n{line}")


def test_reset_states_of_an_attribute() -> None:
    check(
        """\
        import tensorflow as tf

        class Trainer:
          def __init__(self):
            self.loss = tf.keras.metrics.Mean()

          def epoch(self):
            self.loss.reset_states()  # per epoch
        """,
        """\
        import tensorflow as tf

        class Trainer:
          def __init__(self):
            self.loss = tf.keras.metrics.Mean()

          def epoch(self):
            self.loss.reset_state()  # per epoch
        """,
    )


def test_learning_rate() -> None:
    check(
        "import tensorflow as tf\no = tf.keras.optimizers.SGD(momentum=0.9, lr=schedule(1))\n",
        "import tensorflow as tf\n"
        "o = tf.keras.optimizers.SGD(momentum=0.9, learning_rate=schedule(1))\n",
    )
    for line in ("tf.keras.optimizers.SGD(**lr)", "Adam(lr=1)", "tf.keras.optimizers.SGD(0.1)"):
        check_unchanged(f"import tensorflow as tf  # lr\no = {line}\n")


@pytest.mark.parametrize(
    "model",
    [
        "tf.keras.Model(inputs, outputs)",
        "tf.keras.models.Model(inputs=a, outputs=b)",
        "tf.keras.applications.ResNet50(weights=None)",
        "tf.keras.models.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])",
        "tf.keras.Sequential([tf.keras.layers.Dense(1, input_dim=3)])",
        "create_model()",
    ],
)
def test_an_optimizer_is_built_below_what_is_made_later(model: str) -> None:
    function = (
        "\ndef create_model():\n  m = tf.keras.Model(inputs, outputs)\n  return m\n\n"
        "with strategy.scope():\n"
    )
    optimizer = "  optimizer = tf.keras.optimizers.Adam()\n"
    build = "  optimizer.build(model.trainable_variables)\n"
    made = f"  model = {model}\n"
    check(
        HEAD + function + made + optimizer + STEP,
        HEAD + function + made + optimizer + build + STEP,
    )
    check(
        HEAD + function + optimizer + made + STEP,
        HEAD + function + optimizer + made + build + STEP,
    )


@pytest.mark.parametrize(
    "text",
    [
        # The model does not know its input.
        "with strategy.scope():\n  model = tf.keras.Sequential([tf.keras.layers.Dense(1)])\n"
        "  optimizer = tf.keras.optimizers.Adam()\n",
        # It is made elsewhere.
        "from models import model\nwith strategy.scope():\n"
        "  optimizer = tf.keras.optimizers.Adam()\n",
        # The optimizer is made outside, after it.
        "with strategy.scope():\n  model = tf.keras.Model(a, b)\n"
        "optimizer = tf.keras.optimizers.Adam()\n",
        # It is used before the model is made.
        "optimizer = tf.keras.optimizers.Adam()\nprint(optimizer)\nwith strategy.scope():\n"
        "  model = tf.keras.Model(a, b)\n",
    ],
)
def test_an_optimizer_that_cannot_be_built_is_told(text: str) -> None:
    check_unchanged(HEAD + text + STEP)
    (finding,) = found(HEAD + text + STEP, "TFM515")
    assert ("outside" in finding.message) == ("\noptimizer" in f"\n{text}")


@pytest.mark.parametrize(
    "text",
    [
        "with strategy.scope():\n  model = tf.keras.Model(a, b)\n"
        "  optimizer = tf.keras.optimizers.Adam()\n  optimizer.build(model.variables)\n",
        "with strategy.scope():\n  model = tf.keras.Model(a, b)\n  optimizer = make()\n",
    ],
)
def test_other_optimizers_are_left_alone(text: str) -> None:
    check_unchanged(HEAD + text + STEP)
    assert found(HEAD + text + STEP, "TFM515") == []


def test_an_optimizer_of_a_class_is_told() -> None:
    text = """\
import tensorflow as tf

class Trainer:
  def __init__(self, strategy):
    self.strategy = strategy
    with strategy.scope():
      self.optimizer = tf.keras.optimizers.Adam()

  def step(self, x):
    self.optimizer.apply_gradients(zip(g, self.model.trainable_variables))

  def train(self, x):
    self.strategy.run(self.step, args=(x,))
"""
    (finding,) = found(text, "TFM515")
    assert finding.line == 7
    assert "outside" not in finding.message
    built = text.replace("Adam()\n", "Adam()\n      self.optimizer.build(v)\n")
    assert found(built, "TFM515") == []
    other = text.replace("self.strategy.run(self.step, args=", "self.session.run(self.step, ")
    assert found(other, "TFM515") == []


def test_a_file_of_tensorflow_2_keeps_its_private_imports() -> None:
    check_unchanged(
        """\
        import tensorflow as tf
        from tensorflow.python.distribute.cross_device_ops import AllReduceCrossDeviceOps

        strategy = tf.distribute.MirroredStrategy(cross_device_ops=AllReduceCrossDeviceOps('nccl'))
        data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(3))

        @tf.function
        def step(x):
          return x
        """
    )


def test_without_a_strategy_an_optimizer_builds_itself() -> None:
    text = "model = tf.keras.Model(a, b)\noptimizer = tf.keras.optimizers.Adam()\n"
    check_unchanged(f"import tensorflow as tf\n{text}{STEP}")


def test_each_optimizer_of_a_gan_has_its_model() -> None:
    scope = """\
with strategy.scope():
  maker = tf.keras.Model(a, b)
  judge = tf.keras.Model(c, d)
  opt_m = tf.keras.optimizers.Adam()
  opt_j = tf.keras.optimizers.Adam()
"""
    step = """
def step():
  opt_m.apply_gradients(zip(g, maker.trainable_variables))
  opt_j.apply_gradients(zip(h, judge.trainable_weights))
"""
    after = migrated(HEAD + scope + step)
    assert "  opt_m.build(maker.trainable_variables)\n" in after
    assert "  opt_j.build(judge.trainable_variables)\n" in after


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("d = tf.data.Dataset.range(9).batch(3).repeat().shuffle(5)", True),
        ("d = tf.data.Dataset.range(9).batch(3)\nd2 = d.map(f).shuffle(5)", True),
        ("d = tf.data.Dataset.range(9).shuffle(5).batch(3)", False),
        ("d = tf.data.Dataset.range(9).shuffle(5).batch(3).shuffle(2)", True),
        ("random.batch(3).shuffle(5)", False),
    ],
)
def test_shuffled_batches(line: str, told: bool) -> None:
    assert bool(found(f"{HEAD}{line}\n", "TFM516")) == told
    assert found(f"import tensorflow as tf\n{line}\n", "TFM516") == []


NONE = "l = tf.keras.losses.MeanSquaredError(reduction=tf.keras.losses.Reduction.NONE)\n"


@pytest.mark.parametrize(
    ("loss", "problem"),
    [
        ("l(y, p)", "its gradient is a sum over examples"),
        ("l(y, p) / 64", ""),
        ("tf.reduce_sum(l(y, p))", "not divided"),
        ("tf.reduce_sum(l(y, p)) * (1. / B)", ""),
        ("tf.reduce_mean(l(y, p))", "sums gradients over replicas"),
        ("tf.reduce_mean(l(y, p)) / strategy.num_replicas_in_sync", ""),
        ("(1. / 64) * tf.math.reduce_mean(l(y, p))", "divided again"),
        ("tf.nn.compute_average_loss(l(y, p), global_batch_size=B)", ""),
        ("tf.nn.compute_average_loss(l(y, p), global_batch_size=B) / B", "divided again"),
        (
            "tf.reduce_mean(tf.keras.losses.mean_squared_error(y, p))",
            "sums gradients over replicas",
        ),
        ("tf.reduce_mean(l(y, p), axis=0)", ""),
        ("tf.keras.losses.MeanSquaredError()(y, p)", ""),
        ("own(y, p)", ""),
    ],
)
def test_scale_of_losses(loss: str, problem: str) -> None:
    text = f"""\
def f(x, y):
  with tf.GradientTape() as tape:
    p = model(x)
    loss = {loss}
  g = tape.gradient(loss, model.trainable_variables)
"""
    told = found(f"{HEAD}{NONE}{text}strategy.run(f, args=(x, y))\n", "TFM517")
    assert [problem in f.message for f in told] == [True] * bool(problem)
    assert found(f"{HEAD}{NONE}{text}f(x, y)\n", "TFM517") == []  # one device


def test_the_scale_of_a_loss_in_a_method() -> None:
    text = """\
import tensorflow as tf

class Trainer:
  def step(self, x, y):
    with tf.GradientTape() as tape:
      loss = tf.reduce_mean(tf.keras.losses.mean_squared_error(y, self.model(x)))
    return tape.gradient(loss, self.model.trainable_variables)

  def train(self, x, y):
    return self.strategy.run(self.step, args=(x, y))
"""
    assert [f.line for f in found(text, "TFM517")] == [7]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("m.save('folder')", True),
        ("m.save('m.keras')", False),
        ("m.save('m.h5', save_format='h5')", False),
        ("m.save(path, save_format='tf')", True),
        ("m.save(path)", False),
        ("m.save_weights('w')", True),
        ("m.save_weights('w.weights.h5')", False),
        ("other.save('folder')", False),
    ],
)
def test_saved_models(line: str, told: bool) -> None:
    text = f"import tensorflow as tf\nm = tf.keras.Sequential([])\n{line}\n"
    assert bool(found(text, "TFM518")) == told


def test_keras_2_in_one_file_is_keras_2_in_all() -> None:
    files = {
        "main.py": "import os\nos.environ['TF_USE_LEGACY_KERAS'] = '1'\nimport tensorflow\n",
        "loop.py": "import tensorflow as tf\nm = tf.keras.metrics.Mean()\nm.reset_states()\n",
    }
    assert migrate_tree(files) == ({}, [])
    del files["main.py"]
    assert "reset_state()" in migrate_tree(files)[0]["loop.py"]
