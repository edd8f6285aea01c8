"""What verify takes from a stored trace, and what it says about replicas that were not used."""

import shutil
import sys

import numpy as np
import pytest
from recorded_cases import load_case, record_golden
from verify_support import PROGRAMS, record

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.running.run_program import REFERENCE_VARIABLE, ProgramFailed

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
TINY = PROGRAMS / "tiny.py"


@pytest.fixture(autouse=True)
def no_reference_of_the_environment(monkeypatch):
    monkeypatch.delenv(REFERENCE_VARIABLE, raising=False)


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A case of a program with a folder of its own: original/train.py, migrated/, trace.npz."""
    folder = tmp_path_factory.mktemp("package")
    for name in ("original", "migrated"):
        (folder / name).mkdir()
        shutil.copy(TINY, folder / name / "train.py")
    (folder / "trace.npz").write_bytes(b"not yet")
    record(folder / "original" / "train.py", folder / "trace.npz", "--steps", "4", replicas=2)
    (folder / "case.toml").write_text(
        '[case]\ntitle = "t"\nidea = "i"\nentry = "train.py"\n'
        '[run]\nargs = ["--steps", "4"]\nsteps = 4\nreplicas = 2\n'
        "[tolerance]\nloss = 1e-5\nvariable = 1e-5\nmetric = 1e-5\n"
    )
    return folder


def scripts(package):
    return [str(package / name / "train.py") for name in ("original", "migrated")]


def test_trace_beside_the_folder_its_arguments_and_its_replicas(package, capsys):
    assert main(scripts(package)) == 0
    output = capsys.readouterr()
    assert f"using the stored trace {package / 'trace.npz'}" in output.err
    assert "--steps 4\n" in output.err
    assert "4 steps" in output.out
    assert "different arguments" not in output.out
    # the program trains on one device, whatever it is offered
    assert "train.py trained on 1 of 2 replicas. Check its own option" in output.out


def test_trace_beside_the_folder_of_another_original_is_not_used(package, capsys):
    code = package / "original" / "train.py"
    text = code.read_text()
    code.write_text(text + "\n# changed\n")
    try:
        assert main(scripts(package)) == 0
    finally:
        code.write_text(text)
    assert f"-m tfmigrate_runtime.tf1_shim {code}" in capsys.readouterr().err


def test_replicas_are_counted(tmp_path):
    built = record(PROGRAMS / "replicas.py", tmp_path / "two.npz", replicas=2).replicas_built
    assert built == 2


def test_a_golden_trace_is_not_replaced_by_one_of_tensorflow_2(package):
    before = (package / "trace.npz").read_bytes()
    with pytest.raises(ProgramFailed, match=r"has TensorFlow 2\..*, but golden traces need 1\.x"):
        record_golden(load_case(package), sys.executable)
    assert (package / "trace.npz").read_bytes() == before
    assert not [path for path in package.iterdir() if path.name.startswith(".trace-")]


def test_a_program_whose_main_returns_an_object_has_not_failed(tmp_path):
    script = tmp_path / "returns.py"
    script.write_text(TINY.read_text() + "\nimport sys\nsys.exit({'loss': 1})\n")
    assert len(record(script, tmp_path / "trace.npz", "--steps", "2").step) == 2


def test_shuffle_and_repeat_in_one_draws_what_the_two_draw(tmp_path):
    text = (PROGRAMS / "replicas.py").read_text()
    one = tmp_path / "one.py"
    assert text.count(".shuffle(24).repeat()") == 1
    one.write_text(
        text.replace(".shuffle(24).repeat()", ".apply(tf.data.experimental.shuffle_and_repeat(24))")
    )
    losses = [
        record(script, tmp_path / "trace.npz", replicas=2).loss
        for script in (one, PROGRAMS / "replicas.py")
    ]
    np.testing.assert_array_equal(*losses)
