"""--target keras turns towers into replicas of a MirroredStrategy, or says which line it cannot."""

from __future__ import annotations

import ast

import pytest
from support import changed, found, migrated

from tfmigrate.model.targets import KERAS, TARGETS

PROGRAM = """import numpy as np
import tensorflow as tf

NUM_GPUS = 2
SIZE = 8


def network(inputs, reuse):
  with tf.variable_scope('net', reuse=reuse):
    w = tf.get_variable('w', [3, 1])
    return tf.matmul(inputs, w)


def average_gradients(tower_grads):
  averages = []
  for pairs in zip(*tower_grads):
    averages.append((tf.add_n([g for g, _ in pairs]) / len(pairs), pairs[0][1]))
  return averages


def main():
  with tf.device('/cpu:0'):
    x = tf.placeholder(tf.float32, [None, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    tower_grads = []
    losses = []
    for i in range(NUM_GPUS):
      with tf.device('/gpu:%d' % i):
        with tf.name_scope('tower_%d' % i) as scope:
          # the part of this tower
          part = x[i * SIZE:(i + 1) * SIZE]
          error = network(part, i > 0) - y[i * SIZE:(i + 1) * SIZE]
          loss = tf.reduce_mean(tf.square(error))
          tf.get_variable_scope().reuse_variables()
          grads = optimizer.compute_gradients(loss)
          losses.append(loss)
          tower_grads.append(grads)
    mean = tf.reduce_mean(losses)
    grads = average_gradients(tower_grads)
    train_op = optimizer.apply_gradients(grads)

  with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(10):
      a, b = np.ones([2 * SIZE, 3]), np.ones([2 * SIZE, 1])
      _, value, last = sess.run([train_op, mean, loss], feed_dict={x: a, y: b})
      print('%.4f %.4f' % (value, last))
    print(sess.run(mean, {x: a, y: b}))


main()
"""
TARGET = TARGETS[KERAS]


def converted(*edits: tuple[str, str]) -> str:
    after = migrated(changed(PROGRAM, *edits), target=TARGET)
    ast.parse(after)
    for word in ("Session", "compat", "tfmigrate", "compute_gradients"):
        assert word not in after
    return after


def refused(*edits: tuple[str, str]) -> str:
    """Returns the reason why a changed program keeps its default form."""
    text = changed(PROGRAM, *edits)
    (finding,) = found(text, "TFM802", target=TARGET)
    assert not found(text, "TFM803", target=TARGET)
    return finding.message


def test_the_loop_becomes_a_function_of_one_tower() -> None:
    after = converted()
    assert (
        """
  def tower(i, x, y):
    # the part of this tower
    part = x[i * SIZE:(i + 1) * SIZE]
    error = network(part) - y[i * SIZE:(i + 1) * SIZE]
    loss = tf.reduce_mean(tf.square(error))
    return loss
"""
        in after
    )
    assert "strategy = strategy_of_towers(['/gpu:%d' % i for i in range(NUM_GPUS)])" in after
    assert "def network(inputs):\n" in after  # its scope always reuses the variables


def test_what_follows_the_loop_is_part_of_the_training_step() -> None:
    after = converted()
    assert (
        """
  @tf.function(input_signature=[x, y])
  def train_step(x, y):
    def tower_step(i):
      with tf.GradientTape() as tape:
        loss = tower(i, x, y)
      grads = list(zip(tape.gradient(loss, trainable_variables), trainable_variables))
      return loss, grads
    loss, grads = strategy.run(tower_step, args=(tower_indices,))
    losses = each_tower(strategy, loss)
    tower_grads = each_tower(strategy, grads)
    loss = each_tower(strategy, loss)[-1]
    mean = tf.reduce_mean(losses)
    grads = average_gradients(tower_grads)
    apply_averaged(strategy, optimizer, grads)
    return mean, loss
"""
        in after
    )
    assert "value, last = train_step(a, b)" in after


def test_an_evaluation_runs_the_towers_without_gradients() -> None:
    after = converted()
    assert (
        """
  def evaluate(x, y):
    loss = strategy.run(tower, args=(tower_indices, x, y))
    losses = each_tower(strategy, loss)
    mean = tf.reduce_mean(losses)
    return mean
"""
        in after
    )


