"""Real TensorFlow 1.x against the installed one; needs TFMIGRATE_REFERENCE_PYTHON."""

import os

import pytest
from verify_support import PROGRAMS

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.run_program import REFERENCE_VARIABLE

pytestmark = [
    pytest.mark.reference,
    pytest.mark.usefixtures("tensorflow_installed"),
    pytest.mark.skipif(
        not os.environ.get(REFERENCE_VARIABLE), reason=f"{REFERENCE_VARIABLE} is not set"
    ),
]


def test_towers_and_replicas_with_dropout_and_shuffling_train_the_same(capsys):
    # the default tolerances: 20 steps of float32, measured 9.5e-7 (loss) and 4.8e-7 (variables)
    scripts = [str(PROGRAMS / "towers.py"), str(PROGRAMS / "replicas.py")]
    assert main([*scripts, "--replicas", "2", "--", "{out}"]) == 0, capsys.readouterr().out
