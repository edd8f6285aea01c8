"""The connection of the coordinator to its cluster: where resources are and steps run."""

import os
import socket
import threading
import time
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.coordinator.eager import eager_mode, let_new_threads_run_eagerly
from tfmigrate_runtime.train.waits import Waits

COORDINATOR = "chief"
_SERVING = ("ps", "worker")
_LOST = (tf.errors.UnavailableError, tf.errors.AbortedError)
_BETWEEN_TRIES = 0.1  # seconds


class Cluster:
    """A cluster of parameter servers and workers that this process coordinates.

    It is ``tf.distribute.ParameterServerStrategy`` and ``ClusterCoordinator`` of TensorFlow 2.

    Attributes:
        workers: the number of workers.
    """

    def __init__(self, cluster_spec: Any) -> None:
        """Connects to the servers, which must have been started or start soon.

        Args:
            cluster_spec: a ``tf.train.ClusterSpec`` with the jobs "ps" and "worker", and "chief"
                if this process is to have a certain address.

        Raises:
            ValueError: a job is missing.
        """
        jobs = tf.train.ClusterSpec(cluster_spec).as_dict()
        missing = [job for job in _SERVING if not jobs.get(job)]
        if missing:
            raise ValueError(f"the cluster has no job {missing[0]!r}: {jobs}")
        jobs.setdefault(COORDINATOR, [_own_address(jobs["worker"][0])])
        self.workers = len(jobs["worker"])
        self._handles: dict[Any, Any] = {}
        self._lock = threading.RLock()
        servers = {f"{job} {i}": a for job in _SERVING for i, a in enumerate(jobs[job])}
        self._waits = Waits(f"{COORDINATOR} 0 ({jobs[COORDINATOR][0]})", servers)
        let_new_threads_run_eagerly()
        with eager_mode(), self._waits.call():
            resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
                tf.train.ClusterSpec(jobs), task_type=COORDINATOR, task_id=0, rpc_layer="grpc"
            )
            from tensorflow import distribute  # compat.v1 has another class of this name

            self._strategy = distribute.ParameterServerStrategy(resolver)
            self._coordinator = distribute.coordinator.ClusterCoordinator(self._strategy)

    def handle(self, op: Any) -> Any:
        """Returns the resource that an operation of a graph represents.

        It is made at the first call, without a value, on the parameter server that
        ``replica_device_setter`` gave it.

        Args:
            op: a ``VarHandleOp`` or the operation of a table.

        Returns:
            A scalar eager tensor of dtype resource.
        """
        with self._lock:
            key = (op.graph, op.name)
            if key not in self._handles:
                attributes = {a.name: op.get_attr(a.name) for a in op.op_def.attr}
                # Without its own name a resource would be shared by no other function.
                attributes["shared_name"] = attributes["shared_name"] or op.name
                with tf.device(server_of(op.device)), eager_mode(), tf.device(server_of(op.device)):
                    self._handles[key] = getattr(tf.raw_ops, op.type)(**attributes)
            return self._handles[key]

    def schedule(self, function: Any, arguments: tuple[Any, ...]) -> Any:
        """Lets a worker run a function; returns a ``RemoteValue`` at once.

        Args:
            function: a concrete function.
            arguments: its arguments, numpy arrays.
        """
        with eager_mode():
            tensors = tuple(tf.constant(value) for value in arguments)
            return self._coordinator.schedule(function, args=tensors)

    def run(self, function: Any, arguments: tuple[Any, ...]) -> list[Any]:
        """Lets a worker run a function, and returns its results, numpy arrays."""
        return self.fetch(self.schedule(function, arguments))

    def fetch(self, value: Any) -> list[Any]:
        """Waits for what a scheduled function returns.

        Args:
            value: what ``schedule`` returned.

        Returns:
            The results, numpy arrays.

        Raises:
            tf.errors.OpError: the function failed, or a parameter server is gone.
        """
        nobody_repeats_it = False
        while True:
            try:
                with eager_mode(), self._waits.call():
                    results: list[Any] = value.fetch()
                    return results
            except _LOST:
                # A worker that died after its step took the results along; another one repeats it.
                if nobody_repeats_it:
                    raise
                with eager_mode():
                    nobody_repeats_it = self._coordinator.done()
                time.sleep(_BETWEEN_TRIES)

    def run_here(self, function: Any, arguments: tuple[Any, ...]) -> list[Any]:
        """Runs a function that uses no resource of a server in this process."""
        with eager_mode():
            return [t.numpy() for t in function(*(tf.constant(value) for value in arguments))]

    def join(self) -> None:
        """Waits for all functions that were scheduled; raises the first error of them."""
        with eager_mode(), self._waits.call():
            self._coordinator.join()


def server_of(device: str) -> str:
    """Returns the parameter server of a resource: the one it was placed on, or the first."""
    spec = tf.DeviceSpec.from_string(device)
    task = spec.task if spec.job == "ps" and spec.task is not None else 0
    return f"/job:ps/task:{task}/device:CPU:0"


def _own_address(worker: str) -> str:
    """Returns an address under which the workers reach this process, with a free port."""
    host = worker.rsplit(":", 1)[0]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((host, 1))
        own = probe.getsockname()[0]
    with socket.socket() as free:
        free.bind((own, 0))
        return f"{own}:{free.getsockname()[1]}"


# A server that is gone must end the program with an error, not wait forever.
os.environ.setdefault("GRPC_FAIL_FAST", "use_caller")
