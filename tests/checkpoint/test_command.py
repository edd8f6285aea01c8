"""The command line of ``tfmigrate checkpoint``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from original_checkpoints import write_graph

from tfmigrate.cli import main
from tfmigrate_runtime.checkpoint import tensors

PROGRAM = """
import sys, keras, numpy as np
inputs = keras.Input((2,))
model = keras.Model(inputs, keras.layers.Dense(1, name="dense")(inputs))
model.compile("sgd", "mse")
{use}
open(sys.argv[1], "w").close()
"""
FIT = "model.fit(np.ones([4, 2]), np.ones([4, 1]))"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old" / "model.ckpt-3"
    values = {
        "dense/kernel": np.ones([2, 1], np.float32),
        "dense/bias": np.ones([1], np.float32),
        "global_step": np.int64(3),
    }
    tensors.write(str(path), values)
    write_graph(path, [{"name": n, "trainable": n != "global_step"} for n in values])
    return path


def command(tmp_path: Path, use: str, old: str, new: str, *options: str) -> list[str]:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(use=use))
    arguments = ["--", str(tmp_path / "ended")]
    return ["checkpoint", "convert", old, new, "--program", str(program), *options, *arguments]


def test_the_program_ends_before_it_trains(
    tmp_path: Path, old: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    new = tmp_path / "new.weights.h5"
    assert main(command(tmp_path, FIT, str(old), str(new), "--verbose")) == 0
    assert capfd.readouterr().out == (
        f"3 variables of step 3 written to {new}\n"
        "  dense/kernel -> dense/kernel (name)\n"
        "  dense/bias -> dense/bias (name)\n"
        "  global_step -> sgd/iteration (steps)\n"
    )
    assert not (tmp_path / "ended").exists()


def test_a_program_that_uses_no_model_is_an_error(
    tmp_path: Path, old: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    new = tmp_path / "new.weights.h5"
    assert main(command(tmp_path, "", str(old), str(new))) == 2
    assert "program.py never calls fit, evaluate or predict" in capfd.readouterr().err
    assert not new.exists()


def test_a_program_that_fails_shows_why(
    tmp_path: Path, old: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    new = tmp_path / "new.weights.h5"
    assert main(command(tmp_path, "raise KeyError('rate')", str(old), str(new))) == 2
    said = capfd.readouterr().err
    assert "ended with exit code 1" in said
    assert "KeyError: 'rate'" in said


@pytest.mark.parametrize(
    ("old_name", "new_name", "reason"),
    [
        ("a.ckpt-1", "b.ckpt-1", "a.ckpt-1: no checkpoint"),
        ("a.weights.h5", "b.keras", "are both of Keras"),
        ("a.weights.h5", "b.ckpt-1", "--like CHECKPOINT is needed"),
    ],
)
def test_what_is_converted_must_be_clear(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], old_name: str, new_name: str, reason: str
) -> None:
    assert main(command(tmp_path, FIT, old_name, new_name)) == 2
    assert reason in capfd.readouterr().err
