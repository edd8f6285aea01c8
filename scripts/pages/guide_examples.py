"""Fills in what tfmigrate makes of the examples in docs/how_to/, so that they cannot go stale.

In a page, "Before:" is above a block of Python, "After:" above what becomes of it ("After, with
`--unsafe`:" with options) and "Reported:" above the findings. The last two are written.

    python scripts/pages/guide_examples.py            writes them
    python scripts/pages/guide_examples.py --check  exit code 1, and which page, where one is stale
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from tfmigrate.engine.migration import Migration, migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.source import SourceFile
from tfmigrate.model.findings import Finding, Severity

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted((DOCS / "how_to").glob("*.md"))
_BLOCK = re.compile(
    r"^(Before|After|Reported)((?:, with `--[a-z0-9]+`)*):\n\n```(?:python|text)\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_FILE = Path("/nowhere/train.py")


def result(before: str, options: str) -> Migration:
    """Migrates an example with the options that a page names."""
    given = dict.fromkeys(re.findall(r"`--([a-z0-9]+)`", options), True)
    source = SourceFile(path=_FILE, display="train.py", text=before, encoding="utf-8", bom=False)
    return migrate([source], Options(**given))


def reported(finding: Finding) -> str:
    """Returns a finding as lines of a page."""
    first = f"{finding.place}  {finding.code}  {finding.severity.value}\n    {finding.message}\n"
    return first + (f"    To do: {finding.action}\n" if finding.action else "")


def filled(page: str) -> str:
    """Returns a page with its written blocks as they are to be."""
    before = ""

    def block(match: re.Match[str]) -> str:
        nonlocal before
        kind, options, code = match.groups()
        if kind == "Before":
            before = code
            return match[0]
        migration = result(before, options)
        if kind == "After":
            code = migration.texts.get(_FILE, before)
        else:
            shown = [f for f in migration.findings if f.severity is not Severity.FIXED]
            code = "".join(reported(finding) for finding in shown)
        language = "python" if kind == "After" else "text"
        return f"{kind}{options}:\n\n```{language}\n{code}```"

    return _BLOCK.sub(block, page)


def main() -> int:
    """Writes the pages, or tells which are stale."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    stale = 0
    for path in PAGES:
        page = path.read_text(encoding="utf-8")
        wanted = filled(page)
        if wanted == page:
            continue
        stale += 1
        if check:
            print(f"{path.relative_to(DOCS.parent)} is stale: python {sys.argv[0]}")
        else:
            path.write_text(wanted, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
