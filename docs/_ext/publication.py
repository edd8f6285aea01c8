"""What a published site needs: a sitemap, cards for links to it, versions, code that keys reach."""

from __future__ import annotations

import os
import re
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from xml.sax.saxutils import escape as xml

from docutils import nodes
from sphinx.application import Sphinx

CARD = "images/social_card.png"
_LONGEST = 200  # characters of a description that search engines and cards show
# What scrolls has to be reached by keys (WCAG 2.1.1).
_SCROLLING = {
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
}
# What screen readers need and the theme has not: names of its sidebars, levels of headings, a
# heading of the search page; and cells of a header that have no text are no headers.
_READ_OUT = {
    '<p class="caption" role="heading"><': '<p class="caption" role="heading" aria-level="2"><',
    '<th class="head"><p></p></th>': "<td></td>",
    '<div id="search-results">': '<h1>Search</h1><div id="search-results">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
}
_TAG = re.compile(r"<[^>]*>")
_CELL = re.compile(r"<td>.*?</td>", re.S)
# Where a name in a cell of a table may go on in the next line: the vocabulary of Keras was wider
# than a desk. What is copied has no trace of it.
_BREAKS = re.compile(r"(?<=[\w)\]][._=/,])(?=\w)(?![^<]*>)")


def described(doctree: nodes.document | None) -> str:
    """Returns the beginning of a page's first paragraph, in whole words."""
    paragraph = next(doctree.findall(nodes.paragraph), None) if doctree is not None else None
    text = " ".join(paragraph.astext().split()) if paragraph is not None else ""
    if len(text) <= _LONGEST:
        return text
    return text[:_LONGEST].rpartition(" ")[0] + " ..."


def add_to_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Adds the tags of cards, the versions, and the keys that reach what scrolls."""
    base = app.config.html_baseurl
    values = {
        "og:type": "website",
        "og:site_name": app.config.project,
        "og:title": unescape(_TAG.sub("", context.get("title") or app.config.html_title)),
        "og:description": described(doctree),
        "og:url": urljoin(base, f"{page}.html"),
        "og:image": urljoin(base, f"_static/{Path(CARD).name}"),
        "twitter:card": "summary_large_image",
    }
    tags = [
        f'<meta property="{name}" content="{escape(value)}">'
        for name, value in values.items()
        if value
    ]
    if values["og:description"]:
        tags.append(f'<meta name="description" content="{escape(values["og:description"])}">')
    context["metatags"] = context.get("metatags", "") + "\n".join(tags)
    versions = os.environ.get("TFMIGRATE_DOCS_VERSIONS", "").split()
    context["published_versions"] = [(name, urljoin(base, f"../{name}/")) for name in versions]
    body = context.get("body", "")
    for old, new in _SCROLLING.items():
        body = body.replace(old, new)
    context["body"] = _CELL.sub(lambda cell: _BREAKS.sub("<wbr>", cell[0]), body)


def finish(app: Sphinx, error: Exception | None) -> None:
    """Writes sitemap.xml, every page by its address, and makes pages fit for screen readers."""
    if error is not None or app.builder.name != "html":
        return
    for path in Path(app.outdir).rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for old, new in _READ_OUT.items():
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
    pages = sorted(app.env.found_docs)
    addresses = (urljoin(app.config.html_baseurl, f"{page}.html") for page in pages)
    entries = "\n".join(f"  <url><loc>{xml(address)}</loc></url>" for address in addresses)
    text = (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}\n</urlset>\n'
    )
    (Path(app.outdir) / "sitemap.xml").write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Adds all of it."""
    app.connect("html-page-context", add_to_page, priority=900)  # after the theme's
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
