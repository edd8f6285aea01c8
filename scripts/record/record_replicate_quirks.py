"""Records what replicate_model_fn of TensorFlow 1.15 does, quirk by quirk.

Run it with a TensorFlow 1.15 interpreter, from the root of the repository::

    python scripts/record/record_replicate_quirks.py

It rewrites tests/tf1_shim/replicate_quirks_of_tensorflow_1_15.json, which the tests compare the
legacy runtime with.
"""

from __future__ import annotations

import sys
from pathlib import Path

import tensorflow as tf

TESTS = Path(__file__).resolve().parents[2] / "tests" / "tf1_shim"
sys.path.insert(0, str(TESTS))

import replicate_quirks_program  # noqa: E402  (found in the folder added above)


def main() -> None:
    """Runs every quirk and stores what it found."""
    if not tf.__version__.startswith("1.15") or not hasattr(tf, "contrib"):
        sys.exit("TensorFlow 1.15 is what is recorded, this is " + tf.__version__)
    sys.argv[1:] = [str(TESTS / "replicate_quirks_of_tensorflow_1_15.json")]
    replicate_quirks_program.main()


if __name__ == "__main__":
    main()
