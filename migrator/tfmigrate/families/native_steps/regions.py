"""The part of a block that holds some statements."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tfmigrate.families.native.conversion import refuse
from tfmigrate.resolve.module import Module


def region_of(module: Module, leaves: Sequence[ast.stmt], reason: str) -> tuple[ast.stmt, ast.stmt]:
    """Returns the first and the last statement of one block that hold all of some others.

    Raises:
        Refusal: no block does, for the reason that is given.
    """
    chains = [[*module.ancestors(leaf)] for leaf in leaves]
    around = next(a for a in chains[0] if all(a in chain for chain in chains))
    children = []
    for leaf, chain in zip(leaves, chains, strict=True):
        line = [leaf, *chain]
        children.append(line[line.index(around) - 1])
    if not all(isinstance(child, ast.stmt) for child in children):
        refuse(leaves[0], reason)
    ordered = sorted((c for c in children if isinstance(c, ast.stmt)), key=module.position)
    return ordered[0], ordered[-1]


def block_of(module: Module, first: ast.stmt, last: ast.stmt) -> list[ast.stmt]:
    """Returns the statements of a block from one to another."""
    for _, block in ast.iter_fields(module.parent(first)):
        if isinstance(block, list) and first in block:
            return block[block.index(first) : block.index(last) + 1]
    return []
