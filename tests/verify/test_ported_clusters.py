"""Clusters that are ported manually: MultiWorkerMirroredStrategy, and a ClusterCoordinator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from changed_program import Said
from verify_support import PROGRAMS

from tfmigrate_runtime.verify.cli import main

pytestmark = pytest.mark.usefixtures("tensorflow_installed")
ARGUMENTS = [
    f"--{name}={{{name}}}" for name in ("job_name", "task_index", "ps_hosts", "worker_hosts")
]
OPTIONS = {
    "cluster_sync": ["--migrated-cluster", "worker=2"],
    "cluster_async": ["--migrated-cluster", "chief=1,ps=1,worker=2", "--turns"],
}


def verified(
    name: str, old: str, new: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> Said:
    """Verifies a port in which a text is replaced."""
    text = (PROGRAMS / f"{name}_native.py").read_text()
    assert old in text
    port = folder / "port.py"
    port.write_text(text.replace(old, new))
    programs = [str(PROGRAMS / f"{name}.py"), str(port), "--legacy"]
    options = ["--cluster", "ps=1,worker=2", *OPTIONS[name], "-q", "--format", "json"]
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
