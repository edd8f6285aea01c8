"""Records what tests/tf1_shim/packages_program.py prints on TensorFlow 1.15.

    python scripts/record/record_contrib_packages.py

Run with an interpreter that has TensorFlow 1.15. Writes tests/tf1_shim/contrib_packages.json,
without the hyperparameters: those are in tests/learn/hparams.json (record_learn_settings.py).
"""

import json
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests" / "tf1_shim"


def main():
    """Runs the program, and writes one part a line."""
    said = subprocess.check_output([sys.executable, str(TESTS / "packages_program.py")])
    found = json.loads(said.splitlines()[-1].decode())
    found.pop("hparams")
    lines = [f"{json.dumps(k)}: {json.dumps(v, sort_keys=True)}" for k, v in found.items()]
    (TESTS / "contrib_packages.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
