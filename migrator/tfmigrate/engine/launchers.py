"""What starts migrated programs on a cluster, and has to start other tasks than before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from tfmigrate.engine.options import Options
from tfmigrate.files.discover import shown
from tfmigrate.files.launchers import Launcher, Part, Says, is_launcher, launchers
from tfmigrate.model.findings import OUTDATED_LAUNCHER, Finding, Severity
from tfmigrate.rulekit.drafts import Tasks
from tfmigrate.rulekit.registry import rules

if TYPE_CHECKING:
    from tfmigrate.engine.component_run import Done


@dataclass(frozen=True)
class _Advice:
    message: str
    action: str


_ALWAYS = {
    Says.OLD_API: _Advice("{text} is an old API of TFJob", "write kubeflow.org/v1"),
    Says.OLD_REPLICAS: _Advice(
        "{text} is an old form of a TFJob",
        "write spec.tfReplicaSpecs, a mapping of Chief, Worker, PS and Evaluator",
    ),
    Says.AI_PLATFORM: _Advice(
        "{text} starts a job of AI Platform, which Vertex AI has replaced",
        "write gcloud ai custom-jobs create, with an image of the migrated program",
    ),
}
_NO_SERVERS = _Advice(
    "the synchronous training of the migrated program has no parameter servers",
    "start none, unless flags of the program make it asynchronous",
)
_ONE_MORE = _Advice(
    "a separate task runs the training loop of the migrated program",
    "start one more task, with --job_name=chief --task_index=0",
)


def findings(
    others: Sequence[Path], programs: Sequence[Done], options: Options
) -> Iterator[Finding]:
    """Yields a finding for each place of a launcher that does not fit the migrated program.

    A launcher is of a program of the run if it names one of its files, or names no file at all.

    Args:
        others: The files of the searched folders that are no programs.
        programs: The results of the run, one a program.
        options: What the user asked for. Programs for ``--target estimator`` start as before.
    """
    if options.target.estimator or not programs:
        return
    files = _by_name(programs)
    for path in others:
        if not is_launcher(path.name) or not options.selects(OUTDATED_LAUNCHER, path):
            continue
        try:
            text = path.read_bytes().decode("utf-8-sig", "replace")
        except OSError:
            continue  # only programs need to be readable
        for launcher in launchers(path.name, text):
            if started := _started(launcher, files, programs):
                for part, advice in _advice(launcher, started):
                    yield _finding(path, part, advice)


def _by_name(programs: Iterable[Done]) -> Mapping[str, Sequence[tuple[tuple[str, ...], Done]]]:
    """Returns the files of the programs by their names: the parts of their paths."""
    files: dict[str, list[tuple[tuple[str, ...], Done]]] = {}
    for program in programs:
        for path in program.files:
            parts = path.absolute().parts
            # `python -m package` runs package/__main__.py.
            parts = (*parts[:-2], f"{parts[-2]}.py") if parts[-1] == "__main__.py" else parts
            files.setdefault(parts[-1], []).append((parts, program))
    return files


def _started(
    launcher: Launcher,
    files: Mapping[str, Sequence[tuple[tuple[str, ...], Done]]],
    programs: Sequence[Done],
) -> Sequence[Done]:
    """Returns the programs that a launcher may start."""
    if not launcher.programs:
        return programs
    return [
        program
        for named in map(_path, launcher.programs)
        for parts, program in files.get(named[-1], ())
        if parts[-len(named) :] == named
    ]


def _path(program: str) -> tuple[str, ...]:
    """Returns the path of a script or module, without the folders that are not known."""
    if not program.endswith(".py"):
        return (*program.split(".")[:-1], program.rpartition(".")[2] + ".py")
    path = PurePosixPath(program)
    if path.is_absolute():  # a folder of an image or of another machine has any name
        return (path.name,)
    parts = [part for part in path.parts if part not in (".", "..", "~")]
    while any("$" in part for part in parts[:-1]):
        parts.pop(0)
    return tuple(parts)


def _advice(launcher: Launcher, started: Sequence[Done]) -> Iterator[tuple[Part, _Advice]]:
    """Yields what to change; what a program needs counts if all that may be meant need it."""
    needs = {rule.code: rule.tasks for rule in rules()}
    became = [{needs.get(f.code) for f in done.findings if f.applied} for done in started]
    said = {part.says for part in launcher.parts}
    first = True
    for part in launcher.parts:
        if part.says in _ALWAYS:
            yield part, _ALWAYS[part.says]
        elif part.says is Says.PARAMETER_SERVERS and all(Tasks.NO_SERVERS in c for c in became):
            yield part, _NO_SERVERS
        elif part.says is Says.REPLICAS and first and all(Tasks.ONE_MORE in c for c in became):
            first = False
            if Says.CHIEF not in said:
                yield part, _ONE_MORE


def _finding(path: Path, part: Part, advice: _Advice) -> Finding:
    return Finding(
        path=shown(path),
        line=part.line,
        column=part.column,
        code=OUTDATED_LAUNCHER,
        severity=Severity.MANUAL,
        message=advice.message.format(text=part.text),
        action=advice.action,
        applied=False,
    )
