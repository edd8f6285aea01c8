"""Records what TensorFlow 1.15 makes of the cases of tests/learn/optimize_loss_cases.py.

    python scripts/record/record_optimize_loss.py

Run with an interpreter that has TensorFlow 1.15. Writes tests/learn/optimize_loss.npz: losses,
variables and summaries on one device and on two towers, and messages of errors.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "learn"))

import optimize_loss_cases as cases  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.python.ops import random_ops  # noqa: E402


def make_estimator(model_fn, folder, towers):
    """Returns an Estimator on one device, or of replicate_model_fn on two."""
    if towers > 1:
        devices = ["/cpu:0", "/cpu:1"]
        model_fn = tf.contrib.estimator.replicate_model_fn(model_fn, devices=devices)
    session_config = tf.ConfigProto(device_count={"CPU": towers}, allow_soft_placement=True)
    config = tf.estimator.RunConfig(
        session_config=session_config, save_summary_steps=1, log_step_count_steps=None
    )
    return tf.estimator.Estimator(model_fn, folder, config)


def main():
    """Records all cases."""
    tf.logging.set_verbosity(tf.logging.ERROR)
    random_ops.truncated_normal = cases.constant_noise
    from tensorflow.contrib.layers.python.layers import optimizers

    found = {"errors": np.array(json.dumps(cases.errors(optimizers.optimize_loss)))}
    for name in cases.CASES:
        for towers in (1,) if name in cases.WITHOUT_TOWERS else (1, 2):
            library = cases.Library(
                optimize_loss=optimizers.optimize_loss,
                adaptive_clipping_fn=optimizers.adaptive_clipping_fn,
                wrap=tf.contrib.estimator.TowerOptimizer
                if towers > 1
                else lambda optimizer: optimizer,
                spec=tf.estimator.EstimatorSpec,
                scope=lambda name, n=towers: name if n > 1 else None,
            )
            with tempfile.TemporaryDirectory() as folder:
                arrays = cases.run(
                    library, lambda m, f, n=towers: make_estimator(m, f, n), name, folder
                )
            print(name, towers, arrays["loss"][[0, -1]], flush=True)
            found.update({f"{towers}/{name}/{key}": value for key, value in arrays.items()})
    np.savez_compressed(str(ROOT / "tests" / "learn" / "optimize_loss.npz"), **found)


if __name__ == "__main__":
    main()
