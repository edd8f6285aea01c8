"""Several processes that train one model: servers, peers, and what happens when one is lost."""

import time
from typing import Any

import tensorflow as tf2
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.run_config import RunConfig
from tfmigrate_runtime.estimator.task import PS, Task
from tfmigrate_runtime.train import sigterm
from tfmigrate_runtime.train.peers import (
    SECONDS_BETWEEN_LINES,
    SECONDS_UNTIL_SAID,
    SILENT,
    PeerLostError,
    listening,
    look,
    named,
    not_reached,
    say,
    wait_for_peers,
)
from tfmigrate_runtime.train.waits import watch_losses

_MULTI_WORKER = (
    tf.distribute.experimental.MultiWorkerMirroredStrategy,
    tf2.distribute.MultiWorkerMirroredStrategy,
)
_PARAMETER_SERVER = (tf.distribute.experimental.ParameterServerStrategy,)
_TIMEOUT = "RunConfig.session_creation_timeout_secs"
_SECONDS_BETWEEN_LOOKS = 1.0
# A training of a few steps must not begin and end between two looks of a parameter server.
_SECONDS_BETWEEN_FIRST_LOOKS = 0.1
_SECONDS_TO_END = 10.0
_servers: dict[str, Any] = {}


def is_multi_worker(strategy: Any) -> bool:
    """Returns whether every worker process has replicas of one synchronous step."""
    return isinstance(strategy, _MULTI_WORKER)


def has_parameter_servers(strategy: Any) -> bool:
    """Returns whether variables are on parameter servers, and workers train on their own."""
    return isinstance(strategy, _PARAMETER_SERVER)


def is_of_several(strategy: Any) -> bool:
    """Returns whether a strategy is for several processes."""
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
        seconds = config.session_creation_timeout_secs
        wait_for_peers(named(config.task), needed_tasks(config), seconds, _TIMEOUT)


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


def session_config(config: RunConfig, program_config: Any) -> Any:
    """Returns the ConfigProto for the sessions and the server of this task."""
    task: Task = config.task
    proto = config.train_distribute.update_config_proto(program_config)
    if has_parameter_servers(config.train_distribute):
        # Without them a worker waits forever once another has ended (semantics.md, 3).
        proto.device_filters[:] = [f"/job:{PS}", f"/job:{task.type}/task:{task.index}"]
    return proto


def start_server(config: RunConfig, proto: Any) -> Any:
    """Starts this task's server, once for the process.

    Raises:
        UnknownError: its address cannot be listened at.
    """
    task: Task = config.task
    if task.address not in _servers:
        watch_losses(task, needed_tasks(config))
        sigterm.prepare(task)
        with listening(task):
            _servers[task.address] = tf.train.Server(
                tf.train.ClusterSpec(task.cluster),
                job_name=task.type,
                task_index=task.index,
                config=proto,
            )
    return _servers[task.address]


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
    next_line = begin + SECONDS_UNTIL_SAID
    have_come: set[str] = set()
    gone_since: float | None = None
    while True:
        seen = {name: look(address) for name, address in training.items()}
        there = {name for name, what in seen.items() if not what}
        have_come |= there
        all_have_come = len(have_come) == len(training)
        now = time.monotonic()
        if there:
            gone_since = None
        elif have_come:
            gone_since = now if gone_since is None else gone_since
            # Those behind a cut link may still train.
            have_ended = all_have_come and SILENT not in seen.values()
            if now - gone_since >= (
                _SECONDS_TO_END if have_ended else config.experimental_peer_timeout_secs
            ):
                tf.logging.info("All training tasks have ended, so %s ends too.", named(task))
                return
        elif now - begin >= seconds:
            raise PeerLostError(not_reached(named(task), training, seconds, _TIMEOUT))
        elif now >= next_line:
            next_line = now + SECONDS_BETWEEN_LINES
            listed = ", ".join(f"{name} ({address})" for name, address in training.items())
            say(f"{named(task)} has waited {now - begin:.0f} s for any of {listed} to come")
        time.sleep(_SECONDS_BETWEEN_LOOKS if all_have_come else _SECONDS_BETWEEN_FIRST_LOOKS)
