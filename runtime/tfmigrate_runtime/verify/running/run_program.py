"""Running a program under the recorder, in one process or as the jobs of a cluster.

Every task has its own process group. One process is a cluster of one task, without
environment variables or addresses of a cluster.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tfmigrate_runtime.verify.hosts import Hosts, HostsRefusedError
from tfmigrate_runtime.verify.running.cluster import (
    ONE_PROCESS,
    addresses_on,
    arguments_of,
    environment_of,
    free_addresses,
)
from tfmigrate_runtime.verify.running.failed_output import advice_on
from tfmigrate_runtime.verify.running.limits import Limits, Watch, end, is_small, let_say_where
from tfmigrate_runtime.verify.running.program import Program
from tfmigrate_runtime.verify.running.surroundings import (
    ProgramFailed,
    ending_when_terminated,
    environment,
    place_to_run,
    refuse_children,
    refuse_variables,
)
from tfmigrate_runtime.verify.running.task_process import TaskProcess
from tfmigrate_runtime.verify.shared import state_of
from tfmigrate_runtime.verify.traces.recording import write_recording
from tfmigrate_runtime.verify.traces.states_file import (
    is_of_coordinator,
    steps_in,
    write_start_of_chief,
    write_states_of_task,
)
from tfmigrate_runtime.verify.wording import counted

REFERENCE_VARIABLE = "TFMIGRATE_REFERENCE_PYTHON"  # names an interpreter with TensorFlow 1.x
_POLL_SECONDS = 0.05
# A task that is closing while all others have ended gets this long to end by itself.
_LINGER_SECONDS = 5.0
# A synchronous step of the last remaining worker does not end.
_STUCK_SECONDS = 30.0
# After one task has failed, others have this long to fail too: the first to end is not always the
# cause.
_AFTERMATH_SECONDS = 1.0
_PORT_TAKEN = ("Address already in use", "Could not start gRPC server", "address already in use")


def run_recorded(
    program: Program,
    trace: Path,
    limits: Limits | float,
    initial_values: Path | None = None,
    show_output: bool = False,
    logs: Path | None = None,
    running: contextlib.ExitStack | None = None,
) -> Kept | None:
    """Runs a program and writes its trace; nothing of it is left running.

    Parameter servers need not end; they are killed once all others have. So is a task that hangs
    while it closes its session after all others have ended, as a synchronous chief of
    TensorFlow 1.x does.

    Args:
        program: what to run.
        trace: the trace to write, one for all tasks (``recording``).
        limits: for all tasks together; a number means seconds.
        initial_values: a trace whose (chief's) initial values are copied.
        show_output: whether the program's output is passed on; that of a cluster once it has ended.
        logs: a folder for the output of each task, ``<job>-<index>.log``.
        running: ends a program of one process, which after its end waits to restore a checkpoint.

    Returns:
        What waits, None where nothing does.

    Raises:
        ProgramFailed: a task failed, none trained, or a limit was exceeded; the text has the end of
            its output.
        TraceError: ``initial_values`` cannot be used.
    """
    limits = limits if isinstance(limits, Limits) else Limits(limits)
    if running is not None:
        return running.enter_context(_recorded_and_kept(program, trace, limits, show_output))
    is_cluster = program.cluster != ONE_PROCESS
    for attempt in (1, 2):
        with (
            ending_when_terminated(),
            tempfile.TemporaryDirectory(prefix="tfmigrate-verify-") as name,
        ):
            run = _Run(program, trace, Path(name), logs if is_cluster else None)
            try:
                watch = Watch(limits, Path(name))
                try:
                    run.start(initial_values, show_output and not is_cluster)
                    failure = run.wait(watch)
                finally:
                    run.end()
                run.write(failure)
                break
            except ProgramFailed:
                # A different process may take a port between its choice and its use.
                if attempt == 2 or not is_cluster or not run.port_was_taken():
                    raise
            finally:
                if show_output and is_cluster and logs is not None:
                    _show(logs)
    return None


class Kept:
    """A program that has written its trace, and waits to restore a checkpoint."""

    def __init__(self, run: _Run, request: Path, limits: Limits) -> None:
        """Takes the run, the file that it waits for, and its limits from now on."""
        self._run, self._request, self._limits = run, request, limits

    def restore(self, checkpoint: Path, target: Path) -> None:
        """Lets it restore a checkpoint and write a trace, which is missing where it cannot."""
        new = self._request.with_suffix(".new")
        new.write_text(f"{checkpoint.resolve()}\n{target.resolve()}\n")
        new.replace(self._request)
        self._run.wait(Watch(self._limits, self._request.parent))

    def end(self) -> None:
        """Ends it."""
        self._run.end()


@contextlib.contextmanager
def _recorded_and_kept(
    program: Program, trace: Path, limits: Limits, show_output: bool
) -> Iterator[Kept]:
    """Runs a program of one process and writes its trace; it is ended at the end of the context.

    It restores a checkpoint without being started again: importing TensorFlow and building the
    graph take longer than that.
    """
    with ending_when_terminated(), tempfile.TemporaryDirectory(prefix="tfmigrate-verify-") as name:
        request = Path(name) / "restore"
        run = _Run(replace(program, restore_later=request), trace, Path(name), None)
        try:
            run.start(None, show_output)
            run.write(run.wait(Watch(limits, Path(name)), until=trace))
            if not run.is_small():
                run.end()
            yield Kept(run, request, limits)
        finally:
            run.end()


class _Run:
    """One run of a program."""

    def __init__(self, program: Program, trace: Path, folder: Path, logs: Path | None) -> None:
        self._program, self._trace, self._folder = program, trace, folder
        self._is_cluster = program.cluster != ONE_PROCESS
        self._hosts: Hosts | None = None
        self._shared = folder / "shared"
        self._shared.mkdir()
        if logs is not None:
            logs.mkdir(parents=True, exist_ok=True)
        self._jobs = [TaskProcess(task, trace, logs or folder) for task in program.cluster.tasks]
        self._training = [job for job in self._jobs if job.task.trains]
        for job in self._training if self._is_cluster else ():
            job.trace = folder / f"{job.task.job}-{job.task.index}.npz"

    def start(self, initial_values: Path | None, show_output: bool) -> None:
        """Starts all tasks, parameter servers first.

        Raises:
            ProgramFailed: the interpreter cannot be started, or the hosts cannot be made.
        """
        addresses = self._addresses() if self._is_cluster else {}
        place = place_to_run(self._program.in_fresh_folder, self._folder)
        if initial_values is not None and self._is_cluster:
            initial_values = write_start_of_chief(self._folder / "initial.npz", initial_values)
        for number, job in enumerate(self._jobs):
            variables = environment(self._folder)
            variables.update(self._program.environment(job.trace, initial_values))
            if self._is_cluster:
                variables.update(environment_of(job.task, addresses))
            command = self._command(job, addresses, initial_values)
            descriptors: tuple[int, ...] = ()
            if self._hosts is not None:
                command = self._hosts.command(number, command)
                descriptors = self._hosts.descriptors(number)
            try:
                job.start(command, variables, place, show_output, descriptors)
            except OSError as error:
                raise ProgramFailed(
                    f"cannot run {self._program.python}: {error.strerror}"
                ) from error

    def wait(self, watch: Watch, until: Path | None = None) -> str | None:
        """Waits until every task that trains has ended.

        Args:
            watch: the limits.
            until: a file that ends the waiting too.

        Returns:
            The error message, None where nothing failed.
        """
        while not all(job.ended() for job in self._training):
            if until is not None and until.exists():
                return None
            if any(job.failed() for job in self._jobs):
                return self._what_failed()
            processes = [job.process for job in self._jobs if job.process]
            if (exceeded := watch.exceeded(processes)) is not None:
                let_say_where(processes)
                return self._what_runs(exceeded)
            stuck = self._finish_lingering() if self._is_cluster else None
            if stuck is not None:
                return stuck
            time.sleep(_POLL_SECONDS)
        return self._what_failed() if any(job.failed() for job in self._training) else None

    def write(self, failure: str | None) -> None:
        """Writes the trace of all tasks, after they were ended.

        Args:
            failure: the error message, if any.

        Raises:
            ProgramFailed: a task failed, or none of them trained.
        """
        for job in self._training:
            task = f"{job.task.name} of " if self._is_cluster else ""
            refuse_children(f"{task}{self._program.shown()}", job.trace)
            refuse_variables(job.trace)
        if failure is not None:
            raise ProgramFailed(failure)
        if not self._is_cluster:
            return  # there is no trace without a step
        if not any(steps_in(job.trace) for job in self._training):
            tails = "".join(f"\n{job.task.name}:{job.tail()}" for job in self._training)
            raise ProgramFailed(f"{self._program.shown()} ended without a training step{tails}")
        write_recording(
            self._trace,
            {job.task.name: job.trace for job in self._training},
            self._program.cluster,
            self._program.turns,
            {job.task.name: self._state(job) for job in self._training},
            list(self._program.arguments),
        )

    def end(self) -> None:
        """Kills all remaining processes."""
        running = (job.process for job in self._jobs if job.process is not None)
        end(*running, folder=self._folder)
        if self._hosts is not None:
            self._hosts.close()

    def is_small(self) -> bool:
        """Whether it may wait while another program runs."""
        return is_small([job.process for job in self._jobs if job.process is not None])

    def port_was_taken(self) -> bool:
        """Whether a task could not listen at its address."""
        return any(
            job.log.exists()
            and any(text in job.log.read_text("utf-8", "replace") for text in _PORT_TAKEN)
            for job in self._jobs
        )

    def _addresses(self) -> dict[str, list[str]]:
        """Returns the addresses of the tasks, whose hosts are made where they have one each."""
        cluster, network = self._program.cluster, self._program.network
        if network is None:
            return free_addresses(cluster)
        try:
            self._hosts = Hosts(len(cluster.tasks), network)
        except HostsRefusedError as error:
            raise ProgramFailed(f"--hosts netns: {error}") from error
        return addresses_on(self._hosts, cluster)

    def _command(
        self, job: TaskProcess, addresses: dict[str, list[str]], values: Path | None
    ) -> list[str]:
        program, out = self._program, str(self._folder / "out")
        if not self._is_cluster:
            return program.command(job.trace, out, values)
        arguments = arguments_of(job.task, program.arguments, addresses, out)
        if not job.task.trains:
            return program.serving(arguments)
        # The checkpoint that the other chief wrote after its first step.
        index = self._training.index(job)
        restored = values if index == 0 else None
        if (follow := program.follow) is not None:
            follow = write_states_of_task(self._folder / f"states-{index}.npz", follow, index)
        command = replace(program, arguments=arguments, restore=restored, follow=follow).command(
            job.trace, out, values
        )
        position = f"{index}/{len(self._training)}"
        worker = ["--worker", position, "--shared", str(self._shared)]
        worker += ["--turns"] if program.turns else []
        return [*command[:2], *worker, *command[2:]]

    def _state(self, job: TaskProcess) -> dict[str, Any]:
        return state_of(str(self._shared), self._training.index(job))

    def _finish_lingering(self) -> str | None:
        """Asks a task to end that hangs while closing, after all others have ended.

        Returns:
            The error message about one that hangs in a step.
        """
        left = [job for job in self._training if not job.ended()]
        chief = self._training[0]
        if chief.ended() and not chief.failed() and is_of_coordinator(chief.trace):
            for job in left:  # workers that serve forever
                self._finish(job)
            return None
        if len(left) != 1:
            return None
        state = self._state(left[0])
        if state["synchronous"] and state["state"] == "step" and _age(state) > _STUCK_SECONDS:
            return (
                f"{self._program.shown()}: {left[0].task.name} is stuck in a synchronous step: all "
                f"other workers have ended{left[0].tail()}"
            )
        if state["state"] == "closing" and _age(state) > _LINGER_SECONDS:
            self._finish(left[0])
        return None

    def _finish(self, job: TaskProcess) -> None:
        """Asks a task that trains to write its trace and to end."""
        (self._shared / f"finish-{self._training.index(job)}").touch()

    def _what_failed(self) -> str:
        """Returns the error message about tasks that failed, in the order of their failures."""
        failed = [job for job in self._jobs if job.failed()]
        until = time.monotonic() + (_AFTERMATH_SECONDS if self._is_cluster else 0.0)
        while time.monotonic() < until:
            failed += [job for job in self._jobs if job.failed() and job not in failed]
            time.sleep(_POLL_SECONDS)
        if not self._is_cluster:
            (job,) = failed
            return f"{self._program.shown()} {job.how_it_ended}{job.tail()}"
        parts = [f"{j.task.name} {j.how_it_ended}{j.tail()}" for j in failed]
        return f"{self._program.shown()}: " + "\n".join(parts)

    def _what_runs(self, exceeded: str) -> str:
        """Returns the error message about an exceeded limit, with the state of each task."""
        lines = []
        for job in self._jobs if self._is_cluster else ():
            doing = job.how_it_ended if job.ended() else "was still running"
            if job.task.trains and not job.ended():
                state = self._state(job)
                doing = (
                    f"was still running ({state['state']}, {counted(state['steps'], 'step')} done)"
                )
            lines.append(f"\n{job.task.name} {doing}{job.tail() if job.task.trains else ''}")
        if not self._is_cluster:
            lines = [self._jobs[0].tail(), advice_on(self._program.script)]
        return f"{self._program.shown()} {exceeded} and was killed{''.join(lines)}"


def _show(logs: Path) -> None:
    """Shows the output of a cluster's tasks."""
    with contextlib.suppress(OSError):
        for log in sorted(logs.glob("*.log")):
            for line in log.read_text("utf-8", "replace").splitlines():
                print(f"{logs.name} {log.stem} | {line}", file=sys.stderr)


def _age(state: dict[str, Any]) -> float:
    """Returns for how many seconds a worker has been in its state."""
    return time.time() - float(state["since"])
