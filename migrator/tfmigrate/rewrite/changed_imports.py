"""New imports that replace one whose clauses change; comments stay with their clauses."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

import libcst as cst

from tfmigrate.model import edits as ed
from tfmigrate.rewrite.layout import Layout, merged_imports
from tfmigrate.rewrite.locate import RewriteError
from tfmigrate.rewrite.surroundings import Statement, with_surroundings

Gap = cst.BaseParenthesizableWhitespace


@dataclass
class _Clause:
    """A clause that leaves its import.

    Attributes:
        code: an import statement for it alone; "" where it is removed.
        above: the comments on the lines above it.
        behind: the comments behind it.
    """

    code: str
    above: list[str] = field(default_factory=list)
    behind: list[str] = field(default_factory=list)


def changed_import(
    line: cst.SimpleStatementLine, edits: Sequence[ed.ChangeImport], layout: Layout
) -> list[Statement]:
    """Returns the statements that replace an import.

    Raises:
        RewriteError: the import has no clauses.
    """
    changes = {id(edit.alias): edit.code for edit in edits}
    aliases = edits[0].statement.names
    imported = line.body[0]
    assert isinstance(imported, (cst.Import, cst.ImportFrom))
    if isinstance(imported.names, cst.ImportStar):
        raise RewriteError("cannot change a star import")
    together = layout.import_from(imported, [changes.get(id(alias), "") for alias in aliases])
    # All of it comes from one other module: lines and comments stay where they were.
    if together is not None:
        return [line.with_changes(body=[together.with_changes(semicolon=imported.semicolon)])]
    left_clauses: list[cst.ImportAlias] = []
    gone: dict[int, _Clause] = {}
    for index, (alias, clause) in enumerate(zip(aliases, imported.names, strict=True)):
        if (code := changes.get(id(alias))) is None:
            left_clauses.append(clause)
        elif isinstance(imported, cst.Import) and code.startswith("import "):
            left_clauses.append(layout.import_clause(code, clause))
        else:
            gone[index] = _Clause(code)
    smaller = _without(imported, left_clauses, gone)
    new = layout.statements([(ed.Code(code), []) for code in _codes(list(gone.values()))])
    if left_clauses:
        return [line.with_changes(body=[smaller]), *new]
    if not new:
        return []
    own = new[0].leading_lines
    moved = with_surroundings(new, line)
    moved[0] = moved[0].with_changes(leading_lines=[*moved[0].leading_lines, *own])
    behind = new[0].trailing_whitespace if isinstance(new[0], cst.SimpleStatementLine) else None
    if behind is not None and behind.comment is not None:
        moved[0] = moved[0].with_changes(trailing_whitespace=behind)
    return moved


def _without(
    imported: cst.Import | cst.ImportFrom,
    left_clauses: Sequence[cst.ImportAlias],
    gone: dict[int, _Clause],
) -> cst.Import | cst.ImportFrom:
    """Returns an import without some of its clauses, which get the comments that are theirs."""
    assert not isinstance(imported.names, cst.ImportStar)
    if not isinstance(imported, cst.ImportFrom) or imported.lpar is None or not gone:
        if gone and left_clauses:
            left_clauses = [
                *left_clauses[:-1],
                left_clauses[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT),
            ]
        return imported.with_changes(names=left_clauses or imported.names)
    assert imported.rpar is not None
    # gaps[i] is the white space before clause i, the last one that before the parenthesis.
    ends = [n.comma.whitespace_after for n in imported.names if isinstance(n.comma, cst.Comma)]
    closed = len(ends) == len(imported.names)  # by a comma
    gaps: list[Gap] = [imported.lpar.whitespace_after, *ends]
    gaps += [] if closed else [imported.rpar.whitespace_before]
    for index in sorted(gone, reverse=True):
        is_last = index + 2 == len(gaps)
        gaps[index : index + 2] = [_joined(gaps[index], gaps[index + 1], gone[index], is_last)]
    if not left_clauses:
        return imported
    commas = [cst.Comma(whitespace_after=gap) for gap in gaps[1:]]
    names = [n.with_changes(comma=comma) for n, comma in zip(left_clauses, commas, strict=True)]
    rpar = imported.rpar
    if not closed:
        names[-1] = names[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        rpar = rpar.with_changes(whitespace_before=gaps[-1])
    lpar = imported.lpar.with_changes(whitespace_after=gaps[0])
    return imported.with_changes(names=names, lpar=lpar, rpar=rpar)


def _joined(before: Gap, after: Gap, clause: _Clause, is_last: bool) -> Gap:
    """Returns the whitespace that replaces a clause, with the comments of its line."""
    if not isinstance(before, cst.ParenthesizedWhitespace):
        return after if isinstance(after, cst.ParenthesizedWhitespace) else before
    above = [line.comment.value for line in before.empty_lines if line.comment]
    if not isinstance(after, cst.ParenthesizedWhitespace):
        if not is_last or not clause.code:
            return before
        clause.above = above
        return before.with_changes(empty_lines=[]) if before.first_line.comment else after
    behind = [after.first_line.comment.value] if after.first_line.comment else []
    if clause.code:
        clause.above, clause.behind = above, behind
        return before.with_changes(empty_lines=after.empty_lines, last_line=after.last_line)
    # A clause that is removed leaves its comments where they are.
    indent = before.last_line
    lines = [
        cst.EmptyLine(indent=before.indent, whitespace=indent, comment=cst.Comment(text))
        for text in behind
    ]
    inner = [*before.empty_lines, *lines, *after.empty_lines]
    return before.with_changes(empty_lines=inner, last_line=after.last_line)


def _codes(clauses: Sequence[_Clause]) -> list[str]:
    """Returns the import statements of clauses, those of one module together."""
    import_codes: list[str] = []
    wanted = [clause for clause in clauses if clause.code]
    for head, group in groupby(wanted, lambda clause: clause.code.partition(" import ")[0]):
        together = list(group)
        if not any(clause.above or clause.behind for clause in together):
            import_codes += merged_imports([clause.code for clause in together])
        elif len(together) == 1 or not head.startswith("from "):
            import_codes += ["\n".join(_lines(clause, clause.code, "")) for clause in together]
        else:
            names = [(c, f"    {c.code.partition(' import ')[2]},") for c in together]
            lines = [line for c, name in names for line in _lines(c, name, "    ")]
            import_codes.append("\n".join([f"{head} import (", *lines, ")"]))
    return import_codes


def _lines(clause: _Clause, code: str, indent: str) -> list[str]:
    behind = "".join(f"  {text}" for text in clause.behind)
    return [*(indent + text for text in clause.above), code + behind]
