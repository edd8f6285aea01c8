"""TFM732: variables that change their shape under an Estimator."""

from __future__ import annotations

import pytest
from support import found, migrated

HEAD = "import tensorflow as tf\n\n\ndef grow(values):\n"
ESTIMATOR = "\n\nmodel = tf.estimator.Estimator(grow)\n"
ASSIGN = "  return tf.assign(kept, tf.concat([kept, values], 0), validate_shape=False)\n"


def _text(*lines: str, after: str = ESTIMATOR) -> str:
    return HEAD + "".join(f"  {line}\n" for line in lines) + ASSIGN + after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("kept = tf.Variable([])", "kept = tf.Variable([], validate_shape=False)"),
        (
            "kept = tf.get_variable('kept', [0])",
            "kept = tf.get_variable('kept', [0], validate_shape=False)",
        ),
        (
            "kept = tf.Variable([], validate_shape=False)",
            "kept = tf.Variable([], validate_shape=False, shape=tf.TensorShape(None))",
        ),
        (
            "kept = tf.Variable([], False, None, False)",
            "kept = tf.Variable([], False, None, False, shape=tf.TensorShape(None))",
        ),
        ("kept = tf.get_variable('kept', [0], validate_shape=False)", None),
    ],
)
def test_variables_that_grow(before: str, after: str | None) -> None:
    assert (after or before) in migrated(_text(before))
    assert [f for f in found(_text(before), "TFM732") if f.severity.value != "fixed"] == []


@pytest.mark.parametrize(
    "line",
    [
        "kept = values['kept']",
        "kept = tf.get_variable('kept', initializer=values, validate_shape=False)",
        "kept = tf.Variable([], validate_shape=True)",
        "kept = tf.Variable([], **options)",
        "kept = tf.Variable([]) if values else make()",
    ],
)
def test_variables_that_are_not_known(line: str) -> None:
    assert [f.severity.value for f in found(_text(line), "TFM732")] == ["manual"]


def test_assignments_of_the_same_shape_and_programs_with_sessions() -> None:
    text = _text("kept = tf.Variable([])")

    assert found(text.replace("validate_shape=False)", "validate_shape=True)"), "TFM732") == []
    assert found(_text("kept = tf.Variable([])", after="tf.Session()\n"), "TFM732") == []


def test_internal_names_and_arguments_in_a_dictionary() -> None:
    head = "import tensorflow as tf\nfrom tensorflow.python.ops import state_ops, variables\n"
    body = "kept = variables.VariableV1([], validate_shape=False)\n"
    text = head + body + "state_ops.assign(kept, [1.], validate_shape=False)\n" + ESTIMATOR
    text += "p = tf.placeholder(tf.float32)\ngrow = 1\n"
    shaped = "kept = tf.Variable([], validate_shape=False, shape=tf.TensorShape(None))"
    assert shaped in migrated(text)
    options = "options = dict(validate_shape=False)\n  "
    text = _text("kept = tf.Variable([])").replace("return tf", f"{options}return tf")
    text = text.replace(", validate_shape=False)\n\n", ", **options)\n\n")
    assert "kept = tf.Variable([], validate_shape=False)" in migrated(text)
    text = text.replace("validate_shape=False", "use_locking=True")
    assert found(text, "TFM732") == []


def test_an_assignment_that_partial_gives_its_arguments_is_reported() -> None:
    text = _text("kept = tf.Variable([])").replace("tf.assign(", "assign(")
    text = text.replace("validate_shape=False)", "name='x')")
    bound = "import functools\nassign = functools.partial(tf.assign, {})\n"
    texts = [text + bound.format(a) for a in ("validate_shape=False", "use_locking=True")]
    assert [len(found(t, "TFM732")) for t in texts] == [1, 0]
