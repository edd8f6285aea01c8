"""Runs Keras forms on one and two replicas with the runtime; one process, one archive.

    python keras_on_replicas.py GOLDEN.npz OUT.npz

``<variant>:<form>/<what>`` as keras_run.run returns it. Variants: ``one`` replica, ``global`` (two,
the batch split), ``own`` (two, each its own batch), ``half`` (one, half a batch) and ``twins`` (two
that get the rows of ``half`` each).
"""

import sys
import tempfile

import keras_forms
import keras_run
import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator
from tfmigrate_runtime.verify.recorder import record

RANDOM = ("layers_called", "learning_phase", "mnist_sequential")  # dropout: each replica its own
PER_BATCH = ("batch_norm_layer_collection", "batch_norm_updates", "batch_norm_updates_for")
# To keep the time short: what these hold is in other forms too, but for the loop of `recurrent`.
LEFT_OUT = (
    "created_and_applied",
    "functional_on_features",
    "many_layers",
    "random_initializers",
    "recurrent",
    "regularized_by_collection",
    "sequential_shaped",
)
# No Keras optimizers: TensorFlow 1.15 adds up their gradients over replicas with own batches.
OWN = ("keras_metrics", "regularized_losses_for", "subclassed")
HALF = keras_forms.BATCH // 2


def plan():
    """Returns the forms of each variant."""
    same = [n for n in keras_forms.NAMES if n not in RANDOM + PER_BATCH + LEFT_OUT]
    return {
        "one": keras_forms.NAMES,
        "global": same,
        "own": OWN,
        "half": PER_BATCH,
        "twins": PER_BATCH,
    }


def config(variant):
    """Returns the RunConfig of a variant."""
    strategy = None
    if variant not in ("one", "half"):
        strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
    return estimator.RunConfig(
        train_distribute=strategy, eval_distribute=strategy, global_batch=variant != "own"
    )


def main(golden_path, out_path):
    """Runs the plan."""
    tf.logging.set_verbosity(tf.logging.ERROR)
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    _, get_replica_context = record.import_tensorflow()
    record.PinnedRandomness(get_replica_context).install()
    golden = np.load(golden_path)
    stored = {}
    for variant, forms in plan().items():
        for form in forms:
            prefix = form + "/initial/"
            initial = {
                key[len(prefix) :]: golden[key] for key in golden.files if key.startswith(prefix)
            }
            arrays = keras_run.run(
                tf,
                estimator,
                record,
                form,
                tempfile.mkdtemp(),
                config(variant),
                batch=HALF if variant in ("own", "half", "twins") else None,
                initial=initial,
                twins=variant == "twins",
            )
            stored.update({f"{variant}:{form}/{what}": array for what, array in arrays.items()})
    np.savez(out_path, **stored)


if __name__ == "__main__":
    main(*sys.argv[1:])
