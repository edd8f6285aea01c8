"""TFM201: RunConfigs that hold the strategy's fields already, or may be None."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrated

HEAD = """\
import tensorflow as tf
optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())
fn = tf.contrib.estimator.replicate_model_fn(model_fn)
"""


@pytest.mark.parametrize("field", ["train_distribute", "eval_distribute"])
def test_a_strategy_that_is_there_already_is_refused(field: str) -> None:
    text = HEAD + f"est = tf.estimator.Estimator(fn, config=tf.estimator.RunConfig({field}=s))\n"
    check_unchanged(text)
    (finding,) = found(text, "TFM203")
    assert f"already has `{field}`" in finding.message


@pytest.mark.parametrize(
    ("config", "after"),
    [
        (
            "tf.estimator.RunConfig(train_distribute=None, model_dir=d)",
            "estimator.RunConfig(train_distribute=None, model_dir=d).replace(\n",
        ),
        ("config if a else None", "((config if a else None) or estimator.RunConfig()).replace(\n"),
        ("None if a else config", "((None if a else config) or estimator.RunConfig()).replace(\n"),
        ("one if a else two", "(one if a else two).replace(\n"),
    ],
)
def test_fields_are_given_once(config: str, after: str) -> None:
    text = migrated(HEAD + f"est = tf.estimator.Estimator(fn, config={config})\n")
    assert after in text
    compile(text, "program.py", "exec")  # a repeated keyword parses, and does not compile


def test_keywords_after_double_stars() -> None:
    text = migrated(
        HEAD
        + """\
est = tf.estimator.Estimator(fn, config=tf.estimator.RunConfig(
    save_summary_steps=1,
    **options  # more
))
"""
    )
    assert "    **options,\n    train_distribute=strategy,\n" in text
    compile(text, "program.py", "exec")
