"""A model that is replicated only where a flag says so, which is off by default."""

from __future__ import annotations

import pytest
from support import check_unchanged, found, migrated

BODY = """\
import argparse
import tensorflow as tf
{define}

def model_fn(features, labels, mode):
  w = tf.Variable(tf.zeros([4, 1]))
  loss = tf.losses.mean_squared_error(labels, tf.keras.layers.Dense(1)(features))
  opt = tf.train.AdamOptimizer()
  if FLAGS.multi_gpu:
    opt = tf.contrib.estimator.TowerOptimizer(opt)
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=opt.minimize(loss))

def main():
  fn = model_fn
  {test}:
    fn = tf.contrib.estimator.replicate_model_fn(model_fn)
  tf.estimator.Estimator(model_fn=fn).train(input_fn)
"""
FLAG = "FLAGS = tf.app.flags.FLAGS\ntf.app.flags.DEFINE_{})"
PARSER = "parser = argparse.ArgumentParser()\nparser.add_argument({})\nFLAGS = parser.parse_args()"


def program(define: str, test: str = "if FLAGS.multi_gpu") -> str:
    return BODY.format(define=define, test=test)


@pytest.mark.parametrize(
    ("define", "test"),
    [
        (FLAG.format("boolean('multi_gpu', False"), "if FLAGS.multi_gpu"),
        (FLAG.format("bool(name='multi_gpu', default=False"), "if FLAGS.multi_gpu"),
        (FLAG.format("integer('gpus', 1, 'how many'"), "if FLAGS.gpus > 1"),
        (FLAG.format("integer('gpus', 1, 'how many'"), "if 2 <= FLAGS.gpus"),
        (FLAG.format("bool('one', True"), "if not FLAGS.one"),
        (FLAG.format("boolean('multi_gpu', False"), "if FLAGS.multi_gpu in (True, 1)"),
        (PARSER.format("'--multi_gpu', action='store_true'"), "if FLAGS.multi_gpu"),
        (PARSER.format("'--multi-gpu', default=False"), "if mode and FLAGS.multi_gpu"),
    ],
)
def test_one_device_is_safe(define: str, test: str) -> None:
    text = program(define, test)
    condition = test.removeprefix("if ")
    for code in ("TFM209", "TFM210"):
        (finding,) = found(text, code)
        assert (finding.severity.value, finding.applied) == ("unsafe", False)
        assert f"(by default, `{condition}` selects one device" in finding.message
        (finding,) = found(text, code, unsafe=True)
        assert finding.applied
    after = migrated(text)
    assert f"strategy = None\n  {test}:\n    strategy = tf.distribute.MirroredStrategy()" in after


@pytest.mark.parametrize(
    ("define", "test"),
    [
        (FLAG.format("boolean('multi_gpu', True"), "if FLAGS.multi_gpu"),
        (FLAG.format("boolean('multi_gpu', asked()"), "if FLAGS.multi_gpu"),
        (FLAG.format("integer('gpus', 2"), "if FLAGS.gpus > 1"),
        (FLAG.format("boolean('other', False"), "if FLAGS.multi_gpu"),
        (FLAG.format("bool('multi_gpu', False") + "\nFLAGS.multi_gpu = True", "if FLAGS.multi_gpu"),
        (PARSER.format("'--multi_gpu', action='store_false'"), "if FLAGS.multi_gpu"),
        (PARSER.format("'--multi_gpu', default=False, **more"), "if FLAGS.multi_gpu"),
        (FLAG.format("boolean('multi_gpu', False"), "if True"),
        (FLAG.format("boolean('multi_gpu', False"), "if FLAGS.multi_gpu is asked()"),
    ],
)
def test_several_devices_are_the_default_or_may_be(define: str, test: str) -> None:
    text = program(define, test)
    check_unchanged(text)
    assert "by default" not in " ".join(f.message for f in found(text, "TFM209"))
