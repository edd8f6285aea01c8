"""Programs started ahead of TensorFlow's import run as in an interpreter of their own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(
    not sys.executable.startswith(os.environ.get("TFMIGRATE_WARM_PYTHON", "none")),
    reason="programs are started by the interpreter itself",
)
KERAS_2 = {"TF_USE_LEGACY_KERAS": "1"}

ABOUT_ITSELF = """
import importlib.util, json, os, sys, threading
about = {"before": [name for name in ("tensorflow", "keras", "tf_keras") if name in sys.modules]}
about["found"] = importlib.util.find_spec("tensorflow").name
about["ahead"] = "warm_server" in sys.modules or "warm_client" in sys.modules
import numpy
import tensorflow
import tensorflow.compat.v1 as tf
about["drawn"] = float(numpy.random.rand())
about["threads"] = threading.active_count()
about["python"] = sys.executable
about["name"], about["file"], about["arguments"] = __name__, __file__[-15:], sys.argv
about["folder"], about["path"] = os.getcwd(), sys.path[0]
about["given"] = sys.stdin.read()
about["set"] = os.environ["SET_FOR_IT"]
about["tensorflow"] = [tensorflow.__name__, tensorflow.compat.v1 is tf, tf.__name__]
about["same"] = sys.modules["tensorflow"] is tensorflow
about["group"] = os.getpgid(0) == os.getpid()
with tf.Graph().as_default(), tf.Session() as session:
    about["sum"] = float(session.run(tf.reduce_sum(tf.ones([100, 100]) @ tf.ones([100, 100]))))
about["streams"] = [
    [stream.mode, stream.encoding, stream.errors, stream.line_buffering, stream.seekable()]
    for stream in (sys.stdin, sys.stdout, sys.stderr)
]
about["kept"] = [sys.__stdin__ is sys.stdin, sys.__stdout__ is sys.stdout]
sys.stdout.reconfigure(errors="backslashreplace")  # fails where it takes a pipe for a file
print(json.dumps(about))
print("to the other stream", file=sys.stderr)
"""

ENDS = """
import atexit, os, sys, time
import tensorflow
atexit.register(print, "at exit", flush=True)
if sys.argv[1] == "raise":
    raise ValueError("of its own")
if sys.argv[1] == "wait":
    print("waiting", flush=True)
    time.sleep(600)
