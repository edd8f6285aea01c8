"""TFM741: the hook that Horovod does not define without tf.estimator."""

from __future__ import annotations

import pytest
from support import found, migrated

CODE = "TFM741"
PROGRAM = """\
import tensorflow as tf
{imports}

def main(loss):
  train_op = tf.train.AdamOptimizer(0.1).minimize(loss)
  with tf.train.MonitoredTrainingSession(hooks=[{hook}(0)]) as sess:
    sess.run(train_op)
"""
HOOK = "BroadcastGlobalVariablesHook"


@pytest.mark.parametrize(
    ("imports", "hook"),
    [
        ("import horovod.tensorflow as hvd", "hvd.Compression"),
        ("import horovod.keras as hvd", f"hvd.{HOOK}"),
        ("import mine as hvd", f"hvd.{HOOK}"),
    ],
)
def test_other_names(imports: str, hook: str) -> None:
    assert not found(PROGRAM.format(imports=imports, hook=hook), CODE)


@pytest.mark.parametrize(
    ("imports", "hook", "replaced"),
    [
        ("import horovod.tensorflow as hvd", f"hvd.{HOOK}", f"horovod.{HOOK}"),
        ("from horovod import tensorflow as hvd", f"hvd.{HOOK}", f"horovod.{HOOK}"),
        ("import horovod.tensorflow", f"horovod.tensorflow.{HOOK}", f"tf_horovod.{HOOK}"),
        (f"from horovod.tensorflow import {HOOK}", HOOK, HOOK),
    ],
)
def test_the_hook(imports: str, hook: str, replaced: str) -> None:
    text = migrated(PROGRAM.format(imports=imports, hook=hook))
    package = "from tfmigrate_runtime import horovod"
    imported = package if "." in hook else f"from tfmigrate_runtime.horovod import {HOOK}"
    assert f"hooks=[{replaced}(0)]" in text
    assert imported in text


def test_in_a_function_that_may_import_horovod() -> None:
    before = PROGRAM.format(imports="", hook=f"hvd.{HOOK}").replace(
        "def main(loss):\n", "def main(loss):\n  import horovod.tensorflow as hvd\n"
    )
    assert f"hooks=[horovod.{HOOK}(0)]" in migrated(before)
