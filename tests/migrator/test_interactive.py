from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from test_cli import ORIGINAL, put, usage_error

from tfmigrate import cli

MODEL = ORIGINAL.partition("\n\ndef main")[0] + "\n"
TRAIN = """\
import tensorflow as tf
from model import model_fn


def main(input_fn):
  classifier = tf.estimator.Estimator(
      model_fn=tf.contrib.estimator.replicate_model_fn(model_fn))
  classifier.train(input_fn, steps=100)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, answers: str) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(answers))
    return cli.main(["--interactive", "."])


def left(here: Path, *names: str) -> list[bool]:
    return ["replicate_model_fn" in (here / name).read_text() for name in names]


def test_only_approved_files_change(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.py", "b.py", "c.py"):
        put(here / name)
    assert run(monkeypatch, "n\nx\n?\ny\nn\n") == 1
    assert left(here, "a.py", "b.py", "c.py") == [True, False, True]
    printed = capsys.readouterr()
    output = printed.out + printed.err
    assert output.count("Migrate b.py? [y,n,a,q,?] ") == 3
    assert "y: yes, n: no" in output
    assert "+import tensorflow.compat.v1 as tf" in output
    assert "declined; run tfmigrate again to change it" in output


@pytest.mark.parametrize(
    ("answers", "remaining"), [("y\nq\n", [False, True]), ("a\n", [False, False]), ("", [True] * 2)]
)
def test_all_the_others(
    here: Path, monkeypatch: pytest.MonkeyPatch, answers: str, remaining: list[bool]
) -> None:
    for name in ("a.py", "b.py"):
        put(here / name)
    run(monkeypatch, answers)
    assert left(here, "a.py", "b.py") == remaining


def test_the_end_of_the_answers_is_said(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "a.py")
    assert run(monkeypatch, "") == 1
    line = "Migrate a.py? [y,n,a,q,?] \nno answer: this file and all that follow stay as they are\n"
    assert line in capsys.readouterr().out


def test_a_document_is_not_mixed_with_questions(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put(here / "a.py")
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert cli.main(["--interactive", "--format", "json", "."]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["findings"]
    assert "Migrate a.py? " in printed.err


def test_a_program_of_which_a_file_is_declined_stays_whole(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(here / "model.py", MODEL)
    put(here / "train.py", TRAIN)
    assert run(monkeypatch, "n\ny\n") == 1
    assert (here / "model.py").read_text() == MODEL
    assert (here / "train.py").read_text() == TRAIN
    assert run(monkeypatch, "y\ny\n") == 0
    assert left(here, "train.py") == [False]


@pytest.mark.parametrize(
    ("answers", "declined", "approved"),
    [("n\ny\n", "model.py", "train.py"), ("y\nn\n", "train.py", "model.py")],
)
def test_an_approval_that_is_undone_is_said_and_nothing_is_manual(
    answers: str,
    declined: str,
    approved: str,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    put(here / "model.py", MODEL)
    put(here / "train.py", TRAIN)
    assert run(monkeypatch, answers) == 1
    printed = capsys.readouterr()
    said = printed.out + printed.err
    assert f"{declined}: declined; run tfmigrate again to change it" in said
    assert f"{approved}: approved, but not changed: it needs {declined}" in said
    assert printed.out.endswith("No files migrated; 1 file declined, 1 approved but not changed.\n")
    assert "manual" not in said


def test_it_is_for_runs_that_write(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here / "a.py")
    for option in ("--check", "--diff"):
        complaint = usage_error(["--interactive", option, "a.py"], capsys)
        assert "--interactive cannot be used with --check, --diff or -" in complaint


def test_what_a_declined_file_holds_back_is_not_manual(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = "tf.contrib.training.HParams(a=1)"
    put(here / "make.py", f"import tensorflow as tf\ndef make():\n  return {made}\n")
    put(here / "a.py", f"import tensorflow as tf\nfrom make import make\nx = {made}\n")
    assert run(monkeypatch, "y\nn\n") == 1
    printed = capsys.readouterr()
    assert "a.py: approved, but not changed: it needs make.py" in printed.err
    assert "manual" not in printed.out
