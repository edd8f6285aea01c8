"""Records what the Keras forms of tests/keras compute on TensorFlow 1.15, on one device.

    TF1.15-PYTHON scripts/record/record_keras.py [--out tests/keras/golden.npz] [FORM ...]

Writes one archive: ``<form>/<what>`` as tests/keras/programs/keras_run.py returns it. A form that
fails on TensorFlow 1.15 has ``<form>/error`` instead, its type and first line.
"""

# ruff: noqa: PTH100, PTH118, PTH120, UP031  (as the recorder: Python 3.6, text paths)
import argparse
import os
import sys
import tempfile
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "keras", "programs"))
sys.path.insert(0, os.path.join(ROOT, "runtime", "tfmigrate_runtime", "verify"))


def main():
    """Records all forms, or those that are named."""
    import keras_forms
    import keras_run
    import numpy as np
    import record
    import tensorflow as tf

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", default=os.path.join(ROOT, "tests", "keras", "golden.npz"))
    parser.add_argument("forms", nargs="*", metavar="FORM")
    options = parser.parse_args()
    if not tf.__version__.startswith("1.15"):
        sys.exit("record_keras.py: needs TensorFlow 1.15, this is " + tf.__version__)
    tf.logging.set_verbosity(tf.logging.ERROR)
    _, get_replica_context = record.import_tensorflow()
    record.PinnedRandomness(get_replica_context).install()
    stored = {}
    for form in options.forms or keras_forms.NAMES:
        try:
            arrays = keras_run.run(
                tf, tf.estimator, record, form, tempfile.mkdtemp(), tf.estimator.RunConfig()
            )
        except Exception as error:  # what TensorFlow 1.15 refuses is part of the record
            traceback.print_exc()
            text = "%s: %s" % (type(error).__name__, str(error).split("\n")[0])
            arrays = {"error": np.asarray(text)}
        print(form, arrays.get("error", arrays.get("loss")), flush=True)
        stored.update({form + "/" + name: value for name, value in arrays.items()})
    np.savez_compressed(options.out, **stored)


if __name__ == "__main__":
    main()
