"""Writes what the report says of the seeded faults of tests/verify/test_diagnosis.py.

    python scripts/report/diagnosed_faults.py [--check]

Each fault is one changed setting of a small network that NumPy trains in the place of TensorFlow,
in lock-step. The table is in "Seeded faults" of verification_results.md; --check only compares it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
for _name in ("", "verify"):
    sys.path.insert(0, str(ROOT / "tests" / _name))

from test_diagnosis import CASES, OTHERS, said  # noqa: E402
from trainer import STEPS, Trainer, lockstep  # noqa: E402

PAGE = ROOT / "docs/reference/verification_results.md"
_BEGIN, _END = "<!-- diagnosed faults: begin -->\n", "<!-- diagnosed faults: end -->"
_OTHER = "another direction"


def table() -> Iterator[str]:
    """Yields the lines of the table, after the count."""
    faults = [(right, fault) for right, fault, _ in CASES] + OTHERS
    rows = [(right, fault, said(lockstep(right, **fault))[0]) for right, fault in faults]
    named = sum(_OTHER not in line for *_, line in rows)
    yield (
        f"{len(rows)} changed settings: the report names the cause of {named}, with its number "
        f'where it has one; of the others it says "{_OTHER}".'
    )
    yield ""
    yield "| optimizer | setting | first line of the report |"
    yield "|---|---|---|"
    for right, fault, line in rows:
        settings = ", ".join(_changed(right, name, value) for name, value in fault.items())
        yield f"| {right.optimizer} | {settings} | {line} |"


def _changed(right: Trainer, name: str, value: Any) -> str:
    before = getattr(right, name)
    if name == "rate":
        return f"{name} {_rates(before)} to {_rates(value)}"
    return f"{name} {before} to {value}"


def _rates(rate: Any) -> str:
    ends = [f"{rate(step):.4g}" for step in (1, STEPS)]
    return ends[0] if ends[0] == ends[1] else f"{ends[0]}, ..., {ends[1]}"


def main() -> None:
    """Writes the table, or compares it with the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing: is it up to date?")
    options = parser.parse_args()
    before, begin, rest = PAGE.read_text("utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        sys.exit(f"{PAGE} has no place for the table")
    text = before + begin + "\n".join(table()) + "\n" + end + after
    if options.check and text != PAGE.read_text("utf-8"):
        sys.exit(f"{PAGE} is out of date: run scripts/report/diagnosed_faults.py")
    PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
