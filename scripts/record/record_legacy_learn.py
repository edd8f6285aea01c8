"""Records what TensorFlow 1.15 does with the program of tests/tf1_shim/test_learn.py.

    python scripts/record/record_legacy_learn.py

Run with an interpreter that has TensorFlow 1.15. Writes tests/tf1_shim/learn_recorded.json.
"""

import os
import runpy
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests" / "tf1_shim"


def main():
    """Runs the program as it is."""
    os.environ.pop("LEARN_CASES", None)
    sys.path.insert(0, str(TESTS))
    sys.argv = ["learn_program.py", str(TESTS / "learn_recorded.json")]
    runpy.run_path(str(TESTS / "learn_program.py"), run_name="__main__")


if __name__ == "__main__":
    main()
