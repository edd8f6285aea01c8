"""An Experiment in a cluster: a master, a worker and a parameter server."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from legacy_clusters import free_addresses, run_together

PROGRAM = Path(__file__).parents[1] / "cluster" / "programs" / "experiment_original.py"
STEPS = 120


def test_the_master_evaluates_and_exports_and_the_server_joins(tmp_path: Path) -> None:
    jobs = ("master", "worker", "ps")
    cluster = {job: free_addresses(1) for job in jobs}
    commands = {}
    for job in jobs:
        config = {"cluster": cluster, "task": {"type": job, "index": 0}, "environment": "cloud"}
        program = [sys.executable, "-m", "tfmigrate_runtime.tf1_shim", str(PROGRAM)]
        environment = ["env", f"TF_CONFIG={json.dumps(config)}"]
        commands[job] = [*environment, *program, str(tmp_path / "model"), str(STEPS)]
    printed = run_together(commands, serving=["ps"], left_behind=["worker"])
    calls = re.findall(r"CALL (\w+) (\d+)", printed["master"])
    # What TensorFlow 1.15.5 did: evaluate 0, evaluate 120, export 120. The worker may make steps
    # while the master still writes the first checkpoint, and one while it makes the last one.
    assert [kind for kind, _ in calls] == ["evaluate", "evaluate", "export"]
    steps = [int(step) for _, step in calls]
    assert 0 <= steps[0] < STEPS
    assert STEPS <= steps[1] == steps[2] <= STEPS + 1
    for job in ("worker", "ps"):
        assert f"TASK {job} 0, chief False" in printed[job]
        assert "CALL" not in printed[job]
    assert printed["worker"].endswith("DONE\n") or "Waiting for model" in printed["worker"]
    assert "DONE" not in printed["ps"]  # its server joins for ever
    assert len(list((tmp_path / "model" / "export" / "Servo").iterdir())) == 1
