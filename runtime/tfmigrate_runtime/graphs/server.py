"""The server of a task whose programs are eager: what ``tf.train.Server`` becomes.

Sessions of TensorFlow 1.x shared the variables on parameter servers by their names. The eager
runtime does that too: several processes that connect to one server find the same resources in it
under the same names. So each worker keeps its loop, and its runner executes functions whose parts
run where the graph's devices say.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Mapping
from typing import Any, NoReturn

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph.default_placement import (
    place,
    task_of,
    tasks_in_order,
    visible,
)
from tfmigrate_runtime.compat.eager import context
from tfmigrate_runtime.train import sigterm
from tfmigrate_runtime.train.peers import listening, named, say_unknown, wait_for_peers
from tfmigrate_runtime.train.waits import watch_calls, watch_readiness

_SECONDS_TO_COME = 7200.0  # what tf.train's sessions waited for their chief
_servers: list[Server] = []


class Server:
    """The place of this process in a cluster.

    It serves from ``join`` on, or connects to the tasks that hold variables with the first runner
    that gets its ``target``, and serves, too.

    Attributes:
        server_def: the ServerDef of this task.
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        """Takes what ``tf.train.Server`` takes.

        Args:
            server_or_cluster_def: the cluster.
            job_name: the job of this task.
            task_index: its number in the job.
            protocol: "grpc", the default.
            config: a ``tf.ConfigProto`` for the server.
            start: not used: the server starts when it is needed.

        Raises:
            ValueError: the cluster has no such task.
        """
        task = task_of(server_or_cluster_def, job_name, task_index)
        jobs = task.cluster
        if not task.is_known:
            raise ValueError(f"the cluster has no task {task.type} {task.index}: {jobs}")
        self._task = task
        self._tasks = tasks_in_order(jobs)
        self._config, self._is_connected = config, False
        self._connected: Mapping[str, str] = {}
        self._waited_for: set[str] = set()
        self.server_def = tf.train.ServerDef(
            cluster=tf.train.ClusterSpec(jobs).as_cluster_def(),
            job_name=task.type,
            task_index=task.index,
            protocol=protocol or "grpc",
        )
        sigterm.prepare(self._task)
        say_unknown(named(self._task), self._task.peers())
        watch_readiness(self._task)  # before a session manager waits, which makes the first runner
        self._port = _held(self._task.address)
        _servers.append(self)

    @property
    def target(self) -> str:
        """The address of this task, for runners."""
        return f"{self.server_def.protocol}://{self._task.address}"

    def start(self) -> None:
        """Does nothing: the server starts when it is needed."""

    def join(self) -> NoReturn:
        """Serves until the process is ended."""
        if not self._is_connected:
            self._serve({})
        threading.Event().wait()
        raise AssertionError

    @property
    def name(self) -> str:
        """The name of this task, "worker 0"."""
        return f"{self._task.type} {self._task.index}"

    def place(self, graph: Any, filters: Any = ()) -> None:
        """Places the new operations of a graph as TensorFlow 1.x did: each on some task.

        Args:
            graph: the graph.
            filters: the device filters of a ConfigProto.
        """
        place(graph, visible(self._tasks, filters))

    def connect(self, graph: Any, filters: Any = ()) -> None:
        """Connects this process to the tasks on which a graph has operations.

        One that was started again since is connected again: what it held is gone, and only runners
        that are made after it find what is there now.

        Args:
            graph: the graph.
            filters: the device filters of a ConfigProto.

        Raises:
            PeerLostError: one of them did not come.
        """
        self.place(graph, filters)
        operations = graph.get_operations()
        specs = {tf.DeviceSpec.from_string(operation.device) for operation in operations}
        tasks = {f"{s.job} {s.task}" for s in specs if s.job is not None and s.task is not None}
        new = tasks - {*self._connected, self.name}
        peers = self._task.peers()
        addresses = {name: peers[name] for name in sorted({*self._connected, *new})}
        wait_for_peers(named(self._task), addresses, _SECONDS_TO_COME, "the start of a runner")
        if any("ConditionalAccumulator" in operation.type for operation in operations):
            self._waited_for |= {f"{kind} {index}" for kind, index in self._task.training_tasks}
        with context.eager_mode():
            if not self._is_connected:
                self._serve(addresses)
                watch_calls(self._task, lambda: self._waited_for & peers.keys())
            elif new or not all(map(_knows_this_process, addresses)):
                context.context().update_server_def(self._definition(addresses))
        self._connected = addresses
        self._waited_for |= addresses.keys()
        self._is_connected = True

    def _serve(self, addresses: Mapping[str, str]) -> None:
        """Starts the server of this process, and connects it to some tasks.

        A process that only serves has a context of its own, too, where a ``tf.train.Server`` would
        do: that makes what its workers' contexts share anew for each that finds it without one,
        and what an earlier one still uses is freed. Of two workers that connect at once to a
        parameter server it ended one start in some tens with SIGSEGV, of four every second.

        Args:
            addresses: of the tasks, by their names.
        """
        self._port.close()
        with context.eager_mode(), listening(self._task):
            context.context().set_server_def(self._definition(addresses))
            context.context().ensure_initialized()

    def _definition(self, addresses: Mapping[str, str]) -> Any:
        """Returns the ServerDef of a cluster that has only this task and some others."""
        definition = tf.train.ServerDef(
            job_name=self._task.type, task_index=self._task.index, protocol=self.server_def.protocol
        )
        if self._config is not None:
            definition.default_session_config.CopyFrom(self._config)
        for name, address in {**addresses, self.name: self._task.address}.items():
            kind, _, number = name.rpartition(" ")
            jobs = [job for job in definition.cluster.job if job.name == kind]
            job = jobs[0] if jobs else definition.cluster.job.add(name=kind)
            job.tasks[int(number)] = address
        return definition


def _knows_this_process(name: str) -> bool:
    """Returns whether a task, by its name, has what this process put there; a new process has not.

    TensorFlow's own check asks only whether the task answers.
    """
    kind, _, number = name.rpartition(" ")
    try:
        with tf.device(f"/job:{kind}/replica:0/task:{number}/device:CPU:0"):
            tf.identity(0).numpy()
    except tf.errors.OpError:
        return False
    return True


def _held(address: str) -> socket.socket:
    """Keeps the port of a task free for its server, which starts later than TensorFlow's did.

    Until then another process could get it for a connection: ports that a cluster was given because
    they were free are those that connections get. It is closed right before the server starts.

    Args:
        address: "host:port".
    """
    held = socket.socket(socket.AF_INET6 if address.startswith("[") else socket.AF_INET)
    with contextlib.suppress(OSError, ValueError):  # what is wrong with it, the server says
        held.bind(("", int(address.rpartition(":")[2])))
    return held


def server_of(target: Any) -> Server | None:
    """Returns the server that a runner is to use; None for a runner of one process.

    Args:
        target: the first argument of the runner.

    Raises:
        ValueError: it is an address, and no server of this process has it.
    """
    text = target.decode() if isinstance(target, bytes) else target
    if text in ("", "local", None):
        return None
    local_server = next((server for server in _servers if server.target == text), None)
    if local_server is None:
        raise ValueError(
            f"no server of this process has the target {text!r}: make a graphs.Server first"
        )
    return local_server
