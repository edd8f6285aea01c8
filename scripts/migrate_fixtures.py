"""Writes migrated.py of every fixture with tfmigrate, for a human to review in the diff.

python scripts/migrate_fixtures.py
"""

from __future__ import annotations

from pathlib import Path

from tfmigrate.engine import Options, migrate
from tfmigrate.source import read_source

FIXTURES = Path(__file__).parents[1] / "fixtures"


def main() -> None:
    """Migrates every original and prints what is left in it."""
    for case in sorted(path.parent for path in FIXTURES.glob("*/*/case.toml")):
        single = case / "original.py"
        originals = [single] if single.exists() else sorted((case / "original").glob("*.py"))
        sources = [read_source(path, str(path.relative_to(FIXTURES))) for path in originals]
        result = migrate(sources, Options())
        left = [finding for finding in result.findings if not finding.applied]
        for finding in left:
            print(f"{finding.path}:{finding.line}: {finding.code} {finding.message}")
        if left:
            continue
        for source in sources:
            target = case / "migrated.py"
            if source.path != single:
                target = case / "migrated" / source.path.name
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(source.encode(result.texts.get(source.path, source.text)))


if __name__ == "__main__":
    main()
