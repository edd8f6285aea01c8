"""``tfmigrate_runtime.verify`` from Python: a frozen request goes in, a frozen report comes out."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest
from simulated import Simulated, Simulation

from tfmigrate_runtime.verify import REFUSED, Report, VerifyRequest, verify
from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.options import parse
from tfmigrate_runtime.verify.running import runner
from tfmigrate_runtime.verify.running.program import Program

DOCS = Path(__file__).parents[2] / "docs/reference/verify.md"
TRACE = Path(__file__).parents[2] / "fixtures" / "replicate_model_fn" / "sum_reduction/trace.npz"
PAIR = (Path("original.py"), Path("migrated.py"))


def example() -> str:
    section = DOCS.read_text().partition("## From Python\n")[2].partition("\n## ")[0]
    (text,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    return str(text)


@pytest.mark.parametrize(
    ("rate", "word"), [(0.05, "The programs train the same"), (0.1, "The programs do not")]
)
def test_the_example_of_the_documentation(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    rate: float,
    word: str,
) -> None:
    programs = Simulated(tmp_path, monkeypatch).programs
    programs.update({"original.py": Simulation().run, "migrated.py": Simulation(rate).run})
    names: dict[str, Report] = {}
    exec(example(), names)
    report = names["report"]
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("running ")
    assert [line for line in lines if line.startswith(word)]
    assert report.exit_code == (1 if word == "The programs do not" else 0)
    assert report.verdict.word == ("different" if report.exit_code else "same")
    assert report.as_json["conclusion"] == report.conclusion
    assert len(report.rungs) == 9
    assert bool(report.findings) or not report.exit_code
    with pytest.raises(FrozenInstanceError):
        report.verdict = None  # type: ignore[misc,assignment]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--legacy", "--trace", "t.npz"], "--legacy excludes --trace"),
        (["--cluster", "ps=1"], "--cluster ps=1: no training job"),
        (["--cluster", "worker=1", "--migrated-cluster", "worker"], "--cluster worker: expected"),
        (["--cluster", "worker=1", "--replicas", "2"], "--replicas excludes --cluster"),
        (
            ["--cluster", "worker=1", "--devices", "cpu:2"],
            "--devices excludes --replicas and --cluster",
        ),
        (["--devices", "tpu"], "--devices tpu: expected cpu:N"),
        (["--loose", "kernel"], "--loose kernel: expected PATTERN=TOLERANCE"),
    ],
)
def test_what_excludes_each_other_is_refused_at_once_by_all(
    options: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The two programs are not there: nothing was looked at before."""
    assert main([*map(str, PAIR), *options]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"tfmigrate verify: {text}")
    assert error.count("\n") == 1
    with pytest.raises(REFUSED, match=re.escape(text)):
        VerifyRequest(**parse([*map(str, PAIR), *options]).attributes)


def test_a_command_line_without_options_is_a_request_without_any(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TFMIGRATE_REFERENCE_PYTHON", raising=False)
    assert parse([*map(str, PAIR)]).request() == VerifyRequest(*PAIR)


def test_requests_cannot_be_changed() -> None:
    request = VerifyRequest(*PAIR)
    for field in fields(request):
        with pytest.raises(FrozenInstanceError):
            setattr(request, field.name, None)
    hash(request)


def test_a_missing_program_is_refused(tmp_path: Path) -> None:
    with pytest.raises(REFUSED, match="no such file"):
        verify(VerifyRequest(tmp_path / "a.py", tmp_path / "b.py"))


def test_programs_are_run_by_what_is_the_interpreter_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests and scripts have another one for a while, which has imported TensorFlow already."""
    programs = Simulated(tmp_path, monkeypatch).programs
    programs.update({"original.py": Simulation().run, "migrated.py": Simulation().run})
    used = []
    record = runner.run_recorded

    def noting(program: Program, *others: object) -> None:
        used.append(program.python)
        record(program, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(runner, "run_recorded", noting)
    monkeypatch.setattr(sys, "executable", "another python")
    assert verify(VerifyRequest(*PAIR)).exit_code == 0
    assert used == ["another python"] * 2


def test_the_process_that_compares_has_nothing_of_the_recorder() -> None:
    code = (
        "import sys, tfmigrate_runtime.verify.cli\n"
        "from pathlib import Path\n"
        "from tfmigrate_runtime.verify.rungs.ladder import climb\n"
        "from tfmigrate_runtime.verify.traces.recording import load_recording\n"
        "from tfmigrate_runtime.verify.rounding.tolerance import Tolerance\n"
        "trace = load_recording(Path(sys.argv[1]))\n"
        "assert climb(trace, trace, Tolerance()).same\n"
        "print([name for name in sys.modules if 'recorder' in name or '.record_' in name])\n"
    )
    command = [sys.executable, "-c", code, str(TRACE)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
