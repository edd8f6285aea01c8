"""The threads of operations that a session config asks for."""

from __future__ import annotations

import subprocess
import sys

import pytest

CREATE = {
    "config": "config = estimator.RunConfig(session_config=given)",
    "strategy": 'strategy = tf.distribute.MirroredStrategy(["/device:CPU:0"])',
}
PROGRAM = """
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import estimator
given = tf.ConfigProto(intra_op_parallelism_threads={count})
{first}
{second}
config = config.replace(train_distribute=strategy)
print("threads:", tf.config.threading.get_intra_op_parallelism_threads())
"""
MESSAGE = "has no effect: TensorFlow has already started its threads"


def run(count: int, *order: str) -> subprocess.CompletedProcess[str]:
    first, second = (CREATE[name] for name in order)
    program = PROGRAM.format(count=count, first=first, second=second)
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )


@pytest.mark.parametrize("count", [0, 3])
def test_a_config_that_comes_first_sets_them(count: int) -> None:
    done = run(count, "config", "strategy")
    assert f"threads: {count}" in done.stdout
    assert MESSAGE not in done.stderr


def test_a_config_that_comes_too_late_says_so_once() -> None:
    done = run(3, "strategy", "config")
    assert done.stderr.count(MESSAGE) == 1
    assert "intra_op_parallelism_threads=3" in done.stderr
    assert "threads: 0" in done.stdout


def test_the_default_needs_no_message() -> None:
    assert MESSAGE not in run(0, "strategy", "config").stderr
