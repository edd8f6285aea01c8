"""From a request to its verdict: record both programs, compare them, look for the cause."""

import contextlib
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from tfmigrate_runtime.verify.causes import OF_RUNGS
from tfmigrate_runtime.verify.chance.free_randomness import (
    OTHER_ORIGINAL,
    Programs,
    compared_freely,
    compared_with_chance,
    left_to_rounding,
    with_lost_seed,
)
from tfmigrate_runtime.verify.chance.run_statistics import final_loss
from tfmigrate_runtime.verify.chance.step_statistics import are_samples, compared_by_steps
from tfmigrate_runtime.verify.diagnosis import assignment_order
from tfmigrate_runtime.verify.reports.written_reports import Report, ReportError
from tfmigrate_runtime.verify.request import UsageError, VerifyRequest
from tfmigrate_runtime.verify.rounding.noise import may_be_decisions
from tfmigrate_runtime.verify.rounding.samples import Samples
from tfmigrate_runtime.verify.rounding.tolerance import Tolerance
from tfmigrate_runtime.verify.rungs.compare_native import as_far_as_native
from tfmigrate_runtime.verify.rungs.compare_tasks import with_seen_steps
from tfmigrate_runtime.verify.rungs.ladder import CHECKPOINTS, Verdict, climb, compared_by
from tfmigrate_runtime.verify.running import reference, unchanging_steps
from tfmigrate_runtime.verify.running.cluster import ClusterError
from tfmigrate_runtime.verify.running.programs import Pair, SourceError, module_name, programs_of
from tfmigrate_runtime.verify.running.runner import Progress, Runner
from tfmigrate_runtime.verify.running.surroundings import ProgramFailed
from tfmigrate_runtime.verify.traces.binding import check_trace, trace_beside
from tfmigrate_runtime.verify.traces.recording import Recording, add_final_losses, load_recording
from tfmigrate_runtime.verify.traces.states_file import write_states_of_all
from tfmigrate_runtime.verify.traces.trace import TraceError
from tfmigrate_runtime.verify.traces.workers_as_towers import as_one_process

_STEPS = "only the first steps were compared (--steps): not what follows them"
_UPDATES = OF_RUNGS.index("updates") + 1
_FAST = (
    "the migrated program was ended soon after this difference, which no further run has confirmed "
    "(--fail-fast)"
)
REFUSED = (UsageError, SourceError, ClusterError, ProgramFailed, TraceError, ReportError)


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
        _check_reference(request)
        return _verified(Runner(request, pair.module, Path(folder), progress), pair, programs)


def record_original(request: VerifyRequest, target: Path, progress: Progress = silently) -> None:
    """Runs the original and stores its trace, replacing an older one.

    Raises:
        one of REFUSED: it could not be run.
    """
    _check_reference(request)
    with tempfile.TemporaryDirectory(prefix=".trace-", dir=target.parent) as folder:
        module = module_name(request.original, request.root) if request.as_module else ""
        runner = Runner(request, module, Path(folder), progress)
        new = Path(folder) / target.name
        recording = runner.original(new)
        if recording.runs_freely:
            others = (runner.original(Path(folder) / "again.npz") for _ in range(1, request.runs))
            add_final_losses(new, [final_loss(run.tasks) for run in (recording, *others)])
        new.replace(target)


def _check_reference(request: VerifyRequest) -> None:
    """Refuses an interpreter for the original, or a program, that cannot be run.

    Raises:
        UsageError: it is of another TensorFlow or Python.
    """
    is_run = request.trace is None and not request.runs_on_legacy
    reason = reference.why_not(request.original_python) if is_run else None
    if reason is not None:
        raise UsageError(f"--reference-python {request.original_python} {reason}")
    for script in (request.original, request.migrated):
        if script is not None and reference.is_python_2(script):
            raise UsageError(
                f"{script} is Python 2 code. Convert it first: tfmigrate does so while it migrates"
            )


