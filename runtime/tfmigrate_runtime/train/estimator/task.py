"""The cluster and the task of this process, from TF_CONFIG."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

CHIEFS = ("chief", "master")  # "master" is the chief's name in clusters of before 2018
PS, WORKER, EVALUATOR = "ps", "worker", "evaluator"
_TRAINING = (*CHIEFS, WORKER)


@dataclass(frozen=True)
class Task:
    """This process's place in a cluster (``tf.estimator.RunConfig``'s properties of these names).

    Attributes:
        type: "chief", "master", "worker", "ps" or "evaluator"; "worker" where there is no cluster.
        index: its number among the tasks of its type.
        cluster: addresses ("host:port") of the tasks by type, without the evaluator, which trains
            with nobody; empty where there is no cluster.
        environment: all of TF_CONFIG.
    """

    type: str = WORKER
    index: int = 0
    cluster: Mapping[str, Sequence[str]] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_chief(self) -> bool:
        """Whether this task writes checkpoints and summaries: the first worker without a chief."""
        if self.type in CHIEFS or not self.cluster:
            return self.type != EVALUATOR
        has_chief = any(self.cluster.get(kind) for kind in CHIEFS)
        return self.type == WORKER and self.index == 0 and not has_chief

    @property
    def address(self) -> str:
        """Where this task's server listens: "host:port"; "" without one."""
        return "" if self.type not in self.cluster else self.cluster[self.type][self.index]

    @property
    def training_tasks(self) -> list[tuple[str, int]]:
        """Type and index of the tasks that train: the chief first."""
        return [(kind, i) for kind in _TRAINING for i in range(len(self.cluster.get(kind, ())))]

    @property
    def number(self) -> int | None:
        """The index of this task among all: the chief, workers, then parameter servers."""
        if self.type == EVALUATOR:
            return None
        tasks = [*self.training_tasks, *((PS, i) for i in range(len(self.cluster.get(PS, ()))))]
        return tasks.index((self.type, self.index)) if tasks else 0

    def peers(self) -> dict[str, str]:
        """Returns the addresses of the other tasks that have servers, by their name."""
        return {
            f"{kind} {index}": address
            for kind, addresses in self.cluster.items()
            for index, address in enumerate(addresses)
            if (kind, index) != (self.type, self.index)
        }


def read_task() -> Task:
    """Reads TF_CONFIG, and refuses what tf.estimator of TensorFlow 1.15 refused.

    A cluster whose tasks are not what they take themselves for would train the wrong model without
    a word: a worker without an index is worker 0 in every such process.

    Raises:
        TypeError: "service" is no dict.
        ValueError: it is not valid JSON, or its task is missing or not in its cluster.
    """
    text = os.environ.get("TF_CONFIG", "{}")
    if not text.strip():
        raise ValueError("TF_CONFIG is empty: unset it to train in one process, or set its cluster")
    given = parsed(text)
    if not isinstance(given, dict):
        raise ValueError(f"TF_CONFIG is not an object with a cluster and a task: {text}")
    if not isinstance(given.get("service", {}), dict):
        raise TypeError('"service" in TF_CONFIG must be a dict')
    cluster = {kind: list(addresses) for kind, addresses in given.get("cluster", {}).items()}
    if not cluster:
        return _task_without_cluster(given)
    kind, index = _task_in_cluster(cluster, given.get("task", {}))
    cluster.pop(EVALUATOR, None)
    if kind == EVALUATOR or sum(map(len, cluster.values())) <= 1:
        return Task(kind, index, {}, given)
    return Task(kind, index, cluster, given)


def parsed(text: str) -> Any:
    """Returns what the text of TF_CONFIG means.

    Raises:
        ValueError: it is not valid JSON.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"TF_CONFIG is not valid JSON: {error}") from error


def _task_without_cluster(given: Mapping[str, Any]) -> Task:
    """Returns the task of a process that trains, or evaluates, alone."""
    task = given.get("task", {})
    kind, index = str(task.get("type", WORKER)), int(task.get("index", 0))
    if kind not in (*_TRAINING, EVALUATOR) or index != 0:
        raise ValueError(
            f'TF_CONFIG has no "cluster", so this process trains alone, but its task is {kind} '
            f"{index}: add the cluster, or remove the task"
        )
    return Task(kind, index, {}, given)


def _task_in_cluster(cluster: Mapping[str, Sequence[str]], task: Any) -> tuple[str, int]:
    """Returns type and index of a task.

    Raises:
        ValueError: they are missing, or not in the cluster, or the cluster has two chiefs.
    """
    if all(cluster.get(chief) for chief in CHIEFS):
        raise ValueError(
            'TF_CONFIG has both a "chief" and a "master", which are the same task: remove one'
        )
    for chief in CHIEFS:
        if len(cluster.get(chief, ())) > 1:
            raise ValueError(
                f'TF_CONFIG has {len(cluster[chief])} tasks of type "{chief}": make all but one '
                'of them "worker"'
            )
    if not task and sum(map(len, cluster.values())) == 1:
        return next(kind for kind, addresses in cluster.items() if addresses), 0
    missing = [name for name in ("type", "index") if task.get(name) in (None, "")]
    if missing:
        raise ValueError(
            "TF_CONFIG has a cluster, but does not say of its tasks which one this is: "
            f'set {" and ".join(missing)} in its "task"'
        )
    kind, index = str(task["type"]), int(task["index"])
    if index < 0 or (kind != EVALUATOR and index >= len(cluster.get(kind, ()))):
        raise ValueError(
            f"TF_CONFIG: this task is {kind} {index}, which is not in the cluster {cluster}"
        )
    return kind, index
