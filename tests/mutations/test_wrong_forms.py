"""The mutations themselves: each makes one change, and there are enough of them."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from wrong_migrations import KINDS, LOSS, START, Mutation, chosen, mutations_of

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = sorted(path.parent for path in FIXTURES.glob("*/*/case.toml"))
PROGRAM = """\
def model_fn(features, labels, mode, params):
    net = tf.layers.dense(features, 16, activation=tf.nn.relu)
    loss = tf.reduce_mean(tf.square(net - labels))
    optimizer = tf.train.AdamOptimizer(params["rate"])
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())

config = estimator.RunConfig(train_distribute=strategy, global_batch=True)
dataset = dataset.repeat().shuffle(10).batch(
    8)
estimator.train(input_fn, max_steps=100)
"""


def changed_lines(text: str) -> list[str]:
    return [
        new for old, new in zip(PROGRAM.splitlines(), text.splitlines(), strict=False) if old != new
    ]


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("batch per replica", "global_batch=False)"),
        ("SUM and MEAN exchanged", "loss_reduction='weighted_sum')"),
        ("sum instead of mean in the loss", "loss = tf.reduce_sum("),
        ("global_step counted twice", "tf.assign_add(tf.train.get_global_step(), 1))"),
        ("different optimizer setting", "epsilon=0.001)"),
        ("different optimizer", 'tf.train.RMSPropOptimizer(params["rate"])'),
        ("learning rate 2 % too large", '1.02 * (params["rate"])'),
        ("one step fewer", "max_steps=(100) - 1)"),
        ("half a batch", "    (8) // 2)"),
        ("no shuffle", "dataset = dataset.repeat().batch("),
        ("different activation", "activation=tf.nn.elu)"),
        ("one more unit", "dense(features, 17,"),
    ],
)
def test_a_mistake_changes_one_place(kind: str, line: str) -> None:
    found = [mutation for mutation in mutations_of(PROGRAM) if mutation.kind == kind]
    assert len(found) == 1
    changed = changed_lines(found[0].text)
    assert len(changed) == 1 and line in changed[0], changed


SESSION_PROGRAM = """\
batch_size = 16
def average_gradients(tower_grads):
    return [(tf.reduce_mean(tf.stack(gradients), 0), v) for gradients, v in tower_grads]

def model_fn(features, labels, mode):
    columns = [tf.feature_column.numeric_column("size"), tf.feature_column.numeric_column("age")]
    net = tf.feature_column.input_layer(features, columns)
    net = tf.layers.batch_normalization(net, training=True)
    rate = tf.train.exponential_decay(0.1, step, 10, 0.5)
    gradients = optimizer.compute_gradients(loss / num_gpus)
    clipped, _ = tf.clip_by_global_norm(gradients, 5.0)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train_op = tf.train.MomentumOptimizer(rate, 0.9).apply_gradients(clipped, step)
    loss += tf.nn.l2_loss(net)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)

def run():
    with tf.device("/job:ps/task:0"):
        w = tf.Variable(tf.zeros([3]), name="w")
    for step in range(steps):
        session.run(train_op, feed_dict={x: images, y: labels})
    estimator.evaluate(input_fn, steps=5)
    tf.data.Dataset.from_tensor_slices(images)
    return Experiment(e, train_input_fn=f, min_eval_frequency=2, train_monitors=[hook])
"""


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("sum instead of mean over towers", "(tf.reduce_sum(tf.stack(gradients), 0), v)"),
        ("no loss scale", "compute_gradients((loss))"),
        ("no loss scale", "compute_gradients(2.0 * (loss / num_gpus))"),
        ("no clipping", "clip_by_global_norm(gradients, 1e6 * (5.0))"),
        ("no regularizer", "0.0 * tf.nn.l2_loss(net)"),
        ("moved boundary of the learning rate schedule", "(0.1, step, 2 * (10), 0.5)"),
        ("different learning rate schedule", "staircase=True)"),
        ("momentum lost on restore", "training_hooks=[type('ForgetsSlots'"),
        ("moving averages updated differently", "tf.control_dependencies([])"),
        ("labels of other examples", "y: np.roll(labels, 1, axis=0)"),
        ("one step fewer", "range((steps) - 1)"),
        ("half a batch", "batch_size = 16 // 2"),
        ("first example dropped", "from_tensor_slices(images).skip(1)"),
        ("training=False while training", "batch_normalization(net, training=False)"),
        ("different initial values", "tf.Variable(0.5 * tf.zeros([3]) + 0.01"),
        ("layer not trained", "trainable=False)"),
        ("variables on a different task", "'/job:ps/task:1'"),
        ("feature 5 % too large", "normalizer_fn=lambda value: 1.05 * value)"),
        ("feature column left out", "input_layer(features, columns[1:])"),
        ("a shorter evaluation", "steps=max((5) - 1, 1))"),
        ("evaluations at other steps", "min_eval_frequency=(2) + 1"),
        ("hooks left out", "train_monitors=[])"),
    ],
)
def test_a_mistake_of_a_program_with_a_session_changes_one_place(kind: str, line: str) -> None:
    found = [
        changed
        for mutation in mutations_of(SESSION_PROGRAM, restores=True)
        if mutation.kind == kind
        for changed in [
            new
            for old, new in zip(
                SESSION_PROGRAM.splitlines(), mutation.text.splitlines(), strict=True
            )
            if old != new
        ]
    ]
    assert any(line in changed for changed in found), found


def test_momentum_is_lost_only_where_something_is_restored() -> None:
    kinds = [
        {m.kind for m in mutations_of(SESSION_PROGRAM, restores)} for restores in (False, True)
    ]
    assert kinds[1] - kinds[0] == {"momentum lost on restore"}


def test_nothing_is_made_of_what_has_none_of_the_places() -> None:
    assert mutations_of("import tensorflow as tf\nprint(tf.zeros([3]))\n") == []


def test_different_kinds_are_chosen_first_and_rare_ones_before_others() -> None:
    kinds = ["constant 5 % too large"] * 3 + ["no bias", "no bias", "different activation"]
    made = [Mutation(kind, i, f"{i}", (LOSS, START)) for i, kind in enumerate([*kinds, KINDS[0]])]
    taken = chosen(made, 5, Counter({"no bias": 1, "different activation": 7, KINDS[0]: 9}))
    assert [mutation.line for mutation in taken] == [6, 3, 5, 0, 4]


def test_every_kind_occurs_in_the_fixtures_and_each_has_enough() -> None:
    kinds = set()
    for case in CASES:
        paths = sorted(case.rglob("migrated*/*.py")) + sorted(case.glob("migrated.py"))
        found = [m for path in paths for m in mutations_of(path.read_text(), restores=True)]
        assert len(found) >= 10, case
        for mutation in chosen(found, 10, Counter()):
            ast.parse(mutation.text)
        kinds |= {mutation.kind for mutation in found}
    assert kinds == set(KINDS)
