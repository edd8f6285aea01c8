"""Records what contrib.learn.Estimator of TensorFlow 1.15 computes.

Run it with a TensorFlow 1.15 interpreter, from the root of the repository::

    python scripts/record/record_learn_estimator.py

It rewrites tests/learn/contrib_estimator.npz, which the tests compare the runtime with.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.contrib import learn

TESTS = Path(__file__).resolve().parents[2] / "tests" / "learn"
sys.path.insert(0, str(TESTS))

import contrib_estimator_cases as cases  # noqa: E402  (found in the folder added above)


def main() -> None:
    """Runs every case and stores its arrays under its name."""
    if not tf.__version__.startswith("1.15"):
        sys.exit("TensorFlow 1.15 is what is recorded, this is " + tf.__version__)
    tf.logging.set_verbosity(tf.logging.ERROR)
    recorded = {}
    for name, case in cases.CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            found = case(learn, folder, None)
        recorded.update({name + "/" + key: np.asarray(value) for key, value in found.items()})
    np.savez_compressed(str(TESTS / "contrib_estimator.npz"), **recorded)


if __name__ == "__main__":
    main()
