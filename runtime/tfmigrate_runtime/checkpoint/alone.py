"""Lets a program of a cluster run as one process, which makes the same variables.

No server is started, and no other task is waited for.
"""

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

_STRATEGIES = ("MultiWorkerMirroredStrategy", "ParameterServerStrategy")


def run_alone() -> None:
    """Replaces the strategies of clusters, their coordinator and their servers."""
    import tensorflow as tf

    class Alone(tf.distribute.OneDeviceStrategy):  # type: ignore[misc]
        """A strategy with one replica."""

        def __init__(self, cluster_resolver: Any = None, *arguments: Any, **options: Any) -> None:
            super().__init__("/cpu:0")
            self._resolver = cluster_resolver

        @property
        def cluster_resolver(self) -> Any:
            """That of the cluster."""
            return self._resolver or tf.distribute.cluster_resolver.TFConfigClusterResolver()

    for name in _STRATEGIES:
        for module in (tf.distribute, tf.distribute.experimental):
            setattr(module, name, Alone)
    tf.distribute.coordinator.ClusterCoordinator = Coordinator
    tf.distribute.experimental.coordinator.ClusterCoordinator = Coordinator
    tf.distribute.Server = Server


class Coordinator:
    """Calls functions in this process."""

    def __init__(self, strategy: Any) -> None:
        """Takes the strategy."""
        self.strategy = strategy

    def schedule(self, fn: Callable[..., Any], args: Any = None, kwargs: Any = None) -> Any:
        """Returns what gives the result of a function."""
        result = fn(*(args or ()), **(kwargs or {}))
        return SimpleNamespace(get=lambda: result, fetch=lambda: result)

    def join(self) -> None:
        """All functions have ended."""

    def done(self) -> bool:
        """All functions have ended."""
        return True

    def create_per_worker_dataset(self, dataset_fn: Any) -> Any:
        """Returns the dataset of the only worker."""
        return dataset_fn() if callable(dataset_fn) else dataset_fn

    def fetch(self, val: Any) -> Any:
        """Returns results."""
        return val


class Server:
    """A task of a cluster that serves nobody."""

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        **options: Any,
    ) -> None:
        """Takes what a server of TensorFlow takes."""
        import tensorflow as tf

        if task_index:
            self.join()
        cluster_def = getattr(server_or_cluster_def, "cluster", server_or_cluster_def)
        cluster = tf.train.ClusterSpec(cluster_def).as_cluster_def()
        self.server_def = tf.train.ServerDef(
            cluster=cluster, job_name=job_name or "worker", task_index=task_index or 0
        )
        self.target = ""

    def start(self) -> None:
        """Starts nothing."""

    def join(self) -> None:
        """Ends the program, which makes no variables."""
        sys.exit("Pass the arguments of the first worker: the others make no variables.")
