"""Prints the changelog of a release; fails unless its tag is the version that everything has.

python scripts/release/check_version.py v0.2.0
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Links to files lead nowhere from the page of a release.
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)]+)\)")


def main() -> int:
    """Returns 0 if the tag, both distributions and the changelog agree."""
    tag = sys.argv[1]
    for file in ("pyproject.toml", "runtime/pyproject.toml"):
        found = re.search(r'^version = "(.*)"$', (ROOT / file).read_text("utf-8"), re.MULTILINE)
        if not found or tag != f"v{found[1]}":
            print(f"{file} does not have the version of the tag {tag}", file=sys.stderr)
            return 1
    notes = section((ROOT / "CHANGELOG.md").read_text("utf-8"), tag.removeprefix("v"))
    if not notes:
        print(f"CHANGELOG.md has no section [{tag.removeprefix('v')}]", file=sys.stderr)
        return 1
    print(_LINK.sub(rf"](https://github.com/tfmigrate/tfmigrate/blob/{tag}/\1)", notes))
    return 0


def section(changelog: str, version: str) -> str:
    """Returns what the changelog says of a version, "" for nothing."""
    found = re.search(
        rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## \[|^\[|\Z)",
        changelog,
        re.MULTILINE | re.DOTALL,
    )
    return found[1].strip() if found else ""


if __name__ == "__main__":
    sys.exit(main())
