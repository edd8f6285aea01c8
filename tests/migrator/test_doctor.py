"""``tfmigrate doctor`` before an interpreter that answers as the test says."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import pytest

from tfmigrate.cli import main

PROGRAM = """\
import tensorflow as tf

x = tf.contrib.framework.get_global_step()
y = tf.contrib.framework.get_global_step() + tf.constant(1)
z = tf.contrib.tpu.keras_to_tpu_model
for _ in range(tf.flags.FLAGS.steps): pass
"""


@pytest.fixture
def python(tmp_path: Path) -> str:
    """An interpreter whose TensorFlow has all but tf.contrib and tf.flags."""
    return interpreter(
        tmp_path,
        "names = json.load(sys.stdin)['names']\n"
        "missing = [a if a.startswith(('contrib', 'flags')) else '' for m, i, a in names]\n"
        "print(json.dumps({'versions': {'tensorflow': '2.99'}, 'missing': missing}))\n",
    )


def interpreter(folder: Path, text: str) -> str:
    path = folder / "python"
    path.write_text(f"#!{sys.executable}\nimport json, sys\n{text}")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "code").mkdir()
    (tmp_path / "code/train.py").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    return "code/train.py"


def test_missing_names_are_told_with_what_is_known(
    program: str, python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", program, "--python", python]) == 1
    out, error = capsys.readouterr()
    assert error == ""
    lines = out.splitlines()
    step = "tf.contrib.framework.get_global_step not found (and 1 more place)"
    assert lines[0].split() == ["code/train.py:3:5", *step.split()]
    assert lines[1] == "    use tf.compat.v1.train.get_global_step (TFM703)"
    assert lines[2].startswith("code/train.py:5:5")
    assert "tf.contrib.tpu.keras_to_tpu_model not found" in lines[2]
    assert "tf.flags.FLAGS not found" in lines[4]
    assert lines[5] == "    available in tf.compat.v1 (TFM701)"
    assert lines[-1] == "3 names in 1 file (of 1) not found with TensorFlow 2.99."


def test_a_name_that_nothing_is_known_of_has_the_code_that_tfmigrate_reports(
    program: str, python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(program).write_text("import tensorflow as tf\nx = tf.contribute\n")
    assert main(["doctor", program, "--python", python]) == 1
    assert capsys.readouterr().out.splitlines()[1] == "    contribute (TFM720)"
    assert main(["--check", program]) == 1
    assert "TFM720" in capsys.readouterr().out


def test_json_has_all_places(program: str, python: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", program, "--python", python, "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["versions"] == {"tensorflow": "2.99"}
    assert (found["files"], found["errors"]) == (1, [])
    step = found["missing"][0]
    assert (step["name"], step["status"], step["rule"]) == (
        "tensorflow.contrib.framework.get_global_step",
        "core",
        "TFM703",
    )
    assert step["places"] == [
        {"cell": 0, "line": 3, "column": 5},
        {"cell": 0, "line": 4, "column": 5},
    ]


def test_nothing_is_missing(program: str, python: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path(program).write_text("import tensorflow as tf\ntf.constant(1)\n")
    assert main(["doctor", program, "--python", python]) == 0
    assert capsys.readouterr().out == "All 2 names of 1 file are in TensorFlow 2.99.\n"


def test_a_file_that_does_not_parse_is_an_error(
    program: str, python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("code/old.py").write_text("import tensorflow\nprint 'x'\n")
    assert main(["doctor", "code", "--python", python]) == 2
    out, error = capsys.readouterr()
    assert error.startswith("code/old.py:2:1  TFM900  error")
    assert out.endswith("not found with TensorFlow 2.99; 1 file could not be read.\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "print(json.dumps({'versions': {}, 'missing': ['no'] * 9}))",
            "has no TensorFlow;",
        ),
        (
            "sys.exit('No module named tfmigrate_runtime.doctor')",
            "has no tfmigrate_runtime;",
        ),
        ("sys.exit('Fatal: no memory')", "failed to look up the names: Fatal: no memory"),
    ],
)
def test_an_interpreter_without_tensorflow(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    assert main(["doctor", program, "--python", interpreter(tmp_path, text)]) == 2
    out, error = capsys.readouterr()
    assert out == ""
    assert error.startswith("tfmigrate: ") and error.count("\n") == 1
    assert message in error


def test_no_such_interpreter(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", program, "--python", "./nowhere"]) == 2
    assert "cannot be run: No such file or directory" in capsys.readouterr().err


def test_no_such_path(python: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["doctor", "nowhere", "--python", python])
    assert stopped.value.code == 2
    assert "no such file or folder: nowhere" in capsys.readouterr().err


def test_what_only_raises_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    python = interpreter(
        tmp_path,
        "names = json.load(sys.stdin)['names']\n"
        "print(json.dumps({'versions': {'tensorflow': '2.99'}, 'missing': [''] * len(names)}))\n",
    )
    monkeypatch.chdir(tmp_path)
    Path("export.py").write_text(
        "import tensorflow.compat.v1 as tf\ntf.keras.estimator.model_to_estimator(m)\n"
    )
    assert main(["doctor", "export.py", "--python", python]) == 1
    out = capsys.readouterr().out
    assert "keras.estimator.model_to_estimator not found" in out
    assert "    it exists but raises NotImplementedError\n" in out


def test_old_pythons_answer_too() -> None:
    path = Path(__file__).parents[2] / "runtime/tfmigrate_runtime/doctor.py"
    tree = ast.parse(path.read_text(), feature_version=(3, 7))
    futures = [s for s in tree.body if isinstance(s, ast.ImportFrom) and s.module == "__future__"]
    assert futures  # `dict[str, str]` is not evaluated
