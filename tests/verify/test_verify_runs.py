import json
import re
import shutil

import numpy as np
import pytest
from verify_support import PROGRAMS, record

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.running.run_program import REFERENCE_VARIABLE

TINY = str(PROGRAMS / "tiny.py")


@pytest.fixture(autouse=True)
def no_reference_of_the_environment(monkeypatch):
    monkeypatch.delenv(REFERENCE_VARIABLE, raising=False)


@pytest.fixture(scope="module")
def recorded(tensorflow_installed, tmp_path_factory):
    """A folder with original.py and its trace.npz."""
    folder = tmp_path_factory.mktemp("recorded")
    shutil.copy(TINY, folder / "original.py")
    record(folder / "original.py", folder / "trace.npz", "--model_dir", "{out}")
    return folder


def test_running_and_not_running_the_original(capsys):
    assert main([TINY, TINY, "--legacy", "--trace", TINY]) == 2
    assert "--legacy excludes --trace" in capsys.readouterr().err


def test_a_script_that_is_not_there(capsys, tmp_path):
    assert main([TINY, str(tmp_path / "absent.py")]) == 2
    assert "absent.py: no such file" in capsys.readouterr().err


def test_a_trace_that_is_none(capsys):
    assert main([TINY, TINY, "--trace", TINY]) == 2
    assert "not a trace" in capsys.readouterr().err


def test_a_reference_interpreter_that_is_not_there(capsys):
    assert main([TINY, TINY, "--reference-python", "/nowhere/python"]) == 2
    error = capsys.readouterr().err
    assert "cannot run /nowhere/python" in error
    assert "Traceback" not in error


def test_the_same_programs(recorded, capsys):
    arguments = [str(recorded / "original.py"), TINY, "--", "--model_dir", "{out}"]
    assert main(arguments) == 0
    output = capsys.readouterr()
    assert output.out.splitlines()[0] == "The programs train the same."
    assert output.out.splitlines()[1] == (
        "  8 of 9 rungs compared; not compared: first batch (its graph "
        "reads no input pipeline and is fed no arrays), evaluations and predictions (none made), "
        "restoring checkpoints in the original (it was not run, because a stored trace was used), "
        "exports (none written)."
    )
    assert "warning" not in output.out
    # what is executed is said before, on stderr
    assert f"using the stored trace {recorded / 'trace.npz'}" in output.err
    assert f"{TINY} --model_dir {{out}}" in output.err


def test_a_doubled_loss_as_json_with_a_warning(recorded, capsys):
    trace = str(recorded / "trace.npz")
    end = ["--trace", trace, "--format", "json", "--force-trace", "--", "--loss_scale", "2"]
    assert main([str(recorded / "original.py"), TINY, *end]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["same"] is False
    assert [rung["verdict"] for rung in report["rungs"]][2:5] == [
        "same",
        "different",
        "not reached",
    ]
    assert "ratio 2" in report["rungs"][3]["details"][0]
    assert any("recorded with different arguments" in warning for warning in report["warnings"])


def test_the_loss_tolerance_is_that_of_the_command_line(recorded, capsys):
    original = str(recorded / "original.py")
    given = ["--loss-tolerance", "100", "--force-trace", "--", "--rate", "0.11"]
    assert main([original, TINY, *given]) == 1
    assert "at step 1" in capsys.readouterr().out


def test_a_resumed_model_dir_is_an_error_with_the_way_out(recorded, tmp_path, capsys):
    folder = str(tmp_path / "model")
    record(PROGRAMS / "tiny.py", tmp_path / "trace.npz", "--model_dir", folder, "--steps", "5")
    original = str(recorded / "original.py")
    assert main([original, TINY, "--force-trace", "--", "--model_dir", folder]) == 2
    error = capsys.readouterr().err
    assert "resumed from step 5 of an existing model_dir" in error
    assert "--model_dir {out}" in error


def test_a_program_that_counts_steps_twice_is_fresh_all_the_same(recorded, tmp_path, capsys):
    """As DNNLinearCombinedClassifier of tf.contrib.learn: its first step is number 2."""
    with np.load(recorded / "trace.npz") as stored:
        twice = {key: 2 * stored[key] if key == "step" else stored[key] for key in stored}
    np.savez(tmp_path / "twice.npz", **twice)
    original = str(recorded / "original.py")
    assert main([original, TINY, "--trace", str(tmp_path / "twice.npz")]) == 1
    assert "global_step counts differently" in capsys.readouterr().out


def test_a_migrated_program_that_fails(recorded, capsys):
    given = ["--force-trace", "--", "--end", "raise"]
    assert main([str(recorded / "original.py"), TINY, *given]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    last = output.err.splitlines()[-1]
    assert re.fullmatch(rf"  {TINY}, line \d+.*: RuntimeError: the program says why", last)


def test_github_is_told_of_a_program_that_fails(recorded, capsys):
    arguments = [str(recorded / "original.py"), str(recorded / "absent.py"), "--format", "github"]
    assert main(arguments) == 2
    shown = capsys.readouterr().out
    assert shown.startswith("::error title=tfmigrate verify::could not verify: ")
    assert shown.count("\n") == 1 and "absent.py: no such file" in shown
