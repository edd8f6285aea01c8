"""What programs leave to threads has one order while they are recorded, in both programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_program import Changed
from long_tail import one_in
from native_program import Native
from verify_support import PROGRAMS, TIMEOUT

from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import load_trace

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
INPUTS = (
    (
        "import tensorflow as tf",
        "import tensorflow.compat.v1 as tf; from tfmigrate_runtime import estimator as inputs",
    ),
    ("tf.estimator.DNNClassifier(", "inputs.DNNClassifier("),
    ("tf.estimator.inputs", "inputs.inputs"),
)


def test_towers_of_the_cifar_tutorial(native: Native) -> None:
    said = native("queued_towers.py", "queued_towers_migrated.py")
    assert (said.code, said.failed) == (0, [])
    assert "batch of 24 rows" in said.rungs["same initial values, batch"]["figure"]


@pytest.mark.long
def test_other_dropout_in_one_tower_is_found(native: Native) -> None:
    rate = ("dropout(hidden, 0.8)", "dropout(hidden, 0.8 if tower == 0 else 0.7)")
    said = native("queued_towers.py", "queued_towers_migrated.py", rate)
    assert (said.code, said.failed) == (1, ["same loss at every step"])


def test_rows_of_a_shuffled_input_function(native: Native) -> None:
    """The queue of 1.15 drew rows of all epochs, also across their ends: nine batches of 20."""
    said = native("shuffled_inputs.py", "shuffled_inputs.py", *INPUTS, arguments=["{out}"])
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["both train the same steps"]["figure"] == "9 steps"


def test_rows_of_a_dataset_that_an_eager_program_shuffles(native: Native) -> None:
    said = native("shuffled_model.py", "shuffled_model_native.py")
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["both train the same steps"]["figure"] == "12 steps"


@pytest.mark.parametrize(
    ("replaced", "rung"),
    one_in(
        4,
        [
            (("num_epochs=3", "num_epochs=2"), "both train the same steps"),
            (("num_epochs=3", "num_epochs=4"), "both train the same steps"),
            (("rows.sum(1) > 2", "rows.sum(1) > 2.2"), "same initial values, batch"),
            (("shuffle=True", "shuffle=True, queue_capacity=30"), "same initial values, batch"),
        ],
    ),
)
def test_other_rows_are_found(native: Native, replaced: tuple[str, str], rung: str) -> None:
    options = {"arguments": ["{out}"]}
    said = native("shuffled_inputs.py", "shuffled_inputs.py", *INPUTS, replaced, **options)
    assert (said.code, said.failed) == (1, [rung])


def test_averages_wait_for_the_step_only_where_one_op_runs_both(tmp_path: Path) -> None:
    out = tmp_path / "trace.npz"
    run_recorded(Program(PROGRAMS / "averages_alone.py", ()), out, TIMEOUT)  # it asserts
    assert len(load_trace(out).step) == 3


def test_queues_that_wait_leave_threads_to_fill_them(tmp_path: Path) -> None:
    """hclhkbu/dlbench, two towers with a queue each on two cores: the recording never ended."""
    out = tmp_path / "trace.npz"
    run_recorded(Program(PROGRAMS / "queues_on_few_threads.py", ()), out, 60)
    assert len(load_trace(out).step) == 12


def test_a_queue_that_shuffles_less_is_found(changed: Changed) -> None:
    """Full it draws the same elements; in production it is not always full."""
    said = changed("shuffled_queue.py", ("min_after_dequeue=8", "min_after_dequeue=4"))
    assert (said.code, said.failed) == (1, ["same initial values, batch"])
    told = "at least 4 of up to 24 elements in the migrated program, at least 8 of up to 24"
    assert told in said.details("same initial values, batch")
