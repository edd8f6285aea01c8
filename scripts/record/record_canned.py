"""Records what the ready-made models of TensorFlow 1.15's tf.estimator compute.

Run it with a TensorFlow 1.15 interpreter, from the root of the repository::

    python scripts/record/record_canned.py

It rewrites tests/runtime/canned_of_tensorflow_1_15.npz, which the tests compare the runtime with.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf

TESTS = Path(__file__).resolve().parents[2] / "tests" / "runtime"
sys.path.insert(0, str(TESTS))

import canned_cases  # noqa: E402  (found in the folder added above)


def main() -> None:
    """Runs every case and stores its arrays under its name."""
    if not tf.__version__.startswith("1.15"):
        sys.exit("TensorFlow 1.15 is what is recorded, this is " + tf.__version__)
    tf.logging.set_verbosity(tf.logging.ERROR)
    recorded = {}
    for name in canned_cases.CASES:
        with tempfile.TemporaryDirectory() as folder:
            config = tf.estimator.RunConfig(tf_random_seed=5)
            found = canned_cases.results(tf.estimator, name, folder, config, None)
        recorded.update({name + "/" + key: value for key, value in found.items()})
    np.savez_compressed(str(TESTS / "canned_of_tensorflow_1_15.npz"), **recorded)


if __name__ == "__main__":
    main()
