"""Runs over many files: in pieces, in several processes, with the same outcome."""

from __future__ import annotations

import argparse
import gc
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_programs_of_several_files import BLOCKED, MODEL, TRAIN

from tfmigrate import cli
from tfmigrate.commands.speed_options import driving
from tfmigrate.engine import migration
from tfmigrate.engine.options import Options
from tfmigrate.engine.outcome import Outcome
from tfmigrate.engine.run import Driving, run
from tfmigrate.files.workers import WorkerDiedError, each
from tfmigrate.report.progress import Bar
from tfmigrate.resolve.module import Module

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = sorted(path.parent for path in FIXTURES.glob("*/*/original.py"))
SESSION = "import tensorflow as tf\ntf.Session()\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(files: dict[str, str]) -> None:
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def outcome(jobs: int, *paths: str, dry_run: bool = True) -> Outcome:
    return run(paths or ["."], [], Options(), dry_run, driving=Driving(jobs=jobs))


@pytest.mark.parametrize("jobs", [1, 3])
def test_many_programs_at_once_become_what_each_becomes_alone(here: Path, jobs: int) -> None:
    cases = CASES[::8]
    put({f"{case.name}/train.py": (case / "original.py").read_text() for case in cases})
    found = outcome(jobs)
    assert found.left_manual == found.errors == []
    after = {rewrite.display: rewrite.after for rewrite in found.rewrites}
    assert list(after) == sorted(f"{case.name}/train.py" for case in cases)
    for case in cases:
        assert after[f"{case.name}/train.py"] == (case / "migrated.py").read_bytes()


PROGRAMS = {
    "whole/train.py": TRAIN.format(imports="import model"),
    "whole/model.py": MODEL,
    "blocked/train.py": TRAIN.format(imports="import model"),
    "blocked/model.py": BLOCKED,
    # The wrapper and the optimizer meet in a file that does not name TensorFlow.
    "met/main.py": "import train\nimport other\nif __name__ == '__main__':\n  train.main()\n",
    "met/train.py": TRAIN.format(imports=""),
    "met/other.py": BLOCKED,
    # ... or by way of one.
    "way/train.py": TRAIN.format(imports="from nets import factory"),
    "way/nets/__init__.py": "",
    "way/nets/factory.py": "from nets import cnn\n",
    "way/nets/cnn.py": BLOCKED,
    "other.py": SESSION,
    "nothing.py": "import numpy\n",
    "inner.py": "from tensorflow.python.ops import array_ops\narray_ops.concat\n",
}


def test_programs_are_changed_whole_or_not_at_all_whatever_the_number_of_processes(
    here: Path,
) -> None:
    put(PROGRAMS)
    first, second = outcome(1), outcome(4)
    assert first.findings == second.findings
    assert first.rewrites == second.rewrites
    # A model that waits for a human keeps the file that wraps it from being changed.
    assert first.changed == ["other.py", "whole/model.py", "whole/train.py"]
    assert {f.path for f in first.left_manual} >= {"blocked/train.py", "way/train.py"}


def test_pieces_find_what_the_whole_run_finds(here: Path) -> None:
    from tfmigrate.files.reading import decode_source, read_bytes

    put(PROGRAMS)
    names = [name for name in PROGRAMS if "tensorflow" in PROGRAMS[name]]
    sources = [decode_source(read_bytes(here / name), here / name, name) for name in sorted(names)]
    whole = migration.migrate(sources, Options(), [here])
    found = outcome(2)
    assert found.findings == whole.findings
    assert {r.display: r.after.decode() for r in found.rewrites} == {
        path.relative_to(here).as_posix(): text for path, text in whole.texts.items()
    }


def test_a_file_that_binds_a_program_together_need_not_be_of_the_run(here: Path) -> None:
    put({name: text for name, text in PROGRAMS.items() if name.startswith("met/")})
    found = outcome(2, "met/train.py", "met/other.py")
    assert found.changed == []


def test_keras_2_is_asked_for_once_in_a_run(here: Path) -> None:
    text = "import tensorflow as tf\nmetric = tf.keras.metrics.Mean()\nmetric.reset_states()\n"
    put({"a.py": text, "nothing.py": "import tensorflow.python.ops as x\n"})
    assert outcome(1).changed == ["a.py"]
    put({"other.py": 'import tensorflow.python.ops as x\nKERAS = "TF_USE_LEGACY_KERAS"\n'})
    assert outcome(1).changed == []


def test_files_that_no_rule_concerns_are_not_parsed(here: Path) -> None:
    put({"a.py": SESSION, "b.py": PROGRAMS["inner.py"], "c.py": "tensorflow is no Python\n"})
    found = outcome(1)
    assert (found.examined, found.parsed, found.errors) == (3, 1, [])
    assert outcome(1, "c.py").exit_code == 2  # what is named is parsed whatever it holds


