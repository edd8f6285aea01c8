"""The mutations themselves: each makes one change, and there are enough of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from wrong_migrations import KINDS, mutations_of

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
        ("SUM for MEAN, MEAN for SUM", "loss_reduction='weighted_sum')"),
        ("sum for mean in the loss", "loss = tf.reduce_sum("),
        ("global_step counted twice", "tf.assign_add(tf.train.get_global_step(), 1))"),
        ("another setting of the optimizer", "epsilon=0.001)"),
        ("another optimizer", 'tf.train.RMSPropOptimizer(params["rate"])'),
        ("learning rate 2 % too large", '1.02 * (params["rate"])'),
        ("one step less", "max_steps=(100) - 1)"),
        ("half a batch", "    (8) // 2)"),
        ("no shuffle", "dataset = dataset.repeat().batch("),
        ("another activation", "activation=tf.nn.elu)"),
        ("one unit more", "dense(features, 17,"),
    ],
)
def test_a_mistake_changes_one_place(kind: str, line: str) -> None:
    found = [mutation for mutation in mutations_of(PROGRAM) if mutation.kind == kind]
    assert len(found) == 1
    changed = changed_lines(found[0].text)
    assert len(changed) == 1 and line in changed[0], changed


def test_nothing_is_made_of_what_has_none_of_the_places() -> None:
    assert mutations_of("import tensorflow as tf\nprint(tf.zeros([3]))\n") == []


def test_every_kind_occurs_in_the_fixtures_and_all_parse() -> None:
    kinds = set()
    for case in CASES:
        for path in sorted(case.rglob("migrated*/*.py")) + sorted(case.glob("migrated.py")):
            text = path.read_text()
            for mutation in mutations_of(text):
                assert mutation.text != text
                assert ast.dump(ast.parse(mutation.text)) != ast.dump(ast.parse(text))
                kinds.add(mutation.kind)
    assert kinds == set(KINDS)
