"""``tfmigrate doctor`` before the TensorFlow that is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tfmigrate.doctor.diagnose import Diagnosis, diagnose

FIXTURES = Path(__file__).parents[2] / "fixtures"
MIGRATED = sorted([*FIXTURES.glob("*/*/migrated.py"), *FIXTURES.glob("*/*/migrated")])
ODD = """\
import tensorflow as tf
import tensorflow.compat.v1 as tf1
import tensorflow.contrib.slim
from tensorflow.keras import layers
from tensorflow import nothing_of_the_kind

tf.Session
tf1.Session
tf1.train.AdamOptimizer.minimize
tf1.GraphKeys.NOTHING
layers.Dense
tf1.flags.FLAGS.steps
tf1.layers.dense
"""


@pytest.fixture(scope="module")
def diagnosis(tmp_path_factory: pytest.TempPathFactory) -> Diagnosis:
    odd = tmp_path_factory.mktemp("program") / "odd.py"
    odd.write_text(ODD)
    patch = pytest.MonkeyPatch()
    patch.delenv("TF_USE_LEGACY_KERAS", raising=False)
    try:
        return diagnose([str(path) for path in [*MIGRATED, odd]], [], sys.executable)
    finally:
        patch.undo()


def test_migrated_programs_need_nothing_that_is_not_there(diagnosis: Diagnosis) -> None:
    assert len(MIGRATED) >= 46
    assert diagnosis.names > 150
    assert diagnosis.errors == []
    assert [name for name in diagnosis.missing if not name.path.endswith("odd.py")] == []


def test_names_that_are_not_there_are_found(diagnosis: Diagnosis) -> None:
    found = {n.name: n.places for n in diagnosis.missing if n.path.endswith("odd.py")}
    assert found == {
        "tensorflow.contrib.slim": ((0, 3, 8),),
        "tensorflow.nothing_of_the_kind": ((0, 5, 24),),
        "tensorflow.Session": ((0, 7, 1),),
        "tensorflow.compat.v1.GraphKeys.NOTHING": ((0, 10, 1),),
        # Without tfmigrate_runtime in the program nothing chooses Keras 2.
        "tensorflow.compat.v1.layers.dense": ((0, 13, 1),),
    }