def test_files_that_count_beside_others_are_parsed_with_them_only(here: Path) -> None:
    flags = "from tensorflow.python.platform import flags\nflags.DEFINE_string('v', '', '')\n"
    put({"alone/flags.py": flags, "alone/other.py": SESSION})
    put({"beside/options.py": flags, "beside/train.py": "import options\n" + SESSION})
    found = outcome(1)
    assert found.changed == ["alone/other.py", "beside/options.py", "beside/train.py"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_internal_error_leaves_the_other_files_alone(
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    jobs: int,
) -> None:
    if jobs > 1 and sys.platform != "linux":
        pytest.skip("other processes do not get the stand-in")
    put({"a.py": SESSION, "b.py": SESSION, "c.py": SESSION})
    migrate = migration.migrate

    def fail_once(sources: list[migration.SourceFile], *rest: object) -> migration.Migration:
        if sources[0].display == "b.py":
            raise ZeroDivisionError("over\nzero")
        return migrate(sources, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(migration, "migrate", fail_once)
    assert cli.main([".", "--verbose", "--jobs", str(jobs)]) == 2
    told = capsys.readouterr()
    assert "b.py:1:1  TFM909" in told.err
    assert "ZeroDivisionError: over zero; this file is not changed" in told.err
    assert "in fail_once" in told.err
    assert [path for path in "abc" if "compat" in Path(f"{path}.py").read_text()] == ["a", "c"]


def test_of_a_piece_nothing_is_kept(here: Path) -> None:
    put({f"p{index}/train.py": SESSION for index in range(3)})
    outcome(1)
    gc.collect()
    modules = [thing for thing in gc.get_objects() if isinstance(thing, Module)]
    assert [m for m in modules if m.source.path.is_relative_to(here)] == []


class Terminal(io.StringIO):
    """What is shown on a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_is_shown_where_a_run_takes_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("tfmigrate.report.progress._PATIENCE_SECONDS", 0)
    stream = Terminal()
    bar = Bar(stream, "reading")
    bar(5, 10)
    assert "reading" in stream.getvalue()
    assert "5/10" in stream.getvalue()
    bar(10, 10)
    assert "10/10" in stream.getvalue()


def test_progress_of_a_short_run_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfmigrate.report.progress._PATIENCE_SECONDS", 3600)
    stream = Terminal()
    bar = Bar(stream, "reading")
    for done in (1, 5, 10):
        bar(done, 10)
    assert stream.getvalue() == ""


def test_a_terminal_alone_sees_progress() -> None:
    options = argparse.Namespace(jobs=2, cache_dir=None, no_cache=False, check=False, quiet=False)
    assert driving(options, io.StringIO()) == Driving(jobs=2)
    terminal = Terminal()
    assert driving(options, terminal).progress is not None
    options.quiet = True
    assert driving(options, terminal).progress is None


def half(number: int) -> int:
    if number == 13:
        raise ValueError("unlucky")
    return number // 2


def leave(number: int) -> int:
    os._exit(number)


@pytest.mark.parametrize("jobs", [1, 3])
def test_answers_come_in_the_order_of_the_questions(jobs: int) -> None:
    told: list[tuple[int, int]] = []
    numbers = list(range(0, 12))
    answers = each(half, numbers, jobs, 2, lambda done, total: told.append((done, total)))
    assert answers == [half(number) for number in numbers]
    assert told[-1] == (12, 12)
    assert told == sorted(told)
    with pytest.raises(ValueError, match="unlucky"):
        each(half, range(10, 20), jobs, 2)


def test_a_process_that_is_ended_is_an_error_and_no_deadlock() -> None:
    with pytest.raises(WorkerDiedError, match="--jobs 1"):
        each(leave, [3, 3], jobs=2)


def test_jobs_must_be_a_number(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put({"a.py": SESSION})
    for wrong in ("0", "-1", "two"):
        with pytest.raises(SystemExit) as stopped:
            cli.main([".", f"--jobs={wrong}"])
        assert stopped.value.code == 2
        assert "must be a number of processes" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the processes")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_who_is_interrupted_ends_all_processes_and_leaves_every_file_old(
    here: Path, sent: signal.Signals
) -> None:
    original = (CASES[0] / "original.py").read_text()
    put({f"p{index}/train.py": original for index in range(40)})
    paths = os.pathsep.join(entry for entry in sys.path if entry)
    process = subprocess.Popen(
        [sys.executable, "-m", "tfmigrate", ".", "--jobs", "2"],
        env={**os.environ, "PYTHONPATH": paths},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    # Its workers are there: it is in the middle of what it does before it writes anything.
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while process.poll() is None and len(children.read_text().split()) < 2:
        time.sleep(0.01)
    if sent == signal.SIGINT:
        os.killpg(process.pid, sent)  # as a terminal does
    else:
        process.kill()
    # The end of the output is there when the last process that could write to it has ended.
    _, complaint = process.communicate(timeout=60)
    if sent == signal.SIGINT:
        assert process.returncode == 130, complaint
        assert complaint.startswith("tfmigrate: interrupted")
    assert {path.read_text() for path in here.glob("*/train.py")} == {original}
