from __future__ import annotations

from pathlib import Path

import pytest
from test_cli import ORIGINAL, UNRELATED, put

from tfmigrate import cli
from tfmigrate.files.environments import outdated

OLDEST = (2, 16)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "# tensorflow==1.15",
        "numpy<1.19  # for tensorflow==1.15",
        "tensorflow",
        "tensorflow>=1.12",
        "tensorflow>=2.4,<3",
        "tensorflow~=2.4",
        "tensorflow==2.*",
        "tensorflow==2.16.1",
        "tensorflow!=1.15",
        "tensorflow-estimator==1.15",
        "tensorflow-datasets==1.0",
        "my-tensorflow==1.15",
        "tensorflow[and-cuda]>=2.16",
        'tensorflow = "^2.4"',
        "FROM tensorflow/tensorflow:2.16.1-gpu",
        "FROM python:3.11",
        "git+https://github.com/tensorflow/tensorflow@v1.15",
    ],
)
def test_others_are_no_matter(line: str) -> None:
    assert list(outdated(line, OLDEST)) == []


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("tensorflow==1.15.5", "tensorflow==1.15.5"),
        ("tensorflow===1.15", "tensorflow===1.15"),
        ("tensorflow == 1.15 ; python_version<'3.8'", "tensorflow == 1.15"),
        ("tensorflow>=1.12,<2.0  # why", "tensorflow>=1.12,<2.0"),
        ("tensorflow~=1.15.0", "tensorflow~=1.15.0"),
        ("tensorflow~=2.4.0", "tensorflow~=2.4.0"),
        ("tensorflow==1.*", "tensorflow==1.*"),
        ("tensorflow<2.16", "tensorflow<2.16"),
        ("tensorflow<=2.15", "tensorflow<=2.15"),
        ("tensorflow_gpu==1.4", "tensorflow_gpu==1.4"),
        ("tensorflow-gpu", "tensorflow-gpu"),
        ("  - tensorflow=1.15", "tensorflow=1.15"),
        ('    "tensorflow==1.15", "six"', "tensorflow==1.15"),
        ('tensorflow = "^1.15"', 'tensorflow = "^1.15"'),
        ('tensorflow = "1.15"', 'tensorflow = "1.15"'),
        ("RUN pip install tensorflow==1.14 six", "tensorflow==1.14"),
        ("FROM tensorflow/tensorflow:1.15.2-gpu-py3", "tensorflow/tensorflow:1.15"),
        ("FROM nvcr.io/nvidia/tensorflow:20.02-tf1-py3", "nvidia/tensorflow:20.02-tf1"),
    ],
)
def test_what_is_too_old(line: str, text: str) -> None:
    (found,) = outdated("# first\n" + line, OLDEST)
    assert found.text == text
    assert (found.line, found.column) == (2, line.index(text) + 1)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("requirements.txt", "docker/Dockerfile.gpu", "old/requirements.txt"):
        put(tmp_path / name, "RUN pip install tensorflow-gpu==1.15\n")
    put(tmp_path / "setup.py", "setup(install_requires=['tensorflow<2'])\n")
    put(tmp_path / "readme.txt", "tensorflow==1.15\n")
    return tmp_path


def test_files_of_searched_folders_are_read(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here / "a.py")
    put(here / ".gitignore", "old/\n")
    (here / ".git").mkdir()
    assert cli.main(["--check", "--no-cache", "."]) == 1
    output = capsys.readouterr().out
    for place in ("requirements.txt:1:17", "docker/Dockerfile.gpu:1:17", "setup.py:1:26"):
        assert f"{place}  TFM908  manual" in output, output
    assert "old/" not in output
    assert "readme.txt" not in output
    assert "write tensorflow[and-cuda]>=2.16" in output
    assert "To run the result, install: 'tfmigrate-runtime[tensorflow]'" in output


@pytest.mark.parametrize(
    "arguments", [["a.py"], [".", "--ignore", "TFM908"], [".", "--target", "estimator"]]
)
def test_who_does_not_want_them(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    put(here / "a.py", UNRELATED)
    assert cli.main(["--check", "--no-cache", *arguments]) == 0
    assert "TFM908" not in capsys.readouterr().out


def test_what_to_install_is_said_at_the_end(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(here / "a.py")
    cli.main(["a.py"])
    line = "To run the result, install: 'tfmigrate-runtime[tensorflow]'\n"
    assert line in capsys.readouterr().out
    cli.main(["a.py"])  # nothing changes
    assert "To run the result" not in capsys.readouterr().out
    put(
        here / "b.py",
        "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n" + "tf.Session()\n",
    )
    cli.main(["b.py"])
    assert "To run the result, install: 'tensorflow>=2.16,<2.22'\n" in capsys.readouterr().out
    put(
        here / "c.py",
        "import tensorflow as tf\nx = tf.placeholder(tf.float32, [2, 2])\ntf.layers.dense(x, 1)\n",
    )
    cli.main(["c.py"])
    needed = "'tensorflow>=2.16,<2.22' 'tf-keras>=2.16,<2.22'"
    assert f"To run the result, install: {needed}\n" in capsys.readouterr().out
    put(here / "a.py", ORIGINAL)
    cli.main(["--target", "estimator", "a.py"])
    assert "To run the result" not in capsys.readouterr().out
