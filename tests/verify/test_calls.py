"""What is called on Estimators: recorded as on TensorFlow 1.15, and compared."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from traces import trace
from verify_support import PROGRAMS, TIMEOUT, record

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.recorder import record as recorder
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare import Outcome
from tfmigrate_runtime.verify.rungs.ladder import Verdict, climb
from tfmigrate_runtime.verify.running.run_program import REFERENCE_VARIABLE, Program, run_recorded
from tfmigrate_runtime.verify.traces.trace import load_trace

CALLS = PROGRAMS / "calls.py"
# all_sessions.py --out calls_of_tensorflow_1_15.npz --replicas 1 programs/calls.py -- {out}
STORED = Path(__file__).parent / "calls_of_tensorflow_1_15.npz"
TRAINED = {"kind": "train", "before": 0, "after": 5, "steps": None, "max_steps": 5}
EVALUATED = {"kind": "evaluate", "step": 5, "steps": None, "name": None}
EXPORTED = {"kind": "export", "step": 5, "folder": "export/Servo"}


def compared(original: Any, migrated: Any) -> Verdict:
    first, second = (
        trace(meta={key: value for key, value in meta.items() if value is not None})
        for meta in ({**trace().meta, "calls": calls} for calls in (original, migrated))
    )
    return climb(first, second, Tolerance())


def of_calls(verdict: Verdict) -> Outcome:
    outcome = verdict.rungs[5].outcome
    assert outcome is not None
    return outcome


@pytest.mark.usefixtures("tensorflow_installed")
def test_the_runtime_makes_the_calls_of_tensorflow_1(tmp_path: Path) -> None:
    original = load_trace(STORED)
    assert original.meta["tensorflow"] == "1.15.5"
    assert original.meta["sources"] == {"calls.py": hashlib.sha256(CALLS.read_bytes()).hexdigest()}
    migrated = record(CALLS, tmp_path / "trace.npz", "{out}", replicas=1)
    assert migrated.calls == original.calls
    assert climb(original, migrated, Tolerance()).same


@pytest.mark.usefixtures("tensorflow_installed")
def test_a_call_that_has_not_returned_is_not_recorded(tmp_path: Path) -> None:
    """The program is ended (``--steps``) within the second call of train."""
    program = Program(CALLS, ("{out}",), steps=3)
    run_recorded(program, tmp_path / "trace.npz", TIMEOUT)
    (call,) = load_trace(tmp_path / "trace.npz").calls or ()
    assert (call["before"], call["after"]) == (0, 2)


@pytest.mark.usefixtures("tensorflow_installed")
def test_the_first_steps_of_a_stored_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The trace is of the whole program: its calls were called missing in the migrated one."""
    copy = tmp_path / "calls.py"
    copy.write_text(CALLS.read_text())
    options = ["--trace", str(STORED), "--steps", "3", "-q", "--format", "json"]
    code = main([str(CALLS), str(copy), *options, "--", "{out}"])
    report = json.loads(capsys.readouterr().out)
    assert code == 0, report["conclusion"]
    assert "calls and results (not compared)" in report["not_compared"]


def test_what_tensorflow_1_was_called_for() -> None:
    calls = load_trace(STORED).calls
    assert calls is not None
    trained = [(call["before"], call["after"]) for call in calls if call["kind"] == "train"]
    # Not the one with steps=0, which raised an error.
    assert trained == [(0, 2), (2, 5), (5, 5), (5, 12), (12, 15)]
    asked = [(call["steps"], call["max_steps"]) for call in calls if call["kind"] == "train"]
    assert asked == [(2, None), (None, 9), (None, 5), (None, 12), (None, 15)]
    # Evaluations and exports while training follow the call that they are made in.
    assert calls[4:8] == [
        {"kind": "evaluate", "step": 9, "steps": 100, "name": "held_out"},
        {"kind": "export", "step": 9, "folder": "export/newest"},
        {"kind": "evaluate", "step": 12, "steps": 100, "name": "held_out"},
        {"kind": "export", "step": 12, "folder": "export/newest"},
    ]
    # export_savedmodel calls export_saved_model: one call.
    assert calls[8:] == [
        {"kind": "evaluate", "step": 2, "steps": 2, "name": None},
        {"kind": "export", "step": 2, "folder": "by_hand"},
        {"kind": "export", "step": 12, "folder": "by_hand"},
        {"kind": "train", "before": 12, "after": 15, "steps": None, "max_steps": 15},
        # In memory: at the start, every two steps, and at the end.
        *({"kind": "evaluate", "step": at, "steps": 2, "name": "inside"} for at in (12, 14, 15)),
    ]


