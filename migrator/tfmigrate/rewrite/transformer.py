"""Applies edits to a file with LibCST, so that everything else stays as it is.

libcst is slow compared with ``ast`` (14 thousand lines a second): this runs only on changed files.

No comment is lost: one whose statement is removed is put on a separate line above what follows,
and a result that lacks a comment of the original is refused.
"""

import ast
from collections import Counter
from collections.abc import Sequence

import libcst as cst
from libcst.metadata import CodeRange

from tfmigrate.model import edits as ed
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.syntax import syntax_of
from tfmigrate.rewrite.blocks import (
    block_from_statements,
    branch,
    function_from_block,
    function_from_loop,
    function_from_statements,
    indented,
    with_head,
    without_finally,
    without_items,
    without_loop,
    without_parameters,
)
from tfmigrate.rewrite.changed_imports import changed_import
from tfmigrate.rewrite.edit_places import Places
from tfmigrate.rewrite.excerpt import Excerpt
from tfmigrate.rewrite.layout import Layout
from tfmigrate.rewrite.libcst_text import NotReadable, code_of, parsed, without_blank_end
from tfmigrate.rewrite.locate import RewriteError
from tfmigrate.rewrite.precedence import with_parentheses
from tfmigrate.rewrite.realign import realigned
from tfmigrate.rewrite.repeated_imports import imported_once
from tfmigrate.rewrite.surroundings import (
    Gap,
    Statement,
    any_order,
    as_lines,
    below,
    below_gap,
    comments,
    has_blank_line,
    in_place_of,
    lines_lost,
    put_before,
    with_blank_lines,
    with_surroundings,
)


def rewrite(module: Module, edits: Sequence[ed.Edit]) -> str:
    """Returns a module's text with edits carried out.

    Args:
        module: the parsed file.
        edits: what to change, in any order; each names nodes of this module.

    Returns:
        The new text, with every comment of the old one.

    Raises:
        RewriteError: a node was not found, the result does not parse, or a comment was lost.
    """
    edits = imported_once(module, edits)
    try:
        return _rewritten(module, edits)
    except NotReadable as error:
        from tfmigrate.rewrite.readable import Plain  # few files need it

        try:
            plain = Plain(module)
            return plain.restored(_rewritten(plain.module, plain.moved(tuple(edits))))
        except NotReadable:
            raise error from None
        except RewriteError as reason:
            raise RewriteError(f"{error}; {reason}") from error


def _rewritten(module: Module, edits: Sequence[ed.Edit]) -> str:
    """Returns a module's text with edits carried out.

    Raises:
        NotReadable: libcst does not read the text as it is.
        RewriteError: as ``rewrite``.
    """
    original = module.source.text
    # libcst loses some lone carriage returns; the positions are the same with line feeds.
    lone_returns = "\r" in original and "\n" not in original
    input_text = original.replace("\r", "\n") if lone_returns else original
    input_text, blank_end = without_blank_end(input_text)
    excerpt = Excerpt(module, input_text, edits)
    try:
        tree, ranges = parsed(excerpt.text)
    except NotReadable:
        # It may be the excerpt alone that libcst does not read.
        excerpt = Excerpt(module, input_text, ())
        tree, ranges = parsed(input_text)
    rewriter = _Rewriter(module, tree, ranges, edits)
    rewritten = tree.visit(rewriter)
    rewriter.check_all_inserted()
    text = excerpt.restored(code_of(rewritten))
    try:
        text = realigned(input_text, text) + blank_end
        text = text.replace("\n", "\r") if lone_returns else text
        syntax_of(module.source.path, text)
    except SyntaxError as error:
        raise RewriteError(
            f"the result does not parse: {error.msg}, line {error.lineno}"
        ) from error
    if lost := Counter(any_order(tree)) - Counter(any_order(rewritten)):
        raise RewriteError(f"a comment would be lost: {next(iter(lost))}")
    return text


