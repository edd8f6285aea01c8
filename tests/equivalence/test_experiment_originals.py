"""The programs of fixtures/experiment: what TensorFlow 1.15.5 did with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixture_cases import FIXTURES
from recorded_cases import load_case

from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.running.run_program import Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import load_trace

TIMEOUT_SECONDS = 300.0
CASES = sorted(path.parent for path in FIXTURES.glob("experiment/*/case.toml"))
each_case = pytest.mark.parametrize("program", CASES, ids=lambda path: path.name)


def text_of(folder: Path) -> str:
    return "\n".join(path.read_text() for path in sorted(folder.rglob("*.py")))


@each_case
def test_golden_trace_has_the_calls_of_a_real_tensorflow_1(program: Path) -> None:
    case = load_case(program)
    trace = load_trace(case.trace)
    assert trace.meta["tensorflow"] == "1.15.5"
    assert trace.meta["replicas"] == trace.replicas_built == case.replicas == 1
    assert trace.meta["args"] == list(case.arguments)
    assert len(trace.step) == case.steps <= 100
    assert case.trace.stat().st_size < 128 * 1024
    # It learns something: otherwise equal losses would not say much.
    assert trace.loss[-5:].mean() < 0.9 * trace.loss[:5].mean()
    calls = trace.calls
    assert calls is not None
    trained = [call for call in calls if call["kind"] == "train"]
    assert trained[0]["before"] == 0
    assert trained[-1]["after"] == trace.step[-1]
    evaluated = [call["step"] for call in calls if call["kind"] == "evaluate"]
    assert evaluated == [int(metrics["global_step"]) for metrics in trace.evaluations]


@pytest.mark.parametrize(
    "form",
    [
        "from tensorflow.contrib.learn.python.learn import learn_runner",
        "from tensorflow.contrib.learn import learn_runner",
        "tf.contrib.learn.learn_runner.run(",
        "import tensorflow.contrib.learn as tflearn",
        "from tensorflow.contrib.learn import Experiment",
        "**experiment_args",
        "(output_dir):",
        "(run_config, hparams):",
        ".train_and_evaluate()",
        ".train()",
        ".evaluate()",
        ".continuous_train_and_eval()",
        "continuous_eval_predicate_fn=",
        ".local_run()",
        ".test()",
        "min_eval_frequency=0",
        "min_eval_frequency=6",
        "eval_steps=None",
        "train_monitors=",
        "ValidationMonitor(",
        "eval_hooks=",
        "export_strategies=[",
        "export_strategies=tf.contrib.learn.make_export_strategy(",
        "checkpoint_and_export=True",
        "(Experiment):",
        "TF_CONFIG",
        "HParams(",
        "contrib.learn.RunConfig(",
        "contrib.learn.Estimator(",
        "ModelFnOps(",
        "MetricSpec(",
        "return output, loss, train_op",
        "optimize_loss(",
        "tf.device(tf.train.replica_device_setter(",
    ],
)
def test_there_is_a_program_of_every_form(form: str) -> None:
    assert [case.name for case in CASES if form in text_of(case)]


@pytest.mark.reference
@each_case
def test_original_still_trains_and_evaluates_like_its_trace(
    program: Path, tmp_path: Path, reference_python: str
) -> None:
    case = load_case(program)
    again = Program(case.original, case.arguments, reference_python, replicas=case.replicas)
    run_recorded(again, tmp_path / "again.npz", TIMEOUT_SECONDS)
    # On one replica nothing is left to chance, but the order of sums over threads is.
    verdict = climb(
        load_trace(case.trace),
        load_trace(tmp_path / "again.npz"),
        Tolerance(loss=1e-6, variable=1e-6, metric=1e-6),
    )
    assert verdict.failed is None, verdict.failed
    assert [rung.verdict for rung in verdict.rungs[:7]] == ["same"] * 7
