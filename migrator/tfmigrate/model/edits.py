"""The edits that rules ask for, in terms of ``ast`` nodes; ``rewrite`` carries them out.

An edit names the node it changes and gives the new code as a template: ``{0}``, ``{1}`` ... stand
for other nodes of the same file, which keep their text, their comments and their own edits.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
    """New code: a template, and the nodes that fill its ``{0}``, ``{1}`` ... places.

    Attributes:
        template: the text, or with ``arguments`` the text before their parenthesis.
        parts: nodes whose code, edits included, goes into the places of the template.
        arguments: arguments of a call, which are wrapped to the width of the page.
    """

    template: str
    parts: tuple[ast.expr, ...] = ()
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReplaceExpression:
    """Puts other code in the place of an expression."""

    node: ast.expr
    code: Code


@dataclass(frozen=True)
class AddKeywords:
    """Adds ``name=value`` arguments, given as text, at the end of a call."""

    call: ast.Call
    keywords: tuple[str, ...]


@dataclass(frozen=True)
class SetArgument:
    """Gives a call an argument, in the place of an old one or as a keyword at the end.

    Attributes:
        call: the call.
        name: the keyword.
        value: the new value.
        old: the argument's old value, None where the call does not have it.
    """

    call: ast.Call
    name: str
    value: Code
    old: ast.expr | None = None


@dataclass(frozen=True)
class ArrangeArguments:
    """Gives the arguments of a call other keywords or another order; those not named go.

    Attributes:
        call: the call.
        arguments: the keyword ("" for none) and the old value of each, in their new order.
        added: more arguments, as text ("axis=0").
    """

    call: ast.Call
    arguments: tuple[tuple[str, ast.expr], ...]
    added: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReplaceStatement:
    """Puts other statements in the place of one; no code at all removes it.

    Comments of a statement that goes are carried to the statement after it.
    """

    statement: ast.stmt
    codes: tuple[Code, ...] = ()


@dataclass(frozen=True)
class InsertBefore:
    """Puts a statement before another one, in the same block.

    Attributes:
        statement: the other one.
        code: the statement.
        blank_lines: whether blank lines go before it and after it.
    """

    statement: ast.stmt
    code: Code
    blank_lines: bool = False


@dataclass(frozen=True)
class InsertAfter:
    """Puts a statement after another one, in the same block.

    Attributes:
        statement: the other one.
        code: the statement.
        blank_line: whether a blank line goes between them.
    """

    statement: ast.stmt
    code: Code
    blank_line: bool = False


@dataclass(frozen=True)
class ChangeImport:
    """Changes one clause of an import statement.

    Attributes:
        statement: the statement.
        alias: its clause.
        code: an import statement for this clause alone; "" removes the clause.
    """

    statement: ast.Import | ast.ImportFrom
    alias: ast.alias
    code: str


@dataclass(frozen=True)
class BlockToFunction:
    """Makes a function of the first statements of a ``with`` block, and calls it after them.

    The block keeps its indentation. Other items of the ``with`` stay: those before the item around
    everything, those after it within the function.

    Attributes:
        statement: the ``with``.
        item: its item that goes.
        before: a statement that comes first; None for none.
        head: the line that begins the function ("def replica_fn(opt):").
        size: how many statements of the block go into the function.
        unset: names that are None at first in the function.
        results: the statement that ends it ("return loss"); "" for none.
        call: the statement that calls it.
        scope: the ``with`` line for the call and what remains of the block; "" where nothing does.
    """

    statement: ast.With
    item: ast.withitem
    before: Code | None
    head: str
    size: int
    results: str
    call: Code
    scope: str = ""
    unset: tuple[str, ...] = ()


@dataclass(frozen=True)
class StatementsToFunction:
    """Makes a function of statements that follow each other, and calls it after them.

    Attributes:
        first: the first of them.
        last: the last of them, in the same block.
        before: a statement that comes first.
        head: the line that begins the function.
        results: the statement that ends it; "" for none.
        call: the statement that calls it.
        unset: names that are None at first in the function.
    """

    first: ast.stmt
    last: ast.stmt
    before: Code
    head: str
    results: str
    call: Code
    unset: tuple[str, ...] = ()


@dataclass(frozen=True)
class RemoveWithItem:
    """Takes an item from a ``with``; the block of one that had no other is dedented."""

    statement: ast.With
    item: ast.withitem


@dataclass(frozen=True)
class LoopToFunction:
    """Makes a function of the body of a loop, and calls it after that.

    The body keeps its indentation.

    Attributes:
        loop: the loop.
        before: the statements that come first.
        head: the line that begins the function ("def replica_fn(i):").
        first: the statements that begin its body.
        results: the statement that ends it ("return loss"); "" for none.
        call: the statement that calls it.
    """

    loop: ast.For
    before: tuple[Code, ...]
    head: str
    first: tuple[str, ...]
    results: str
    call: Code


Edit = (
    ReplaceExpression
    | AddKeywords
    | SetArgument
    | ArrangeArguments
    | ReplaceStatement
    | InsertBefore
    | InsertAfter
    | ChangeImport
    | BlockToFunction
    | StatementsToFunction
    | RemoveWithItem
    | LoopToFunction
)
