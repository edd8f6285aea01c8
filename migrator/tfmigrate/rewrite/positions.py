"""The position of each node of a LibCST tree, together with the text of the tree.

``MetadataWrapper.resolve`` walks through the tree again for providers that are not needed,
and does not give the text: half of the time that a rewrite takes.
"""

from collections.abc import Mapping
from typing import cast

import libcst as cst
from libcst.metadata import CodeRange, PositionProvider
from libcst.metadata.position_provider import PositionProvidingCodegenState


def positions(tree: cst.Module) -> tuple[str, dict[cst.CSTNode, CodeRange]]:
    """Returns a tree's text, and the range of each of its nodes in it, without white space."""
    provider = PositionProvider()
    state = PositionProvidingCodegenState(
        default_indent=tree.default_indent, default_newline=tree.default_newline, provider=provider
    )
    tree._codegen(state)
    ranges = cast(Mapping[cst.CSTNode, CodeRange], provider._computed)
    return "".join(state.tokens), dict(ranges)
