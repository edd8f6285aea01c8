"""Several processes that train one model: servers, peers, and what happens when one is lost."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.train.estimator.run_config import RunConfig
from tfmigrate_runtime.train.estimator.task import PS, Task

_MULTI_WORKER = (
    tf.distribute.experimental.MultiWorkerMirroredStrategy,
    tf2.distribute.MultiWorkerMirroredStrategy,
)
_PARAMETER_SERVER = (tf.distribute.experimental.ParameterServerStrategy,)
_TIMEOUT = "RunConfig.session_creation_timeout_secs"
_SECONDS_TO_CONNECT = 2.0
_SECONDS_BETWEEN_LOOKS = 1.0
# A training of a few steps must not begin and end between two looks of a parameter server.
_SECONDS_BETWEEN_FIRST_LOOKS = 0.1
_SECONDS_TO_END = 10.0
# What a step ends with whose peer has cancelled its part.
_BROKEN_STEPS = (
    tf.errors.AbortedError,
    tf.errors.CancelledError,
    tf.errors.InternalError,
    tf.errors.UnavailableError,
)
_servers: dict[str, Any] = {}


class PeerLostError(RuntimeError):
    """Another task of the cluster cannot be reached."""


def is_multi_worker(strategy: Any) -> bool:
    """Says whether every worker process has replicas of one synchronous step."""
    return isinstance(strategy, _MULTI_WORKER)


def has_parameter_servers(strategy: Any) -> bool:
    """Says whether variables are on parameter servers, and workers train on their own."""
    return isinstance(strategy, _PARAMETER_SERVER)


def is_of_several(strategy: Any) -> bool:
    """Says whether a strategy is for several processes."""
    return is_multi_worker(strategy) or has_parameter_servers(strategy)


def join(config: RunConfig) -> None:
    """Starts this task's server and waits for those that it trains with; nothing in one process.

    Raises:
        ValueError: the strategy is not one for the cluster.
        PeerLostError: a task could not be reached in time.
    """
    check(config)
    if config.task.cluster:
        start_server(config, session_config(config, tf.ConfigProto(allow_soft_placement=True)))
        wait_for_peers(config.task, needed_tasks(config), config.session_creation_timeout_secs)


def needed_tasks(config: RunConfig) -> dict[str, str]:
    """Returns the addresses of the tasks without which this one cannot train, by their name."""
    peers = config.task.peers()
    if not has_parameter_servers(config.train_distribute):
        return peers
    return {name: address for name, address in peers.items() if name.startswith(PS)}


def check(config: RunConfig) -> None:
    """Checks that the strategy is one for the cluster that TF_CONFIG describes.

    Raises:
        ValueError: it is not.
    """
    task: Task = config.task
    strategy = config.train_distribute
    if not task.cluster:
        return
    if tf.executing_eagerly_outside_functions() and is_of_several(strategy):
        raise ValueError(
            "strategies for several processes need graph mode: call tf.disable_eager_execution() "
            "before creating the strategy"
        )
    if is_multi_worker(strategy):
        if task.cluster.get(PS):
            raise ValueError(
                "TF_CONFIG has parameter servers, which MultiWorkerMirroredStrategy does not "
                'use: remove "ps" from the cluster, or use ParameterServerStrategy'
            )
        return
    if not has_parameter_servers(strategy):
        name = type(strategy).__name__ if strategy is not None else "no strategy"
        raise ValueError(
            f"TF_CONFIG describes a cluster of {len(task.peers()) + 1} tasks, but train_distribute "
            f"is {name}, for one process. Use tf.distribute.experimental."
            "MultiWorkerMirroredStrategy() (synchronous) or ParameterServerStrategy() "
            "(asynchronous), or unset TF_CONFIG."
        )
    if not task.cluster.get(PS):
        raise ValueError("ParameterServerStrategy needs tasks of type ps in TF_CONFIG's cluster")


def session_config(config: RunConfig, given: Any) -> Any:
    """Returns the ConfigProto for the sessions and the server of this task."""
    task: Task = config.task
    proto = config.train_distribute.update_config_proto(given)
    if has_parameter_servers(config.train_distribute):
        # Without them a worker waits forever once another has ended (semantics.md, 3).
        proto.device_filters[:] = [f"/job:{PS}", f"/job:{task.type}/task:{task.index}"]
    return proto


def start_server(config: RunConfig, proto: Any) -> Any:
    """Starts this task's server, once for the process.

    Raises:
        ValueError: its address cannot be listened at.
    """
    task: Task = config.task
    if task.address not in _servers:
        try:
            _servers[task.address] = tf.train.Server(
                tf.train.ClusterSpec(task.cluster),
                job_name=task.type,
                task_index=task.index,
                config=proto,
            )
        except tf.errors.UnknownError as error:
            raise ValueError(
                f"the server of {task.type} {task.index} cannot listen at {task.address}: {error}"
            ) from error
    return _servers[task.address]


def wait_for_peers(
    task: Task,
    peers: Mapping[str, str],
    seconds: float,
    setting: str = _TIMEOUT,
) -> None:
    """Waits until the servers of other tasks, whose addresses are given, can be reached.

    Args:
        task: this task.
        peers: the addresses of the others, by their name.
        seconds: how long to wait.
        setting: what the program calls that time.

    Raises:
        PeerLostError: one could not be reached in time.
    """
    end = time.monotonic() + seconds
    waiting = dict(peers)
    while True:
        waiting = {name: address for name, address in waiting.items() if not _answers(address)}
        if not waiting:
            return
        if time.monotonic() >= end:
            raise PeerLostError(_not_reached(task, waiting, seconds, setting))
        time.sleep(min(0.2, max(0.0, end - time.monotonic())))


class PeerWatch:
    """Ends training when a peer is gone, which TensorFlow would wait for.

    A peer that does not answer is taken for lost when no step was made for a while either: tasks
    end at different moments after the last step.
    """

    def __init__(self, task: Task, peers: Mapping[str, str], seconds: float) -> None:
        """Watches nobody yet.

        Args:
            task: this task.
            peers: the addresses of those to watch, by their name.
            seconds: how long a peer may be away.
        """
        self._task = task
        self._peers = dict(peers)
        self._seconds = seconds
        self._stop = threading.Event()
        self._progress_at = time.monotonic()
        self.lost: str | None = None

    def step_made(self) -> None:
        """Notes that the cluster makes steps."""
        self._progress_at = time.monotonic()

    @contextmanager
    def watching(self) -> Iterator[PeerWatch]:
        """Watches the peers.

        Raises:
            PeerLostError: one was lost, and TensorFlow noticed too. Where it did not, and its call
                does not return, the process ends with exit code 1 and the same message.
        """
        thread = threading.Thread(target=self._watch, name="peer watch", daemon=True)
        self._progress_at = time.monotonic()
        thread.start()
        try:
            yield self
        except tf.errors.OpError as error:
            lost = self._lost_with(error)
            if not lost:
                raise
            raise PeerLostError(self._message(lost)) from error
        finally:
            self._stop.set()
            thread.join()

    def _lost_with(self, error: Exception) -> str:
        """Returns the peers that are gone; a peer that ends breaks a step before it is away."""
        end = time.monotonic() + (_SECONDS_TO_END if isinstance(error, _BROKEN_STEPS) else 0)
        while True:
            lost = self.lost or _listed(self._away())
            if lost or time.monotonic() >= end:
                return lost
            time.sleep(_SECONDS_BETWEEN_LOOKS)

    def _away(self) -> dict[str, str]:
        return {name: where for name, where in self._peers.items() if not _answers(where)}

    def _watch(self) -> None:
        away_since: float | None = None
        while not self._stop.wait(_SECONDS_BETWEEN_LOOKS):
            away = self._away()
            now = time.monotonic()
            if not away:
                away_since = None
                continue
            away_since = away_since if away_since is not None else now
            if now - max(away_since, self._progress_at) >= self._seconds:
                self.lost = _listed(away)
                if not self._stop.wait(_SECONDS_TO_END):
                    # The call that waits for the peer cannot be interrupted from Python.
                    print(f"tfmigrate_runtime: {self._message(self.lost)}", file=sys.stderr)
                    sys.stderr.flush()
                    os._exit(1)
                return

    def _message(self, lost: str) -> str:
        return (
            f"{_who(self._task)} lost {lost}, which failed or ran out of input first. Restart all "
            "tasks; they resume from the last checkpoint."
        )


def serve_parameters(config: RunConfig) -> None:
    """Serves variables until the tasks that train are gone.

    Those are all that there are, or, after ``experimental_peer_timeout_secs`` without any of them,
    all that have come: a task that finds nothing left to do may never have had a server.

    Raises:
        ValueError: the strategy is not one for the cluster.
        PeerLostError: none of them could be reached in time.
    """
    check(config)
    task: Task = config.task
    start_server(config, tf.ConfigProto(allow_soft_placement=True))
    training = {f"{kind} {i}": task.cluster[kind][i] for kind, i in task.training_tasks}
    seconds = config.session_creation_timeout_secs
    begin = time.monotonic()
    have_come: set[str] = set()
    gone_since: float | None = None
    while True:
        there = {name for name, address in training.items() if _answers(address)}
        have_come |= there
        all_have_come = len(have_come) == len(training)
        now = time.monotonic()
        if there:
            gone_since = None
        elif have_come:
            gone_since = now if gone_since is None else gone_since
            if now - gone_since >= (
                _SECONDS_TO_END if all_have_come else config.experimental_peer_timeout_secs
            ):
                tf.logging.info("All training tasks have ended, so %s ends too.", _who(task))
                return
        elif now - begin >= seconds:
            raise PeerLostError(_not_reached(task, training, seconds, _TIMEOUT))
        time.sleep(_SECONDS_BETWEEN_LOOKS if all_have_come else _SECONDS_BETWEEN_FIRST_LOOKS)


def _not_reached(task: Task, peers: Mapping[str, str], seconds: float, setting: str) -> str:
    return (
        f"{_who(task)} could not reach {_listed(peers)} within {seconds:.0f} s ({setting}). Start "
        "every task of the cluster and check their addresses."
    )


def _answers(address: str) -> bool:
    """Says whether something listens at "host:port"."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _SECONDS_TO_CONNECT):
            return True
    except OSError:
        return False


def _who(task: Task) -> str:
    return f"{task.type} {task.index} ({task.address})"


def _listed(tasks: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({address})" for name, address in tasks.items())
