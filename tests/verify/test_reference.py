"""Real TensorFlow 1.x against the installed one; needs TFMIGRATE_REFERENCE_PYTHON."""

import json
import os
from pathlib import Path

import pytest
from verify_support import PROGRAMS, TIMEOUT

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.ladder import climb
from tfmigrate_runtime.verify.running.cluster import Cluster
from tfmigrate_runtime.verify.running.run_program import REFERENCE_VARIABLE, Program, run_recorded
from tfmigrate_runtime.verify.traces.recording import load_recording

STORED_SYNC = Path(__file__).parent / "cluster_sync_of_tensorflow_1_15.npz"

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
    main([*scripts, "--replicas", "2", "--format", "json", "--", "{out}"])
    verdict = json.loads(capsys.readouterr().out)
    # Only one of them has an Estimator, so their calls are not the same.
    assert [rung["verdict"] for rung in verdict["rungs"][:5]] == ["same"] * 5, verdict


def test_synchronous_replicas_still_train_as_they_did(tmp_path, capsys):
    """The stored trace is what TensorFlow 1.x does: bit for bit, if it is the same build."""
    program = Program(
        PROGRAMS / "cluster_sync.py",
        load_recording(STORED_SYNC).meta["args"],
        os.environ[REFERENCE_VARIABLE],
        cluster=Cluster.parse("ps=2,worker=2"),
    )
    run_recorded(program, tmp_path / "again.npz", TIMEOUT)
    again = load_recording(tmp_path / "again.npz")
    assert climb(load_recording(STORED_SYNC), again, Tolerance()).same


def test_asynchronous_replicas_run_freely_within_their_spread(capsys):
    script = str(PROGRAMS / "cluster_async.py")
    arguments = load_recording(STORED_SYNC).meta["args"]
    options = ["--cluster", "ps=1,worker=2", "--runs", "3"]
    assert main([script, script, *options, "--", *arguments, "--steps=40"]) == 3
    assert "Not decided: no difference was found (5 runs of each" in capsys.readouterr().out
