"""From a request to its verdict: record both programs, compare them, look for the cause."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tfmigrate_runtime.verify.binding import check_trace, trace_beside
from tfmigrate_runtime.verify.cluster import ONE_PROCESS, Cluster, ClusterError
from tfmigrate_runtime.verify.compare_native import as_far_as_native, is_native
from tfmigrate_runtime.verify.free_randomness import OTHER_ORIGINAL, Programs
from tfmigrate_runtime.verify.ladder import CHECKPOINTS, climb, compared_by
from tfmigrate_runtime.verify.program import Program
from tfmigrate_runtime.verify.programs import Pair, SourceError, programs_of
from tfmigrate_runtime.verify.recording import Recording, add_final_losses, load_recording
from tfmigrate_runtime.verify.request import UsageError, VerifyRequest
from tfmigrate_runtime.verify.rounding_runs import explained
from tfmigrate_runtime.verify.run_program import Kept, run_recorded
from tfmigrate_runtime.verify.run_statistics import final_loss
from tfmigrate_runtime.verify.surroundings import ProgramFailed
from tfmigrate_runtime.verify.trace import TraceError
from tfmigrate_runtime.verify.written_reports import Report, ReportError

REFUSED = (UsageError, SourceError, ClusterError, ProgramFailed, TraceError, ReportError)
Progress = Callable[[str], None]


def silently(line: str) -> None:
    """Reports nothing."""


def verify(request: VerifyRequest, progress: Progress = silently) -> Report:
    """Runs an original and a migrated program and compares how they train.

    Args:
        request: what to verify.
        progress: is called with a line before each thing that is done.

    Raises:
        one of REFUSED: the programs could not be run or compared.
    """
    with (
        tempfile.TemporaryDirectory(prefix="tfmigrate-programs-") as sources,
        tempfile.TemporaryDirectory(prefix="tfmigrate-traces-") as folder,
        contextlib.ExitStack() as programs,
    ):
        pair = programs_of(request, Path(sources), progress)
        request = replace(request, original=pair.original, migrated=pair.migrated)
        return _verified(_Runner(request, pair.module, Path(folder), progress), pair, programs)


def record_original(request: VerifyRequest, target: Path, progress: Progress = silently) -> None:
    """Runs the original and stores its trace, replacing an older one.

    Raises:
        one of REFUSED: it could not be run.
    """
    with tempfile.TemporaryDirectory(prefix=".trace-", dir=target.parent) as folder:
        runner = _Runner(request, "", Path(folder), progress)
        new = Path(folder) / target.name
        recording = runner.original(new)
        if recording.runs_freely:
            others = (runner.original(Path(folder) / "again.npz") for _ in range(1, request.runs))
            add_final_losses(new, [final_loss(run.tasks) for run in (recording, *others)])
        new.replace(target)


@dataclass(frozen=True)
class _Runner:
    """Runs the programs of a request.

    Attributes:
        request: what to verify, with the two files that are run.
        module: the name that both have as modules, "" where they are scripts.
        folder: where traces may be written.
        progress: is called with a line before each run.
    """

    request: VerifyRequest
    module: str
    folder: Path
    progress: Progress

    def original(
        self, target: Path, values: Path | None = None, threads: int | None = None
    ) -> Recording:
        """Records the original, from its own initial values unless others are given."""
        program = self._of_original(target, threads)
        return self._recorded(program, target, values, "original")

    def original_kept(
        self, target: Path, programs: contextlib.ExitStack
    ) -> tuple[Recording, Kept | None]:
        """Records the original, which then waits to restore a checkpoint where it can.

        Args:
            target: the trace to write.
            programs: ends it.
        """
        if self.request.cluster is not None or not _on_cpus(self.request):
            return self.original(target), None
        kept = self._run(self._of_original(target), target, None, "original", kept=programs)
        return load_recording(target), kept

    def migrated(
        self,
        target: Path,
        values: Path,
        restore: Path | None = None,
        threads: int | None = None,
    ) -> Recording:
        """Records the migrated program.

        Args:
            target: the trace to write.
            values: a trace whose initial values it starts from.
            restore: the checkpoint that it restores, or a trace that contains one.
            threads: for the sums inside of an op.
        """
        request = self.request
        assert request.migrated is not None
        program = replace(
            self._program(target, threads),
            script=request.migrated,
            restore=restore,
            map=request.map,
            cluster=_cluster(request.migrated_cluster or request.cluster),
        )
        return self._recorded(program, target, values, "migrated")

    def restoring(self, checkpoint: Path, target: Path) -> Recording:
        """Runs the original until it has restored a checkpoint of the migrated program."""
        program = replace(
            self._of_original(target), checkpoint=None, restore=checkpoint, only_restores=True
        )
        why = " to restore a checkpoint of the migrated program"
        return self._recorded(program, target, None, "original", why)

    def _of_original(self, target: Path, threads: int | None = None) -> Program:
        request = self.request
        program = self._program(target, threads)
        return replace(program, python=request.original_python, legacy=request.runs_on_legacy)

    def _program(self, target: Path, threads: int | None) -> Program:
        """Returns what both programs have in common."""
        request = self.request
        return Program(
            request.original,
            request.arguments or (),
            sys.executable,
            replicas=request.replicas,
            every=request.every,
            devices=request.devices,
            checkpoint=target.with_suffix(".checkpoint") if request.cluster is None else None,
            module=self.module,
            in_fresh_folder=request.fresh_folder,
            threads=threads,
            cluster=_cluster(request.cluster),
            turns=request.turns,
            network=request.network,
        )

    def _recorded(
        self, program: Program, target: Path, values: Path | None, which: str, why: str = ""
    ) -> Recording:
        self._run(program, target, values, which, why)
        return load_recording(target, self.request.cluster is not None)

    def _run(
        self,
        program: Program,
        target: Path,
        values: Path | None,
        which: str,
        why: str = "",
        kept: contextlib.ExitStack | None = None,
    ) -> Kept | None:
        self.progress(f"running {program.shown()}{why}")
        request = self.request
        logs = (request.logs or self.folder / "logs") / which
        try:
            return run_recorded(
                program, target, request.limits, values, request.show_output, logs, kept
            )
        except ProgramFailed as error:
            name = "original" if which == "original" else "migrated program"
            raise ProgramFailed(f"the {name} failed: {error}") from error


def _on_cpus(request: VerifyRequest) -> bool:
    """Whether a program that waits holds no memory of a GPU."""
    if request.replicas is not None:
        return True
    if request.devices is not None:
        return request.devices.startswith("cpu")
    return not any(Path("/dev").glob("nvidia[0-9]*"))


def _cluster(jobs: str | None) -> Cluster:
    return ONE_PROCESS if jobs is None else Cluster.parse(jobs)


def _verified(runner: _Runner, pair: Pair, running: contextlib.ExitStack) -> Report:
    """Obtains the traces of both programs and compares them."""
    request, folder, tolerance = runner.request, runner.folder, runner.request.tolerance
    stored = _stored_trace(request, runner.progress)
    source = stored or folder / "original.npz"
    other: list[str] = []
    kept = None
    if stored is None:
        original, kept = runner.original_kept(source, running)
    else:
        runner.progress(f"using the stored trace {stored} for {request.original}")
        original = load_recording(stored, request.cluster is not None)
        other = check_trace(request, stored, original.meta)
    runner = replace(runner, request=_completed(request, original, source))
    target = folder / "migrated.npz"
    written = None if stored is None else _checkpoint_beside(source)
    migrated = runner.migrated(target, source, written or source)
    if request.map is not None and not is_native(migrated.chief):
        raise UsageError(
            f"--map: {request.migrated} trains in sessions, where variables are paired by name. "
            "Use --map for Keras programs and GradientTape loops"
        )
    original = _as_far_as_native(original, migrated)
    for script, recording in zip((pair.original, pair.migrated), (original, migrated), strict=True):
        _check_fresh(script, recording)
    warnings = (*pair.warnings, *other, *_replica_warnings(pair.migrated, migrated))
    verdict = climb(original, migrated, tolerance, warnings)
    checkpoint = None if stored is not None else _checkpoint_beside(target)
    restored = folder / "restored.npz"
    if kept is not None:
        if verdict.failed is None and checkpoint is not None:
            kept.restore(checkpoint, restored)
        kept.end()

    def again(side: int, values: Path | None = None, threads: int | None = None) -> Recording:
        new = folder / "again.npz"
        if side == 0:
            return _as_far_as_native(runner.original(new, values, threads), migrated)
        return runner.migrated(new, values or source, threads=threads)

    programs = Programs(
        (original, migrated),
        lambda first, second: climb(first, second, tolerance),
        again,
        request.runs,
        stored is not None,
        OTHER_ORIGINAL if other else "",
    )
    verdict = explained(verdict, programs, again, tolerance, folder)
    if verdict.failed is None and checkpoint is not None:
        if not restored.exists():
            runner.restoring(checkpoint, restored)
        found = load_recording(restored).chief
        meta = {**original.meta, "restored": found.meta.get("restored")}
        original = Recording.of(
            replace(original.chief, meta=meta, checkpoint=found.checkpoint, restored=found.restored)
        )
        outcome = compared_by(CHECKPOINTS, original, migrated, tolerance)
        verdict = verdict.with_outcome(CHECKPOINTS, outcome)
    return Report(verdict, original, migrated, tolerance, pair.names)


def _as_far_as_native(original: Recording, migrated: Recording) -> Recording:
    """Leaves out what a migrated program without sessions need not have."""
    if not is_native(migrated.chief):
        return original
    return Recording.of(as_far_as_native(original.chief, migrated.chief))


def _stored_trace(request: VerifyRequest, progress: Progress) -> Path | None:
    """Returns the stored trace of the original, None where the original is run."""
    if request.trace is not None or request.legacy or request.reference_python:
        return request.trace
    return trace_beside(request.original, progress)


def _completed(request: VerifyRequest, original: Recording, source: Path) -> VerifyRequest:
    """Fills in from the original's trace what the request leaves open.

    Raises:
        TraceError: its workers ran freely, but they are to take turns.
    """
    if request.turns and not original.turns and original.is_cluster and not original.synchronous:
        raise TraceError(f"{source}: its workers ran freely. Record it again with --turns")
    arguments, replicas = request.arguments, request.replicas
    if replicas is None and request.devices is None:
        replicas = original.meta.get("replicas")
    return replace(
        request,
        arguments=tuple(original.meta["args"]) if arguments is None else arguments,
        replicas=replicas,
        turns=request.turns or original.turns,
    )


def _checkpoint_beside(trace: Path) -> Path | None:
    """Returns the checkpoint that was written with a trace, None where there is none."""
    path = trace.with_suffix(".checkpoint")
    return path if any(trace.parent.glob(f"{path.name}*")) else None


def _check_fresh(script: Path, recording: Recording) -> None:
    """Refuses a program that resumed from a checkpoint.

    Raises:
        UsageError: it did.
    """
    tasks = recording.tasks.values()
    first = min((int(trace.step[0]) for trace in tasks if len(trace.step)), default=1)
    # Some programs count a step twice (DNNLinearCombinedClassifier of tf.contrib.learn).
    start = int(recording.chief.initial.get("global_step", first - len(tasks)))
    if start > 0:
        where = "--logdir={out}" if recording.is_cluster else "--model_dir {out}"
        raise UsageError(
            f"{script} resumed from step {start} of an existing "
            f"{'folder' if recording.is_cluster else 'model_dir'}. "
            f"Pass a fresh one with {{out}}, for example -- {where}, or use --fresh-folder"
        )


def _replica_warnings(script: Path, migrated: Recording) -> list[str]:
    built, wanted = migrated.chief.replicas_built, migrated.chief.meta.get("replicas")
    if wanted is None or built is None or built == wanted:
        return []
    return [
        f"{script} trained on {built} of {wanted} replicas. Check its own option for the number of "
        "GPUs"
    ]