@pytest.mark.reference
@pytest.mark.skipif(
    not os.environ.get(REFERENCE_VARIABLE), reason=f"{REFERENCE_VARIABLE} is not set"
)
def test_tensorflow_1_still_makes_the_stored_calls(tmp_path: Path) -> None:
    python = os.environ[REFERENCE_VARIABLE]
    again = record(CALLS, tmp_path / "trace.npz", "{out}", replicas=1, python=python)
    assert again.calls == load_trace(STORED).calls


class Core:
    """Has the methods of tf.estimator.Estimator that are recorded."""

    def __init__(self, folder: Path) -> None:
        self.model_dir = str(folder)

    def train(self, input_fn: Any, steps: int | None = None, max_steps: int | None = None) -> Core:
        if input_fn is not None:
            input_fn()
        return self

    def evaluate(self, input_fn: Any, steps: int | None = None, name: str | None = None) -> Any:
        if input_fn is None:
            raise ValueError("there is no input")
        return {"global_step": 7, "loss": 0.5}

    def predict(self, input_fn: Any, yield_single_examples: bool = True) -> Iterator[Any]:
        yield {"class": 1}
        yield {"class": 2}


class Learn:
    """Has those of contrib.learn.Estimator, built on the other one."""

    def __init__(self, folder: Path) -> None:
        self.core = Core(folder)
        self.model_dir = self.core.model_dir

    def fit(self, x: Any = None, input_fn: Any = None, steps: int | None = None) -> Learn:
        self.core.train(input_fn, steps)
        return self

    def evaluate(self, input_fn: Any = None, name: str | None = None) -> Any:
        return self.core.evaluate(input_fn, name=name)

    def predict(self, input_fn: Any = None, as_iterable: bool = True) -> Any:
        rows = self.core.predict(input_fn)
        return rows if as_iterable else {"class": [row["class"] for row in rows]}

    def export_savedmodel(self, export_dir_base: Any, serving_input_fn: Any = None) -> None:
        self.evaluate(input_fn=len)


@pytest.fixture
def learn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[recorder.Trace, Learn]:
    observed = recorder.Trace(1)
    for kind in (Core, Learn):
        for name in ("train", "fit", "evaluate", "predict", "export_savedmodel"):
            if name in vars(kind):
                monkeypatch.setattr(kind, name, vars(kind)[name])  # undoes the wrapping later
        recorder.observe_estimator(observed, types.SimpleNamespace(Estimator=kind))
        recorder.observe_estimator(observed, types.SimpleNamespace(Estimator=kind))
    return observed, Learn(tmp_path)


