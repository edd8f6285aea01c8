"""What a program puts on no task of its cluster goes to the first one, as on TensorFlow 1.15.

There the devices of a cluster were tried in the order of their names
(``DeviceSet::SortPrioritizedDeviceVector``); today those of the session's own task come first.
``between_graph.default_placement`` does the same for migrated programs, by code of its own: an
error must not be on both sides of a comparison.
"""

import functools
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.compat.sessions import BaseSession

_names: list[tf.DeviceSpec] = []  # of the tasks of this process's cluster, in their order


def place_on_first_task() -> None:
    """Places what is on no task, once a server of a cluster was started in this process."""
    server: Any = tf.train.Server
    initialize, extend = server.__init__, BaseSession._extend_graph

    @functools.wraps(initialize)
    def started(this: Any, *arguments: Any, **options: Any) -> None:
        initialize(this, *arguments, **options)
        names = [
            f"/job:{job.name}/replica:0/task:{index}"
            for job in this.server_def.cluster.job
            for index in job.tasks
        ]
        _names[:] = [tf.DeviceSpec.from_string(name) for name in sorted(names)]

    @functools.wraps(extend)
    def extended(this: Any) -> Any:
        if _names and this.sess_str.startswith(b"grpc"):
            _place(this)
        return extend(this)

    server.__init__ = started
    BaseSession._extend_graph = extended


def _place(session: Any) -> None:
    texts = session._config.device_filters if session._config else ()
    filters = [tf.DeviceSpec.from_string(text) for text in texts]
    seen = [name for name in _names if not filters or any(_fits(each, name) for each in filters)]
    graph = session.graph
    first = getattr(graph, "_number_of_placed", 0)
    operations = graph.get_operations()
    graph._number_of_placed = len(operations)
    for operation in operations[first:]:
        asked = tf.DeviceSpec.from_string(operation.device)
        alone = operation.colocation_groups() == [b"loc:@" + operation.name.encode()]
        if asked.device_type == "GPU" or None not in (asked.job, asked.task) or not alone:
            continue
        if (task := next((name for name in seen if _fits(asked, name)), None)) is not None:
            operation._set_device(task.make_merged_spec(asked))


def _fits(asked: Any, name: Any) -> bool:
    """Returns whether a device that names a part only may be on a task."""
    return asked.job in (None, name.job) and asked.task in (None, name.task)
