"""Runs one component: reads it, then migrates it or takes the result from the cache."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tfmigrate.engine.cache import Cache, Known
from tfmigrate.engine.cycles import few_searches
from tfmigrate.files.discover import Candidate
from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate.files.skipped import Skipped, skipped_notebook
from tfmigrate.files.source import SourceFile, UnreadableFile
from tfmigrate.files.workers import Progress, each
from tfmigrate.model.findings import HELD_BACK, INTERNAL_ERROR, Finding, Severity
from tfmigrate.scan.components import Piece
from tfmigrate.scan.select_files import unreadable

if TYPE_CHECKING:
    from tfmigrate.engine.options import Options


@dataclass(frozen=True)
class Work:
    """What is the same for every piece of a run.

    Attributes:
        options: what the engine may do.
        roots: where the search for imported files ends upwards.
        keras_2: whether some file of the run asks for Keras 2.
        cache: where results are kept; None for nowhere.
        unwritable: the files that have to stay as they are, with the reason.
    """

    options: Options
    roots: tuple[Path, ...]
    keras_2: bool = False
    cache: Cache | None = None
    unwritable: Mapping[Path, str] = field(default_factory=dict)


@dataclass
class Done:
    """The result of a piece.

    Attributes:
        findings: what was done, what is left, and which files could not be read.
        texts: the files that change, each with its new text.
        tracebacks: those of internal errors.
        unstarted: the files that need graph mode and that no known file starts in it.
        skipped: the notebooks of other languages.
        files: the files of the piece.
        declined: the files that the user declined, as shown.
        undone: those that were approved and stay as they are with a declined one.
    """

    findings: list[Finding] = field(default_factory=list)
    texts: list[tuple[SourceFile, str]] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    unstarted: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    files: tuple[Path, ...] = ()
    declined: list[str] = field(default_factory=list)
    undone: list[str] = field(default_factory=list)


def migrate_pieces(
    pieces: Sequence[Piece], work: Work, jobs: int = 1, progress: Progress | None = None
) -> list[Done]:
    """Migrates pieces, in their order.

    Args:
        work: what is the same for all.
        jobs: how many processes to use.
        progress: called with the number of finished pieces and their total.
    """
    if pieces and work.cache is None:
        _load_rules()  # once, and not in every process; kept results may do without
    # The largest first, so that the last one to start is short.
    order = sorted(range(len(pieces)), key=lambda index: -len(pieces[index].files))
    outcomes = each(
        partial(migrate_piece, work=work), [pieces[i] for i in order], jobs, 1, progress
    )
    done = dict(zip(order, outcomes, strict=True))
    return [done[index] for index in range(len(pieces))]


@few_searches()  # in worker processes too
def migrate_piece(piece: Piece, work: Work) -> Done:
    """Migrates one piece; an internal error becomes a finding, and no file is changed."""
    result = Done()
    contents = _read(piece.files, result)
    key = ""
    if work.cache is not None and not result.findings:
        key = work.cache.key(work.options, work.keras_2, piece, contents)
        if (known := work.cache.load(key)) is not None:
            result.findings, result.unstarted = known.findings, known.unstarted
            result.skipped = known.skipped
            texts = known.texts
            result.texts = [
                (decode_source(contents[c], c.path, c.display), texts[index])
                for index, c in enumerate(piece.files)
                if index in texts
            ]
            return result
    try:
        _migrate(piece, contents, work, result)
    except Exception as error:
        _say_internal_error(piece, error, result)
        return result
    if work.cache is not None and key:
        places = {candidate.path: index for index, candidate in enumerate(piece.files)}
        texts = {places[source.path]: text for source, text in result.texts}
        work.cache.store(key, Known(result.findings, texts, result.unstarted, result.skipped))
    return result


def _read(files: Sequence[Candidate], result: Done) -> dict[Candidate, bytes]:
    contents = {}
    for candidate in files:
        try:
            contents[candidate] = read_bytes(candidate.path)
        except UnreadableFile as error:
            result.findings.append(unreadable(candidate.display, error))
    return contents


def _migrate(piece: Piece, contents: dict[Candidate, bytes], work: Work, result: Done) -> None:
    from tfmigrate.engine import migration as engine
    from tfmigrate.resolve.syntax import syntax_of

    sources, parsed = [], []
    for candidate, data in contents.items():
        try:
            source = decode_source(data, candidate.path, candidate.display)
        except UnreadableFile as error:
            if candidate.path not in piece.starts:
                result.findings.append(unreadable(candidate.display, error))
            continue
        if (other := skipped_notebook(source)) is not None:
            result.skipped.append(other)
            continue
        if candidate.path in piece.starts:
            try:
                parsed.append(syntax_of(source.path, source.text))  # kept for the engine
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue  # a start that does not parse has nothing to do with TensorFlow
        sources.append(source)
    migration = engine.migrate(sources, work.options, work.roots, work.keras_2, work.unwritable)
    result.findings += migration.findings
    result.tracebacks += migration.tracebacks
    result.unstarted = migration.unstarted
    result.texts = [
        (source, migration.texts[source.path])
        for source in sources
        if migration.texts.get(source.path, source.text) != source.text
    ]


def _say_internal_error(piece: Piece, error: Exception, result: Done) -> None:
    """Reports an internal error, and every file of the piece, none of which is changed."""
    what = " ".join(f"{type(error).__name__}: {error}".split())
    blamed = _blamed(error) or piece.files[0].display
    for candidate in piece.files:
        if candidate.display == blamed:
            code, severity = INTERNAL_ERROR, Severity.ERROR
            message = f"internal error: {what}; this file is not changed"
            action = "report this as a bug, with the traceback that --verbose prints"
        elif candidate.path in piece.starts:
            continue
        else:
            code, severity, message = HELD_BACK, Severity.MANUAL, "this file is not changed"
            action = f"resolve {INTERNAL_ERROR} at {blamed} first"
        result.findings.append(
            Finding(candidate.display, 1, 1, code, severity, message, action, applied=False)
        )
    result.tracebacks.append("".join(traceback.format_exception(error)))


def _blamed(error: Exception) -> str:
    """Returns the file on which tfmigrate failed; "" if it failed on none."""
    blamed = ""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for value in frame.f_locals.values():
            source = getattr(value, "source", value)
            if isinstance(source, SourceFile):
                blamed = source.display
    return blamed


def _load_rules() -> None:
    from tfmigrate.rulekit.registry import rules

    rules()
