"""Ends of programs whose cause is not where one would look: each is one line that says it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tfmigrate_runtime.verify import options
from tfmigrate_runtime.verify.running.cluster import ALONE
from tfmigrate_runtime.verify.running.failed_output import last_words
from tfmigrate_runtime.verify.running.reference import is_python_2, why_not
from tfmigrate_runtime.verify.running.task_process import TaskProcess


def interpreter(folder: Path, about: str) -> str:
    """Returns something that prints this, as the probe does."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\necho '{about}'\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("about", "reason"),
    [
        ('[[3, 11], ["tensorflow-2.21.0.dist-info"]]', "has TensorFlow 2.21.0, not 1.x"),
        ('[[3, 10], ["tensorflow_cpu-2.16.1.dist-info"]]', "has TensorFlow 2.16.1, not 1.x"),
        ('[[2, 7], ["tensorflow-1.15.5.dist-info"]]', "is Python 2.7: the recorder needs"),
        (
            '[[3, 7], ["tensorflow-1.15.5.dist-info", "tensorflow_estimator-2.1.0.dist-info"]]',
            None,
        ),
        ("[[3, 7], []]", None),
        ("no JSON", None),
    ],
)
def test_a_reference_interpreter_of_another_version(
    tmp_path: Path, about: str, reason: str | None
) -> None:
    found = why_not(interpreter(tmp_path, about))
    assert found is None if reason is None else found is not None and reason in found


def test_code_of_python_2(tmp_path: Path) -> None:
    for text, expected in (
        ("print 'loss'\n", True),
        ("try:\n    pass\nexcept ValueError, error:\n    pass\n", True),
        ("print('loss')\n", False),
        ("if\n", False),
    ):
        (tmp_path / "program.py").write_text(text)
        assert is_python_2(tmp_path / "program.py") is expected
    assert not is_python_2(tmp_path / "absent.py")


@pytest.mark.parametrize(
    ("command", "how"),
    [
        ("kill -SEGV $$", "was killed by SIGSEGV"),
        ("kill -KILL $$", "was killed by SIGKILL (out of memory?)"),
        ("exit 3", "ended with exit code 3"),
        ("exit 0", "ended with exit code 0 without a training step"),
    ],
)
def test_how_a_process_ended(tmp_path: Path, command: str, how: str) -> None:
    task = TaskProcess(ALONE, tmp_path / "trace.npz", tmp_path)
    task.start(["sh", "-c", command], {}, None, show_output=False)
    assert isinstance(task.process, subprocess.Popen)
    task.process.wait()
    assert task.ended()
    assert task.how_it_ended == how


def test_a_program_that_hangs_says_where(tmp_path: Path) -> None:
    own = tmp_path / "train.py"
    text = "\n".join(
        [
            "step 3",
            "Stack (most recent call first):",
            '  File "/usr/lib/python3.11/threading.py", line 327 in wait',
            f'  File "{own}", line 12 in wait_for_data',
            f'  File "{own}", line 40 in <module>',
        ]
    )
    assert last_words(text).endswith(f"\n  it was in {own}, line 12")


def test_notes_on_what_is_deprecated_do_not_hide_the_cause() -> None:
    note = [
        "WARNING:tensorflow:From a.py:3: div (from tensorflow.python.ops.math_ops) is deprecated "
        "and will be removed in a future version.",
        "Instructions for updating:",
        "Deprecated in favor of operator or tf.math.divide.",
    ]
    text = "\n".join(["no such file: data.csv", *note, *note])
    assert last_words(text) == "\n  | no such file: data.csv"


def test_options_are_not_abbreviated(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        options.parse(["a.py", "--reference", "python3"])
    assert "unrecognized arguments: --reference" in capsys.readouterr().err
