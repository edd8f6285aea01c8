"""How new code is laid out: parsed from templates, wrapped to the page, in the file's own style."""

import ast
import re
from collections.abc import Sequence

import libcst as cst

from tfmigrate.files.logical_lines import LINE_BREAK
from tfmigrate.model import edits as ed
from tfmigrate.resolve.module import Module
from tfmigrate.rewrite.precedence import with_parentheses
from tfmigrate.rewrite.surroundings import Statement

_PAGE_WIDTHS = (80, 100)  # the TensorFlow 1.x style guide, and the widest people read
_PLACE = "tfmigrate_place_{}_"
_HANGING_INDENT = " " * 4

Resolved = tuple[ed.Code, list[cst.BaseExpression]]


class Layout:
    """Builds libcst nodes for new code of one module."""

    def __init__(self, module: Module, tree: cst.Module) -> None:
        self._module, self._tree = module, tree
        longest = max((len(line) for line in module.lines), default=0)
        self._width = min(max(longest, _PAGE_WIDTHS[0]), _PAGE_WIDTHS[1])

    def expression(
        self, code: ed.Code, parts: Sequence[cst.BaseExpression], place: ast.expr
    ) -> cst.BaseExpression:
        """Returns the expression of a template, wrapped as if it began where ``place`` does."""
        line, column = self._module.position(place)
        own_line = self._module.lines[line - 1]
        block = self._module.indentation(place)
        text = self._text(code, parts)
        # Only the first line has to fit: parts of several lines keep theirs.
        shown = self._shown(text, parts).partition("\n")[0]
        flat_end = column - 1 + len(shown) + len(_tail(self._module, place))
        if code.arguments and flat_end > self._width:
            line_indent = own_line[: len(own_line) - len(own_line.lstrip())]
            text = self._wrapped(code, line_indent, block, _tail(self._module, place), parts)
        return self._parse(text, parts)

    def statements(self, codes: Sequence[Resolved], indent: str = "") -> list[Statement]:
        """Returns the statements of templates, wrapped for a block of an indentation."""
        built: list[Statement] = []
        for code, parts in codes:
            text = self._newlines(self._fitted(code, parts, indent))
            parts = self._in_parentheses(text, parts)
            parsed = cst.parse_statement(text, config=self._tree.config_for_parsing)
            assert isinstance(parsed, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
            filled = parsed.visit(_Filler(parts))
            assert isinstance(filled, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
            built.append(filled)
        return built

    def _in_parentheses(
        self, text: str, parts: Sequence[cst.BaseExpression]
    ) -> list[cst.BaseExpression]:
        """Returns the parts of a statement; those that break lines get their own parentheses.

        Where they stood before, parentheses around a whole of which they were a part allowed it.
        """
        if _parses(self._shown(text, parts)):
            return list(parts)
        return [
            part
            if part.lpar or _parses(self._tree.code_for_node(part))
            else part.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
            for part in parts
        ]

    def _fitted(self, code: ed.Code, parts: Sequence[cst.BaseExpression], indent: str) -> str:
        text = self._text(code, parts)
        shown = self._shown(text, parts)
        if len(indent + shown) <= self._width or "\n" in shown:
            return text
        if code.arguments:
            return self._wrapped(code, indent, indent, "", parts)
        target, equals, value = text.partition(" = ")
        return f"{target} = (\n{_HANGING_INDENT}{value})" if equals else text

    def _shown(self, text: str, parts: Sequence[cst.BaseExpression]) -> str:
        """Returns a text with the code of its places."""
        for index, part in enumerate(parts):
            text = text.replace(_PLACE.format(index), self._tree.code_for_node(part))
        return text

    def import_clause(self, code: str, old: cst.ImportAlias) -> cst.ImportAlias:
        """Returns the clause of ``import x as y``, with the comma of the clause it replaces."""
        line = cst.parse_statement(code, config=self._tree.config_for_parsing)
        assert isinstance(line, cst.SimpleStatementLine)
        statement = line.body[0]
        assert isinstance(statement, cst.Import)
        return statement.names[0].with_changes(comma=old.comma)

    def import_from(
        self, old: cst.Import | cst.ImportFrom, codes: Sequence[str]
    ) -> cst.ImportFrom | None:
        """Returns ``from x import ...`` whose clauses all come from one other module now.

        Its lines and comments stay as they were.

        Returns:
            The new import; None where its clauses are split, one is removed, or they do not fit.
        """
        if not isinstance(old, cst.ImportFrom) or isinstance(old.names, cst.ImportStar):
            return None
        heads = {code.partition(" import ")[0] for code in codes}
        if len(heads) != 1 or not codes[0].startswith("from "):
            return None
        clauses = []
        new = old
        for code, clause in zip(codes, old.names, strict=True):
            line = cst.ensure_type(cst.parse_module(code).body[0], cst.SimpleStatementLine)
            new = cst.ensure_type(line.body[0], cst.ImportFrom)
            assert not isinstance(new.names, cst.ImportStar)
            (alias,) = new.names
            as_it_was = clause.evaluated_alias == alias.evaluated_alias
            asname = clause.asname if as_it_was else alias.asname
            clauses.append(clause.with_changes(name=alias.name, asname=asname))
        result = old.with_changes(module=new.module, relative=new.relative, names=clauses)
        length = len(self._tree.code_for_node(result))
        return result if old.lpar or len(codes) == 1 or length <= _PAGE_WIDTHS[0] else None

    def add_keywords(self, call: cst.Call, edit: ed.AddKeywords) -> cst.Call:
        """Returns a call with more keyword arguments, on its line where they fit."""
        new = [_keyword(*text.split("=", 1)) for text in edit.keywords]
        return self._arranged(call, edit.call, [*call.args, *new])

    def set_argument(
        self, call: cst.Call, edit: ed.SetArgument, parts: Sequence[cst.BaseExpression]
    ) -> cst.Call:
        """Returns a call with one argument set, on its line where that fits."""
        flat = self._parse(self._text(edit.value, parts), parts)
        arguments = list(call.args)
        if (index := _argument_index(edit)) is None:
            index = len(arguments)
            arguments.append(_keyword(edit.name, flat))
        else:
            arguments[index] = arguments[index].with_changes(value=flat)
        indent = self._lines_indent(edit.call)
        width = len(indent + self._tree.code_for_node(arguments[index])) + len(",")
        if edit.value.arguments and width > self._width:
            block = self._module.indentation(edit.call)
            text = self._wrapped(edit.value, indent, block, ",", parts)
            arguments[index] = arguments[index].with_changes(value=self._parse(text, parts))
        return self._arranged(call, edit.call, arguments)

    def arrange_arguments(self, call: cst.Call, edit: ed.ArrangeArguments) -> cst.Call:
        """Returns a call with its arguments in a different order, or by other names."""
        values = _values_in_order(edit.call)
        index = {id(value): i for i, value in enumerate(values)}
        old = [(name, call.args[index[id(value)]]) for name, value in edit.arguments]
        same_arguments = [_with_keyword(argument, name) for name, argument in old]
        new = [_keyword(*text.split("=", 1)) for text in edit.added]
        if not (arguments := [*same_arguments, *call.args[len(values) :], *new]):
            return call.with_changes(args=[])
        # Where one is removed from the middle, those below it move up with their comments.
        moved = [index[id(value)] for _, value in edit.arguments]
        in_place = len(same_arguments) == len(values) or moved == list(range(len(moved)))
        same_places = in_place and len(arguments) == len(call.args)
        return self._arranged(call, edit.call, arguments, same_places)

    def _arranged(
        self,
        call: cst.Call,
        node: ast.Call,
        arguments: Sequence[cst.Arg],
        same_places: bool = False,
    ) -> cst.Call:
        """Lays out the arguments of a call: on one line, as they were, or on a line each."""
        old = list(call.args)
        last = old[-1] if old else None
        flat = call.with_changes(args=_joined(arguments, cst.SimpleWhitespace(" "), last))
        column = self._module.position(node)[1] - 1
        text = self._tree.code_for_node(flat)
        spread = any(self._starts_line(n) for n in [*node.args, *node.keywords])
        end = column + len(text) + len(_tail(self._module, node))
        if not (broken := bool(LINE_BREAK.search(text))) and not spread and end <= self._width:
            return flat
        block = self._module.indentation(node)
        gap = self._line_break(self._lines_indent(node), block)
        if spread and not same_places and last is not None and any(map(_has_comment, old[:-1])):
            gaps = [_own_gap(argument, last, gap) for argument in arguments[:-1]]
            return call.with_changes(args=_joined(arguments, gaps, last))
        if (spread and _fits(arguments, old)) or (same_places and (spread or broken)):
            old_gaps = [
                a.comma.whitespace_after for a in old[:-1] if isinstance(a.comma, cst.Comma)
            ]
            gaps = [*old_gaps, *[gap] * (len(arguments) - len(old_gaps) - 1)][: len(arguments) - 1]
            return call.with_changes(args=_joined(arguments, gaps, last))
        return call.with_changes(
            whitespace_before_args=gap if not spread else call.whitespace_before_args,
            args=_joined(arguments, gap, last),
        )

    def _lines_indent(self, node: ast.Call) -> str:
        """Returns the white space before arguments of a call that stand on their own lines."""
        if fresh := [n for n in [*node.args, *node.keywords] if self._starts_line(n)]:
            line, column = self._module.position(fresh[-1])
            return self._module.lines[line - 1][: column - 1]
        own_line = self._module.lines[node.lineno - 1]
        return own_line[: len(own_line) - len(own_line.lstrip())] + _HANGING_INDENT

    def _starts_line(self, node: ast.AST) -> bool:
        line, column = self._module.position(node)
        return not self._module.lines[line - 1][: column - 1].strip()

    def _text(self, code: ed.Code, parts: Sequence[cst.BaseExpression]) -> str:
        """Returns the text of a template on one line, with its places marked by names."""
        text = code.template
        if code.arguments:
            text = f"{text}({', '.join(code.arguments)}){code.tail}"
        return _marked(text, len(parts))

    def _wrapped(
        self, code: ed.Code, indent: str, block: str, tail: str, parts: Sequence[cst.BaseExpression]
    ) -> str:
        """Returns a call with its arguments on the next line, or on a line each."""
        inner = indent + _HANGING_INDENT
        together = ", ".join(code.arguments)
        lines = [together]
        shown = self._shown(_marked(f"{together}){code.tail}{tail}", len(parts)), parts)
        if len(inner + shown) > self._width:
            lines = [f"{argument}," for argument in code.arguments[:-1]] + [code.arguments[-1]]
        relative = inner.removeprefix(block)
        inside = "".join(f"\n{relative}{line}" for line in lines)
        return _marked(f"{code.template}({inside}){code.tail}", len(code.parts))

    def _parse(self, text: str, parts: Sequence[cst.BaseExpression]) -> cst.BaseExpression:
        parsed = cst.parse_expression(self._newlines(text), config=self._tree.config_for_parsing)
        filled = parsed.visit(_Filler(parts))
        assert isinstance(filled, cst.BaseExpression)
        return filled

    def _newlines(self, text: str) -> str:
        return text.replace("\n", self._tree.default_newline)

    def _line_break(self, indent: str, block: str) -> cst.ParenthesizedWhitespace:
        relative = indent.removeprefix(block)
        return cst.ParenthesizedWhitespace(
            indent=indent.startswith(block), last_line=cst.SimpleWhitespace(relative)
        )


class _Filler(cst.CSTTransformer):
    """Puts code into the places of a parsed template."""

    def __init__(self, parts: Sequence[cst.BaseExpression]) -> None:
        super().__init__()
        self._parts = {_PLACE.format(i): part for i, part in enumerate(parts)}

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode:
        filled = super().on_leave(original_node, updated_node)
        assert isinstance(filled, cst.CSTNode)
        return with_parentheses(original_node, filled)

    def leave_Name(  # noqa: N802
        self, original_node: cst.Name, updated_node: cst.Name
    ) -> cst.BaseExpression:
        if (part := self._parts.get(original_node.value)) is None:
            return updated_node
        # Parentheses that the template puts around a place.
        if updated_node.lpar and not part.lpar:
            return part.with_changes(lpar=updated_node.lpar, rpar=updated_node.rpar)
        return part


def _parses(text: str) -> bool:
    """Returns whether a text is code as it is; only one of several lines may not be."""
    if "\n" not in text:
        return True
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def merged_imports(codes: Sequence[str]) -> list[str]:
    """Joins ``from x import a`` and ``from x import b`` that follow each other, where they fit."""
    merged: list[str] = []
    for code in codes:
        head, _, names = code.partition(" import ")
        fits = merged and len(f"{merged[-1]}, {names}") <= _PAGE_WIDTHS[0]
        if fits and head.startswith("from ") and merged[-1].startswith(f"{head} import "):
            merged[-1] += f", {names}"
        else:
            merged.append(code)
    return merged


def _marked(text: str, places: int) -> str:
    """Returns a template with its ``{0}`` ... converted to names, so that it parses."""
    for index in range(places):
        text = text.replace(f"{{{index}}}", _PLACE.format(index))
    return text


def _keyword(name: str, value: str | cst.BaseExpression) -> cst.Arg:
    return cst.Arg(
        value=cst.parse_expression(value) if isinstance(value, str) else value,
        keyword=cst.Name(name),
        equal=cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace("")),
    )


def _with_keyword(argument: cst.Arg, name: str) -> cst.Arg:
    """Returns an argument by another name, or as it is where it has none ("")."""
    if not name:
        return argument.with_changes(keyword=None, equal=cst.MaybeSentinel.DEFAULT)
    equal = argument.equal if argument.keyword else _keyword(name, name).equal
    return argument.with_changes(keyword=cst.Name(name), equal=equal)


def _argument_index(edit: ed.SetArgument) -> int | None:
    """Returns the position of the old value among a call's arguments."""
    if edit.old is None:
        return None
    return next(i for i, value in enumerate(_values_in_order(edit.call)) if value is edit.old)


def _values_in_order(call: ast.Call) -> list[ast.expr]:
    """Returns the arguments of a call in the order of the text, as libcst has them."""
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    return sorted(values, key=lambda v: (v.lineno, v.col_offset))


def _joined(
    arguments: Sequence[cst.Arg],
    gaps: Sequence[cst.BaseParenthesizableWhitespace] | cst.BaseParenthesizableWhitespace,
    last: cst.Arg | None,
) -> list[cst.Arg]:
    """Puts commas and white space between arguments; the end is as it was after ``last``."""
    count = len(arguments) - 1
    between = list(gaps) if isinstance(gaps, Sequence) else [gaps] * count
    no_space = cst.SimpleWhitespace("")
    joined = [
        a.with_changes(comma=cst.Comma(whitespace_after=gap), whitespace_after_arg=no_space)
        for a, gap in zip(arguments[:-1], between, strict=True)
    ]
    end = arguments[-1]
    if last is not None:
        end = end.with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    return [*joined, end]


def _own_gap(
    argument: cst.Arg, last: cst.Arg, other: cst.BaseParenthesizableWhitespace
) -> cst.BaseParenthesizableWhitespace:
    """Returns the line break, with its comment, that followed an argument; or another."""
    comma = argument.comma
    if not isinstance(comma, cst.Comma) or comma is last.comma:
        return other
    gap = comma.whitespace_after
    return gap if isinstance(gap, cst.ParenthesizedWhitespace) else other


def _has_comment(argument: cst.Arg) -> bool:
    gap = argument.comma.whitespace_after if isinstance(argument.comma, cst.Comma) else None
    return isinstance(gap, cst.ParenthesizedWhitespace) and gap.first_line.comment is not None


def _one_per_line(arguments: Sequence[cst.Arg]) -> bool:
    """Returns whether every argument of a call but the first begins a line."""
    gaps = [a.comma.whitespace_after for a in arguments[:-1] if isinstance(a.comma, cst.Comma)]
    return all(isinstance(gap, cst.ParenthesizedWhitespace) for gap in gaps)


def _fits(arguments: Sequence[cst.Arg], old: Sequence[cst.Arg]) -> bool:
    """Returns whether arguments fit where the old ones stood, one or several on a line."""
    return _one_per_line(old) or all(a is b for a, b in zip(arguments, old, strict=False))


def _tail(module: Module, node: ast.expr) -> str:
    """Returns the closing brackets and comma that follow an expression on its last line."""
    line: int = node.end_lineno or 1
    column = module.column(line, node.end_col_offset or 0)
    match = re.match(r"[)\]},:]*", module.lines[line - 1][column:])
    return match.group() if match else ""
