"""What training steps return to a program is compared, through the whole command."""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_program import Changed
from long_tail import one_in
from verify_support import PROGRAMS, TIMEOUT

from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import meta_of

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PROGRAM, RUNG = "returns.py", "same calls and results"


def test_the_same_program_is_the_same(changed: Changed) -> None:
    said = changed(PROGRAM)
    assert (said.code, said.failed) == (0, [])
    assert "9 values of steps, 0.0e+00" in said.rungs[RUNG]["figure"]


# Threads decide otherwise whether the read comes before the update.
READS_FIRST = (
    "train_op = tf",
    "with tf.control_dependencies([weights._graph_element]):\n    train_op = tf",
)


def test_variables_of_tensorflow_1_are_compared_after_the_update(changed: Changed) -> None:
    """Updates write into the memory that is copied when the run is over."""
    read_before = (
        'get_variable("weights", [3, 1])',
        'get_variable("weights", [3, 1], use_resource=1)',
    )
    said = changed(PROGRAM, read_before, READS_FIRST)
    assert (said.code, said.failed) == (1, [RUNG])
    assert "Training step 1 returns weights as " in said.details(RUNG)


@pytest.mark.parametrize(("factor", "code"), [(1.0, 0), (1.01, 1)])
def test_what_is_computed_of_variables_alone_is_of_those_before_the_update(
    changed: Changed, factor: float, code: int
) -> None:
    """The loop makes this program read the weights long after they are updated."""
    count = "tf.while_loop(lambda i: i < 5000, lambda i: i + 1, [0])"
    late = f"tf.where(tf.fill([3, 1], {count} > 0), weights, -weights)"
    said = changed(PROGRAM, ("tf.norm(weights", f"{factor} * tf.norm({late}"))
    assert said.code == code
    assert not code or " returns size" in said.details(RUNG)


@pytest.mark.parametrize(
    ("replaced", "told"),
    [
        ([], ""),
        ([("tf.reduce_max(distances)", "tf.reduce_min(distances)")], " returns Max as "),
        (
            [('"weights", [3, 1]', '"weights", [3, 1], use_resource=True'), READS_FIRST],
            " returns weights as ",
        ),
    ],
)
def test_what_a_hook_gets_is_compared(
    changed: Changed, replaced: list[tuple[str, str]], told: str
) -> None:
    said = changed("hooked.py", *replaced)
    assert (said.code, said.failed) == ((1, [RUNG]) if told else (0, []))
    assert told in said.details(RUNG)
    assert told or "3 values of steps" in said.rungs[RUNG]["figure"]


@pytest.mark.parametrize(
    ("replaced", "told"),
    one_in(
        3,
        [
            (("tf.reduce_max(", "tf.reduce_mean("), "Training step 1 returns worst as "),
            (("distances < 1.0", "distances < 1.5"), " returns near as "),
            (('"rate": rate', '"rate": 1.02 * rate'), " returns rate as 0.05"),
            (("tf.norm(weights", "tf.norm(weights, 1"), " returns size"),
            (
                ("tf.reduce_min(distances)", "2.0 * tf.reduce_min(distances)"),
                " returns note as ",
            ),
            (
                ("tf.identity(weights.read_value()", "tf.identity(1.01 * weights.read_value()"),
                " returns after as ",
            ),
            (
                ("loss, worst, found", "loss, distances, found"),
                "returns add (float32 []), worst (float32 [])",
            ),
        ],
    ),
)
def test_another_value_is_seen(changed: Changed, replaced: tuple[str, str], told: str) -> None:
    said = changed(PROGRAM, replaced)
    assert (said.code, said.failed) == (1, [RUNG])
    assert told in said.details(RUNG)


def test_a_program_may_print_at_other_steps(changed: Changed) -> None:
    said = changed(PROGRAM, ("EVERY = 1", "EVERY = 2"))
    assert (said.code, said.failed) == (0, [])
    assert "what 3 training steps returned (only one program fetches a value there)" in said.missing


def test_a_limit_ends_a_program_within_a_step_that_is_not_compared(tmp_path: Path) -> None:
    for steps, ends in ((3, []), (None, [6])):
        trace = tmp_path / f"{steps}.npz"
        run_recorded(Program(PROGRAMS / PROGRAM, (), steps=steps), trace, TIMEOUT)
        about = meta_of(trace)
        assert (about["ends"], about.get("ended", {}).get("after")) == (ends, steps)