class _Rewriter(cst.CSTTransformer):
    """One pass over the tree: expressions from the inside out, statements block by block."""

    def __init__(
        self,
        module: Module,
        tree: cst.Module,
        ranges: dict[cst.CSTNode, CodeRange],
        edits: Sequence[ed.Edit],
    ) -> None:
        super().__init__()
        self._module = module
        self._layout = Layout(module, tree)
        self._ranges_of = ranges
        self._places = Places(module, tree, ranges, edits)
        self._parts: dict[cst.CSTNode, cst.BaseExpression | None] = dict.fromkeys(
            self._places.parts
        )

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Leaves out the statements without edits: most of a file."""
        if not isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
            return True
        place = self._ranges_of[node]
        if isinstance(node, cst.SimpleStatementLine):
            lines = range(place.start.line, place.end.line + 1)
            return not self._places.edited_lines.isdisjoint(lines)
        return place.start.line in self._places.edited_lines

    def on_visit_attribute(self, node: cst.CSTNode, attribute: str) -> None:
        """Does nothing, faster than looking for a method that does something."""

    def on_leave_attribute(self, original_node: cst.CSTNode, attribute: str) -> None:
        """Does nothing, faster than looking for a method that does something."""

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode:
        """Applies the edits of a node once its children are done."""
        node = with_parentheses(original_node, updated_node)
        if original_node in self._places.keywords:
            assert isinstance(node, cst.Call)
            node = self._layout.add_keywords(node, self._places.keywords[original_node])
        if original_node in self._places.arguments:
            assert isinstance(node, cst.Call)
            edit = self._places.arguments[original_node]
            node = self._layout.set_argument(node, edit, self._resolve(edit.value))
        if original_node in self._places.arrangements:
            assert isinstance(node, cst.Call)
            node = self._layout.arrange_arguments(node, self._places.arrangements[original_node])
        if original_node in self._parts:
            assert isinstance(node, cst.BaseExpression)
            self._parts[original_node] = node
        if original_node in self._places.expressions:
            node = self._replaced(self._places.expressions[original_node], node)
            if original_node in self._parts:
                self._parts[original_node] = node
        if original_node in self._places.parameters:
            assert isinstance(node, cst.FunctionDef)
            parameters = self._places.parameters[original_node]
            node = without_parameters(node, parameters.names, parameters.renamed)
            node = with_head(node, parameters.head) if parameters.head else node
        if isinstance(original_node, cst.WithItem) and original_node.asname is not None:
            assert isinstance(node, cst.WithItem)
            if original_node.asname.name in self._places.unbound:
                node = node.with_changes(asname=None)
        if isinstance(original_node, (cst.Module, cst.IndentedBlock)):
            assert isinstance(node, (cst.Module, cst.IndentedBlock))
            return self._block(original_node, node)
        if isinstance(original_node, cst.SimpleStatementSuite):
            assert isinstance(node, cst.SimpleStatementSuite)
            node = node.with_changes(body=self._small_statements(original_node, node) or [_PASS])
            if gathered := self._places.ranges.pop(original_node, None):
                (line,) = indented(node).body
                assert isinstance(line, cst.SimpleStatementLine)
                return cst.IndentedBlock(self._gathered(gathered, [line]))
        return node

    def _replaced(self, edit: ed.ReplaceExpression, node: cst.CSTNode) -> cst.BaseExpression:
        assert isinstance(node, cst.BaseExpression)
        new = self._layout.expression(edit.code, self._resolve(edit.code), edit.node)
        # Parentheses that stood around the old expression still do.
        if node.lpar and not new.lpar:
            new = new.with_changes(lpar=node.lpar, rpar=node.rpar)
        return new

    def _resolve(self, code: ed.Code) -> list[cst.BaseExpression]:
        parts = []
        for part in code.parts:
            if (expression := self._parts[self._places.find(part)]) is None:
                raise RewriteError("an edit uses code that follows it")
            # A template may use a part twice; libcst's trees have each node once.
            parts.append(expression.deep_clone())
        return parts

    def _block(
        self, original: cst.Module | cst.IndentedBlock, updated: cst.Module | cst.IndentedBlock
    ) -> cst.Module | cst.IndentedBlock:
        """Returns a block with the edits of its statements.

        In one pass, since each statement depends on those before it: comments and the blank line
        above a removed one belong to the next one that stays, or to the end of the block.
        """
        body: list[Statement] = []
        carried: list[cst.EmptyLine] = []
        gap = Gap.NONE
        gathered: ed.StatementsToFunction | ed.StatementsToBlock | None = None
        start = 0
        for before, after in zip(original.body, updated.body, strict=True):
            assert isinstance(before, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
            assert isinstance(after, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
            above = self._count_above(before)
            if new := self._statement(before, after):
                new[0] = below_gap(gap, new[0], body, carried)
                carried, gap = [], Gap.NONE
            elif gap is Gap.NONE and has_blank_line(before):
                gap = Gap.REMOVED
            gap = Gap.ADDED if self._parts_below(before) else gap
            if not new:
                carried += as_lines(comments(before), blank=has_blank_line(before))
            elif isinstance(before, (cst.FunctionDef, cst.SimpleStatementLine)):
                # It may be removed, with something added above it.
                lost = lines_lost(before, new)
                carried += [cst.EmptyLine(indent=False), *lost] if lost else []
            removed = self._places.branches.keys() | self._places.tries.keys()
            unwrapped = before in removed or isinstance(
                self._places.blocks.get(before) or self._places.loops.get(before),
                (ed.RemoveWithItem, ed.UnwrapLoop),
            )
            if unwrapped:
                carried += lines_lost(after, new)
            if before in self._places.ranges:
                gathered, start = self._places.ranges.pop(before), len(body)
                # What is added above a block, such as an import, stays above it.
                start += above if isinstance(gathered, ed.StatementsToBlock) else 0
            body += new
            if gathered is not None and before is self._places.find_line(gathered.last):
                body[start:] = self._gathered(gathered, body[start:])
                gathered = None
                gap = gap if gap is Gap.REMOVED else Gap.NONE
                if isinstance(body[-1], cst.FunctionDef):
                    gap = Gap.ADDED if isinstance(original, cst.Module) else Gap.FUNCTION
        if not body and isinstance(original, cst.IndentedBlock):
            body = [cst.SimpleStatementLine([_PASS])]
        if not carried:
            return updated.with_changes(body=body)
        if isinstance(updated, cst.Module) and not body:
            return updated.with_changes(body=body, header=[*updated.header, *carried])
        return updated.with_changes(body=body, footer=[*carried, *updated.footer])

    def _count_above(self, statement: Statement) -> int:
        """Returns how many statements are added above a statement."""
        smalls = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
        return sum(len(self._places.before.get(key, ())) for key in (statement, *smalls))

    def _branch(self, original: cst.If, updated: cst.If) -> list[Statement]:
        """Returns the statements of the branch that stays, if need be of an ``elif`` of it."""
        edit = self._places.branches[original]
        inner = original.orelse
        if edit.orelse and isinstance(inner, cst.If) and inner in self._places.branches:
            assert isinstance(updated.orelse, cst.If)
            lines = updated.leading_lines
            return self._branch(inner, updated.orelse.with_changes(leading_lines=lines))
        return branch(updated, edit.orelse)

    def _parts_below(self, line: Statement) -> bool:
        """Returns whether something is added below a line that is parted from what follows."""
        smalls = line.body if isinstance(line, cst.SimpleStatementLine) else ()
        return not self._places.parting.isdisjoint([line, *smalls])

    def _statement(self, original: Statement, updated: Statement) -> list[Statement]:
        """Returns the statements that replace one statement of a block."""
        if updated is original:
            return [updated]  # not visited: without edits
        smalls = list(original.body) if isinstance(original, cst.SimpleStatementLine) else []
        keys: list[cst.CSTNode] = [original, *smalls]
        new: list[Statement] = [updated]
        if original in self._places.blocks:
            assert isinstance(updated, cst.With)
            new = self._changed_block(self._places.blocks[original], updated)
        elif original in self._places.branches:
            assert isinstance(original, cst.If)
            assert isinstance(updated, cst.If)
            new = self._branch(original, updated)
        elif original in self._places.tries:
            assert isinstance(updated, cst.Try)
            new = without_finally(updated)
        elif original in self._places.loops:
            assert isinstance(updated, cst.For)
            loop = self._places.loops[original]
            if isinstance(loop, ed.UnwrapLoop):
                new = without_loop(updated, loop.first)
            else:
                new = self._function_of_loop(loop, updated)
        elif original in self._places.statements:
            new = with_surroundings(self._new_statements(original), updated)
        elif len(smalls) == 1 and smalls[0] in self._places.statements:
            new = with_surroundings(self._new_statements(smalls[0]), updated)
        elif len(smalls) == 1 and smalls[0] in self._places.imports:
            assert isinstance(updated, cst.SimpleStatementLine)
            new = changed_import(updated, self._places.imports[smalls[0]], self._layout)
        elif smalls:
            assert isinstance(original, cst.SimpleStatementLine)
            assert isinstance(updated, cst.SimpleStatementLine)
            small_statements = self._small_statements(original, updated)
            new = [updated.with_changes(body=small_statements)] if small_statements else []
        if isinstance(original, cst.SimpleStatementLine) and new:
            lines = [*new[0].leading_lines, *lines_lost(original, new)]
            new[0] = new[0].with_changes(leading_lines=lines)
        # Taken out: what is left at the end had no place (check_all_inserted).
        for key in keys:
            for edit in self._places.before.pop(key, ()):
                parsed = self._parsed(edit)
                new = put_before(parsed, new) if new else [in_place_of(parsed, original)]
                if edit.blank_lines:
                    new = with_blank_lines(new, _is_first(self._module, edit.statement))
            after = sorted(self._places.after.pop(key, ()), key=_order)
            new = new + below([(self._parsed(edit), edit.blank_line) for edit in after])
        return new

    def _gathered(
        self, edit: ed.StatementsToFunction | ed.StatementsToBlock, body: list[Statement]
    ) -> list[Statement]:
        if isinstance(edit, ed.StatementsToBlock):
            return [block_from_statements(edit.head, body)]
        indent = self._module.indentation(edit.first)
        before, begins, ends, after = (
            self._layout.statements([(code, self._resolve(code)) for code in codes], indent)
            for codes in (edit.before, edit.begins, edit.ends, edit.after)
        )
        kinds = (cst.FunctionDef, cst.With)
        several = bool(begins) or any(isinstance(statement, kinds) for statement in after)
        several = several or bool(ends) or edit.head.startswith("@")
        gap = 2 if several and self._module.parent(edit.first) is self._module.tree else 1
        return function_from_statements(edit, before, [*begins, *body, *ends], after, gap)

    def _changed_block(
        self, edit: ed.BlockToFunction | ed.RemoveWithItem, block: cst.With
    ) -> list[Statement]:
        index = edit.statement.items.index(edit.item)
        if isinstance(edit, ed.RemoveWithItem):
            others = [edit.statement.items.index(item) for item in edit.others]
            return without_items(block, [index, *others])
        indent = self._module.indentation(edit.statement)
        codes = [edit.before] if edit.before else []
        before = self._layout.statements([(c, self._resolve(c)) for c in codes], indent)
        inner = self._module.indentation(edit.statement.body[0]) if edit.scope else indent
        call = self._layout.statements([(edit.call, self._resolve(edit.call))], inner)[0]
        new = function_from_block(edit, block, index, before, call)
        lines = [*new[0].leading_lines, *lines_lost(block, new)]
        if isinstance(new[0], cst.FunctionDef) and not _is_first(self._module, edit.statement):
            lines = lines if has_blank_line(new[0]) else [cst.EmptyLine(indent=False), *lines]
        return [new[0].with_changes(leading_lines=lines), *new[1:]]

    def _function_of_loop(self, edit: ed.LoopToFunction, loop: cst.For) -> list[Statement]:
        indent = self._module.indentation(edit.loop)
        codes = [(code, self._resolve(code)) for code in (*edit.before, edit.call)]
        *before, call = self._layout.statements(codes, indent)
        new = function_from_loop(edit, loop, before, call)
        lines = [*new[0].leading_lines, *lines_lost(loop, new)]
        return [new[0].with_changes(leading_lines=lines), *new[1:]]

    def _parsed(self, edit: ed.InsertBefore | ed.InsertAfter) -> Statement:
        indent = self._module.indentation(edit.statement)
        return self._layout.statements([(edit.code, self._resolve(edit.code))], indent)[0]

    def _new_statements(self, key: cst.CSTNode) -> list[Statement]:
        edit = self._places.statements[key]
        codes = [(code, self._resolve(code)) for code in edit.codes]
        return self._layout.statements(codes, self._module.indentation(edit.statement))

    def check_all_inserted(self) -> None:
        """Raises RewriteError where a place to insert a statement was never passed."""
        if (
            any(self._places.before.values())
            or any(self._places.after.values())
            or self._places.ranges
        ):
            raise RewriteError("cannot insert a statement into this line; split the line first")

    def _small_statements(
        self,
        original: cst.SimpleStatementLine | cst.SimpleStatementSuite,
        updated: cst.SimpleStatementLine | cst.SimpleStatementSuite,
    ) -> list[cst.BaseSmallStatement]:
        """Returns the statements of a line that holds several, or follows a colon."""
        changed = (self._places.statements, self._places.imports, self._places.before)
        if not any(s in edits for s in original.body for edits in changed):
            return list(updated.body)
        one_alone = len(original.body) == 1 and isinstance(original, cst.SimpleStatementLine)
        new: list[cst.BaseSmallStatement] = []
        for before, after in zip(original.body, updated.body, strict=True):
            lines: list[Statement]
            if before in self._places.statements:
                lines = self._new_statements(before)
            elif before in self._places.imports:
                alone = cst.SimpleStatementLine([after])
                lines = changed_import(alone, self._places.imports[before], self._layout)
            else:
                lines = [cst.SimpleStatementLine([after])]
            if not one_alone:
                lines = [self._parsed(edit) for edit in self._places.before.pop(before, ())] + lines
            for line in lines:
                assert isinstance(line, cst.SimpleStatementLine)
                new += [s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for s in line.body]
            if lines:
                new[-1] = new[-1].with_changes(semicolon=after.semicolon)
        if new:
            new[-1] = new[-1].with_changes(semicolon=updated.body[-1].semicolon)
        return new


_PASS = cst.Pass()


def _is_first(module: Module, statement: ast.stmt) -> bool:
    """Returns whether a statement begins its block."""
    blocks = [value for _, value in ast.iter_fields(module.parent(statement))]
    return any(isinstance(block, list) and block[:1] == [statement] for block in blocks)


def _order(edit: ed.InsertAfter) -> tuple[bool, int, str]:
    """Returns what statements below another one are sorted by: imports, by name; then others."""
    code = edit.code.template
    rank = next((i for i, word in enumerate(("import ", "from ")) if code.startswith(word)), 2)
    return edit.blank_line, rank, code if rank == 1 else ""
