"""Writes after.py and expected.json of the symbol cases (tests/symbols/cases).

python scripts/record/record_symbols.py PYTHON [NAME ...]

PYTHON is an interpreter with TensorFlow 1.15. What a migration leaves undone is printed, and so is
where the migrated program computes something else on the installed TensorFlow.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "symbols"))
from symbol_cases import CASES, Results, differences, migrated, original, run, run_together


def main() -> int:
    """Records the cases named, or all; returns 1 where one of them is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("python", help="an interpreter with TensorFlow 1.15")
    parser.add_argument("names", nargs="*", help="the cases; all where none is named")
    arguments = parser.parse_args()
    cases = [case for case in CASES if not arguments.names or case.name in arguments.names]
    expected = run([original(case) for case in cases], arguments.python, records=True)
    failed = []
    for case in cases:
        if "traceback" in expected[original(case)]:
            failed.append(f"{case.name}: before.py: {expected[original(case)]['traceback']}")
            continue
        _write(case, expected[original(case)])
        left = [f for f in migrated(case).findings if not f.applied and f.severity.value != "kept"]
        failed += [f"{case.name}:{f.line}: {f.code} {f.message}" for f in left]
    recorded = [case for case in cases if "traceback" not in expected[original(case)]]
    found = run_together([case / "after.py" for case in recorded], sys.executable)
    for case in recorded:
        different = differences(found[case / "after.py"], expected[original(case)])
        failed += [f"{case.name}: after.py: {text}" for text in different]
    print("\n".join(failed) or f"{len(cases)} cases compute the same")
    return 1 if failed else 0


def _write(case: Path, expected: Results) -> None:
    text = (case / "before.py").read_text()
    (case / "after.py").write_text(migrated(case).texts.get(case / "before.py", text))
    lines = [f"{json.dumps(name)}: {json.dumps(expected[name])}" for name in sorted(expected)]
    (case / "expected.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    sys.exit(main())
