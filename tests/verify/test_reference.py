"""Real TensorFlow 1.x against the installed one; needs TFMIGRATE_REFERENCE_PYTHON."""

import json
import os
from pathlib import Path

import pytest
from verify_support import PROGRAMS, TIMEOUT

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.cluster import Cluster
from tfmigrate_runtime.verify.cluster_ladder import climb_cluster
from tfmigrate_runtime.verify.cluster_trace import load_cluster_trace
from tfmigrate_runtime.verify.run_cluster import ClusterProgram, record_cluster
from tfmigrate_runtime.verify.run_program import REFERENCE_VARIABLE
from tfmigrate_runtime.verify.tolerance import Tolerance

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
    program = ClusterProgram(
        PROGRAMS / "cluster_sync.py",
        load_cluster_trace(STORED_SYNC).meta["args"],
        Cluster.parse("ps=2,worker=2"),
        os.environ[REFERENCE_VARIABLE],
    )
    record_cluster(program, tmp_path / "again.npz", TIMEOUT)
    again = load_cluster_trace(tmp_path / "again.npz")
    assert climb_cluster(load_cluster_trace(STORED_SYNC), again, Tolerance()).same


def test_asynchronous_replicas_run_freely_within_their_spread(capsys):
    script = str(PROGRAMS / "cluster_async.py")
    arguments = load_cluster_trace(STORED_SYNC).meta["args"]
    options = ["--cluster", "ps=1,worker=2", "--runs", "3"]
    assert main([script, script, *options, "--", *arguments, "--steps=40"]) == 0
    assert "final loss in the spread" in capsys.readouterr().out
