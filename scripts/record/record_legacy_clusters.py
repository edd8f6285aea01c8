"""Records what clusters and strategies are on TensorFlow 1.15.

Run it with a TensorFlow 1.15 interpreter, from the root of the repository::

    python scripts/record/record_legacy_clusters.py

It rewrites tests/tf1_shim/clusters_of_tensorflow_1_15.json, which tests/tf1_shim compares the
legacy runtime with.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import tensorflow as tf

TESTS = Path(__file__).resolve().parents[2] / "tests" / "tf1_shim"
sys.path.insert(0, str(TESTS))

import legacy_clusters  # noqa: E402  (found in the folder added above)


def main() -> None:
    """Runs the programs and stores what they said."""
    if not tf.__version__.startswith("1.15"):
        sys.exit("TensorFlow 1.15 is what is recorded, this is " + tf.__version__)
    with tempfile.TemporaryDirectory() as folder:
        program = str(legacy_clusters.PROGRAMS / "cluster_facts.py")
        facts = subprocess.check_output([sys.executable, program, folder], text=True)
        clusters = legacy_clusters.estimators([sys.executable], Path(folder))
    said = {"facts": json.loads(facts.splitlines()[-1]), "estimators": clusters}
    legacy_clusters.STORED.write_text(json.dumps(said, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
