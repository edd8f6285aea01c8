r"""Running a program as the jobs of a cluster on this machine, under the recorder.

To record a cluster of an original program::

    python -m tfmigrate_runtime.verify.run_cluster --cluster ps=1,worker=2 --turns \
        --python ~/tf1/bin/python --out trace.npz original.py -- --job_name={job_name} \
        --task_index={task_index} --ps_hosts={ps_hosts} --worker_hosts={worker_hosts} --logdir={out}

or, from Python, ``record_cluster(ClusterProgram(...), Path("trace.npz"), timeout=120.0)`` and
``load_cluster_trace(Path("trace.npz"))``. Without ``--turns`` asynchronous workers run freely;
synchronous programs step together with or without it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tfmigrate_runtime.verify import record_sessions
from tfmigrate_runtime.verify.cluster import (
    Cluster,
    ClusterError,
    Task,
    arguments_of,
    environment_of,
    free_addresses,
)
from tfmigrate_runtime.verify.cluster_trace import load_cluster_trace, write_cluster_trace
from tfmigrate_runtime.verify.failed_output import last_words_in
from tfmigrate_runtime.verify.limits import Limits, Watch, end
from tfmigrate_runtime.verify.record import folder_of
from tfmigrate_runtime.verify.record_worker import state_of
from tfmigrate_runtime.verify.run_program import (
    ProgramFailed,
    ending_when_terminated,
    environment,
    interpreter,
    place_to_run,
    refuse_children,
    started_by,
    what_starts,
)
from tfmigrate_runtime.verify.trace import TraceError

_POLL_SECONDS = 0.05
# A task that is closing while all others have ended gets this long to end by itself.
_LINGER_SECONDS = 5.0
# A synchronous step of one that is left alone does not end.
_STUCK_SECONDS = 30.0
# After one task has failed, others have this long to say why: the first to end is not always the
# cause.
_AFTERMATH_SECONDS = 1.0
# Starts a module of a folder that is not the working directory: arguments are both, and its own.
_AS_MODULE = (
    "import runpy, sys; sys.path[0] = sys.argv.pop(1); "
    "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
)
_PORT_TAKEN = ("Address already in use", "Could not start gRPC server", "address already in use")


@dataclass(frozen=True)
class ClusterProgram:
    """A program to run as a cluster.

    Attributes:
        script: its file.
        arguments: its arguments, with the placeholders of ``cluster.arguments_of``.
        cluster: the jobs.
        python: the interpreter.
        turns: whether asynchronous workers take turns.
        every: own steps of a worker between records of variables.
        legacy: whether it is given TensorFlow 1.x by tfmigrate_runtime.legacy.
        module: its name as a module, where ``python -m`` starts it; empty where it is a script.
        in_fresh_folder: whether all tasks run in a fresh folder that looks like the current one.
    """

    script: Path
    arguments: Sequence[str]
    cluster: Cluster
    python: str = sys.executable
    turns: bool = False
    every: int = 1
    legacy: bool = False
    module: str = ""
    in_fresh_folder: bool = False

    def command(self, arguments: Sequence[str]) -> list[str]:
        """Returns the command that runs one task of it."""
        script = self.script.resolve() if self.in_fresh_folder else self.script
        named = what_starts(script, self.module)
        return [interpreter(self.python), *started_by(self.legacy), *named, *arguments]

    def shown(self) -> str:
        """Returns the command as a person would write it, and the cluster."""
        command = " ".join(self.command(self.arguments))
        return f"{command} [{self.cluster}{', in turns' if self.turns else ''}]"


class _Job:
    """One process of the cluster."""

    def __init__(self, task: Task, folder: Path) -> None:
        self.task = task
        self.log = folder / f"{task.job}-{task.index}.log"
        self.trace = folder / f"{task.job}-{task.index}.npz"
        self.process: subprocess.Popen[bytes] | None = None
        self.code: int | None = None

    def start(
        self, command: list[str], variables: dict[str, str], folder: Path, place: Path | None
    ) -> None:
        with self.log.open("wb") as stream:
            try:
                self.process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=stream,
                    stderr=subprocess.STDOUT,
                    env={**environment(folder), **variables},
                    cwd=place,
                    start_new_session=True,
                )
            except OSError as error:
                raise ProgramFailed(f"cannot run {command[0]}: {error.strerror}") from error

    def ended(self) -> bool:
        if self.code is None and self.process is not None:
            self.code = self.process.poll()
        return self.code is not None

    def tail(self) -> str:
        return last_words_in(self.log) if self.log.exists() else ""


def record_cluster(
    program: ClusterProgram,
    trace: Path,
    limits: Limits | float,
    initial_values: Path | None = None,
    logs: Path | None = None,
) -> None:
    """Runs a program as a cluster and writes its trace; nothing of it is left running.

    Parameter servers need not end; they are killed once all others have. So is a task that hangs
    while it closes its session after all others have ended, as a synchronous chief of
    TensorFlow 1.x does.

    Args:
        program: what to run.
        trace: the trace to write, one for all tasks (``cluster_trace``).
        limits: what all tasks together may take; a number stands for seconds.
        initial_values: a trace of a cluster; variables start from its chief's initial values.
        logs: a folder that gets the output of every task, ``<job>-<index>.log``.

    Raises:
        ProgramFailed: a task ended with another exit code than 0, no task trained, or they took too
            much; the text says which, and has the end of its output.
        TraceError: ``initial_values`` cannot be used.
    """
    limits = limits if isinstance(limits, Limits) else Limits(limits)
    for attempt in (1, 2):
        with (
            ending_when_terminated(),
            tempfile.TemporaryDirectory(prefix="tfmigrate-cluster-") as name,
        ):
            run = _ClusterRun(program, Path(name), logs)
            try:
                run.start(initial_values)
                run.wait(Watch(limits, Path(name)))
                run.write(trace)
                return
            except ProgramFailed:
                # Another process may take a port between its choice and its use.
                if attempt == 2 or not run.port_was_taken():
                    raise
            finally:
                run.end()


class _ClusterRun:
    """One run of a cluster."""

    def __init__(self, program: ClusterProgram, folder: Path, logs: Path | None) -> None:
        self._program = program
        self._folder = folder
        self._shared = folder / "shared"
        self._shared.mkdir()
        if logs is not None:
            logs.mkdir(parents=True, exist_ok=True)
        self._jobs = [_Job(task, logs or folder) for task in program.cluster.tasks]
        self._training = [job for job in self._jobs if job.task.trains]
        for job in self._training:
            job.trace = folder / job.trace.name

    def start(self, initial_values: Path | None) -> None:
        """Starts all tasks, parameter servers first."""
        addresses = free_addresses(self._program.cluster)
        values = None if initial_values is None else self._values_of_chief(initial_values)
        out = self._folder / "out"
        place = place_to_run(self._program.in_fresh_folder, self._folder)
        for job in self._jobs:
            arguments = arguments_of(job.task, self._program.arguments, addresses, str(out))
            command = self._served(arguments)
            if job.task.trains:
                command = self._recorded(job, arguments, values)
            job.start(command, environment_of(job.task, addresses), self._folder, place)

    def wait(self, watch: Watch) -> None:
        """Waits until every task that trains has ended.

        Raises:
            ProgramFailed: one failed, or they took too much.
        """
        while not all(job.ended() for job in self._training):
            if any(job.ended() and job.code != 0 for job in self._jobs):
                raise ProgramFailed(self._what_failed())
            exceeded = watch.exceeded([job.process for job in self._jobs if job.process])
            if exceeded is not None:
                raise ProgramFailed(self._what_runs(exceeded))
            self._finish_lingering()
            time.sleep(_POLL_SECONDS)
        if any(job.code != 0 for job in self._training):
            raise ProgramFailed(self._what_failed())

    def write(self, trace: Path) -> None:
        """Writes the trace of all.

        Raises:
            ProgramFailed: none of them trained.
        """
        for job in self._training:
            refuse_children(f"{job.task.name} of {self._program.shown()}", job.trace)
        states = {job.task.name: self._state(job) for job in self._training}
        if not any(_steps_in(job.trace) for job in self._training):
            tails = "".join(f"\n{job.task.name}:{job.tail()}" for job in self._training)
            raise ProgramFailed(f"{self._program.shown()} ended without a training step{tails}")
        write_cluster_trace(
            trace,
            {job.task.name: job.trace for job in self._training},
            self._program.cluster,
            self._program.turns,
            states,
            list(self._program.arguments),
        )

    def end(self) -> None:
        """Ends whatever is left."""
        running = (job.process for job in self._jobs if job.process is not None)
        end(*running, folder=self._folder)

    def port_was_taken(self) -> bool:
        """Whether a task could not listen where it should."""
        return any(
            job.log.exists()
            and any(text in job.log.read_text("utf-8", "replace") for text in _PORT_TAKEN)
            for job in self._jobs
        )

    def _served(self, arguments: list[str]) -> list[str]:
        """Returns the command of a task that only serves."""
        program = self._program
        if not program.module:
            return program.command(arguments)
        folder = folder_of(str(program.script), program.module)
        legacy = ["tfmigrate_runtime.legacy", "-m"] if program.legacy else []
        return [program.python, "-c", _AS_MODULE, folder, *legacy, program.module, *arguments]

    def _recorded(self, job: _Job, arguments: list[str], values: Path | None) -> list[str]:
        position = f"{self._training.index(job)}/{len(self._training)}"
        recorder = str(Path(record_sessions.__file__).resolve())
        command = [interpreter(self._program.python), recorder]
        command += ["--out", str(job.trace), "--every", str(self._program.every)]
        command += ["--worker", position, "--shared", str(self._shared)]
        command += ["--turns"] if self._program.turns else []
        command += ["--legacy"] if self._program.legacy else []
        command += ["--module", self._program.module] if self._program.module else []
        if values is not None:
            command += ["--initial-values", str(values)]
            # The checkpoint that the other chief wrote after its first step.
            command += ["--restore", str(values)] if job is self._training[0] else []
        script = self._program.script
        script = script.resolve() if self._program.in_fresh_folder else script
        return [*command, str(script), "--", *arguments]

    def _values_of_chief(self, path: Path) -> Path:
        target = self._folder / "initial.npz"
        chief = load_cluster_trace(path).chief
        values: dict[str, Any] = {f"initial/{k}": v for k, v in chief.initial.items()}
        for number, model in enumerate(chief.models, start=1):
            values.update({f"model/{number}/initial/{k}": v for k, v in model.initial.items()})
        values.update({f"variable/{k}": v[:1] for k, v in chief.variables.items()})
        values.update({f"written/{k}": v for k, v in chief.written.items()})
        values.update(
            variable_step=chief.variable_step[:1], meta=np.asarray(json.dumps(chief.meta))
        )
        with target.open("wb") as stream:
            np.savez(stream, **values)
        return target

    def _state(self, job: _Job) -> dict[str, Any]:
        return state_of(str(self._shared), self._training.index(job))

    def _finish_lingering(self) -> None:
        """Tells a task to end that hangs in closing after all others have ended.

        Raises:
            ProgramFailed: it hangs in a step.
        """
        left = [job for job in self._training if not job.ended()]
        if len(left) != 1:
            return
        state = self._state(left[0])
        if state["synchronous"] and state["state"] == "step" and _age(state) > _STUCK_SECONDS:
            raise ProgramFailed(
                f"{self._program.shown()}: {left[0].task.name} waits in a synchronous step that "
                f"the others, which have ended, do not make{left[0].tail()}"
            )
        if state["state"] == "closing" and _age(state) > _LINGER_SECONDS:
            (self._shared / f"finish-{self._training.index(left[0])}").touch()

    def _what_failed(self) -> str:
        """Says which tasks ended with an error, in the order in which that was seen."""
        failed = [job for job in self._jobs if job.ended() and job.code != 0]
        until = time.monotonic() + _AFTERMATH_SECONDS
        while time.monotonic() < until:
            failed += [j for j in self._jobs if j.ended() and j.code != 0 and j not in failed]
            time.sleep(_POLL_SECONDS)
        parts = [f"{j.task.name} ended with exit code {j.code}{j.tail()}" for j in failed]
        return f"{self._program.shown()}: " + "\n".join(parts)

    def _what_runs(self, exceeded: str) -> str:
        """Says what each task was doing when they were ended."""
        lines = []
        for job in self._jobs:
            doing = f"ended with exit code {job.code}" if job.ended() else "still ran"
            if job.task.trains and not job.ended():
                state = self._state(job)
                doing = f"still ran ({state['state']}, {state['steps']} steps made)"
            lines.append(f"\n{job.task.name} {doing}{job.tail() if job.task.trains else ''}")
        return f"{self._program.shown()} {exceeded} and was ended{''.join(lines)}"


def _age(state: dict[str, Any]) -> float:
    """Returns for how many seconds a worker has been doing what it does."""
    return time.time() - float(state["since"])


def _steps_in(trace: Path) -> int:
    with np.load(trace, allow_pickle=False) as stored:
        return len(stored["step"])


def main(arguments: Sequence[str]) -> int:
    """Records one cluster; returns 0, or 2 where it failed."""
    parser = argparse.ArgumentParser(prog="run_cluster", description="Records a cluster.")
    parser.add_argument("--cluster", required=True, help="JOB=TASKS,... as in ps=1,worker=2")
    parser.add_argument("--turns", action="store_true", help="workers make their steps in turns")
    parser.add_argument("--python", default=sys.executable, help="the interpreter")
    parser.add_argument("--out", required=True, type=Path, metavar="TRACE.npz")
    parser.add_argument("--logs", type=Path, help="a folder for the output of every task")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="S")
    parser.add_argument("--every", type=int, default=1, metavar="K")
    parser.add_argument("--initial-values", type=Path, metavar="TRACE0.npz")
    parser.add_argument("script", type=Path)
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args(arguments)
    try:
        program = ClusterProgram(
            options.script,
            options.arguments,
            Cluster.parse(options.cluster),
            options.python,
            options.turns,
            options.every,
        )
        record_cluster(program, options.out, options.timeout, options.initial_values, options.logs)
        trace = load_cluster_trace(options.out)
    except (ClusterError, ProgramFailed, TraceError) as failure:
        print(failure, file=sys.stderr)
        return 2
    print(f"{options.out}: TensorFlow {trace.meta['tensorflow']}")
    for name, task in trace.tasks.items():
        losses = f", loss {task.loss[0]:.6g} .. {task.loss[-1]:.6g}" if len(task.loss) else ""
        print(f"  {name}: {len(task.step)} steps{losses}")
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main(sys.argv[1:]))