@pytest.mark.usefixtures("tensorflow_installed")
def test_calls_within_calls(learn: tuple[recorder.Trace, Learn]) -> None:
    observed, estimator = learn

    def train_input() -> None:
        estimator.evaluate(input_fn=len, name="within")

    assert estimator.fit(None, train_input, 3) is estimator
    estimator.export_savedmodel(f"{estimator.model_dir}/export/Servo")
    estimator.export_savedmodel("/elsewhere")
    with pytest.raises(ValueError, match="there is no input"):
        estimator.evaluate(name="fails")
    with pytest.raises(TypeError, match="unexpected keyword argument 'steps'"):
        estimator.evaluate(steps=3)  # type: ignore[call-arg]
    evaluated = {"kind": "evaluate", "steps": None, "name": None, "step": 7}
    assert observed.calls == [
        {"kind": "train", "before": 0, "after": 0, "steps": 3, "max_steps": None},
        {**evaluated, "name": "within"},
        {"kind": "export", "step": None, "folder": "export/Servo"},
        evaluated,
        {"kind": "export", "step": None, "folder": None},
        evaluated,
    ]
    assert observed.under_way == []
    assert observed.evaluations == [{"global_step": 7, "loss": 0.5}] * 3


def test_predictions_within_predictions(learn: tuple[recorder.Trace, Learn]) -> None:
    observed, estimator = learn
    assert [row["class"] for row in estimator.predict()] == [1, 2]
    assert estimator.predict(as_iterable=False) == {"class": [1, 2]}
    assert observed.predictions == [[{"class": 1}, {"class": 2}]] * 2
    assert observed.calls == []


def test_a_class_is_wrapped_when_its_module_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "late_estimator.py").write_text(
        "class Estimator:\n    def evaluate(self):\n        return {}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        recorder.estimators, "_ESTIMATOR_MODULES", ("late_estimator", "not_there_at_all")
    )
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    recorder.estimators.install(recorder.Trace(1))
    import late_estimator  # type: ignore[import-not-found]

    assert late_estimator.Estimator.evaluate._tfmigrate_observed
    with pytest.raises(ModuleNotFoundError):
        import not_there_at_all  # type: ignore[import-not-found]  # noqa: F401
    monkeypatch.delitem(sys.modules, "late_estimator")


def test_equal_calls_are_the_same() -> None:
    verdict = compared(
        [TRAINED, EVALUATED], [{**TRAINED, "steps": 5, "max_steps": None}, EVALUATED]
    )
    assert verdict.rungs[5].verdict == "same"
    assert of_calls(verdict).figure == "2 calls, 0.0e+00"


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (
            [TRAINED, EVALUATED],
            "Call 3 differs: export at step 5 to export/Servo in the original, ",
        ),
        ([EVALUATED, TRAINED, EXPORTED], "Call 1 differs: train from step 0 to 5 in the original"),
        (
            [TRAINED, {**EVALUATED, "step": 0}, EXPORTED],
            "evaluate at step 0 in the migrated program.",
        ),
        (
            [TRAINED, {**EVALUATED, "name": "x"}, EXPORTED],
            "evaluate at step 5 as 'x' in the migrated",
        ),
        ([{**TRAINED, "before": 1}, EVALUATED, EXPORTED], "train from step 1 to 5 in the migrated"),
        (
            [TRAINED, EVALUATED, {**EXPORTED, "folder": None}],
            "export at step 5 in the migrated program.",
        ),
        ([], "no further call in the migrated program."),
    ],
)
def test_other_calls_are_told(other: list[dict[str, Any]], told: str) -> None:
    verdict = compared([TRAINED, EVALUATED, EXPORTED], other)
    failed = verdict.failed
    assert failed is verdict.rungs[5]
    assert not verdict.same
    details = of_calls(verdict).details
    assert told in details[0]
    assert details[1].startswith("Calls of the original: train from step 0 to 5, evaluate")


@pytest.mark.parametrize(
    ("original", "migrated", "which"),
    [(None, [TRAINED], "original"), ([TRAINED], None, "migrated program")],
)
def test_without_a_list_they_are_not_compared(original: Any, migrated: Any, which: str) -> None:
    verdict = compared(original, migrated)
    assert verdict.same
    assert of_calls(verdict).figure == "calls not recorded, 0.0e+00"
    assert f"The trace of the {which} does not contain calls" in of_calls(verdict).details[0]
