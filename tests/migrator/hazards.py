"""The replicated program around one line, for the tests of what towers made special."""

from __future__ import annotations

import textwrap

from support import check_unchanged, found, migrated, run

HEAD = "import tensorflow as tf\n"
TAIL = """\
replicated_fn = tf.contrib.estimator.replicate_model_fn(model_fn)
model = tf.estimator.Estimator(replicated_fn)
"""
LINE = 4  # where the body of the model function begins


def program(body: str, top: str = "") -> str:
    """Returns a replicated program with a body for its model function."""
    indented = textwrap.indent(textwrap.dedent(body), "  ")
    return (
        f"{HEAD}{top}def model_fn(features, labels, mode):\n"
        "  opt = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())\n"
        f"{indented}  return tf.estimator.EstimatorSpec(mode, loss=loss)\n{TAIL}"
    )


def check_safe(body: str, code: str, top: str = "") -> None:
    """Checks that a rule says nothing, and that the program is migrated whole."""
    text = program(body, top)
    assert not found(text, code)
    check_whole(migrated(text))


def check_whole(text: str) -> None:
    assert "contrib" not in text
    assert "tf.estimator" not in text
    assert text.startswith("import tensorflow.compat.v1 as tf\n")


def check_unsafe(body: str, code: str, lines: list[int], top: str = "") -> None:
    """Checks that nothing is done without ``--unsafe``, all with it, and that it is told twice."""
    text = program(body, top)
    check_unchanged(text)
    told = found(text, code)
    assert [(f.line, f.severity.value, f.applied) for f in told] == [
        (line, "unsafe", False) for line in lines
    ]
    assert all(f.action for f in told)
    held = [f for f in run(text).findings if f.code in ("TFM201", "TFM202")]
    assert len(held) == 2
    assert {f.severity.value for f in held} == {"unsafe"}
    assert all(f.action.startswith(f"resolve {code} at program.py:") for f in held)
    check_whole(migrated(text, unsafe=True))
    again = found(text, code, unsafe=True)
    assert [(f.line, f.applied) for f in again] == [(line, True) for line in lines]
    check_whole(migrated(text, ignore=(code,)))


def check_manual(body: str, code: str, lines: list[int], top: str = "") -> None:
    """Checks that nothing is done, ``--unsafe`` or not, and that the place is told."""
    text = program(body, top)
    for unsafe in (False, True):
        check_unchanged(text, unsafe=unsafe)
        told = found(text, code, unsafe=unsafe)
        assert [(f.line, f.severity.value, f.applied) for f in told] == [
            (line, "manual", False) for line in lines
        ]
    check_whole(migrated(text, ignore=(code,)))
