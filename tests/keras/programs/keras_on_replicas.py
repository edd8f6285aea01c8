"""Runs a Keras form on one or two replicas with the runtime.

    python keras_on_replicas.py GOLDEN.npz OUT.npz FORM VARIANT...

``<variant>/<what>`` as keras_run.run returns it. Variants: ``one`` replica, ``global`` (two, the
batch split), ``own`` (two, each its own batch), ``half`` (one, half a batch) and ``twins`` (two,
each with the rows of ``half``).
"""

import sys
import tempfile

import keras_forms
import keras_run
import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime import estimator
from tfmigrate_runtime.verify.recorder import record

HALF = keras_forms.BATCH // 2


def config(variant):
    """Returns the RunConfig of a variant."""
    strategy = None
    if variant not in ("one", "half"):
        strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
    return estimator.RunConfig(
        train_distribute=strategy, eval_distribute=strategy, global_batch=variant != "own"
    )


def main(golden_path, out_path, form, *variants):
    """Runs the form in each variant."""
    tf.logging.set_verbosity(tf.logging.ERROR)
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    _, get_replica_context = record.import_tensorflow()
    record.PinnedRandomness(get_replica_context).install()
    prefix = form + "/initial/"
    with np.load(golden_path) as golden:
        initial = {k[len(prefix) :]: golden[k] for k in golden.files if k.startswith(prefix)}
    stored = {}
    for variant in variants:
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
        stored.update({f"{variant}/{what}": array for what, array in arrays.items()})
    np.savez(out_path, **stored)


if __name__ == "__main__":
    main(*sys.argv[1:])
