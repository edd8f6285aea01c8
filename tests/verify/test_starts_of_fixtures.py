"""Fixtures that start from other values, against traces that have no draws of initializers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from recorded_cases import load_case

from tfmigrate_runtime.verify.chance.free_randomness import Programs
from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import Verdict, climb
from tfmigrate_runtime.verify.running.run_program import REFERENCE_VARIABLE
from tfmigrate_runtime.verify.traces.recording import Recording
from tfmigrate_runtime.verify.traces.trace import Trace, TraceError, load_trace

FIXTURES = Path(__file__).parents[2] / "fixtures"
SMALL = "tf.random_normal_initializer(stddev=0.3, seed=3)"
WIDE = "tf.random_normal_initializer(stddev=0.6, seed=3)"


@pytest.mark.usefixtures("tensorflow_installed")
@pytest.mark.parametrize(
    ("fixture", "right", "wrong", "told"),
    [
        (
            "towers/feed_slices_clip",
            "[12], initializer=tf.zeros_initializer()",
            "[12], initializer=tf.ones_initializer()",
            "Perceptron/b1 starts from the constant 0 in the original, from the constant 1",
        ),
        ("towers/feed_slices_clip", SMALL, WIDE, "Perceptron/w1 starts from the original's random"),
        pytest.param(
            "replica_device_setter/one_machine_session",
            "b1 = tf.Variable(tf.zeros([HIDDEN]))",
            "b1 = tf.Variable(tf.ones([HIDDEN]))",
            "biases/Variable starts from the constant 0 in the original, from the constant 1",
            marks=pytest.mark.long,
        ),
        (
            "towers/scoped_losses_ema",
            "tf.constant_initializer(0.1)",
            "tf.constant_initializer(0.2)",
            "conv1/biases starts from the constant 0.1 in the original, from the constant 0.2",
        ),
        (
            "replicate_model_fn/embedding_adagrad",
            'AdagradOptimizer(params["learning_rate"])',
            'AdagradOptimizer(params["learning_rate"], initial_accumulator_value=1e-4)',
            "sentiment/embeddings/Adagrad starts from",
        ),
    ],
)
def test_another_start_is_a_difference(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    fixture: str,
    right: str,
    wrong: str,
    told: str,
) -> None:
    monkeypatch.delenv(REFERENCE_VARIABLE, raising=False)
    case = load_case(FIXTURES / fixture)
    text = (case.folder / "migrated.py").read_text()
    assert right in text
    (tmp_path / "migrated.py").write_text(text.replace(right, wrong))
    arguments = [str(case.original), str(tmp_path / "migrated.py"), "-q", "--format", "json"]
    assert main(arguments) == 1
    rungs = json.loads(capsys.readouterr().out)["rungs"]
    assert [rung["verdict"] for rung in rungs[:3]] == ["same", "same", "different"]
    assert [line for line in rungs[2]["details"] if line.startswith(told)], rungs[2]["details"]


def differ(first: Trace, again: Trace) -> bool:
    def run_again(side: int) -> Recording:
        raise AssertionError(f"program {side} need not be run")

    def compare(one: Recording, other: Recording) -> Verdict:
        return climb(one, other, Tolerance())

    pair = Recording.of(first), Recording.of(again)
    return Programs(pair, compare, run_again, runs=5).differ(*pair)


def test_no_trace_differs_from_itself() -> None:
    traces = sorted(FIXTURES.glob("*/*/trace.npz"))
    compared = 0
    for path in traces:
        try:
            trace = load_trace(path)
        except TraceError:
            continue  # of a cluster
        compared += 1
        assert not differ(trace, trace), path
        # As if all it starts from had been given to it.
        taken = {name: value * 0 for name, value in trace.initial.items()}
        given = type(trace)(**{**vars(trace), "drawn": taken})
        assert not differ(given, given), path
        assert differ(trace, given), path
    assert compared > 30
