"""Writes migrated.py of every fixture with tfmigrate, for a human to review in the diff.

Where a program can be migrated with --target estimator, migrated_estimator.py is that form of it;
migrated_keras.py is what --target keras makes of programs that become Keras models, with --unsafe.

python scripts/migrate_fixtures.py
"""

from __future__ import annotations

from pathlib import Path

import tomllib

from tfmigrate.engine.migration import migrate
from tfmigrate.engine.options import Options
from tfmigrate.files.reading import decode_source, read_bytes
from tfmigrate.model.targets import DEFAULT, ESTIMATOR, KERAS, TARGETS

FIXTURES = Path(__file__).parents[1] / "fixtures"
FORMS = {"migrated": DEFAULT, "migrated_estimator": ESTIMATOR, "migrated_keras": KERAS}


def main() -> None:
    """Migrates every original and prints what is left in it."""
    for case in sorted(path.parent for path in FIXTURES.glob("*/*/case.toml")):
        single = case / "original.py"
        originals = [single] if single.exists() else sorted((case / "original").glob("*.py"))
        sources = [
            decode_source(read_bytes(path), path, str(path.relative_to(FIXTURES)))
            for path in originals
        ]
        for name, target in FORMS.items():
            keras = target == KERAS
            if keras and "keras" in tomllib.loads((case / "case.toml").read_text("utf-8")).get(
                "forms", {}
            ):
                continue  # with the reason why that form cannot be compared
            result = migrate(sources, Options(target=TARGETS[target], unsafe=keras))
            converted = [f for f in result.findings if f.code == "TFM801" and f.applied]
            if keras and not converted:
                continue
            left = [finding for finding in result.findings if not finding.applied]
            for finding in left:
                print(f"{target}: {finding.path}:{finding.line}: {finding.code} {finding.message}")
            if left:
                continue
            for source in sources:
                migrated = case / f"{name}.py"
                if source.path != single:
                    migrated = case / name / source.path.name
                migrated.parent.mkdir(exist_ok=True)
                migrated.write_bytes(source.encode(result.texts.get(source.path, source.text)))


if __name__ == "__main__":
    main()