def _verified(runner: Runner, pair: Pair, running: contextlib.ExitStack) -> Report:
    """Obtains the traces of both programs and compares them."""
    request, folder, tolerance = runner.request, runner.folder, runner.request.tolerance
    stored = _stored_trace(request, runner.progress)
    source = stored or folder / "original.npz"
    other: list[str] = []
    waiting = None
    is_of_before = False
    if stored is None:
        original, waiting = runner.original_kept(source, running)
        is_of_before = not runner.seconds  # an earlier run's recording
    else:
        runner.progress(f"using the stored trace {stored} for {request.original}")
        original = load_recording(stored, request.cluster is not None)
        other = check_trace(request, stored, original.meta)
    runner = replace(runner, request=_completed(request, original, source))
    if request.cluster is not None and not request.runs_cluster:
        original = as_one_process(original)
        source = write_states_of_all(folder / "one_process.npz", original)
    target = folder / "migrated.npz"
    written = None if stored is None else _checkpoint_beside(source)
    follow = None if original.runs_freely else source
    migrated = runner.migrated(target, source, written or source, follow)
    if request.map is not None and not migrated.chief.is_native:
        raise UsageError(
            f"--map: {request.migrated} trains in sessions, where variables are paired by name. "
            "Use --map for Keras programs and GradientTape loops"
        )
    unchanging: tuple[str, ...] = ()
    if (changing := unchanging_steps.left_out(runner, original, migrated)) is not None:
        unchanging = (unchanging_steps.warning(original, changing[0]),)
        original, migrated, source = changing
    original = _as_far_as_native(original, migrated)
    if stored is None and not unchanging:
        runner, original, migrated, source = _in_order(runner, original, migrated, source)
    for script, recording in zip((pair.original, pair.migrated), (original, migrated), strict=True):
        _check_fresh(script, recording)
    open_order = assignment_order.warnings(original, migrated, runner.assigns_first)
    built = _replica_warnings(pair.migrated, migrated)
    warnings = (*pair.warnings, *other, *unchanging, *open_order, *built)
    if request.steps is not None:
        original, warnings = _first_steps(original, request.steps), (*warnings, _STEPS)
    if migrated.chief.meta.get("ended", {}).get("differs"):
        count = len(migrated.chief.step)
        verdict = climb(_first_steps(original, count), migrated, tolerance, (*warnings, _FAST))
        if waiting is not None:
            waiting.end()
        if verdict.failed is None or are_samples(verdict, original.chief, migrated.chief):
            runner.progress(
                "what ended the program early is not a difference: running it to its end"
            )
            whole = replace(runner, request=replace(request, fail_fast=False))
            return _verified(whole, pair, running)
        return Report(verdict, original, migrated, tolerance, pair.names)
    verdict = climb(original, migrated, tolerance, warnings)
    ends = stored is None and request.steps is None
    checkpoint = _checkpoint_beside(target) if ends else None
    restored = folder / "restored.npz"
    compared = _Compared(runner, source, stored is not None, original, migrated, bool(unchanging))
    if samples := are_samples(verdict, original.chief, migrated.chief):
        verdict = compared_by_steps(verdict, original.chief, migrated.chief)
    else:
        verdict, tolerance = compared.with_noise(verdict, tolerance)
    if waiting is not None:
        if verdict.failed is None and checkpoint is not None:
            waiting.restore(checkpoint, restored)
            runner.keep_restored(checkpoint, restored)
        waiting.end()
    if is_of_before and verdict.failed is not None and tolerance.noise is None:
        # No run of the original has confirmed it: the program may read what nobody sees.
        runner.progress("recording the original again, to be sure of the difference")
        return _verified(replace(runner, request=replace(request, fresh=True)), pair, running)
    if not samples:
        verdict = compared.with_chance(verdict, tolerance, OTHER_ORIGINAL if other else "")
    if verdict.failed is None and checkpoint is not None:
        if not restored.exists():
            runner.restoring(checkpoint, restored)
        restored_trace = load_recording(restored).chief
        meta = {**original.meta, "restored": restored_trace.meta.get("restored")}
        original = Recording.of(
            replace(
                original.chief,
                meta=meta,
                checkpoint=restored_trace.checkpoint,
                restored=restored_trace.restored,
            )
        )
        outcome = compared_by(CHECKPOINTS, original, migrated, tolerance)
        verdict = verdict.with_outcome(CHECKPOINTS, outcome)
    original, migrated = with_seen_steps(original, migrated)
    return Report(verdict, original, migrated, tolerance, pair.names)


