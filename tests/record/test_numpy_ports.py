"""A port in NumPy is judged by ``tfmigrate verify``, right and with faults."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfmigrate_runtime.record import Follower, follow
from tfmigrate_runtime.record.original import Original
from tfmigrate_runtime.record.pairing import PortVariable
from tfmigrate_runtime.record.run import Run
from tfmigrate_runtime.verify.cli import main

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "ports"
PORT = Path(__file__).parent / "programs" / "words_numpy.py"


@pytest.fixture
def judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Judges the port with a text replaced; returns the exit code and the report."""

    def judge(old: str = "", new: str = "", *options: str) -> tuple[int, dict[str, Any]]:
        text = PORT.read_text("utf-8")
        assert old in text
        port = tmp_path / PORT.name
        port.write_text(text.replace(old, new, 1) if old else text, "utf-8")
        trace = EXAMPLES / "words.npz"
        capsys.readouterr()
        given = [str(EXAMPLES / "words.py"), str(port), "--trace", str(trace), *options]
        code = main([*given, "-q", "--format", "json"])
        return code, json.loads(capsys.readouterr().out)

    return judge


def test_a_right_port_is_the_same(judged: Any) -> None:
    code, report = judged()
    rungs = {rung["number"]: rung for rung in report["rungs"]}
    assert (code, report["cause"]) == (0, None)
    assert rungs[1]["figure"] == "12 steps"
    assert rungs[3]["figure"] == "13 equal, 3 transferred, batch of 16 rows"
    assert rungs[6]["figure"].startswith("1 metric of 1 evaluation")
    assert "numpy" in report["migrated"]["framework"]


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("EPSILON = 0.01", "EPSILON = 0.02", "learning-rate"),
        ("0.999, 1e-8", "0.999, 1e-6", "epsilon"),
        ("0.9, 0.999", "0.9, 0.99", "decay-rate"),
        ("(words.sum(1) % 2)", "(words.sum(1) % 3 == 0)", "first-batch"),
        ("/ LENGTH)", "/ LENGTH / 2)", "gradient-scale"),
        ("np.zeros(6,", "np.ones(6,", "initial-values"),
        ("loss_of(params, *next(batches()))", "loss_of(params, *next(batches())) + 1", "results"),
        ("steps=STEPS", "steps=STEPS - 1", "steps"),
    ],
)  # fmt: skip
def test_a_fault_is_named(judged: Any, old: str, new: str, cause: str) -> None:
    code, report = judged(old, new)
    assert (code, report["cause"]) == (1, cause)


def test_the_pairs_are_written_as_a_map(judged: Any, tmp_path: Path) -> None:
    target = tmp_path / "map.json"
    code, _ = judged("", "", "--write-map", str(target))
    written = json.loads(target.read_text("utf-8"))
    assert (code, written["hidden/kernel"]) == (0, "hidden/kernel")
    names = {"embeddings", "hidden/kernel", "hidden/bias", "logits/kernel", "logits/bias"}
    assert written.keys() == names
    code, report = judged("", "", "--map", str(target), "--write-map", str(tmp_path / "no" / "m"))
    assert (code, report["cause"]) == (2, "usage")
    assert "--write-map" in report["conclusion"]


def test_variables_that_cannot_be_paired_end_it_with_one_line(judged: Any) -> None:
    code, report = judged('"hidden": {"kernel"', '"hidden": {"weight"')
    assert code in (0, 2)  # by shape and order
    code, report = judged("np.zeros(6, np.float32)", "np.zeros((1, 6), np.float32)")
    assert code == 2
    assert "cannot pair hidden/bias [6] of the original" in report["conclusion"]


def test_without_verify_nothing_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TFMIGRATE_OUT", raising=False)
    run = follow()
    assert isinstance(run, Follower)
    params = run.begin({"w": np.ones(2)})
    assert run.step(1.0, params, {"m": params}) == (params, {"m": params})
    assert run.batch() == {}
    assert run.uniform((2, 3)).shape == (2, 3)


def test_all_batches_and_the_trace_as_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """``--record --batches`` stores what a port is fed; a port's trace stands for the port."""
    script = Path(__file__).parents[1] / "verify" / "programs" / "returns.py"
    trace, port = tmp_path / "trace.npz", tmp_path / "port.npz"
    options = ["--record", str(trace), "--batches", "--reference-python", sys.executable]
    monkeypatch.setattr("tfmigrate_runtime.verify.running.reference.why_not", lambda python: None)
    assert main([str(script), *options, "-q"]) == 0
    original = Original(trace)
    for step in range(6):
        rows = np.random.RandomState(step).normal(size=(8, 3)).astype(np.float32)
        np.testing.assert_array_equal(original.batch(step)["fed/Placeholder"], rows)
    assert original.batch(6) == {}
    run = Run(original, port)
    values = original.state(-1)["weights"]
    weights = run.begin([PortVariable("weights", values.shape)], {"weights": values})
    np.testing.assert_array_equal(weights["weights"], original.initial["weights"])
    for step in range(6):
        run.step(original.loss(step + 1), {"weights": original.state(step)["weights"]})
    run.write()
    capsys.readouterr()
    code = main([str(script), str(port), "--trace", str(trace), "-q", "--format", "json"])
    assert (code, json.loads(capsys.readouterr().out)["verdict"]) == (0, "same")
