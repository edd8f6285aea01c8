"""Programs of any syntax: left as they are without the constructs, changed cleanly with them."""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path

import hypothesmith
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from support import comments, run, source

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.source import SourceFile

# Grammars are slow to draw from, and give what no filter accepts now and then.
CHECKS = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
SETTINGS = settings(suppress_health_check=CHECKS)
PROGRAM = """\
import tensorflow as tf  # the library


def model_fn(features, labels, mode):  # the model
  loss = tf.losses.mean_squared_error(labels, tf.layers.dense(features['x'], 1))
  optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer())  # wrapped
  train_op = optimizer.minimize(loss, tf.train.get_global_step())
  return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


estimator = tf.estimator.Estimator(tf.contrib.estimator.replicate_model_fn(model_fn))  # built
"""
FILE = Path("/nowhere/program.py")
NAMED = source(FILE, PROGRAM)


def parses(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def check_unchanged(text: str) -> None:
    """Asserts that a file is left as it is, with every risky change allowed too."""
    assume("tensorflow" not in text)
    file = SourceFile(FILE, "program.py", text, encoding="utf-8", bom=False)
    result = migrate([file], Options(unsafe=True, coordinator=True))
    assert result.texts == {}
    assert [finding.code for finding in result.findings if finding.applied] == []


@SETTINGS
@given(hypothesmith.from_grammar())
def test_programs_of_the_grammar_are_unchanged(text: str) -> None:
    assume(parses(text))
    check_unchanged(text)


@SETTINGS
@given(hypothesmith.from_node())
def test_programs_of_syntax_trees_are_unchanged(text: str) -> None:
    assume(parses(text))
    check_unchanged(text)


def is_read_by_tokenize(text: str) -> bool:
    """Whether comments can be looked for: a line of " \\" alone parses, but is no token."""
    try:
        comments(text)
    except IndentationError:
        return False
    return True


@SETTINGS
@given(hypothesmith.from_node(), st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_any_code_beside_a_program_stays_and_the_program_is_migrated(
    other: str, first: bool, newline: str
) -> None:
    """The result parses, is stable, keeps every comment, and the other code stays where it is."""
    other = re.sub(r"\r\n?", "\n", other) + "\n"
    assume(parses(other) and not re.search(r"\b(__future__|tf|model_fn|estimator)\b", other))
    text = (other + PROGRAM if first else PROGRAM + other).replace("\n", newline)
    assume(parses(text) and is_read_by_tokenize(text))
    result = run(text)
    after = result.texts.get(FILE, text)
    assert parses(after)
    assert run(after).texts == {}
    assert not comments(text) - comments(after)
    if after != text:
        assert other.replace("\n", newline).strip() in after
    else:
        assert any(not finding.applied for finding in result.findings)