@dataclass(frozen=True)
class _Compared:
    """Two recordings, and how to make more of them.

    Attributes:
        runner: runs the programs.
        source: the original's trace.
        is_stored: whether that was recorded before.
        original: the original's recording.
        migrated: the migrated program's, in lock-step.
        is_reduced: whether the original makes further steps, which change nothing.
    """

    runner: Runner
    source: Path
    is_stored: bool
    original: Recording
    migrated: Recording
    is_reduced: bool

    def with_noise(self, verdict: Verdict, tolerance: Tolerance) -> tuple[Verdict, Tolerance]:
        """Judges a difference again, by what rounding changes in one of the programs."""
        is_free = self.original.runs_freely or self.migrated.runs_freely
        # An original that makes further steps cannot follow states of those that are compared.
        of_migrated = self.is_stored or self.is_reduced
        cannot_run = of_migrated and self.runner.is_recorded
        if not left_to_rounding(verdict) or is_free or cannot_run:
            return verdict, tolerance
        new, states = self.runner.folder / "again.npz", self.runner.folder / "states.npz"

        def run(states: Path) -> Recording:
            if not of_migrated:
                return self._original_again(new, states)
            return self.runner.migrated(new, states, None, states, " to measure its rounding")

        whose = "migrated program" if of_migrated else "original"
        pair = self.original, self.migrated
        samples = Samples(whose, pair, run, states)
        while samples.add(tolerance):
            noise = samples.known.get(next(iter(self.original.tasks)))
            tolerance = replace(tolerance, noise=noise, of_tasks=samples.known)
            verdict = climb(*pair, tolerance, verdict.warnings)
            if verdict.failed is None:
                break
        return verdict, tolerance

    def _original_again(self, new: Path, states: Path | None = None) -> Recording:
        recording = self.runner.original(new, states)
        if not self.original.is_cluster and recording.is_cluster:
            recording = as_one_process(recording)
        if self.is_reduced:
            recording = unchanging_steps.without_unchanging_steps(recording) or recording
        return _as_far_as_native(recording, self.migrated)

    def with_chance(self, verdict: Verdict, tolerance: Tolerance, cannot_run: str) -> Verdict:
        """Finds out whether chance explains a difference, by further runs where it may."""
        is_free = self.original.runs_freely or self.migrated.runs_freely
        if self.runner.is_recorded or (verdict.failed is None and not is_free):
            return verdict
        new = self.runner.folder / "again.npz"

        def again(side: int) -> Recording:
            if side == 0:
                return self._original_again(new)
            follow = None if is_free else self.source
            return self.runner.migrated(new, self.source, None, follow, " again")

        programs = Programs(
            (self.original, self.migrated),
            lambda first, second: climb(first, second, tolerance),
            again,
            self.runner.request.runs,
            self.is_stored,
            cannot_run,
            None if is_free else lambda: self.runner.migrated(new, self.source, why=" freely"),
        )
        if verdict.failed is None:
            return compared_freely(verdict, programs)
        # A program whose noise is known is reproducible, save for races, which few steps show.
        is_repeatable = tolerance.noise is not None and tolerance.noise.same
        may_race = not is_repeatable and may_be_decisions(self.original, self.migrated, tolerance)
        if verdict.failed is not None and verdict.failed.number > _UPDATES:
            may_race |= self.original.races
        if tolerance.noise is not None and not may_race:
            return with_lost_seed(verdict, programs)
        return compared_with_chance(verdict, programs, may_race)


def _in_order(
    runner: Runner, original: Recording, migrated: Recording, source: Path
) -> tuple[Runner, Recording, Recording, Path]:
    """Records both again with assignments first, where that brings the updates closer.

    Returns:
        What runs the programs in that order, both recordings, and the file of the original's.
    """
    tolerance, unchanged = runner.request.tolerance, (runner, original, migrated, source)
    # Where it was ended early (--fail-fast).
    pair = _first_steps(original, len(migrated.chief.step)), migrated
    is_open = assignment_order.is_left_open(original) and not original.runs_freely
    if not is_open or runner.is_recorded or climb(*pair, tolerance).failed is None:
        return unchanged
    runner.progress("the original leaves open whether it reads or assigns first: assigning first")
    slow = replace(runner, assigns_first=True, request=replace(runner.request, fail_fast=False))
    source = runner.folder / "assigning_first.npz"
    first = slow.original(source)
    if not original.is_cluster and first.is_cluster:
        first = as_one_process(first)
        source = write_states_of_all(runner.folder / "one_assigning_first.npz", first)
    second = slow.migrated(runner.folder / "migrated_again.npz", source, None, source)
    first = _as_far_as_native(first, second)
    if not assignment_order.is_nearer((first, second), pair, tolerance):
        return unchanged
    return slow, first, second, source


def _first_steps(recording: Recording, count: int) -> Recording:
    """Returns a recording as if the program had made only this many steps."""
    trace = recording.chief
    if len(trace.step) <= count:
        return recording
    # What it returns and writes later is in the trace of the whole program, without its steps.
    return Recording.of(replace(trace.up_to(count), meta={**trace.meta, "is_cut": True}))


def _as_far_as_native(original: Recording, migrated: Recording) -> Recording:
    """Leaves out what a migrated program without sessions need not have."""
    if not migrated.chief.is_native:
        return original
    if not original.is_cluster:
        return Recording.of(as_far_as_native(original.chief, migrated.chief))
    tasks = {
        name: as_far_as_native(trace, migrated.tasks.get(name, migrated.chief))
        for name, trace in original.tasks.items()
    }
    return replace(original, tasks=tasks)


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
    if (start := int(recording.chief.initial.get("global_step", first - len(tasks)))) > 0:
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
