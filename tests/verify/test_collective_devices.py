"""Strategies that ask the cluster for the number of their GPUs get CPU devices, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from verify_support import PROGRAMS, record

from tfmigrate_runtime.verify.running.surroundings import ProgramFailed

pytestmark = pytest.mark.usefixtures("tensorflow_installed")


def test_replicas_of_a_collective_strategy(tmp_path: Path) -> None:
    target, folder = tmp_path / "trace.npz", str(tmp_path / "model")
    trace = record(PROGRAMS / "collective.py", target, folder, replicas=2)
    assert len(trace.step) == 4
    assert [session["replicas"] for session in trace.meta["sessions"]] == [2]


MIRRORED = """
import tensorflow as tf
strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"]OTHER)
per_replica = strategy.run(tf.function(lambda: tf.constant(1.0)))
print(float(strategy.reduce("sum", per_replica, axis=None)))
"""


def test_gpus_that_are_not_there_are_refused(tmp_path: Path) -> None:
    """TensorFlow reduces over both on one CPU, where a loop in a function waits forever."""
    program = tmp_path / "mirrored.py"
    program.write_text(MIRRORED.replace("OTHER", ""))
    with pytest.raises(ProgramFailed, match="pass --replicas 2 for CPU devices in place of"):
        record(program, tmp_path / "trace.npz")


@pytest.mark.parametrize(
    ("other", "options"),
    [(", tf.distribute.ReductionToOneDevice()", {}), ("", {"replicas": 2})],
    ids=["no collective", "devices in their place"],
)
def test_no_gpus_are_needed(other: str, options: dict[str, int], tmp_path: Path) -> None:
    """The program, which trains nothing, runs to its end."""
    program = tmp_path / "mirrored.py"
    program.write_text(MIRRORED.replace("OTHER", other))
    with pytest.raises(ProgramFailed, match=r"\| 2\.0\n.* ended without a training step"):
        record(program, tmp_path / "trace.npz", **options)