sys.exit(int(sys.argv[1]))
"""


def run(
    script: Path, *arguments: str, given: str = "", **settings: str
) -> subprocess.CompletedProcess[str]:
    """Runs a script in its folder, with what tests use as the interpreter."""
    environment = {k: v for k, v in os.environ.items() if k != "TF_USE_LEGACY_KERAS"} | settings
    command = [sys.executable, script.name, *arguments]
    return subprocess.run(
        command, input=given, cwd=script.parent, env=environment, capture_output=True, text=True
    )


@pytest.fixture
def ends(tmp_path: Path) -> Path:
    path = tmp_path / "ends.py"
    path.write_text(ENDS)
    return path


def about_itself(folder: Path, text: str, **settings: str) -> dict[str, Any]:
    script = folder / "about_itself.py"
    script.write_text(text)
    done = run(script, "a", "b c", given="some text", SET_FOR_IT="1", **settings)
    assert done.returncode == 0, done.stderr
    assert "to the other stream" in done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_program_sees_what_it_would_see_in_an_interpreter_of_its_own(tmp_path: Path) -> None:
    found = about_itself(tmp_path, ABOUT_ITSELF, **KERAS_2)
    again = about_itself(tmp_path, ABOUT_ITSELF, **KERAS_2)
    assert found.pop("drawn") != again.pop("drawn")
    assert found == again
    assert found.pop("ahead")
    cold = tmp_path / "cold"
    cold.mkdir()
    wanted = about_itself(cold, ABOUT_ITSELF, **KERAS_2, TFMIGRATE_COLD="1")
    assert not wanted.pop("ahead")
    assert wanted.pop("folder") == wanted.pop("path") == str(cold)
    assert found.pop("folder") == found.pop("path") == str(tmp_path)
    del wanted["drawn"], wanted["group"], wanted["python"]
    assert found.pop("python") == sys.executable
    assert found.pop("group")
    assert found == wanted
    assert found["before"] == []
    assert found["sum"] == 1e6


@pytest.mark.parametrize("is_fickle", [False, True])
def test_a_program_that_takes_another_keras_than_was_guessed(
    is_fickle: bool, tmp_path: Path
) -> None:
    """It is begun again: by another server, and if it then wants another one, by Python itself."""
    script = tmp_path / "program.py"
    script.write_text(
        "import os, sys, uuid\n"
        'os.environ.pop("TF_USE_LEGACY_KERAS", None)\n'
        f'os.environ["TF_OF_ITS_OWN"] = str({is_fickle} and uuid.uuid4())\n'
        "import tensorflow as tf\n"
        'print(tf.keras.Sequential.__module__, "warm_client" in sys.modules, sys.argv[1:])\n'
        'print([name for name in os.environ if "WARM_AGAIN" in name])\n'
    )
    done = run(script, "x", **KERAS_2)
    assert done.returncode == 0, done.stderr
    keras_3 = "keras.src.models.sequential"
    assert done.stdout == f"{keras_3} {not is_fickle} ['x']\n[]\n"


def test_an_original_runs_under_the_legacy_runtime(tmp_path: Path) -> None:
    script = tmp_path / "original.py"
    script.write_text(
        "import sys\nimport tensorflow as tf\nimport warm_client\n"
        "print(__name__, sys.argv[1:], tf.__version__, tf.contrib.training.HParams(a=1).a)\n"
    )
    command = [sys.executable, "-m", "tfmigrate_runtime.tf1_shim", str(script), "x"]
    done = subprocess.run(command, env=os.environ | KERAS_2, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"__main__ \['x'\] 1\.15\.\S+ 1\n", done.stdout)


@pytest.mark.parametrize(
    "arguments",
    [
        ["-c", "import sys, tensorflow, warm_client; print(sys.argv, repr(sys.path[0]))", "x", "y"],
        ["-c", "import sys, tfmigrate_runtime, warm_client; print(sys.argv, repr(sys.path[0]))"],
    ],
)
def test_texts_that_name_tensorflow_or_the_runtime(arguments: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=tmp_path, env=os.environ | KERAS_2, capture_output=True,
        text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{['-c', *arguments[2:]]} ''\n"


def test_what_a_program_starts_with_its_own_interpreter(tmp_path: Path) -> None:
    """``tfmigrate verify`` starts the programs that it compares so."""
    (tmp_path / "child.py").write_text("import tensorflow, warm_client\nprint('a child')\n")
    (tmp_path / "parent.py").write_text(
        "import subprocess, sys\nimport tensorflow\n"
        "subprocess.run([sys.executable, 'child.py'], check=True)\n"
    )
    done = run(tmp_path / "parent.py", **KERAS_2)
    assert (done.returncode, done.stdout) == (0, "a child\n"), done.stderr


def test_no_server_for_a_tensorflow_that_has_executed_an_operation(tmp_path: Path) -> None:
    """Its forks could not configure devices: "Virtual devices cannot be modified"."""
    (tmp_path / "sitecustomize.py").write_text("import tensorflow\ntensorflow.constant(1) + 1\n")
    script = tmp_path / "program.py"
    script.write_text("import tensorflow\n")
    done = run(script, **KERAS_2, PYTHONPATH=str(tmp_path))
    assert done.returncode != 0
    assert "TensorFlow has executed an operation" in done.stderr


def test_exit_codes_and_what_is_done_at_exit(ends: Path) -> None:
    ended = run(ends, "7", **KERAS_2)
    assert (ended.returncode, ended.stdout) == (7, "at exit\n")
    raised = run(ends, "raise", **KERAS_2)
    assert (raised.returncode, raised.stdout) == (1, "at exit\n")
    assert raised.stderr.endswith("ValueError: of its own\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_the_program(ends: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [sys.executable, str(ends), "wait"],
        env={**os.environ, **KERAS_2},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(number)
    assert process.wait() == -number
    # The stream ends when nobody is left who could write to it.
    assert process.stdout.read() == ""
    process.stdout.close()


def test_a_program_without_tensorflow_is_left_to_the_interpreter(tmp_path: Path) -> None:
    script = tmp_path / "plain.py"
    script.write_text("import sys\nprint(sys.executable, 'numpy' in sys.modules)\n")
    done = run(script)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[1] == "False"
    assert done.stdout.split()[0] != sys.executable


def test_temporary_files_are_where_the_program_was_told(tmp_path: Path) -> None:
    """Also where the server's own were elsewhere, or were the folder of a program that is gone."""
    script = tmp_path / "program.py"
    script.write_text("import tempfile\nimport tensorflow\nprint(tempfile.gettempdir())\n")
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        found = run(script, TMPDIR=str(tmp_path / name))
        assert found.stdout.splitlines()[-1] == str(tmp_path / name)
        (tmp_path / name).rmdir()
