"""``tf.train.Server`` of a program whose loop is run by a coordinator."""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph.default_placement import task_of
from tfmigrate_runtime.coordinator import strategy
from tfmigrate_runtime.coordinator.cluster import COORDINATOR
from tfmigrate_runtime.train.peers import listening


class Server:
    """The server of a job: those of "ps" and "worker" serve, that of "chief" coordinates them.

    Attributes:
        target: for sessions; the coordinator's find their cluster without it.
        server_def: the ``ServerDef`` of a serving job, None for the coordinator.
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
        """Starts to serve, or connects to the servers: the arguments are ``tf.train.Server``'s.

        Args:
            server_or_cluster_def: the cluster, with jobs "ps" and "worker". It may have a job
                "chief" with the coordinator's address; without one a free port is used.
            job_name: "ps", "worker", or "chief" for the one process that runs the loop.
            task_index: the task; the coordinator has task 0.
            protocol: "grpc", the default.
            config: a ``ConfigProto`` for serving jobs.
            start: whether to start at once.

        Raises:
            ValueError: the job of the coordinator has a task other than 0.
        """
        self.server_def = None
        self.target = ""
        self._server = None
        if job_name != COORDINATOR:
            task = task_of(server_or_cluster_def, job_name, task_index)
            with listening(task):
                self._server = tf.train.Server(
                    server_or_cluster_def, job_name, task_index, protocol, config, start
                )
            self.server_def, self.target = self._server.server_def, self._server.target
            return
        if task_index:
            raise ValueError(
                "a cluster has one coordinator, task 0: there is no task "
                f"{task_index} of {COORDINATOR!r}"
            )
        strategy.connect(server_or_cluster_def)

    def start(self) -> None:
        """Starts a server that was made with ``start=False``."""
        if self._server is not None:
            self._server.start()

    def join(self) -> None:
        """Serves until the process is ended; the coordinator has nothing to wait for."""
        if self._server is not None:
            self._server.join()
