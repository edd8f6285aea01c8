"""Clusters that are ported manually: MultiWorkerMirroredStrategy, and a ClusterCoordinator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from changed_program import Said
from verify_support import PROGRAMS

from tfmigrate_runtime.verify.cli import main
from tfmigrate_runtime.verify.running.cluster import without_tasks

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
ARGUMENTS = [
    f"--{name}={{{name}}}" for name in ("job_name", "task_index", "ps_hosts", "worker_hosts")
]
OPTIONS = {
    "cluster_sync": ["--migrated-cluster", "worker=2"],
    "cluster_async": ["--migrated-cluster", "chief=1,ps=1,worker=2", "--turns"],
}


def verified(
    name: str,
    old: str,
    new: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    kind: str = "native",
) -> Said:
    """Verifies a port in which a text is replaced."""
    text = (PROGRAMS / f"{name}_{kind}.py").read_text()
    assert old in text
    port = folder / "port.py"
    port.write_text(text.replace(old, new))
    programs = [str(PROGRAMS / f"{name}.py"), str(port), "--legacy"]
    jobs = ["--migrated-cluster", "none"] if kind == "replicas" else OPTIONS[name]
    options = ["--cluster", "ps=1,worker=2", *jobs, "-q", "--format", "json"]
    code = main([*programs, *options, "--", *ARGUMENTS])
    return Said(code, json.loads(capsys.readouterr().out))


@pytest.mark.parametrize("name", OPTIONS)
def test_right_ports_are_the_same(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = verified(name, "", "", tmp_path, capsys)
    assert (said.code, said.failed) == (0, [])
    assert said.rungs["all train the same steps"]["figure"].startswith("2 tasks")


@pytest.mark.parametrize(
    ("name", "old", "new", "detail"),
    [
        pytest.param(
            "cluster_sync",
            "100 * FLAGS.task_index + step",
            "100 * FLAGS.task_index + step + (FLAGS.task_index and step > 2)",
            "worker/1: The loss first differs at step 4",
            id="other rows of one worker",
        ),
        pytest.param(
            "cluster_async",
            "batch(number % 2, number // 2)",
            "batch(number % 2, number // 2 + (number > 6) * (number % 2))",
            "worker/1: The loss first differs at step 8",
            id="other rows of one turn",
        ),
        pytest.param(
            "cluster_async",
            "Adam(0.05",
            "Adam(0.0501",
            "Its update differs by 0.002 of its size, 0.0001 is allowed",
            id="another rate",
        ),
    ],
)
def test_wrong_ports_are_different(
    name: str, old: str, new: str, detail: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rounding is measured by the original, whose workers all follow their trace."""
    said = verified(name, old, new, tmp_path, capsys)
    assert said.code == 1
    assert detail in said.details(said.failed[0])


def test_replicas_of_one_process_are_the_workers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = verified("cluster_sync", "", "", tmp_path, capsys, "replicas")
    assert (said.code, said.failed) == (0, [])
    assert "batch of 16 rows" in said.rungs["same initial values, batch"]["figure"]


@pytest.mark.parametrize(
    ("old", "new", "detail"),
    [
        pytest.param(
            "/ strategy.num_replicas_in_sync",
            "/ 1",
            "ratio 2 = 2",
            id="sum",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "(100 * replica + step)",
            "(100 * replica + step + 7 * (replica and step == 3))",
            "The loss first differs at step 4",
            id="other rows of one replica",
        ),
        pytest.param(
            "batch(c.replica_id_in_sync_group, k)",
            "batch(1 - c.replica_id_in_sync_group if k else c.replica_id_in_sync_group, k)",
            "The mean loss is the same, but not that of each tower",
            id="rows of the other replica",
        ),
        pytest.param(
            '"CPU:0", "CPU:1"', '"CPU:0"', "the migrated program on 1", id="distribution lost"
        ),
    ],
)
def test_wrong_replicas_are_different(
    old: str, new: str, detail: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = verified("cluster_sync", old, new, tmp_path, capsys, "replicas")
    assert said.code == 1
    assert detail in said.details(said.failed[0])


def test_asynchronous_workers_are_no_replicas(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    port = PROGRAMS / "cluster_sync_replicas.py"
    jobs = ["--cluster", "ps=1,worker=2", "--migrated-cluster", "none", "--turns"]
    programs = [str(PROGRAMS / "cluster_async.py"), str(port), "--legacy"]
    assert main([*programs, *jobs, "-q", "--", *ARGUMENTS]) == 2
    assert "each step of the original's asynchronous workers" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        (["--steps", "3"], ("--steps", "3")),
        (["--job_name={job_name}", "--logdir={out}"], ("--logdir={out}",)),
        (["--sync", "--task_index", "{task_index}", "data"], ("--sync", "data")),
        (["train", "{job_name}"], ("train",)),
    ],
)
def test_arguments_of_one_process(arguments: list[str], left: tuple[str, ...]) -> None:
    assert without_tasks(arguments) == left


def test_several_steps_of_one_call_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One worker makes all of them: the first was credited with the steps of both."""
    text = (PROGRAMS / "cluster_async_native.py").read_text()
    call = "    strategy.run(replica_step, args=(x, y))"
    assert call in text
    port = tmp_path / "port.py"
    port.write_text(text.replace(call, "    for _ in tf.range(2):\n    " + call))
    programs = [str(PROGRAMS / "cluster_async.py"), str(port), "--legacy"]
    options = ["--cluster", "ps=1,worker=2", *OPTIONS["cluster_async"], "-q"]
    assert main([*programs, *options, "--", *ARGUMENTS]) == 2
    assert "schedules several training steps in one call" in capsys.readouterr().err
