"""scripts/peer_suites on a suite of our own, as small as it can be."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts" / "peer_suites"
sys.path.insert(0, str(SCRIPTS))  # scripts/real_programs has a run.py, too

import peer_table  # noqa: E402
import reasons  # noqa: E402
import run  # noqa: E402
import suites  # noqa: E402

TINY = """\
import tensorflow as tf
from tensorflow.python.framework import test_util
from tensorflow_estimator.python.estimator import estimator
from tensorflow_estimator.python.estimator.canned import dnn


class TinyTest(tf.test.TestCase):

  def test_passes(self):
    self.assertEqual('d', estimator.Estimator(lambda features: None, 'd').model_dir)

  def test_fails(self):
    estimator.Estimator(None)

  def test_private(self):
    estimator._private(1)

  def test_private_attribute(self):
    estimator.Estimator(lambda features: None, 'd')._train_with_estimator_spec()

  def test_version_2(self):
    self.assertIsNone(dnn.DNNClassifierV3)

  @test_util.run_v1_only('asks for TensorFlow 1')
  def test_version_1(self):
    self.assertFalse(tf.executing_eagerly())

  @test_util.run_in_graph_and_eager_modes
  def test_two_modes(self):
    self.assertFalse(tf.executing_eagerly())

  def test_skipped(self):
    self.skipTest('always')
"""
OUTCOMES = {
    "passes": "passed",
    "fails": "failed",
    "private": "not applicable",
    "private_attribute": "not applicable",
    "version_2": "not applicable",
    "version_1": "passed",
    "skipped": "skipped",
}


def test_a_suite_is_run_method_by_method(tmp_path: Path) -> None:
    suite = replace(suites.SUITES[0], root="", files=("tiny_test.py",))
    (tmp_path / "tiny_test.py").write_text(TINY)
    records = run.run_file(suite, suites.RUNTIME, tmp_path, "tiny_test.py", [])
    found = {record["method"].removeprefix("TinyTest.test_"): record for record in records}
    assert {name: found[name]["outcome"] for name in OUTCOMES} == OUTCOMES
    assert found["fails"]["reason"].startswith("ValueError: model_fn must be callable")
    assert found["private"]["reason"] == "no counterpart: estimator._private"
    assert found["version_2"]["reason"] == "no counterpart: canned.dnn.DNNClassifierV3"
    # Eager execution only makes it fail: Estimators build their models in graphs.
    modes = {r["method"][-12:]: r["outcome"] for r in records if "two_modes" in r["method"]}
    assert sorted(modes.values()) == ["failed", "passed"]
    assert modes["[eager_mode]"] == "failed"


def record(method: str, outcome: str, reason: str = "", way: str = "runtime") -> dict[str, str]:
    file = "exporter_test.py"
    suite = "estimator"
    fields = {"suite": suite, "way": way, "file": file, "method": method, "outcome": outcome}
    return {**fields, "reason": reason}


def test_the_page_counts_what_is_public() -> None:
    entries = [
        reasons.Reason("exporter_test.py", ("T.later*",), "later", "came in 2.0"),
        reasons.Reason("exporter_test.py", ("T.words",), "words", "plainer"),
    ]
    text = peer_table.page(
        [
            *(record(f"T.test_{number}", "passed") for number in range(7)),
            record("T.later_1", "failed"),
            record("T.later_2", "passed"),
            record("T.words", "failed"),
            record("T.other", "failed", "ValueError: x | y"),
            record("T.private", "not applicable", "no counterpart: e._x"),
        ],
        entries,
    )
    assert "| exporter_test.py | 8 | 2 | 0 | 1 | 1 | 0 | 80.0 % |" in text
    assert "| `words` | the same error, in other words: plainer |" in text
    assert "| `other` | ValueError: x \\| y |" in text


def test_reasons_are_of_known_kinds(tmp_path: Path) -> None:
    assert reasons.read()
    path = tmp_path / "reasons.toml"
    path.write_text('[[reason]]\nfile = "a"\nmethods = ["*"]\nkind = "b"\nreason = "c"\n')
    with pytest.raises(ValueError, match="unknown kind 'b'"):
        reasons.read(path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rnn_test.py"], "rnn_test.py is left out: RNN Estimators: refused in one line"),
        (["other.py"], "other.py is left out: no such file"),
        (["exporter_test.py"], "no test file: --estimator and --tensorflow take checkouts"),
    ],
)
def test_what_is_not_run_is_one_line(
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["run.py", *arguments])
    assert run.main() == 2
    assert capsys.readouterr().err.strip() == message
