"""What a cluster is, and what its tasks are told."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tfmigrate_runtime.verify.running.cluster import (
    Cluster,
    ClusterError,
    Task,
    arguments_of,
    environment_of,
    free_addresses,
)
from tfmigrate_runtime.verify.running.program import Program

ADDRESSES = {"ps": ["127.0.0.1:1"], "worker": ["127.0.0.1:2", "127.0.0.1:3"]}


def test_parameter_servers_are_started_first_and_the_chief_trains_first() -> None:
    cluster = Cluster.parse("worker=2, chief=1,ps=2")
    names = [task.name for task in cluster.tasks]
    assert names == ["ps/0", "ps/1", "chief/0", "worker/0", "worker/1"]
    assert [task.name for task in cluster.training] == ["chief/0", "worker/0", "worker/1"]
    assert str(cluster) == "worker=2,chief=1,ps=2"


@pytest.mark.parametrize(
    "text", ["", "worker", "worker=", "worker=0", "worker=two", "worker=1,worker=2", "ps=2"]
)
def test_what_is_no_cluster_is_refused(text: str) -> None:
    with pytest.raises(ClusterError):
        Cluster.parse(text)


def test_tasks_are_told_who_they_are() -> None:
    arguments = [
        "--job={job_name}",
        "--index={task_index}",
        "{ps_hosts}",
        "--workers={worker_hosts}",
        "--chief={chief_hosts}",
        "--n={num_workers}",
        "{out}/logs",
        "{other}",
    ]
    assert arguments_of(Task("worker", 1), arguments, ADDRESSES, "/folder") == [
        "--job=worker",
        "--index=1",
        "127.0.0.1:1",
        "--workers=127.0.0.1:2,127.0.0.1:3",
        "--chief=",
        "--n=2",
        "/folder/logs",
        "{other}",
    ]


def test_tasks_have_tf_config_and_no_gpu() -> None:
    variables = environment_of(Task("worker", 1), ADDRESSES)
    assert json.loads(variables["TF_CONFIG"]) == {
        "cluster": ADDRESSES,
        "task": {"type": "worker", "index": 1},
    }
    assert variables["CUDA_VISIBLE_DEVICES"] == "-1"


def test_every_task_has_a_port_of_its_own() -> None:
    addresses = free_addresses(Cluster.parse("ps=2,worker=3"))
    assert [len(addresses[job]) for job in ("ps", "worker")] == [2, 3]
    assert len({address for group in addresses.values() for address in group}) == 5


@pytest.mark.parametrize("legacy", [False, True])
def test_tasks_that_serve_are_modules_where_the_program_is_one(
    tmp_path: Path, legacy: bool
) -> None:
    package = tmp_path / "project" / "trainer"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "addresses.py").write_text("PREFIX = 'serves as'\n")
    task = package / "task.py"
    task.write_text(
        "import sys\nfrom trainer.addresses import PREFIX\nprint(PREFIX, *sys.argv[1:])\n"
    )
    program = Program(
        task, (), cluster=Cluster({"ps": 1, "worker": 1}), legacy=legacy, module="trainer.task"
    )
    command = program.serving(["--job_name=ps"])
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = subprocess.run(command, cwd=elsewhere, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "serves as --job_name=ps"
