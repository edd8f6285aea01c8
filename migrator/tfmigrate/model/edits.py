"""The edits that rules ask for, in terms of ``ast`` nodes; ``rewrite`` carries them out.

An edit names the node it changes and gives the new code as a template: ``{0}``, ``{1}`` ... are
other nodes of the same file, which keep their text, their comments and their own edits.
"""

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Code:
    """New code: a template, and the nodes that fill its ``{0}``, ``{1}`` ... places.

    Attributes:
        template: the text, or with ``arguments`` the text before their parenthesis.
        parts: nodes whose code, edits included, goes into the places of the template.
        arguments: arguments of a call, which are wrapped to the width of the page.
        tail: the text after the parenthesis of the arguments.
    """

    template: str
    parts: tuple[ast.expr, ...] = ()
    arguments: tuple[str, ...] = ()
    tail: str = ""


@dataclass(frozen=True)
class ReplaceExpression:
    """Replaces an expression with other code."""

    node: ast.expr
    code: Code


@dataclass(frozen=True)
class AddKeywords:
    """Adds ``name=value`` arguments, given as text, at the end of a call."""

    call: ast.Call
    keywords: tuple[str, ...]


@dataclass(frozen=True)
class SetArgument:
    """Sets an argument of a call: replaces an old one, or adds a keyword at the end.

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
    """Changes the keywords and the order of the arguments of a call; removes those not named.

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
    """Replaces a statement with others; no code at all removes it.

    Comments of a removed statement move to the statement after it.
    """

    statement: ast.stmt
    codes: tuple[Code, ...] = ()


@dataclass(frozen=True)
class InsertBefore:
    """Puts a statement before another one, in the same block.

    Attributes:
        statement: the other one.
        code: the statement.
        blank_lines: whether there are blank lines before it and after it.
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
        blank_line: whether there is a blank line between them.
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
    """Turns the first statements of a ``with`` block into a function, and calls it after them.

    The block keeps its indentation. Other items of the ``with`` stay: those before the item around
    everything, those after it within the function.

    Attributes:
        statement: the ``with``.
        item: its item that is removed.
        before: a statement that comes first; None for none.
        head: the line that begins the function ("def replica_fn(opt):").
        size: how many statements of the block move into the function.
        unset: names that are None at first in the function.
        results: the statement that ends it ("return loss"); "" for none.
        call: the statement that calls it.
        scope: the ``with`` line for the call and the rest of the block; "" if there is none.
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
    """Turns consecutive statements into a function, with other statements before and after it.

    Attributes:
        first: the first of them.
        last: the last of them, in the same block.
        before: the statements that come first.
        head: the line that begins the function.
        results: the statement that ends it; "" for none.
        after: the statements that follow it, such as its call.
        unset: names that are None at first in the function.
        begins: other statements that begin its body.
        joined: whether no blank line follows these.
        ends: other statements that end its body.
    """

    first: ast.stmt
    last: ast.stmt
    before: tuple[Code, ...]
    head: str
    results: str
    after: tuple[Code, ...]
    unset: tuple[str, ...] = ()
    begins: tuple[Code, ...] = ()
    joined: bool = False
    ends: tuple[Code, ...] = ()


@dataclass(frozen=True)
class StatementsToBlock:
    """Puts consecutive statements into a block.

    Attributes:
        first: the first of them.
        last: the last of them, in the same block.
        head: the line that begins the block ("with graph.as_default():").
    """

    first: ast.stmt
    last: ast.stmt
    head: str


@dataclass(frozen=True)
class RemoveWithItem:
    """Removes an item of a ``with``, and perhaps others; a block without any is dedented."""

    statement: ast.With
    item: ast.withitem
    others: tuple[ast.withitem, ...] = ()


@dataclass(frozen=True)
class RemoveName:
    """Removes ``as name`` of an item of a ``with``."""

    name: ast.expr


@dataclass(frozen=True)
class UnwrapIf:
    """Replaces an ``if`` with the statements of one of its branches, dedented.

    Attributes:
        statement: the ``if``.
        orelse: whether the statements of its ``else`` stay, and not those of its body.
    """

    statement: ast.If
    orelse: bool = False


@dataclass(frozen=True)
class RemoveFinally:
    """Removes the ``finally`` of a ``try``; without ``except`` clauses its block is dedented."""

    statement: ast.Try


@dataclass(frozen=True)
class UnwrapLoop:
    """Replaces a loop with the statements of its body, dedented.

    Attributes:
        loop: the loop.
        first: the statement that gives its target a value; "" for none.
    """

    loop: ast.For
    first: str = ""


@dataclass(frozen=True)
class RemoveParameters:
    """Removes parameters from the definition of a function, or renames them.

    Attributes:
        function: the function.
        names: those that are removed.
        renamed: the old and the new names of others.
        head: another name and all parameters, as text ("end(self, logs=None)"); "" to keep them.
    """

    function: ast.FunctionDef
    names: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    head: str = ""


@dataclass(frozen=True)
class LoopToFunction:
    """Turns the body of a loop into a function, and calls it after that.

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
    | StatementsToBlock
    | RemoveWithItem
    | RemoveName
    | LoopToFunction
    | UnwrapIf
    | UnwrapLoop
    | RemoveParameters
    | RemoveFinally
)
