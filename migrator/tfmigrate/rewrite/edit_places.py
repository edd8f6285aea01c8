"""Edits by the libcst node that each of them changes.

Two edits of one node are refused and not carried out one after the other: neither of the rules has
seen what the other one makes of it.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TypeVar

import libcst as cst
from libcst.metadata import CodeRange

from tfmigrate.model import edits as ed
from tfmigrate.resolve.module import Module
from tfmigrate.rewrite.locate import Locator, RewriteError
from tfmigrate.rewrite.surroundings import of_kind

Edit = TypeVar("Edit")


class Places:
    """The edits of one file, each kind by its nodes.

    Attributes:
        parts: the nodes whose new code other edits use.
        parting: the statements that a blank line follows, below what is inserted there.
        edited_lines: the first lines of the statements around every edit.
    """

    def __init__(
        self,
        module: Module,
        tree: cst.Module,
        ranges: dict[cst.CSTNode, CodeRange],
        edits: Sequence[ed.Edit],
    ) -> None:
        self.expressions: dict[cst.CSTNode, ed.ReplaceExpression] = {}
        self.keywords: dict[cst.CSTNode, ed.AddKeywords] = {}
        self.arguments: dict[cst.CSTNode, ed.SetArgument] = {}
        self.arrangements: dict[cst.CSTNode, ed.ArrangeArguments] = {}
        self.statements: dict[cst.CSTNode, ed.ReplaceStatement] = {}
        self.before: dict[cst.CSTNode, list[ed.InsertBefore]] = defaultdict(list)
        self.after: dict[cst.CSTNode, list[ed.InsertAfter]] = defaultdict(list)
        self.unbound: set[cst.CSTNode] = set()
        self.imports: dict[cst.CSTNode, list[ed.ChangeImport]] = defaultdict(list)
        self.blocks: dict[cst.CSTNode, ed.BlockToFunction | ed.RemoveWithItem] = {}
        self.branches: dict[cst.CSTNode, ed.UnwrapIf] = {}
        self.tries: dict[cst.CSTNode, ed.RemoveFinally] = {}
        self.parameters: dict[cst.CSTNode, ed.RemoveParameters] = {}
        self.loops: dict[cst.CSTNode, ed.LoopToFunction | ed.UnwrapLoop] = {}
        self.ranges: dict[cst.CSTNode, ed.StatementsToFunction | ed.StatementsToBlock] = {}
        self.parts: set[cst.CSTNode] = set()
        self.parting: set[cst.CSTNode] = set()
        self.edited_lines: set[int] = set()
        self._module = module
        self._locator = Locator(module, ranges)
        self._tree = tree
        for edit in dict.fromkeys(edits):
            self._add(edit)
            self.parts.update(self.find(part) for code in _codes(edit) for part in code.parts)

    def find(self, node: ast.AST) -> cst.CSTNode:
        """Returns the node that an edit names; the statements around it will be visited."""
        for around in (node, *self._module.ancestors(node)):
            if isinstance(around, ast.stmt):
                self.edited_lines.add(around.lineno)
        return self._locator.find(node)

    def find_line(self, statement: ast.stmt) -> cst.CSTNode:
        """Returns the line of a statement, or the statement where it is on separate lines."""
        node = self.find(statement)
        return self._lines.get(node, node)

    @cached_property
    def _lines(self) -> dict[cst.CSTNode, cst.CSTNode]:
        """The line of every small statement; few files need it, and it takes a while."""
        kinds = (cst.SimpleStatementLine, cst.SimpleStatementSuite)
        return {
            small: line
            for kind in kinds
            for line in of_kind(self._tree, kind)
            for small in line.body
        }

    def _add(self, edit: ed.Edit) -> None:
        if isinstance(edit, ed.ReplaceExpression):
            _put(self.expressions, self.find(edit.node), edit)
        elif isinstance(edit, ed.AddKeywords):
            _put(self.keywords, self.find(edit.call), edit)
        elif isinstance(edit, ed.SetArgument):
            _put(self.arguments, self.find(edit.call), edit)
        elif isinstance(edit, ed.ArrangeArguments):
            _put(self.arrangements, self.find(edit.call), edit)
        elif isinstance(edit, ed.RemoveName):
            self.unbound.add(self.find(edit.name))
        elif isinstance(edit, ed.ChangeImport):
            self.imports[self.find(edit.statement)].append(edit)
        elif isinstance(edit, ed.ReplaceStatement):
            _put(self.statements, self.find(edit.statement), edit)
        elif isinstance(edit, ed.InsertBefore):
            self.before[self.find(edit.statement)].append(edit)
        elif isinstance(edit, ed.InsertAfter):
            self.after[self.find(edit.statement)].append(edit)
            if edit.blank_line:
                self.parting.add(self.find(edit.statement))
        elif isinstance(edit, (ed.LoopToFunction, ed.UnwrapLoop)):
            _put(self.loops, self.find(edit.loop), edit)
        elif isinstance(edit, (ed.StatementsToFunction, ed.StatementsToBlock)):
            _put(self.ranges, self.find_line(edit.first), edit)
            self.find_line(edit.last)
        elif isinstance(edit, ed.UnwrapIf):
            _put(self.branches, self.find(edit.statement), edit)
        elif isinstance(edit, ed.RemoveFinally):
            _put(self.tries, self.find(edit.statement), edit)
        elif isinstance(edit, ed.RemoveParameters):
            _put(self.parameters, self.find(edit.function), edit)
        else:
            _put(self.blocks, self.find(edit.statement), edit)


def _codes(edit: ed.Edit) -> Iterator[ed.Code]:
    """Yields the code that an edit brings."""
    for value in vars(edit).values():
        values = value if isinstance(value, tuple) else (value,)
        yield from (code for code in values if isinstance(code, ed.Code))


def _put(edits: dict[cst.CSTNode, Edit], node: cst.CSTNode, edit: Edit) -> None:
    if node in edits:
        raise RewriteError("two rules change the same code")
    edits[node] = edit
