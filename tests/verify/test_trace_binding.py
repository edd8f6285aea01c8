"""Which program a stored trace may stand for, through the whole command."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from verify_support import PROGRAMS, record

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.running.run_program import REFERENCE_VARIABLE

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
TINY = PROGRAMS / "tiny.py"
FASTER = ("default=0.1)", "default=0.2)")


@pytest.fixture(autouse=True)
def no_reference_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(REFERENCE_VARIABLE, raising=False)


@pytest.fixture(scope="module")
def stored(tensorflow_installed: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trace of a.py, called with --steps 3."""
    folder = tmp_path_factory.mktemp("stored")
    shutil.copy(TINY, folder / "a.py")
    record(folder / "a.py", folder / "trace.npz", "--steps", "3")
    return folder / "trace.npz"


@pytest.fixture
def folder(stored: Path, tmp_path: Path) -> Path:
    """A folder with a.py, its trace.npz, and new.py, which is the same."""
    for name in ("a.py", "new.py"):
        shutil.copy(TINY, tmp_path / name)
    shutil.copy(stored, tmp_path / "trace.npz")
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Returns the one line that says why nothing was compared."""
    assert main(["-q", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    assert "--force-trace" in said.err
    return said.err


def test_a_trace_of_the_program_is_used(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(folder / "a.py"), str(folder / "new.py"), "--", "--steps", "3"]) == 0
    assert f"using the stored trace {folder / 'trace.npz'}" in capsys.readouterr().err


def test_a_trace_beside_it_of_another_program_is_not_used(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """b.py learns faster than a.py, and b_new.py as a.py does."""
    (folder / "b.py").write_text(TINY.read_text().replace(*FASTER))
    pair = [str(folder / "b.py"), str(folder / "new.py")]
    assert main([*pair, "--", "--steps", "3"]) == 1
    said = capsys.readouterr()
    assert f"not using {folder / 'trace.npz'}: it is a trace of a.py" in said.err
    assert f"-m tfmigrate_runtime.tf1_shim {pair[0]}" in said.err


def test_a_trace_of_another_program_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "b.py").write_text(TINY.read_text().replace(*FASTER))
    given = [str(folder / "b.py"), str(folder / "new.py"), "--trace", str(folder / "trace.npz")]
    assert "trace.npz is a trace of a.py, not of b.py. " in refused(capsys, *given)
    assert main([*given, "--force-trace"]) == 0
    assert "warning: " in capsys.readouterr().out


def test_a_trace_of_a_program_that_was_renamed_is_used(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.py").rename(folder / "b.py")
    assert main([str(folder / "b.py"), str(folder / "new.py")]) == 0
    assert f"using the stored trace {folder / 'trace.npz'}" in capsys.readouterr().err


def test_a_trace_of_an_edited_program_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.py").write_text(TINY.read_text().replace(*FASTER))
    text = refused(capsys, str(folder / "a.py"), str(folder / "new.py"))
    assert "trace.npz is out of date: a.py has changed since it was recorded. " in text


def test_a_trace_of_other_arguments_or_replicas_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pair = (str(folder / "a.py"), str(folder / "new.py"))
    text = refused(capsys, *pair, "--", "--steps", "3", "--rate", "0.2")
    assert "trace.npz was recorded with different arguments: --steps 3. " in text
    text = refused(capsys, *pair, "--replicas", "2")
    assert "was recorded with the program's own devices, not with --replicas 2. " in text


_SESSION = """
saver = tf.train.Saver()
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    found = tf.train.latest_checkpoint(sys.argv[1])
    if found:
        saver.restore(session, found)
    while session.run(step) < 3:
        session.run(train_op)
    saver.save(session, sys.argv[1] + "/model", global_step=step)
"""
_MONITORED = """
hooks = [tf.train.StopAtStepHook(last_step=3)]
with tf.train.MonitoredTrainingSession(checkpoint_dir=sys.argv[1], hooks=hooks) as session:
    while not session.should_stop() and session.run(step) < 3:
        session.run(train_op)
"""
_MODEL = """
import sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
weight = tf.get_variable("weight", [2])
step = tf.train.get_or_create_global_step()
train_op = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(weight**2), step)
"""


@pytest.mark.parametrize("training", [_SESSION, _MONITORED], ids=["session", "monitored"])
def test_a_folder_that_holds_a_checkpoint_is_named(
    training: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is left to train: that is not the recorder's failure to see it."""
    script, model = tmp_path / "train.py", tmp_path / "model"
    script.write_text(_MODEL + training)
    model.mkdir()
    record(script, tmp_path / "first.npz", str(model))
    assert main([str(script), str(script), "-q", "--legacy", "--", str(model)]) == 2
    text = capsys.readouterr().err
    assert f"ended without a training step: {model} contained a checkpoint of step 3; " in text
    assert "{out}" in text and "--fresh-folder" in text
