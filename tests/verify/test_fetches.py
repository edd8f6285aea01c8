"""What sessions return without training is compared, through the whole command."""

from __future__ import annotations

import pytest
from changed_program import Changed
from native_program import Native

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
PROGRAM, RUNG = "evaluates.py", "same calls and results"


def test_the_same_program_is_the_same(changed: Changed) -> None:
    said = changed(PROGRAM)
    assert (said.code, said.failed) == (0, [])
    assert "5 runs, 0.0e+00" in said.rungs[RUNG]["figure"]


@pytest.mark.parametrize(
    ("replaced", "told"),
    [
        (
            ("HELD_OUT = 0, 100", "HELD_OUT = 0, 0"),
            "Session run 1 without training, after step 2: ",
        ),
        ((") == 1:", ") == 0:"), "in the migrated program it is after step 1"),
        (("ROWS = 2000", "ROWS = 1999"), "(float32 [2000, 1]) in the original, "),
        (("sums.eval(", "(sums + 1e-3).eval("), "in the original, "),
        (('tf.constant("text")', 'tf.constant("test")'), "differs."),
        (("weights.eval()[0]", "0"), "it returns weights"),
    ],
)
def test_another_result_is_seen(changed: Changed, replaced: tuple[str, str], told: str) -> None:
    said = changed(PROGRAM, replaced)
    assert (said.code, said.failed) == (1, [RUNG])
    assert told in said.details(RUNG)


def test_summaries_are_no_results(changed: Changed) -> None:
    said = changed(PROGRAM, ('tf.summary.scalar("loss"', 'tf.summary.scalar("error"'))
    assert said.rungs[RUNG]["verdict"] == "same"


@pytest.mark.parametrize(
    "replaced", [("num_evals=3", "num_evals=2"), ("final_op=value", "final_op=-value")]
)
def test_an_evaluation_by_slim_is_seen(changed: Changed, replaced: tuple[str, str]) -> None:
    """TensorFlow runs the session there, and returns what it fetched to the program."""
    said = changed("evaluated_by_slim.py", arguments=("{out}",))
    assert (said.code, said.failed) == (0, [])
    assert "4 runs, 0.0e+00" in said.rungs[RUNG]["figure"]
    said = changed("evaluated_by_slim.py", replaced, arguments=("{out}",))
    assert (said.code, said.failed) == (1, [RUNG])


def test_what_a_library_fetches_in_its_loop_is_no_result_of_the_program(native: Native) -> None:
    """The loop of tf_slim asked a session 16 times; in tf.contrib it was TensorFlow that did."""
    said = native(
        "slim_learning.py",
        "slim_learning.py",
        ("import tensorflow as tf", "import tensorflow.compat.v1 as tf"),
        ("slim = tf.contrib.slim", "from tfmigrate_runtime import slim; tf.disable_v2_behavior()"),
        arguments=["{out}"],
    )
    assert (said.code, said.failed) == (0, [])
