"""Ops without an explicit task keep TensorFlow 1.x's placement.

TensorFlow 1.15 put an operation without a device, or with one that names no task ("/cpu:0",
"/job:worker"), on the first device of the cluster in the order of names, whichever worker asked:
a variable outside of all blocks was on "/job:chief" or "/job:ps/task:0", and all workers shared
it. Since TensorFlow 2.0 the devices of the task that runs the session come first, so that every
worker would have its own variable, which only the chief's session initializes
(``DeviceSet::SortPrioritizedDeviceVector``; measured, semantics.md, section 3).
"""

from collections.abc import Iterable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.between_graph.tasks import addresses_by_job
from tfmigrate_runtime.compat import patches
from tfmigrate_runtime.compat.sessions import BaseSession
from tfmigrate_runtime.estimator.task import Task

Tasks = list[tuple[str, int]]
_tasks: Tasks = []
_tasks_of: WeakKeyDictionary[Any, Tasks] = WeakKeyDictionary()  # of sessions of clients
_placed: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


def place_as_tensorflow_1(cluster: Any) -> None:
    """Places what is on no task, in all sessions of this process that a server runs from now on.

    Args:
        cluster: as ``tf.train.ClusterSpec`` takes it.
    """
    _tasks[:] = tasks_in_order(cluster)
    patches.wrap_once(BaseSession, "_extend_graph", _placing)


class Session(tf.Session):  # type: ignore[misc]
    """A session of a program that starts no server, but connects to one.

    It places what is on no task among those that its server knows.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Takes what ``tf.Session`` takes."""
        patches.wrap_once(BaseSession, "_extend_graph", _placing)
        super().__init__(*arguments, **options)
        if not _tasks:
            specs = [tf.DeviceSpec.from_string(device.name) for device in self.list_devices()]
            _tasks_of[self] = sorted({(spec.job, spec.task) for spec in specs}, key=_name)


def tasks_in_order(cluster: Any) -> list[tuple[str, int]]:
    """Returns the jobs and tasks of a cluster, in the order of their names.

    Args:
        cluster: as ``tf.train.ClusterSpec`` takes it.
    """
    spec = tf.train.ClusterSpec(cluster)
    return sorted(((job, task) for job in spec.jobs for task in spec.task_indices(job)), key=_name)


def needed(filters: Iterable[str]) -> list[str]:
    """Returns the names, such as "ps 0", of the tasks that a session with device filters sees."""
    return [f"{job} {task}" for job, task in visible(_tasks, filters)]


def _name(task: tuple[str, int]) -> str:
    # TensorFlow compares whole names: task:10 comes before task:2.
    return f"/job:{task[0]}/replica:0/task:{task[1]}/"


def _placing(extend_graph: Any, session: Any) -> Any:
    if session.sess_str.startswith(b"grpc"):
        filters = session._config.device_filters if session._config else ()
        place(session.graph, visible(_tasks_of.get(session, _tasks), filters))
    return extend_graph(session)


def visible(tasks: Tasks, filters: Iterable[str]) -> Tasks:
    """Returns the tasks that a session with device filters sees; all without filters."""
    if not (wanted := [tf.DeviceSpec.from_string(text) for text in filters]):
        return tasks
    return [
        (job, task)
        for job, task in tasks
        if any(w.job in (None, job) and w.task in (None, task) for w in wanted)
    ]


def place(graph: Any, tasks: Tasks) -> None:
    """Places the operations of a graph that are new since the last call.

    An operation that is to be on a GPU stays as it is: which tasks have one is not known here.
    One that is to be next to another has its place from that.

    Args:
        graph: a ``tf.Graph``.
        tasks: the jobs and tasks of the cluster, in the order of their names.
    """
    operations = graph.get_operations()
    defaults: dict[str, str] = {}
    for operation in operations[_placed.get(graph, 0) :]:
        if (device := operation.device) not in defaults:
            defaults[device] = completed(device, tasks)
        if defaults[device] != device and not _is_beside_another(operation):
            operation._set_device(defaults[device])
    _placed[graph] = len(operations)


def _is_beside_another(operation: Any) -> bool:
    return any(
        group != b"loc:@" + operation.name.encode() for group in operation.colocation_groups()
    )


def completed(device: str, tasks: Tasks) -> str:
    """Returns a device with the job and task that TensorFlow 1.x completed it with.

    Args:
        device: what the program asked for, such as "", "/device:CPU:0" or "/job:worker".
        tasks: the jobs and tasks of the cluster, in the order of their names.
    """
    spec = tf.DeviceSpec.from_string(device)
    if spec.device_type == "GPU" or (spec.job is not None and spec.task is not None):
        return device
    for job, task in tasks:
        if spec.job in (None, job) and spec.task in (None, task):
            complete: str = spec.replace(job=job, replica=0, task=task).to_string()
            return complete
    return device


def cluster_of(server_or_cluster_def: Any) -> Mapping[str, Any] | Any:
    """Returns the cluster of what ``tf.train.Server`` is given."""
    if isinstance(server_or_cluster_def, tf.train.ServerDef):
        return server_or_cluster_def.cluster
    return server_or_cluster_def


def task_of(server_or_cluster_def: Any, job_name: str | None, task_index: int | None) -> Task:
    """Returns the task that ``tf.train.Server`` is asked to be, which the cluster may not have."""
    definition = server_or_cluster_def
    of_server = isinstance(definition, tf.train.ServerDef)
    job = job_name or (definition.job_name if of_server else "")
    index = definition.task_index if of_server and task_index is None else task_index or 0
    return Task(job, index, addresses_by_job(cluster_of(definition)))
