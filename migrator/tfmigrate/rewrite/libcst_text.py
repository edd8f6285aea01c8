"""Texts as libcst's trees, and back without losing a character.

A file is edited only if libcst gives back the text that it read. What it loses on the way, such as
white space, would be a change of lines that no rule asked for.
"""

import re
from collections.abc import Mapping
from typing import cast

import libcst as cst
from libcst.metadata import CodeRange, PositionProvider
from libcst.metadata.position_provider import PositionProvidingCodegenState

from tfmigrate.files.logical_lines import split_lines
from tfmigrate.rewrite.deep_stack import ran_out_of_stack
from tfmigrate.rewrite.locate import RewriteError


class NotReadable(RewriteError):  # noqa: N818 - it describes the text, as its base does
    """libcst cannot parse a text that Python parses, or does not give it back."""


_FORM_FEED_LINE = re.compile(r"^([ \t]*)\f[ \t\f]*(?=\r|\n|$)", re.MULTILINE)
_FORM_FEED_COMMENT = "# tfmigrate: form feed"
_BLANK_END = re.compile(r"(?<=\n)[ \t\r\n]*[ \t][ \t\r\n]*\Z")


def parsed(text: str) -> tuple[cst.Module, dict[cst.CSTNode, CodeRange]]:
    """Parses a text; LibCST drops form feeds, so those on separate lines are masked.

    Raises:
        NotReadable: libcst does not parse the text, or does not give it back.
    """
    try:
        tree = cst.parse_module(_FORM_FEED_LINE.sub(rf"\1{_FORM_FEED_COMMENT}", text))
    except Exception as error:
        if ran_out_of_stack(error):
            raise
        at = error.raw_line if isinstance(error, cst.ParserSyntaxError) else 0
        where = f" (line {at})" if at > 1 else ""
        raise NotReadable(f"LibCST cannot parse it{where}") from error
    code, ranges = positions(tree)
    if "\f" in tree.default_indent:
        raise NotReadable("LibCST does not support form feeds in the indentation")
    if _unmasked(code) != text:
        lines = zip(split_lines(text), split_lines(_unmasked(code)), strict=False)
        at = next((n for n, (old, new) in enumerate(lines, start=1) if old != new), 1)
        raise NotReadable(f"LibCST does not preserve the whitespace of line {at}")
    return tree, ranges


def without_blank_end(text: str) -> tuple[str, str]:
    """Returns a text and the blank lines at its end, which libcst loses where one has spaces."""
    match = _BLANK_END.search(text)
    return (text[: match.start()], match.group()) if match else (text, "")


def code_of(tree: cst.Module) -> str:
    """Returns the text of a tree that ``parsed`` made."""
    return _unmasked(tree.code)


def _unmasked(text: str) -> str:
    return text.replace(_FORM_FEED_COMMENT, "\f")


# ``MetadataWrapper.resolve`` walks through the tree again for providers that are not needed,
# and does not give the text: half of the time that a rewrite takes.
def positions(tree: cst.Module) -> tuple[str, dict[cst.CSTNode, CodeRange]]:
    """Returns a tree's text, and the range of each of its nodes in it, without white space."""
    provider = PositionProvider()
    state = PositionProvidingCodegenState(
        default_indent=tree.default_indent, default_newline=tree.default_newline, provider=provider
    )
    tree._codegen(state)
    ranges = cast(Mapping[cst.CSTNode, CodeRange], provider._computed)
    return "".join(state.tokens), dict(ranges)