def test_variables_and_optimizer_are_made_in_the_scope_of_the_strategy() -> None:
    after = converted()
    assert (
        """
  with strategy.scope():
    optimizer = keras.optimizers.SGD(0.1)
    tf.function(tower).get_concrete_function(0, x, y)  # makes the variables
"""
        in after
    )


SPLIT = (
    ("    losses = []\n", "    losses = []\n    parts = tf.split(x, NUM_GPUS)\n"),
    ("for i in range(NUM_GPUS)", "for i, part in enumerate(parts)"),
    ("          # the part of this tower\n          part = x[i * SIZE:(i + 1) * SIZE]\n", ""),
)


def test_parts_of_a_batch_are_taken_in_each_tower() -> None:
    after = converted(*SPLIT)
    assert "def tower(index, x, y):\n    parts = tf.split(x, NUM_GPUS)\n" in after
    assert "    i, part = list(enumerate(parts))[index]\n" in after
    assert "['/gpu:%d' % i for i in range(NUM_GPUS)]" in after


def test_a_list_of_devices_is_that_of_the_strategy() -> None:
    after = converted(
        ("    tower_grads = []\n", "    tower_grads = []\n    devices = ['/gpu:0', '/gpu:1']\n"),
        ("for i in range(NUM_GPUS)", "for i, device in enumerate(devices)"),
        ("tf.device('/gpu:%d' % i)", "tf.device(device)"),
    )
    assert "strategy_of_towers([device for i, device in enumerate(devices)])" in after
    assert after.index("devices = ['/gpu:0'") < after.index("strategy = strategy_of_towers")


DATASET = (
    ("    x = tf.placeholder(tf.float32, [None, 3])\n", ""),
    (
        "    y = tf.placeholder(tf.float32, [None, 1])\n",
        "    a, b = np.ones([16, 3], np.float32), np.ones([16, 1], np.float32)\n"
        "    data = tf.data.Dataset.from_tensor_slices((a, b)).repeat().batch(16)\n"
        "    x, y = data.make_one_shot_iterator().get_next()\n",
    ),
    ("      a, b = np.ones([2 * SIZE, 3]), np.ones([2 * SIZE, 1])\n", ""),
    (", feed_dict={x: a, y: b}", ""),
    ("sess.run(mean, {x: a, y: b})", "sess.run(mean)"),
)


def test_the_strategy_takes_its_devices_before_a_dataset_uses_them() -> None:
    after = converted(*DATASET)
    texts = (
        "strategy = strategy_of_towers(",
        "data = tf.data",
        "batches = iter(data)",
        "def tower",
    )
    places = [after.index(text) for text in texts]
    assert places == sorted(places)
    assert "get_concrete_function(0, *batches.element_spec)" in after
    assert "value, last = train_step(*next(batches))" in after


@pytest.mark.parametrize(
    ("clip", "line"),
    [
        (
            "          grads = [(tf.clip_by_norm(g, 1.0), v) for g, v in grads]\n",
            "\n      grads = [(tf.clip_by_norm(g, 1.0), v) for g, v in grads]\n      return",
        ),
        (
            "          grads = [(g, v) for g, v in grads if g is not None]\n",
            "\n      grads = [(g, v) for g, v in grads if g is not None]\n      return",
        ),
    ],
)
def test_a_tower_clips_its_own_gradients(clip: str, line: str) -> None:
    place = "          losses.append(loss)\n"
    assert line in converted((place, clip + place))


def test_averaging_in_the_script_is_part_of_the_training_step() -> None:
    loop = (
        "    averaged = []\n    for pairs in zip(*tower_grads):\n"
        "      averaged.append((sum(g for g, _ in pairs) / NUM_GPUS, pairs[0][1]))\n"
    )
    after = converted(
        ("    grads = average_gradients(tower_grads)\n", loop),
        ("apply_gradients(grads)", "apply_gradients(averaged)"),
        ("tf.add_n([g for g, _ in pairs]) / len(pairs)", "pairs[0][0]"),
    )
    assert loop in after
    assert after.index("def train_step") < after.index("    averaged = []\n")


