"""TFM735: a TPUEstimator that asks for TPUs; what of tf.contrib.tpu is migrated."""

from __future__ import annotations

import pytest
from support import check, check_unchanged, found

FLAG = "import tensorflow as tf\ntf.flags.DEFINE_bool('use_tpu', {}, '')\nF = tf.flags.FLAGS\n"
MADE = "m = tf.contrib.tpu.TPUEstimator(f, config=c{})\n"


@pytest.mark.parametrize(
    "given",
    [", use_tpu=False", ", use_tpu=F.use_tpu", ", use_tpu=F.other", ", use_tpu=here", ", **more"],
)
def test_not_reported(given: str) -> None:
    assert not found(FLAG.format(False) + MADE.format(given), "TFM735")


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ("", "use_tpu is True"),
        (", use_tpu=True", "use_tpu is True"),
        (", use_tpu=F.use_tpu", "`F.use_tpu`, which is True by default"),
    ],
)
def test_reported(given: str, what: str) -> None:
    (finding,) = found(FLAG.format(True) + MADE.format(given), "TFM735")
    assert what in finding.message
    assert finding.line == 4


def test_reported_after_migration() -> None:
    text = "from tfmigrate_runtime import estimator\nm = estimator.tpu.TPUEstimator(f, config=c)\n"
    assert found(text, "TFM735")
    check_unchanged(text)


def test_classes_and_operations_are_migrated() -> None:
    check(
        """\
import tensorflow as tf
from tensorflow.contrib import tpu as contrib_tpu

def build(f, o):
  c = contrib_tpu.RunConfig(tpu_config=tf.contrib.tpu.TPUConfig(3))
  o = contrib_tpu.CrossShardOptimizer(o)
  return tf.estimator.tpu.TPUEstimator(f, config=c, use_tpu=False), o
""",
        """\
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import estimator

def build(f, o):
  c = estimator.tpu.RunConfig(tpu_config=estimator.tpu.TPUConfig(3))
  o = tf.tpu.CrossShardOptimizer(o)
  return estimator.tpu.TPUEstimator(f, config=c, use_tpu=False), o
""",
    )


def test_preprocessing_and_projector_are_migrated() -> None:
    check(
        """\
import tensorflow as tf
from tensorflow.contrib import learn
from tensorflow.contrib.tensorboard.plugins import projector
v = learn.preprocessing.VocabularyProcessor(5)
c = projector.ProjectorConfig()
""",
        """\
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import learn
from tfmigrate_runtime import projector
v = learn.preprocessing.VocabularyProcessor(5)
c = projector.ProjectorConfig()
""",
    )


def test_the_strategy_of_tpus_is_renamed_and_reported() -> None:
    before = (
        "import tensorflow as tf\nfrom tensorflow.contrib.distribute.python import tpu_strategy\n"
        "i = tf.contrib.distribute.initialize_tpu_system(r)\n"
        "s = tf.contrib.distribute.TPUStrategy(r)\n"
        "t = tpu_strategy.TPUStrategy(r)\n"
    )
    after = (
        "import tensorflow.compat.v1 as tf\ni = tf.tpu.experimental.initialize_tpu_system(r)\n"
        "s = tf.distribute.experimental.TPUStrategy(r)\n"
        "t = tf.distribute.experimental.TPUStrategy(r)\n"
    )
    check(before, after)
    assert [f.line for f in found(before, "TFM735")] == [4, 5]
