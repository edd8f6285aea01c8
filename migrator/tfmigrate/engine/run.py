"""One run over the paths of a command line: find, read, migrate, write."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tfmigrate.engine import launchers, requirements, unstarted
from tfmigrate.engine.cycles import few_searches
from tfmigrate.engine.outcome import FileTexts, Outcome, Rewrite
from tfmigrate.files import entry_points
from tfmigrate.files.discover import Candidate, Exclusions, discover
from tfmigrate.files.discover import shown as shown_path
from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate.files.skipped import NOT_PYTHON, skipped_notebook
from tfmigrate.files.source import SourceFile, UnreadableFile
from tfmigrate.files.temporary_files import clean_up
from tfmigrate.files.workers import Progress, default_jobs
from tfmigrate.files.write import UnwritableFile, encoded, write_source
from tfmigrate.model.findings import UNWRITTEN_FILE, Finding, Severity
from tfmigrate.scan.select_files import Selection, select, unreadable
from tfmigrate.tables.runtime_modules import RUNTIME, VENDORED

if TYPE_CHECKING:
    from tfmigrate.engine.component_run import Done
    from tfmigrate.engine.options import Options
    from tfmigrate.files.output_folder import OutputFolder

_NOTEBOOK = re.compile(rb"\s*\{\s*\"")


@dataclass(frozen=True)
class Driving:
    """How a run is driven; this does not affect its results.

    Attributes:
        jobs: how many processes to use; None for one per core if there are many files.
        cache: the folder of the cache; None for none.
        progress: creates a progress callback from a description of the work.
        keep_texts: whether the outcome is to hold the texts, for a report.
        ask: says whether a file is to be written; None for all files.
        output: another folder to write to.
    """

    jobs: int | None = None
    cache: Path | None = None
    progress: Callable[[str], Progress] | None = None
    keep_texts: bool = False
    ask: Callable[[Rewrite], bool] | None = None
    output: OutputFolder | None = None


@few_searches()
def run(
    paths: Sequence[str],
    exclude: Sequence[str],
    options: Options,
    dry_run: bool,
    vendor: bool = False,
    driving: Driving | None = None,
    exclusions: Sequence[Exclusions] = (),
    force_exclude: bool = False,
) -> Outcome:
    """Migrates the files of some paths.

    A file that cannot be read, parsed or written becomes an ERROR finding; the others go on.

    Args:
        paths: Files and folders.
        exclude: Patterns in gitignore syntax for files not to take.
        options: What the engine may do.
        dry_run: Whether to write nothing.
        vendor: Whether the programs get a copy of what they need of the runtime.
        driving: How to go about it.
        exclusions: More patterns, relative to other folders than the current one.
        force_exclude: Whether the patterns hold for named paths as well.

    Raises:
        UsageError: A path or a pattern cannot be used.
    """
    driving = driving or Driving()
    entry_points.forget()
    outcome = Outcome(dry_run=dry_run)
    discovery = discover(paths, exclude, exclusions, force_exclude)
    outcome.findings += discovery.findings
    outcome.examined = len(discovery.candidates)
    outcome.skipped, outcome.ignored = list(discovery.skipped), discovery.ignored
    if not dry_run:
        outcome.notes += clean_up(discovery.leftovers)
    jobs = driving.jobs or default_jobs(len(discovery.candidates))
    # The files of a Python 2 program that no rule concerns are its own affair too.
    selection = select(discovery.candidates, options.py2, jobs, _progress(driving, "reading"))
    outcome.findings += selection.findings
    outcome.parsed = len(selection.chosen)
    changed: list[tuple[SourceFile, str]] = []
    waiting: list[str] = []
    programs: list[Done] = []
    if selection.chosen:
        programs = _migrated(selection, discovery.roots, options, driving, outcome)
        for done in programs:
            outcome.findings += done.findings
            outcome.tracebacks += done.tracebacks
            outcome.skipped += done.skipped
            outcome.declined += done.declined
            outcome.undone += done.undone
            outcome.notes += _declined_notes(done)
            changed += done.texts
            waiting += done.unstarted
        outcome.notes += unstarted.notes(waiting, discovery.candidates)
    outcome.parsed -= sum(skipped.reason == NOT_PYTHON for skipped in outcome.skipped)
    if vendor:
        changed = _vendored(discovery.candidates, changed, outcome)
    for source, text in changed:
        _finish(source, text, outcome, driving.output)
    if driving.output is not None:
        written = set(outcome.changed)
        driving.output.copy([c for c in discovery.candidates if c.display not in written])
    if driving.keep_texts:
        _keep_texts(discovery.candidates, changed, outcome)
    outcome.findings += requirements.findings(discovery.others, discovery.candidates, options)
    outcome.findings += launchers.findings(discovery.others, programs, options)
    if outcome.changed and not outcome.copies:  # which name what they need
        outcome.to_install = requirements.to_install([text for _, text in changed], options)
    outcome.findings.sort()
    place = {candidate.display: index for index, candidate in enumerate(discovery.candidates)}
    outcome.changed.sort(key=place.__getitem__)
    outcome.rewrites.sort(key=lambda rewrite: place[rewrite.display])
    return outcome


def _migrated(
    selection: Selection,
    roots: Sequence[Path],
    options: Options,
    driving: Driving,
    outcome: Outcome,
) -> list[Done]:
    """Returns the results of the chosen files, piece by piece."""
    from tfmigrate.engine.cache import Cache
    from tfmigrate.engine.component_run import Work, migrate_pieces
    from tfmigrate.engine.unwritable import approved, whole
    from tfmigrate.rulekit.registry import rules
    from tfmigrate.scan.components import pieces

    rules()  # a package whose rules cannot be loaded is not an error of the files
    cache = Cache(driving.cache) if driving.cache is not None else None
    if cache is not None:
        try:
            cache.prepare()
        except OSError as error:
            reason = error.strerror or error
            outcome.notes.append(f"cannot use the cache in {cache.folder}: {reason}")
            cache = None
    readers = driving.jobs or default_jobs(outcome.examined)
    parts = pieces(selection, roots, readers, outside=cache is not None)
    work = Work(options, tuple(roots), selection.keras_2, cache)
    # Parsing a file takes as long as reading a few hundred.
    jobs = driving.jobs or default_jobs(len(selection.chosen), least=8)
    done_pieces = migrate_pieces(parts, work, jobs, _progress(driving, "migrating"))
    if not outcome.dry_run and driving.output is None:
        done_pieces = [
            whole(part, done, work) for part, done in zip(parts, done_pieces, strict=True)
        ]
    if not outcome.dry_run and driving.ask is not None:
        ask = partial(_asks, driving.ask)
        done_pieces = [
            approved(part, done, work, ask) for part, done in zip(parts, done_pieces, strict=True)
        ]
    for part, done in zip(parts, done_pieces, strict=True):
        done.files = tuple(candidate.path for candidate in part.files)
    return done_pieces


def _asks(ask: Callable[[Rewrite], bool], source: SourceFile, text: str) -> bool:
    try:
        rewrite = Rewrite(source.display, source.encode(source.text), encoded(source, text))
    except UnwritableFile:
        return True  # writing the file reports it
    return ask(rewrite)


def _vendored(
    candidates: Sequence[Candidate], changed: Sequence[tuple[SourceFile, str]], outcome: Outcome
) -> list[tuple[SourceFile, str]]:
    """Makes the copies of the runtime; returns the files that change, each with its new text.

    The copies are made before any file is written, because the programs import them.
    """
    from tfmigrate.engine.vendor import vendored

    texts = {source.path: text for source, text in changed}
    # Unreadable files were reported before.
    importing, _ = read_files(candidates, (RUNTIME, VENDORED))
    sources = [source for source, _ in changed]
    sources += [source for source in importing if source.path not in texts]
    outcome.copies, refused = vendored(sources, texts, outcome.dry_run)
    outcome.findings += refused
    return [(source, texts[source.path]) for source in sources if source.path in texts]


def _declined_notes(done: Done) -> list[str]:
    notes = [f"{display}: declined; run tfmigrate again to change it" for display in done.declined]
    return notes + [
        f"{display}: approved, but not changed: it needs {done.declined[0]}, which was declined"
        for display in done.undone
    ]


def _progress(driving: Driving, what: str) -> Progress | None:
    return driving.progress(what) if driving.progress is not None else None


def _keep_texts(
    candidates: Sequence[Candidate], changed: Sequence[tuple[SourceFile, str]], outcome: Outcome
) -> None:
    """Keeps the texts of the files with findings."""
    done = {source.display: FileTexts(source, text) for source, text in changed}
    reported = {finding.path for finding in outcome.findings} - done.keys()
    # Unreadable files were reported before.
    sources, _ = read_files([c for c in candidates if c.display in reported], ())
    original_texts = {source.display: FileTexts(source, source.text) for source in sources}
    for display in done.keys() - set(outcome.changed):  # it could not be written
        done[display] = replace(done[display], after=done[display].source.text)
    outcome.texts = [*done.values(), *original_texts.values()]


def run_stream(
    data: bytes, options: Options, dry_run: bool, *, file_name: str = "", keep_texts: bool = False
) -> tuple[Outcome, bytes]:
    """Migrates the text of the standard input, as a single named file.

    Args:
        data: What the file holds: Python, or a notebook.
        options: What the engine may do.
        dry_run: Whether to write nothing.
        file_name: Where the text is from, which need not exist; "" for the current folder.
        keep_texts: Whether the outcome is to hold the texts, for a report.

    Returns:
        The outcome, and what the file would hold; nothing where it could not be read.
    """
    from tfmigrate.engine import migration as engine

    entry_points.forget()
    outcome = Outcome(dry_run=dry_run, examined=1)
    shown, path = _place_of_stream(data, file_name)
    try:
        source = decode_source(data, path, shown)
    except UnreadableFile as error:
        outcome.findings.append(unreadable(shown, error))
        return outcome, b""
    other = skipped_notebook(source)
    outcome.skipped = [other] if other else []
    outcome.parsed = 0 if other else 1
    migration = engine.migrate([source], options, [path.parent])
    outcome.findings += migration.findings
    outcome.notes += unstarted.notes(migration.unstarted)
    outcome.tracebacks += migration.tracebacks
    after = data
    try:
        after = encoded(source, migration.texts.get(source.path, source.text))
    except UnwritableFile as error:
        outcome.findings.append(_unwritten(shown, error))
    outcome.findings.sort()
    if after != data:
        outcome.changed.append(shown)
        outcome.rewrites.append(Rewrite(shown, data, after))
    if keep_texts:
        new = migration.texts.get(source.path, source.text) if outcome.changed else source.text
        outcome.texts.append(FileTexts(source, new))
    return outcome, b"" if outcome.errors else after


def _place_of_stream(data: bytes, file_name: str) -> tuple[str, Path]:
    """Returns the display name and the assumed path of the standard input."""
    if file_name:
        path = Path.cwd() / file_name
        return shown_path(path), path
    is_notebook = _NOTEBOOK.match(data) and b'"cells"' in data
    return "<stdin>", Path.cwd() / ("stdin.ipynb" if is_notebook else "stdin.py")


def read_files(
    candidates: Sequence[Candidate], words: Sequence[str]
) -> tuple[list[SourceFile], list[Finding]]:
    """Reads the named files and those that contain one of some words; all files without words.

    Returns:
        The files, and an ERROR finding for each that cannot be read.
    """
    sources, findings = [], []
    wanted = [word.encode() for word in words]
    for candidate in candidates:
        try:
            data = read_bytes(candidate.path)
            # A whole tree is mostly other code, which is not parsed.
            if wanted and not candidate.named and not any(word in data for word in wanted):
                continue
            sources.append(decode_source(data, candidate.path, candidate.display))
        except UnreadableFile as error:
            findings.append(unreadable(candidate.display, error))
    return sources, findings


def _finish(source: SourceFile, text: str, outcome: Outcome, output: OutputFolder | None) -> None:
    """Writes one file's new text, or only compares it."""
    try:
        if outcome.dry_run:
            before = source.encode(source.text)
            outcome.rewrites.append(Rewrite(source.display, before, encoded(source, text)))
        elif output is not None:
            output.write(source, text)
        else:
            write_source(source, text)
    except UnwritableFile as error:
        outcome.findings[:] = [
            replace(finding, applied=False) if finding.path == source.display else finding
            for finding in outcome.findings
        ]
        outcome.findings.append(_unwritten(source.display, error))
    else:
        outcome.changed.append(source.display)


def _unwritten(display: str, error: UnwritableFile) -> Finding:
    place = display, error.line, error.column
    return Finding(*place, UNWRITTEN_FILE, Severity.ERROR, error.reason, "", applied=False)
