"""Records what TensorFlow 1.15 computes for every construct of tests/constructs.

    python scripts/record/record_constructs.py [NAME ...]

Run with an interpreter that has TensorFlow 1.15. Writes tests/constructs/traces/<name>-<N>.npz for
one device and for two towers: the losses, the final variables and the metrics.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [
    str(ROOT / "tests" / "constructs"),
    str(ROOT / "runtime" / "tfmigrate_runtime" / "verify"),
]

import construct_library  # noqa: E402
import construct_programs  # noqa: E402
import record  # noqa: E402
import tensorflow as tf  # noqa: E402

DEVICES = ["/cpu:0", "/cpu:1"]


def make_estimator(model_fn, folder, towers):
    """Returns an Estimator on one device, or of replicate_model_fn on two."""
    if towers > 1:
        model_fn = tf.contrib.estimator.replicate_model_fn(model_fn, devices=DEVICES)
    session_config = tf.ConfigProto(device_count={"CPU": towers}, allow_soft_placement=True)
    config = tf.estimator.RunConfig(session_config=session_config, tf_random_seed=1)
    return tf.estimator.Estimator(model_fn, folder, config)


def run(name, towers):
    """Returns the arrays of a construct on one device or two towers."""
    with tempfile.TemporaryDirectory() as folder:
        library = construct_library.Library(
            estimator=tf.estimator,
            wrap=tf.contrib.estimator.TowerOptimizer if towers > 1 else lambda optimizer: optimizer,
            slim=tf.contrib.slim,
            layers=tf.contrib.layers,
            folder=folder,
        )
        return construct_library.run(
            library,
            lambda model_fn, folder: make_estimator(model_fn, folder, towers),
            construct_programs.CONSTRUCTS[name],
            construct_programs.INPUTS.get(name),
            name in construct_programs.EVALUATED,
        )


def main(names):
    """Records the named constructs, all by default."""
    tf.logging.set_verbosity(tf.logging.ERROR)
    record.PinnedRandomness(*[record.import_tensorflow()[1]]).install()
    traces = ROOT / "tests" / "constructs" / "traces"
    traces.mkdir(exist_ok=True)
    failed = []
    for name in names or construct_programs.CONSTRUCTS:
        # Where towers are no measure, one device is.
        alone = name in construct_programs.ONE_TOWER_IS_THE_MEASURE
        for towers in (1,) if alone else (1, 2):
            try:
                arrays = run(name, towers)
            except Exception as error:  # TensorFlow 1.15 itself refuses: said, and not recorded
                failed.append(f"{name} on {towers}: {type(error).__name__}: {str(error)[:300]}")
                continue
            np.savez_compressed(str(traces / f"{name}-{towers}.npz"), **arrays)
            print(name, towers, arrays["loss"][[0, -1]], flush=True)
    for line in failed:
        print("FAILED", line)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
