"""The cluster and the task of this process, from TF_CONFIG."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

_MASTER = "master"  # the chief's name in clusters of before 2018; it evaluates, too
CHIEFS = ("chief", _MASTER)
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
    def is_known(self) -> bool:
        """Whether the cluster has this task."""
        return self.index < len(self.cluster.get(self.type, ()))

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
        """The index of this task among all: the chief, others, then parameter servers."""
        if self.type == EVALUATOR:
            return None
        kinds = sorted(self.cluster, key=lambda kind: (kind not in CHIEFS, kind == PS, kind))
        before = kinds[: kinds.index(self.type)] if kinds else []
        return sum(len(self.cluster[kind]) for kind in before) + (self.index if kinds else 0)

    @property
    def named_cluster(self) -> dict[str, list[str]]:
        """The cluster as TF_CONFIG has it, one of a single task too; empty for the evaluator."""
        if self.type == EVALUATOR:
            return {}
        tasks_by_kind = {**self.environment.get("cluster", {}), **self.cluster}
        return {kind: list(tasks) for kind, tasks in tasks_by_kind.items() if kind != EVALUATOR}

    @property
    def evaluates(self) -> bool:
        """Whether this task evaluates between its own training steps: there is no evaluator."""
        return not self.cluster or self.type == _MASTER

    @property
    def with_chief(self) -> Task:
        """This task in a cluster whose master is called chief, the only name strategies know."""
        chief, master = CHIEFS
        renamed = {chief if job == master else job: tasks for job, tasks in self.cluster.items()}
        return replace(self, type=chief if self.type == master else self.type, cluster=renamed)

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
        TypeError: "service" is not a dict.
        ValueError: it is not valid JSON, or its task is missing or not in its cluster.
    """
    text = os.environ.get("TF_CONFIG", "{}")
    if not text.strip():
        raise ValueError("TF_CONFIG is empty: unset it to train in one process, or set its cluster")
    environment = parsed(text)
    if not isinstance(environment, dict):
        raise ValueError(f"TF_CONFIG is not an object with a cluster and a task: {text}")
    if not isinstance(environment.get("service", {}), dict):
        raise TypeError(
            'If "service" is set in TF_CONFIG, it must be a dict. Given '
            f"{type(environment['service']).__name__}"
        )
    cluster = {kind: list(addresses) for kind, addresses in environment.get("cluster", {}).items()}
    if not cluster:
        return _task_without_cluster(environment)
    kind, index = _task_in_cluster(cluster, environment.get("task", {}))
    cluster.pop(EVALUATOR, None)
    if kind == EVALUATOR or sum(map(len, cluster.values())) <= 1:
        return Task(kind, index, {}, environment)
    return Task(kind, index, cluster, environment)


def parsed(text: str) -> Any:
    """Returns what the text of TF_CONFIG means.

    Raises:
        ValueError: it is not valid JSON.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"TF_CONFIG is not valid JSON: {error}") from error


def _task_without_cluster(tf_config: Mapping[str, Any]) -> Task:
    """Returns the task of a process that trains, or evaluates, alone."""
    task = tf_config.get("task", {})
    kind, index = str(task.get("type", WORKER)), int(task.get("index", 0))
    for name, right, must in (("type", kind == WORKER, "WORKER"), ("index", index == 0, "0")):
        if not right:
            raise ValueError(
                f'If "cluster" is not set in TF_CONFIG, task {name} must be {must}. This process '
                f"would train alone, as {kind} {index}: add the cluster, or remove the task"
            )
    return Task(kind, index, {}, tf_config)


def _task_in_cluster(cluster: Mapping[str, Sequence[str]], task: Any) -> tuple[str, int]:
    """Returns type and index of a task.

    Raises:
        ValueError: they are missing, or not in the cluster, or the cluster has two chiefs.
    """
    if all(cluster.get(chief) for chief in CHIEFS):
        raise ValueError(
            "If `master` node exists in `cluster`, job `chief` is not supported. They are the "
            "same task: remove one of them from TF_CONFIG"
        )
    for chief in CHIEFS:
        if len(cluster.get(chief, ())) > 1:
            raise ValueError(
                f'The "cluster" in TF_CONFIG must have only one "{chief}" node. It has '
                f'{len(cluster[chief])}: make all but one of them "worker"'
            )
    if not task and sum(map(len, cluster.values())) == 1:
        return next(kind for kind, addresses in cluster.items() if addresses), 0
    if missing := [name for name in ("type", "index") if task.get(name) in (None, "")]:
        raise ValueError(
            f'If "cluster" is set in TF_CONFIG, task {missing[0]} must be set: which one of its '
            f'tasks this is. Set {" and ".join(missing)} in "task"'
        )
    kind, index = str(task["type"]), int(task["index"])
    if index < 0:
        raise ValueError(f"Task index must be non-negative number. TF_CONFIG has {index}")
    if kind == EVALUATOR:
        if cluster.get(_MASTER):
            raise ValueError(
                "If `master` node exists in `cluster`, task_type `evaluator` is not supported: "
                "the master evaluates"
            )
    elif index >= len(cluster.get(kind, ())):
        what = f"{index} is not a valid task_id for task_type {kind}"
        if not cluster.get(kind):
            what = f"{kind} is not a valid task_type"
        raise ValueError(f"{what} in the cluster of TF_CONFIG, {cluster}")
    return kind, index
