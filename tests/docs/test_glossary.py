"""Every page that uses the terms of the field links to their definitions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
GLOSSARY = DOCS / "reference" / "glossary.md"
TERMS = (
    *("replica", "tower", "chief", "worker", "parameter server", "global batch", "rung", "slot"),
    *("per-replica batch", "between-graph replication", "in-graph replication", "strategy"),
)
_USED = re.compile(r"\b(replica|tower|chief|worker|parameter server|rung|slot)s?\b")
# The list of messages links to nothing.
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if path.name != "messages.md"]


@pytest.mark.parametrize("term", TERMS)
def test_it_has_the_term(term: str) -> None:
    assert f"**{term}**" in GLOSSARY.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_pages_that_use_the_terms_link_to_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert page == GLOSSARY or not _USED.search(text) or "glossary.md" in text
