"""A program of several files is migrated only if all its files can be, and are to be, written."""

from collections.abc import Callable
from dataclasses import replace

from tfmigrate.engine.component_run import Done, Work, migrate_piece
from tfmigrate.files.source import SourceFile
from tfmigrate.files.write import UnwritableFile, check_writable
from tfmigrate.model.findings import DECLINED, Finding
from tfmigrate.scan.components import Piece


def whole(piece: Piece, done: Done, work: Work) -> Done:
    """Returns the result of a piece in which the files that cannot be written do not change.

    Changes that depend on a change of such a file are held back too: a migrated model function does
    not work with an Estimator that is not migrated.
    """
    if len(done.texts) < 2:
        return done  # writing the file reports it
    refused = {}
    for source, text in done.texts:
        try:
            check_writable(source, text)
        except UnwritableFile as error:
            where = f"line {error.line}: " if error.line > 1 else ""
            refused[source.path] = where + error.reason
    if not refused:
        return done
    # The cache holds results for files that can be written.
    return migrate_piece(
        piece, replace(work, cache=None, unwritable={**work.unwritable, **refused})
    )


def approved(piece: Piece, done: Done, work: Work, ask: Callable[[SourceFile, str], bool]) -> Done:
    """Returns the result of a piece in which the files that the user declines do not change.

    Args:
        piece: the files.
        done: what is to become of them if all are approved.
        work: what is the same for all pieces.
        ask: says whether a file may get its new text.
    """
    declined = {source.path: DECLINED for source, text in done.texts if not ask(source, text)}
    if not declined:
        return done
    without = replace(work, cache=None, unwritable=declined)
    left = whole(piece, migrate_piece(piece, without), without)
    # What only an answer holds back needs no manual work: it is not a finding.
    open_before = {_place(finding) for finding in done.findings if not finding.applied}
    left.findings = [f for f in left.findings if f.applied or _place(f) in open_before]
    changed = {source.path for source, _ in left.texts}
    for source, _ in done.texts:
        if source.path in declined:
            left.declined.append(source.display)
        elif source.path not in changed:
            left.undone.append(source.display)
    return left


def _place(finding: Finding) -> tuple[str, str]:
    return finding.place, finding.code
