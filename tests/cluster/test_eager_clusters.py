"""Faults of clusters whose tasks are eager."""

from __future__ import annotations

from pathlib import Path

from cluster_support import Task
from task_hosts import free_addresses

PROGRAM = Path(__file__).parent / "programs" / "eager_task.py"


def test_a_parameter_server_that_is_started_again_is_connected_again(tmp_path: Path) -> None:
    """And one on which only a later graph has a variable is connected then.

    A queue that a session has closed is open for the next: the chief of a SyncReplicasOptimizer
    that was started again failed forever.
    """
    first, second, third = free_addresses(3)
    cluster = {"ps": [first, second], "worker": [third]}

    def started(kind: str, index: int, log: str) -> Task:
        config = {"cluster": cluster, "task": {"type": kind, "index": index}}
        return Task({}, config, tmp_path / log, [str(PROGRAM)], cluster[kind][index])

    servers = [started("ps", 0, "ps0"), started("ps", 1, "ps1")]
    worker = started("worker", 0, "worker")
    worker.wait_for("COUNT 3.0")
    servers[0].kill()
    worker.wait_for(f"lost ps 0 ({first})")
    servers[0] = started("ps", 0, "again")
    assert worker.wait() == 0, worker.text()[-3000:]
    assert "EMPTY\nAGAIN 1.0\nBOTH 2.0 1.0\n" in worker.text()
    assert "QUEUE 7.0\n" in worker.text()
    for server in servers:
        server.kill()
