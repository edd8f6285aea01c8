"""Records what the loops of fixtures/keras_loops computed with Keras 2, the tf.keras they had.

python scripts/record/record_keras_loops.py

It runs each original.py with the package tf-keras, in the place of TensorFlow 2.0, and with the
optimizers and the name of `Strategy.run` that it had, and stores its history beside it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "fixtures" / "keras_loops"
_AS_IN_2_0 = """
import runpy, sys
import tensorflow as tf
tf.distribute.Strategy.experimental_run_v2 = tf.distribute.Strategy.run
for name in ("Adagrad", "Adam", "RMSprop", "SGD"):
    setattr(tf.keras.optimizers, name, getattr(tf.keras.optimizers.legacy, name))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def main() -> None:
    """Records every fixture."""
    for original in sorted(FIXTURES.glob("*/original.py")):
        arguments = ["--cpus=2", f"--history={original.with_name('history.json')}"]
        command = [sys.executable, "-c", _AS_IN_2_0, str(original), *arguments]
        environment = {"TF_USE_LEGACY_KERAS": "1", "TF_ENABLE_ONEDNN_OPTS": "0"}
        subprocess.run(command, check=True, env={**os.environ, **environment})


if __name__ == "__main__":
    main()
