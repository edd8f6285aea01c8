"""The end of a synchronous chief whose peers have gone.

The chief of a ``SyncReplicasOptimizer`` averages gradients in its own thread, which waits for
the next ones. After the last step there are none. The chief's ``Coordinator.join`` waits two
minutes for that thread: a MonitoredTrainingSession lingers so long, a Supervisor then fails with
"Coordinator stopped with threads still running", though the training has come to its end
(semantics.md, 3).

Here the join waits for as long as a peer listens, whose gradients may still come, and at most as
long as it did. Once no worker of the cluster listens any more the thread is left to the session,
whose close ends it.
"""

import functools
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import tensorflow.compat.v1 as tf

_POLL_SECONDS = 0.25
_CONNECT_SECONDS = 0.5
# For an average of gradients that had come before the last peer went.
_LAST_AVERAGE_SECONDS = 1.0
_SERVER_JOBS = ("ps",)

_workers: list[Any] = []  # servers of this process that train


def end_with_peers() -> None:
    """Lets synchronous chiefs of this process end once their peers have gone."""
    server: Any = tf.train.Server
    original = server.__init__

    @functools.wraps(original)
    def initialize(this: Any, *arguments: Any, **options: Any) -> None:
        original(this, *arguments, **options)
        if this.server_def.job_name not in _SERVER_JOBS:
            _workers.append(this.server_def)

    server.__init__ = initialize
    optimizer: Any = tf.train.SyncReplicasOptimizer
    get_runner = optimizer.get_chief_queue_runner

    @functools.wraps(get_runner)
    def get_chief_queue_runner(this: Any) -> Any:
        runner = get_runner(this)
        if not hasattr(runner, "_ends_with_peers"):
            runner._ends_with_peers = True
            runner.create_threads = _ending_with_peers(runner.create_threads)
        return runner

    optimizer.get_chief_queue_runner = get_chief_queue_runner


def addresses_of_peers(server_def: Any) -> list[str]:
    """Returns where the other tasks of a cluster listen that train ("host:port")."""
    own = (server_def.job_name, server_def.task_index)
    return [
        address
        for job in server_def.cluster.job
        if job.name not in _SERVER_JOBS
        for index, address in job.tasks.items()
        if (job.name, index) != own
    ]


def _peers_are_gone() -> bool:
    """Returns whether no other worker listens any more; without a server none is known."""
    if not _workers:
        return False
    return not any(_listens(address) for address in addresses_of_peers(_workers[-1]))


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS):
            return True
    except TimeoutError:
        return True  # a machine that does not say no
    except OSError:
        return False


class _Apart:
    """A coordinator for threads that it does not wait for."""

    def __init__(self, coordinator: Any) -> None:
        self._coordinator = coordinator

    def __getattr__(self, name: str) -> Any:
        return getattr(self._coordinator, name)

    def register_thread(self, thread: threading.Thread) -> None:
        """Leaves the thread out."""

    def request_stop(self, ex: Any = None) -> None:
        """Asks for a stop, unless there was one: a session that closes ends the thread so."""
        if not self._coordinator.should_stop():
            self._coordinator.request_stop(ex)


def _ending_with_peers(create_threads: Callable[..., Any]) -> Callable[..., Any]:
    """Returns ``QueueRunner.create_threads`` whose threads are joined while there are peers."""

    @functools.wraps(create_threads)
    def created(sess: Any, coord: Any = None, daemon: bool = False, start: bool = False) -> Any:
        if coord is None or not start:
            return create_threads(sess, coord=coord, daemon=daemon, start=start)
        threads = create_threads(sess, coord=_Apart(coord), daemon=True, start=True)
        joined = threading.Thread(
            target=_wait, args=(coord, threads), name="sync_replicas_end", daemon=True
        )
        coord.register_thread(joined)
        joined.start()
        return [joined]

    return created


def _wait(coordinator: Any, threads: list[threading.Thread]) -> None:
    """Waits until threads have ended, or no gradients can come any more."""
    coordinator.wait_for_stop()
    while any(thread.is_alive() for thread in threads):
        if _peers_are_gone():
            until = time.monotonic() + _LAST_AVERAGE_SECONDS
            for thread in threads:
                thread.join(max(0.0, until - time.monotonic()))
            return
        time.sleep(_POLL_SECONDS)
