"""What verify prints is plain English: none of the phrases that readers stumbled over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tfmigrate_runtime.verify.wording import counted, not_in_trace

RUNTIME = Path(__file__).parents[2] / "runtime" / "tfmigrate_runtime"
SOURCES = [*sorted((RUNTIME / "verify").rglob("*.py")), RUNTIME / "tf1_shim" / "command_line.py"]
BANNED = re.compile(
    r"\b(told|tells?|goes|otherwise|mended|a human|is another|stands for|taken over|of its own"
    r"|no longer there|as the clock had it|keeps off|says (?:so|nothing)|the same twice)\b"
)


def texts(source: Path) -> Iterator[tuple[int, str]]:
    """Yields the strings of a file that are not docstrings, with their lines."""
    tree = ast.parse(source.read_text("utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in docstrings:
            yield node.lineno, str(node.value)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_no_text_has_a_banned_phrase(source: Path) -> None:
    assert [found for found in texts(source) if BANNED.search(found[1])] == []


def test_counts_agree_with_their_nouns() -> None:
    assert counted(1, "step") == "1 step"
    assert counted(0, "step") == "0 steps"
    assert counted(2, "summary", "summaries") == "2 summaries"


def test_what_a_trace_lacks_has_its_remedy() -> None:
    assert not_in_trace("original", "exports") == (
        "The trace of the original does not contain exports. Record it again to compare them."
    )