def test_an_empty_list_above_the_loop_is_made_in_the_training_step() -> None:
    after = converted(
        ("    tower_grads = []\n", "    tower_grads = []\n    clipped = []\n"),
        (
            "    train_op = optimizer.apply_gradients(grads)\n",
            "    for g, v in grads:\n      clipped.append((tf.clip_by_norm(g, 1.0), v))\n"
            "    train_op = optimizer.apply_gradients(clipped)\n",
        ),
    )
    assert after.count("clipped = []") == 1
    assert after.index("def train_step") < after.index("clipped = []")


def test_a_sum_of_towers_is_one_afterwards() -> None:
    after = converted(
        ("    losses = []\n", "    total = 0.0\n"),
        ("          losses.append(loss)\n", "          total += loss / NUM_GPUS\n"),
        ("    mean = tf.reduce_mean(losses)\n", "    mean = total * 2.0\n"),
    )
    assert "    total_of_tower = loss / NUM_GPUS\n" in after
    assert "    total = sum(each_tower(strategy, total_of_tower))\n" in after


LAYER = (
    "    w = tf.get_variable('w', [3, 1])\n    return tf.matmul(inputs, w)\n",
    "    return tf.layers.dense(inputs, 1, name='out', "
    "kernel_regularizer=lambda w: 0.1 * tf.nn.l2_loss(w))\n",
)
SQUARES = "          loss = tf.reduce_mean(tf.square(error))\n"
PENALTY = "          loss += tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))\n"


def test_penalties_of_layers_are_those_of_the_variables() -> None:
    penalty = PENALTY.replace("loss +=", "loss = loss +")
    after = converted(LAYER, (SQUARES, SQUARES + penalty))
    assert "loss = loss + tf.add_n(model_variables.losses)" in after
    assert "def losses(self):" in after
    assert "def losses(self):" not in converted()


def test_gradients_of_the_averaging_may_be_a_generator() -> None:
    after = converted(("apply_gradients(grads)", "apply_gradients(zip(*zip(*grads)))"))
    assert "apply_averaged(strategy, optimizer, zip(*zip(*grads)))" in after


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ((LAYER,), "whose penalty the loss does not add"),
        (
            (("variable_scope('net', reuse=reuse)", "variable_scope('net_%d' % reuse)"),),
            "each tower has its own variables",
        ),
        (
            (("    losses = []\n", "    losses = [tf.constant(1.0)]\n"),),
            "not made empty above the loop",
        ),
        (
            (
                (
                    "          losses.append(loss)\n",
                    "          if i == 0:\n            losses.append(loss)\n",
                ),
            ),
            "`losses`",
        ),
        (
            (("part = x[i", "before = part if i else x\n          part = x[i"),),
            "tower",
        ),
        ((("compute_gradients(loss)", "compute_gradients(loss, [])"),), "computes the gradients"),
        (
            (
                (
                    "    train_op = optimizer.apply_gradients(grads)\n",
                    "    train_op = optimizer.apply_gradients(grads)\n    later = mean + 1.0\n",
                ),
                ("sess.run(mean,", "sess.run(later,"),
            ),
            "below the operation that trains",
        ),
        (
            (
                ("    losses = []\n", "    losses = []\n    noise = tf.random_normal([3])\n"),
                ("          part = x[i", "          part = noise + x[i"),
            ),
            "random numbers above the loop",
        ),
        (
            (
                (
                    "          part = x[",
                    "          bias = tf.Variable(0.0)\n          part = bias + x[",
                ),
            ),
            "each tower makes its own variable",
        ),
        (
            (
                ("    optimizer = tf.train.GradientDescentOptimizer(0.1)\n", ""),
                (
                    "          # the part",
                    "          optimizer = tf.train.GradientDescentOptimizer(0.1 * (i + 1))\n"
                    "          # the part",
                ),
            ),
            "own optimizer",
        ),
    ],
)
def test_what_towers_do_otherwise_is_refused(
    edits: tuple[tuple[str, str], ...], reason: str
) -> None:
    assert reason in refused(*edits)
