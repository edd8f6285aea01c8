"""Clusters: the jobs of a program, their addresses, and the arguments of each task."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from tfmigrate_runtime.verify.hosts import Hosts

PORT = 2222  # of every task that has a host of its own
SERVING = ("ps", "evaluator")  # jobs that do not train
_CHIEFS = ("chief", "master")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class ClusterError(Exception):
    """The description of a cluster is invalid."""

    cause = "cluster"


@dataclass(frozen=True)
class Task:
    """One process of a cluster.

    Attributes:
        job: the job's name.
        index: the task's number in it.
    """

    job: str
    index: int

    @property
    def name(self) -> str:
        """Its name in traces, logs and messages, such as "worker/0"; "" for one process."""
        return f"{self.job}/{self.index}" if self.job else ""

    @property
    def trains(self) -> bool:
        """Whether it makes training steps."""
        return self.job not in SERVING


@dataclass(frozen=True)
class Cluster:
    """The jobs of a cluster.

    Attributes:
        jobs: the number of tasks by job, in the order they were given.
    """

    jobs: dict[str, int]

    @classmethod
    def parse(cls, text: str) -> Cluster:
        """Reads ``ps=1,worker=2``.

        Raises:
            ClusterError: it is not of that form, or no job trains.
        """
        jobs: dict[str, int] = {}
        for part in text.split(","):
            job, _, count = part.strip().partition("=")
            if not re.fullmatch(r"[a-z_]+", job) or not count.isdigit() or not int(count):
                raise ClusterError(f"--cluster {text}: expected JOB=TASKS,... as in ps=1,worker=2")
            if job in jobs:
                raise ClusterError(f"--cluster {text}: {job} appears twice")
            jobs[job] = int(count)
        cluster = cls(jobs)
        if not cluster.training:
            raise ClusterError(f"--cluster {text}: no training job; add one, such as worker=2")
        return cluster

    @property
    def tasks(self) -> list[Task]:
        """All tasks: those that serve first, then those that train with the chief first."""
        order = sorted(self.jobs, key=lambda job: (job not in SERVING, job not in _CHIEFS))
        return [Task(job, index) for job in order for index in range(self.jobs[job])]

    @property
    def training(self) -> list[Task]:
        """The tasks that train, in the order of their turns."""
        return [task for task in self.tasks if task.trains]

    def __str__(self) -> str:
        return ",".join(f"{job}={count}" for job, count in self.jobs.items() if job)


ALONE = Task("", 0)  # a program of one process is a cluster of this task
ONE_PROCESS = Cluster({ALONE.job: 1})


def free_addresses(cluster: Cluster) -> dict[str, list[str]]:
    """Returns an address for every task, by job, on ports that are free now."""
    sockets = {task: socket.socket() for task in cluster.tasks}
    try:
        for each in sockets.values():
            each.bind(("127.0.0.1", 0))
        addresses: dict[str, list[str]] = {job: [] for job in cluster.jobs}
        for task, each in sockets.items():
            addresses[task.job].append(f"127.0.0.1:{each.getsockname()[1]}")
        return addresses
    finally:
        for each in sockets.values():
            each.close()


def addresses_on(hosts: Hosts, cluster: Cluster) -> dict[str, list[str]]:
    """Returns an address for every task, by job, each on the next of the hosts."""
    addresses: dict[str, list[str]] = {job: [] for job in cluster.jobs}
    for number, task in enumerate(cluster.tasks):
        addresses[task.job].append(f"{hosts.address(number)}:{PORT}")
    return addresses


def arguments_of(
    task: Task, arguments: Sequence[str], addresses: dict[str, list[str]], out: str
) -> list[str]:
    """Returns a program's arguments with their placeholders replaced.

    Args:
        task: whose arguments.
        arguments: with ``{job_name}``, ``{task_index}``, ``{out}`` (a folder that all tasks of a
            run share), ``{num_workers}`` (tasks that train) and ``{<job>_hosts}``, the addresses of
            a job, separated by commas, empty where the cluster has no such job.
        addresses: by job.
        out: the folder.
    """
    known = {"job_name": task.job, "task_index": str(task.index), "out": out}
    known["num_workers"] = str(sum(len(a) for job, a in addresses.items() if job not in SERVING))

    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        if name.endswith("_hosts"):
            return ",".join(addresses.get(name.removesuffix("_hosts"), ()))
        return known.get(name, match.group(0))

    return [_PLACEHOLDER.sub(value, argument) for argument in arguments]


def without_tasks(arguments: Sequence[str]) -> tuple[str, ...]:
    """Returns a program's arguments without those whose placeholders only a task can replace.

    Where a value has one, the option before it is left out, too.
    """
    left: list[str] = []
    for argument in arguments:
        if not {*_PLACEHOLDER.findall(argument)} - {"out"}:
            left.append(argument)
        elif not argument.startswith("-") and left and left[-1].startswith("-"):
            left.pop()
    return tuple(left)


def environment_of(task: Task, addresses: dict[str, list[str]]) -> dict[str, str]:
    """Returns the environment variables that describe the cluster to a task."""
    config = {"cluster": addresses, "task": {"type": task.job, "index": task.index}}
    return {
        "TF_CONFIG": json.dumps(config),
        # No GPUs: several processes would compete for the memory of one, and round differently.
        "CUDA_VISIBLE_DEVICES": "-1",
        # A task that connects before the other listens must wait; tasks that end are noticed here.
        "GRPC_FAIL_FAST": "false",
    }
