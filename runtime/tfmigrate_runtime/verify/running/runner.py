"""Runs the programs of a request: the original, the migrated program, and both again."""

import contextlib
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from tfmigrate_runtime.verify.request import VerifyRequest
from tfmigrate_runtime.verify.running import kept_recordings
from tfmigrate_runtime.verify.running.cluster import ONE_PROCESS, Cluster, without_tasks
from tfmigrate_runtime.verify.running.limits import Limits
from tfmigrate_runtime.verify.running.ports import is_port, is_recorded
from tfmigrate_runtime.verify.running.program import Program
from tfmigrate_runtime.verify.running.run_program import Kept, run_recorded
from tfmigrate_runtime.verify.running.surroundings import ProgramFailed
from tfmigrate_runtime.verify.traces.recording import Recording, load_recording

Progress = Callable[[str], None]
_KEPT = "using the recording of {}, made {} ago (--fresh records it again)"
_UNITS = ((86_400, "days"), (3_600, "hours"), (60, "minutes"))


@dataclass(frozen=True)
class Runner:
    """Runs the programs of a request.

    Attributes:
        request: what to verify, with the two files that are run.
        module: the name that both have as modules, "" where they are scripts.
        folder: where traces may be written.
        progress: is called with a line before each run.
        begin: when the first run began.
        seconds: how long the last run of each program took.
        assigns_first: whether the original assigns before it reads, where it leaves that open.
    """

    request: VerifyRequest
    module: str
    folder: Path
    progress: Progress
    begin: float = field(default_factory=time.monotonic)
    seconds: dict[str, float] = field(default_factory=dict)
    assigns_first: bool = False

    @property
    def is_recorded(self) -> bool:
        """Whether the migrated program is given by its trace."""
        return self.request.migrated is not None and is_recorded(self.request.migrated)

    def original(self, target: Path, follow: Path | None = None) -> Recording:
        """Records the original; in lock-step with a trace where one is given."""
        program = replace(self._of_original(target), follow=follow)
        why = "" if follow is None else " to measure its rounding"
        return self._recorded(program, target, follow, "original", why)

    def original_kept(
        self, target: Path, programs: contextlib.ExitStack
    ) -> tuple[Recording, Kept | None]:
        """Records the original, or takes the recording that is kept of it.

        It then waits to restore a checkpoint where it can.

        Args:
            target: the trace to write.
            programs: ends it.
        """
        program = self._of_original(target)
        if (place := kept_recordings.place_of(program)) is not None and not self.request.fresh:
            age = kept_recordings.fetch(place, target)
            if age is not None:
                self.progress(_KEPT.format(program.shown(), _ago(age)))
                return load_recording(target, self.request.cluster is not None), None
        waits = None
        # A program that is ended after some steps does not wait.
        if self.request.cluster is not None or self.request.steps or not _on_cpus(self.request):
            recording = self.original(target)
        else:
            waits = self._run(program, target, None, "original", running=programs)
            recording = load_recording(target)
        if place is not None and not recording.runs_freely:
            kept_recordings.keep(place, target)
        return recording, waits

    def migrated(
        self,
        target: Path,
        values: Path,
        restore: Path | None = None,
        follow: Path | None = None,
        why: str = "",
    ) -> Recording:
        """Records the migrated program.

        Args:
            target: the trace to write.
            values: a trace whose initial values it starts from.
            restore: the checkpoint that it restores, or a trace that contains one.
            follow: a trace that it makes its steps in lock-step with; None to train freely.
            why: it is run.
        """
        request = self.request
        assert request.migrated is not None
        if is_recorded(request.migrated):
            if target.name != "migrated.npz":
                raise ProgramFailed(f"{request.migrated} is a recording: it cannot be run again")
            self.progress(f"using the trace {request.migrated}")
            shutil.copyfile(request.migrated, target)
            return load_recording(target)
        port = is_port(request.migrated)
        program = replace(
            self._program(target),
            script=request.migrated,
            python=request.migrated_python or sys.executable,
            is_port=port,
            restore=restore,
            map=request.map,
            follow=follow,
            fails_fast=request.fail_fast and follow is not None,
        )
        if request.runs_cluster:
            jobs = request.migrated_cluster or request.cluster
            program = replace(program, cluster=_cluster(jobs))
        elif request.cluster is not None:
            program = replace(
                program,
                cluster=ONE_PROCESS,
                arguments=without_tasks(program.arguments),
                replicas=len(_cluster(request.cluster).training),
            )
        return self._recorded(program, target, values, "migrated", why)

    def restoring(self, checkpoint: Path, target: Path) -> Recording:
        """Returns the original as it is once it has restored a checkpoint of the migrated program.

        It is run until then, unless what it made of an equal checkpoint is kept.
        """
        program = self._restoring(target)
        place = kept_recordings.place_of(program, checkpoint)
        if place is not None and not self.request.fresh:
            age = kept_recordings.fetch(place, target)
            if age is not None:
                return load_recording(target)
        why = " to restore a checkpoint of the migrated program"
        program = replace(program, restore=checkpoint)
        recording = self._recorded(program, target, None, "original", why)
        self.keep_restored(checkpoint, target)
        return recording

    def keep_restored(self, checkpoint: Path, recording: Path) -> None:
        """Keeps the recording of the original that has restored a checkpoint, if there is one."""
        place = kept_recordings.place_of(self._restoring(recording), checkpoint)
        if place is not None and recording.exists():
            kept_recordings.keep(place, recording)

    def _restoring(self, target: Path) -> Program:
        return replace(self._of_original(target), checkpoint=None, only_restores=True)

    def _of_original(self, target: Path) -> Program:
        request = self.request
        program = self._program(target)
        return replace(
            program,
            python=request.original_python,
            legacy=request.runs_on_legacy,
            all_batches=request.batches,
            assigns_first=self.assigns_first,
        )

    def _program(self, target: Path) -> Program:
        """Returns what both programs have in common."""
        request = self.request
        return Program(
            request.original,
            request.arguments or (),
            sys.executable,
            replicas=request.replicas,
            every=request.every,
            steps=request.steps,
            devices=request.devices,
            checkpoint=target.with_suffix(".checkpoint") if request.cluster is None else None,
            module=self.module,
            in_fresh_folder=request.fresh_folder,
            cluster=_cluster(request.cluster),
            turns=request.turns,
            network=request.network,
        )

    def _recorded(
        self, program: Program, target: Path, values: Path | None, which: str, why: str = ""
    ) -> Recording:
        self._run(program, target, values, which, why)
        return load_recording(target, program.cluster != ONE_PROCESS)

    def _run(
        self,
        program: Program,
        target: Path,
        values: Path | None,
        which: str,
        why: str = "",
        running: contextlib.ExitStack | None = None,
    ) -> Kept | None:
        request = self.request
        known = f", about {self.seconds[which]:.0f} s" if which in self.seconds else ""
        self.progress(f"running {program.shown()}{why}{known}")
        begin = time.monotonic()
        logs = (request.logs or self.folder / "logs") / which
        try:
            waiting_run = run_recorded(
                program, target, self._limits(), values, request.show_output, logs, running
            )
            self.seconds[which] = time.monotonic() - begin
            return waiting_run
        except ProgramFailed as error:
            name = "original" if which == "original" else "migrated program"
            cause = "original-failed" if which == "original" else "migrated-failed"
            raise ProgramFailed(f"the {name} failed: {error}", cause) from error

    def _limits(self) -> Limits:
        """Returns what the next run may take: no more time than is left for all of them.

        Raises:
            ProgramFailed: none is left.
        """
        limits, total = self.request.limits, self.request.total_seconds
        if total is None:
            return limits
        if (left := self.begin + total - time.monotonic()) <= 0:
            raise ProgramFailed(
                f"the comparison took more than {total:g} s (--total-timeout)", "time-limit"
            )
        return replace(limits, seconds=min(limits.seconds, left))


def _ago(seconds: float) -> str:
    for size, name in _UNITS:
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {name}"
    return f"{seconds:.0f} s"


def _on_cpus(request: VerifyRequest) -> bool:
    """Whether a program that waits holds no memory of a GPU."""
    if request.replicas is not None:
        return True
    if request.devices is not None:
        return request.devices.startswith("cpu")
    return not any(Path("/dev").glob("nvidia[0-9]*"))


def _cluster(jobs: str | None) -> Cluster:
    return ONE_PROCESS if jobs is None else Cluster.parse(jobs)
