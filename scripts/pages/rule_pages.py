"""Writes docs/rules/: a page for every rule, from its docstring, and their index.

python scripts/pages/rule_pages.py            writes the pages
python scripts/pages/rule_pages.py --check    exit code 1, and which, where a page is not up to date
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

from tfmigrate.report.rule_docs import Topic, topics

DOCS = Path(__file__).parents[2] / "docs"
FAMILIES = {
    "1": "tf.contrib.learn: Experiment, Estimators, layers",
    "2": "replicate_model_fn and TowerOptimizer",
    "3": "replica_device_setter, SyncReplicasOptimizer, parameter servers",
    "4": "Hand-built towers",
    "5": "tf.contrib.distribute and custom training loops",
    "6": "tf.estimator",
    "7": "Names and imports of TensorFlow 1.x",
    "8": "Keras 3 models",
    "9": "Files, Python 2, and tfmigrate itself",
}
STATUS = {
    "fixed": "rewritten; the program trains as before",
    "kept": "not rewritten; it runs in compat.v1 as before, but not under tf.distribute",
    "unsafe": "rewritten only with `--unsafe`; training may change, as the finding explains",
    "manual": "reported with the reason and what to do; needs manual work",
    "error": "the file is not changed; the other files are migrated",
}
_SECTION = re.compile(r"^(What it does|Why|Example|What is left to you|Safety):$")
_BLOCK = re.compile(r"^ *(Before|After)(?: \(([^)]+)\))?::$")
_CODE = re.compile(r"(?<![\w/`])TFM\d{3}(?!\w)")
_PAGE = re.compile(r"(?:docs/)?(?:\w+/)?(\w+)\.md(?:,\s+(?:section\s+)?(\d\w?(?:\.\d+)?))?")
_GLOSSARY = "../reference/glossary.md"
_WRITTEN_BY = "<!-- Written by scripts/pages/rule_pages.py from the rule's docstring. -->\n"


def place_of(page: str) -> str:
    """Returns where a page is in docs/: rules cite pages by their names.

    Raises:
        ValueError: There is no such page, or there are several.
    """
    (found,) = (path for path in DOCS.rglob("*.md") if path.stem == page)
    return found.relative_to(DOCS).as_posix()


@cache
def anchors(page: str) -> dict[str, str]:
    """Returns the anchor of every numbered heading of a page, as GitHub makes them."""
    found = {}
    text = (DOCS / place_of(page)).read_text(encoding="utf-8")
    for line in text.splitlines():
        match = re.match(r"#+ ((\d\w?(?:\.\d+)?)\.? .*)", line)
        if match:
            words = re.sub(r"[^\w\- ]", "", match[1].lower())
            found[match[2]] = words.replace(" ", "-")
    return found


def linked(prose: str, own: str, known: frozenset[str]) -> str:
    """Turns the codes and the pages that a text names into links."""

    def page(match: re.Match[str]) -> str:
        number = match[2]
        if number is None:
            return f"[{match[1]}](../{place_of(match[1])})"
        return f"[{match[1]}, {number}](../{place_of(match[1])}#{anchors(match[1])[number]})"

    def code(match: re.Match[str]) -> str:
        other = match[0]
        return f"[{other}]({other}.md)" if other in known and other != own else other

    return _CODE.sub(code, _PAGE.sub(page, prose))


def title(kind: str, condition: str, status: str) -> str:
    """Returns what stands above an example: "After, with `--unsafe`"."""
    if condition:
        option = condition.removeprefix("with ")
        return f"{kind}, {f'with `{option}`' if option != condition else f'in `{condition}`'}"
    return f"{kind}, with `--unsafe`" if kind == "After" and status == "unsafe" else kind


def body(topic: Topic, known: frozenset[str]) -> Iterator[str]:
    """Yields the parts of a topic's documentation as Markdown."""
    prose: list[str] = []
    lines = topic.text.partition("\n")[2].splitlines()
    position = 0

    def flushed() -> Iterator[str]:
        text = textwrap.dedent("\n".join(prose)).strip("\n")
        prose.clear()
        if text:
            yield linked(text, topic.code, known) + "\n"

    while position < len(lines):
        line = lines[position]
        position += 1
        if section := _SECTION.match(line):
            yield from flushed()
            yield f"## {section[1]}\n"
        elif block := _BLOCK.match(line):
            yield from flushed()
            yield f"{title(block[1], block[2] or '', topic.severity.value)}:\n"
            start = position
            while position < len(lines) and re.match(r" {8}|\s*$", lines[position]):
                position += 1
            code = textwrap.dedent("\n".join(lines[start:position])).strip("\n")
            yield f"```python\n{code}\n```\n"
        else:
            prose.append(line)
    yield from flushed()


def page(topic: Topic, known: frozenset[str]) -> str:
    """Returns the page of a rule."""
    summary = linked(topic.text.partition("\n")[0], topic.code, known)
    status = topic.severity.value
    parts = [
        f"# {topic.code}: {topic.name}\n",
        _WRITTEN_BY,
        f"{summary}\n",
        f"**{status}**: {STATUS[status]}.\n",
        *body(topic, known),
        f"[All rules](index.md), [glossary]({_GLOSSARY}). `tfmigrate explain {topic.code}` prints "
        "this on a terminal.\n",
    ]
    return "\n".join(parts)


def index(known: list[Topic]) -> str:
    """Returns the page that lists the rules by family."""
    parts = [
        "# Rules\n",
        _WRITTEN_BY.replace("the rule's docstring", "the rules' docstrings"),
        "Every finding has a code, and every code has a page: what the rule does and why, an\n"
        "example that is tested, and what is left to you. `tfmigrate explain CODE` prints it.\n"
        "`--select` and `--ignore` take codes and prefixes (`TFM3`).\n",
    ]
    parts += [f"* **{status}**: {meaning}." for status, meaning in STATUS.items()]
    parts.append(f"\nThe [glossary]({_GLOSSARY}) has the terms.")
    for family, members in groupby(known, key=lambda topic: topic.code[3]):
        parts.append(f"\n## TFM{family}xx: {FAMILIES[family]}\n")
        parts.append("| code | | what |\n|---|---|---|")
        for topic in members:
            summary = topic.text.partition("\n")[0].rstrip(".").replace("|", "\\|")
            parts.append(
                f"| [{topic.code}]({topic.code}.md) | {topic.severity.value} | {summary} |"
            )
    parts.append("\n```{toctree}\n:hidden:\n")
    parts += [topic.code for topic in known]
    parts.append("```\n")
    return "\n".join(parts)


def pages() -> dict[Path, str]:
    """Returns what each page is to hold, by its path."""
    known = topics()
    codes = frozenset(topic.code for topic in known)
    found = {DOCS / "rules" / f"{topic.code}.md": page(topic, codes) for topic in known}
    return {DOCS / "rules" / "index.md": index(known), **found}


def main() -> int:
    """Writes the pages, or reports which are not up to date."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    wanted = pages()
    (DOCS / "rules").mkdir(exist_ok=True)
    there = {path: path.read_text(encoding="utf-8") for path in (DOCS / "rules").glob("*.md")}
    stale = sorted(path for path in {*wanted, *there} if wanted.get(path) != there.get(path))
    for path in stale:
        if check:
            print(f"{path.relative_to(DOCS.parent)} is not up to date: python {sys.argv[0]}")
        elif path in wanted:
            path.write_text(wanted[path], encoding="utf-8")
        else:
            path.unlink()
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
