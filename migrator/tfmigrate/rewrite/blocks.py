"""Carries out the edits of ``with`` blocks: into a function, or without one of their items."""

from collections.abc import Collection, Mapping, Sequence

import libcst as cst

from tfmigrate.model.edits import BlockToFunction, LoopToFunction, StatementsToFunction
from tfmigrate.rewrite.surroundings import Statement, as_lines, comments, put_before

_BLANK = cst.EmptyLine(indent=False)


def function_from_block(
    edit: BlockToFunction, block: cst.With, index: int, before: Sequence[Statement], call: Statement
) -> list[Statement]:
    """Returns the statements that replace a ``with`` whose block becomes a function.

    Args:
        edit: what is wanted.
        block: the ``with``, edits in it made.
        index: which of its items is removed.
        before: the statements that come first.
        call: the statement that calls the function.
    """
    body = indented(block.body)
    head, tail = list(body.body[: edit.size]), list(body.body[edit.size :])
    footer = list(body.footer)
    inner = block.items[index + 1 :]
    if edit.results:
        result = _line(edit.results)
        if not tail:
            # Comments at the end of the block stay above the new last line.
            result = result.with_changes(leading_lines=footer)
            footer = []
        head.append(result)
    head = [*_unset(edit.unset), *head]
    suite = body.with_changes(body=head, footer=[] if tail else footer)
    if inner:
        suite = body.with_changes(
            header=cst.TrailingWhitespace(), body=[_with(block, inner, suite)], footer=[]
        )
    new: list[Statement] = [*before, _function(edit.head, suite)]
    if before:
        new[-1] = new[-1].with_changes(leading_lines=[_BLANK])
    call = call.with_changes(leading_lines=[_BLANK])
    if tail:
        scope = cst.parse_statement(f"{edit.scope} pass")
        assert isinstance(scope, cst.With)
        lines = cst.IndentedBlock(
            body=[call.with_changes(leading_lines=[]), *tail], indent=body.indent, footer=footer
        )
        new.append(scope.with_changes(body=lines, leading_lines=[_BLANK]))
    else:
        new.append(call)
    if outer := block.items[:index]:
        return [_with(block, outer, cst.IndentedBlock(body=new, indent=body.indent))]
    new[0] = new[0].with_changes(leading_lines=block.leading_lines)
    return new


def function_from_loop(
    edit: LoopToFunction, loop: cst.For, before: Sequence[Statement], call: Statement
) -> list[Statement]:
    """Returns the statements that replace a loop whose body becomes a function."""
    body = indented(loop.body)
    lines = [*(_line(text) for text in edit.first), *body.body]
    footer = list(body.footer)
    if edit.results:
        lines.append(_line(edit.results).with_changes(leading_lines=footer))
        footer = []
    function = _function(edit.head, body.with_changes(body=lines, footer=footer))
    new = [*before, *(s.with_changes(leading_lines=[_BLANK]) for s in (function, call))]
    new[0] = new[0].with_changes(leading_lines=loop.leading_lines)
    return new


def function_from_statements(
    edit: StatementsToFunction,
    before: Sequence[Statement],
    statements: Sequence[Statement],
    after: Sequence[Statement],
    gap: int,
) -> list[Statement]:
    """Returns the function that statements become, between others.

    Args:
        edit: what is wanted.
        before: the statements that come first.
        statements: those of the function.
        after: the statements that follow it.
        gap: how many blank lines are around functions.
    """
    body = list(statements)
    if before:
        body = put_before(before[0], body)
        before, body = [body[0], *before[1:]], body[1:]
    if edit.results:
        body.append(_line(edit.results))
    body = [*_unset(edit.unset), *body]
    body[0] = _close(body[0])
    if edit.joined:
        place = len(edit.unset) + len(edit.begins)
        body[place] = _close(body[place])
    body = [statement.with_changes(leading_lines=_unindented(statement)) for statement in body]
    function = _function(edit.head, cst.IndentedBlock(body=body))
    new: list[Statement] = [*before, function]
    below = True
    for statement in after:
        apart = below or isinstance(statement, cst.FunctionDef)
        below = isinstance(statement, cst.FunctionDef)
        new.append(statement.with_changes(leading_lines=[_BLANK] * gap) if apart else statement)
    new[len(before)] = function.with_changes(leading_lines=[_BLANK] * gap)
    return new


def indented(body: cst.BaseSuite) -> cst.IndentedBlock:
    """Returns a block on separate lines, even if it follows its colon."""
    if isinstance(body, cst.IndentedBlock):
        return body
    assert isinstance(body, cst.SimpleStatementSuite)
    line = cst.SimpleStatementLine(body.body, trailing_whitespace=body.trailing_whitespace)
    return cst.IndentedBlock(body=[line])


def block_from_statements(head: str, statements: Sequence[Statement]) -> Statement:
    """Returns the block that statements become; what stands above them stands above it."""
    block = cst.parse_statement(f"{head}\n    pass\n")
    assert isinstance(block, cst.With)
    first = statements[0].with_changes(leading_lines=[])
    body = [first, *(s.with_changes(leading_lines=_unindented(s)) for s in statements[1:])]
    return block.with_changes(
        leading_lines=statements[0].leading_lines, body=cst.IndentedBlock(body=body)
    )


