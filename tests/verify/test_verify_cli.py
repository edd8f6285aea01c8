"""tfmigrate verify's command line: what it refuses, and with which words."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

from tfmigrate_runtime.verify import cli, pipeline
from tfmigrate_runtime.verify.options import parse
from tfmigrate_runtime.verify.reports.written_reports import Report
from tfmigrate_runtime.verify.request import UsageError
from tfmigrate_runtime.verify.rungs.ladder import Verdict
from tfmigrate_runtime.verify.running import runner
from tfmigrate_runtime.verify.running.run_program import Program, ProgramFailed, run_recorded
from tfmigrate_runtime.verify.traces.trace import TraceError, load_trace


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TFMIGRATE_REFERENCE_PYTHON", raising=False)
    for name in ("original.py", "migrated.py"):
        (tmp_path / name).write_text("print('hello')\n")
    return tmp_path


def error_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(arguments) == 2
    return capsys.readouterr().err


def test_a_missing_file(scripts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "nowhere.py: no such file" in error_of(capsys, "original.py", "nowhere.py")


def test_an_original_is_run_by_the_legacy_runtime_where_nothing_else_can(
    scripts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = error_of(capsys, "original.py", "migrated.py")
    assert "-m tfmigrate_runtime.tf1_shim original.py" in text
    assert "tfmigrate verify: the original failed: " in text
    assert "original.py ended without a training step" in text


def test_a_damaged_trace(scripts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (scripts / "trace.npz").write_bytes(b"PK nonsense")
    assert "trace.npz: not a trace" in error_of(capsys, "original.py", "migrated.py")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04" + b"\0" * 40, b"\x93NUMPY\x01\0"])
def test_an_empty_trace_and_ones_that_were_cut_off(
    scripts: Path, capsys: pytest.CaptureFixture[str], content: bytes
) -> None:
    (scripts / "t.npz").write_bytes(content)
    for where in (("--trace", "t.npz"), ("--trace", "t.npz", "--cluster", "worker=1")):
        text = error_of(capsys, "original.py", "migrated.py", "-q", *where)
        assert "t.npz: not a trace (" in text
        assert text.count("\n") == 1


def test_a_trace_with_pickled_objects_is_not_loaded(tmp_path: Path) -> None:
    np.savez(tmp_path / "t.npz", meta=np.array([object()], dtype=object))
    with pytest.raises(TraceError, match="not a trace"):
        load_trace(tmp_path / "t.npz")


def test_a_trace_of_another_format(tmp_path: Path) -> None:
    empty = np.zeros(0)
    np.savez(tmp_path / "t.npz", meta='{"format": 99}', step=empty, loss=empty, variable_step=empty)
    with pytest.raises(TraceError, match="format 99, not 1"):
        load_trace(tmp_path / "t.npz")


def test_a_bad_loose_rule(scripts: Path) -> None:
    options = parse(["original.py", "migrated.py", "--loose", "kernel"])
    with pytest.raises(UsageError, match="expected PATTERN=TOLERANCE"):
        options.request()


def test_help_lists_exit_codes_and_that_programs_are_executed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["--help"])
    assert stop.value.code == 0
    text = capsys.readouterr().out
    for word in ("EXECUTED", "{out}", "exit codes", "--reference-python", "--replicas"):
        assert word in text


def test_a_program_that_fails_shows_the_end_of_its_output(tmp_path: Path) -> None:
    script = tmp_path / "fails.py"
    script.write_text("import sys\nprint('some words')\nsys.exit('no data')\n")
    with pytest.raises(ProgramFailed) as failure:
        run_recorded(Program(script, ()), tmp_path / "t.npz", 60)
    text = str(failure.value)
    assert "ended with exit code 2" in text
    assert "  | no data" in text
    assert not (tmp_path / "t.npz").exists()


def test_traces_are_left_nowhere(scripts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = set(os.listdir(scripts))  # noqa: PTH208
    error_of(capsys, "original.py", "migrated.py")
    assert set(os.listdir(scripts)) == before  # noqa: PTH208


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--devices", "tpu"), "--devices tpu: expected cpu:N, gpu or gpu:N, with N at least 1"),
        (("--devices", "gpu:2", "--replicas", "2"), "--devices excludes --replicas and --cluster"),
        (
            ("--devices", "gpu:2", "--reference-python", "/tf1"),
            "TensorFlow 1.x runs on CPUs only here",
        ),
    ],
)
def test_devices_that_cannot_be(
    scripts: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], text: str
) -> None:
    assert text in error_of(capsys, "original.py", "migrated.py", *arguments)


def test_output_without_line_ends_is_cut(scripts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As of a program that prints a progress bar, or all of its data, and fails."""
    (scripts / "long.py").write_text("import sys\nsys.exit('no data ' + 'x' * 100_000_000)\n")
    text = error_of(capsys, "long.py", "migrated.py")
    assert len(text) < 3000
    assert re.search(r"\| x{500} \.\.\. \d+ more characters", text)


def test_both_programs_are_recorded_on_the_devices(
    scripts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = []

    def record(program: Program, trace: Path, *_others: object, **_options: object) -> None:
        commands.append(program.command(trace, "out", None))
        first = np.ones(1, np.int64)
        kept = {"step": first, "loss": np.zeros(1), "variable_step": first}
        np.savez(trace, meta='{"format": 1, "args": [], "replicas": 2, "variables": []}', **kept)

    monkeypatch.setattr(runner, "run_recorded", record)
    monkeypatch.setattr(pipeline, "climb", lambda *_traces: Verdict(()))
    monkeypatch.setattr(Report, "show", lambda *_: None)
    assert cli.main(["original.py", "migrated.py", "--devices", "gpu:2", "--legacy", "-q"]) == 0
    assert [command[4:6] for command in commands] == [["--devices", "gpu:2"]] * 2
    assert ["--legacy" in command for command in commands] == [True, False]


@pytest.mark.parametrize(("options", "module"), [((), []), (("--module",), ["--module", "task"])])
def test_the_stored_trace_is_of_the_module(
    scripts: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], module: list[str]
) -> None:
    (scripts / "task.py").write_text("")
    started: list[list[str]] = []

    def original(run: runner.Runner, trace: Path) -> None:
        started.append(["--module", run.module] if run.module else [])
        raise TraceError("enough")

    monkeypatch.setattr(runner.Runner, "original", original)
    assert cli.main(["task.py", "--record", "trace.npz", *options]) == 2
    assert started == [module]
