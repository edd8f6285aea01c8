"""Writes docs/reference/verify_causes.md: the codes that ``tfmigrate verify --format json`` has.

python scripts/pages/causes.py
"""

from __future__ import annotations

from pathlib import Path

from tfmigrate_runtime.verify.causes import CAUSES, OF_RUNGS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "verify_causes.md"
_HEAD = """# Causes that verify names

The key `cause` of [`tfmigrate verify --format json`](verify.md) is one of these codes, or null
where the programs train the same; `advice` is the second sentence here. The list is closed: a code
keeps its meaning, and codes may be added. A code of a single rung is what that rung
compares, where updates show no more. `first_difference` has the rung, the step, the variable and
the element. The [glossary](glossary.md) has the terms.

<!-- Written by scripts/pages/causes.py from tfmigrate_runtime/verify/data/causes.txt. -->
"""


def page() -> str:
    """Returns the page."""
    parts = [_HEAD]
    for cause in CAUSES.values():
        rung = f" (rung {OF_RUNGS.index(cause.code) + 1})" if cause.code in OF_RUNGS else ""
        parts.append(f"## {cause.code}\n\n{cause.meaning}{rung}\n\n{cause.advice}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