def _close(statement: Statement) -> Statement:
    """Returns a statement without blank lines above its comments."""
    lines = list(statement.leading_lines)
    while lines and lines[0].comment is None:
        lines.pop(0)
    return statement.with_changes(leading_lines=lines)


def _unindented(statement: Statement) -> list[cst.EmptyLine]:
    """Returns the lines above a statement; those that are blank have no spaces in a block."""
    return [line if line.comment else _BLANK for line in statement.leading_lines]


def _unset(names: Sequence[str]) -> list[Statement]:
    """Returns the statements that give names the value None."""
    return [_line(f"{name} = None") for name in names]


def _line(text: str) -> cst.SimpleStatementLine:
    statement = cst.parse_statement(text)
    assert isinstance(statement, cst.SimpleStatementLine)
    return statement


def _function(head: str, body: cst.BaseSuite) -> cst.FunctionDef:
    """Returns the function that a line begins, with a body."""
    function = cst.parse_statement(f"{head} pass")
    assert isinstance(function, cst.FunctionDef)
    return function.with_changes(body=body)


def without_items(block: cst.With, indices: Collection[int]) -> list[Statement]:
    """Returns a ``with`` without some of its items, or its statements where it had no other."""
    lost = as_lines([text for i in sorted(indices) for text in comments(block.items[i])])
    lines = [*block.leading_lines, *lost]
    if items := [item for i, item in enumerate(block.items) if i not in indices]:
        return [_with(block, items, block.body).with_changes(leading_lines=lines)]
    return _dedented(block.body, lines)


def branch(statement: cst.If, orelse: bool) -> list[Statement]:
    """Returns the statements of the body of an ``if``, or of its ``else``."""
    if not orelse:
        return _dedented(statement.body, statement.leading_lines)
    if isinstance(statement.orelse, cst.If):
        return [statement.orelse.with_changes(leading_lines=statement.leading_lines)]
    assert statement.orelse is not None
    return _dedented(statement.orelse.body, statement.leading_lines)


def without_finally(block: cst.Try) -> list[Statement]:
    """Returns a ``try`` without its ``finally``, or its statements where it had nothing else."""
    if block.handlers:
        return [block.with_changes(finalbody=None)]
    return _dedented(block.body, block.leading_lines)


def without_loop(loop: cst.For, first: str) -> list[Statement]:
    """Returns the statements of the body of a loop, below one that sets its target."""
    body = _dedented(loop.body, [] if first else loop.leading_lines)
    if not first:
        return body
    return [_line(first).with_changes(leading_lines=loop.leading_lines), *body]


def without_parameters(
    function: cst.FunctionDef, names: Sequence[str], renamed: Sequence[tuple[str, str]]
) -> cst.FunctionDef:
    """Returns a function without some of its parameters; others get new names."""
    new_names = dict(renamed)
    old = function.params
    kinds = {
        kind: [_renamed(p, new_names) for p in getattr(old, kind) if p.name.value not in names]
        for kind in ("params", "kwonly_params", "posonly_params")
    }
    last = [p for parameters in kinds.values() for p in parameters][-1:]
    if last and isinstance(old.star_arg, cst.MaybeSentinel) and old.star_kwarg is None:
        ends = [p for kind in kinds for p in getattr(old, kind)]
        # It is the last one now: behind it is what was behind the last one.
        end = last[0].with_changes(
            comma=ends[-1].comma, whitespace_after_param=ends[-1].whitespace_after_param
        )
        kinds = {
            k: [end if p is last[0] else p for p in parameters] for k, parameters in kinds.items()
        }
    return function.with_changes(params=old.with_changes(**kinds))


def with_head(function: cst.FunctionDef, head: str) -> cst.FunctionDef:
    """Returns a function with another name and other parameters."""
    new = cst.ensure_type(cst.parse_statement(f"def {head}: pass"), cst.FunctionDef)
    return function.with_changes(name=new.name, params=new.params)


def _renamed(parameter: cst.Param, new_names: Mapping[str, str]) -> cst.Param:
    name = parameter.name.value
    return parameter.with_changes(name=cst.Name(new_names.get(name, name)))


def _dedented(body: cst.BaseSuite, lines: Sequence[cst.EmptyLine]) -> list[Statement]:
    """Returns the statements of a block as those of the block around it."""
    new: list[Statement] = []
    for statement in indented(body).body:
        assert isinstance(statement, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        new.append(statement)
    if not new:
        return []
    comment = indented(body).header.comment
    above = [*lines, *([cst.EmptyLine(comment=comment)] if comment else [])]
    below = list(new[0].leading_lines)
    while above and below and below[0].comment is None:
        below.pop(0)
    new[0] = new[0].with_changes(leading_lines=[*above, *below])
    return new


def _with(block: cst.With, items: Sequence[cst.WithItem], body: cst.BaseSuite) -> cst.With:
    """Returns a ``with`` of some of the items of another one, in parentheses if that one was."""
    last = items[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return block.with_changes(items=[*items[:-1], last], body=body)
