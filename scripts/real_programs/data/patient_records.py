"""Makes records of patients: nine numbers each, and whether their tumour is malign, as a float.

Usage: python patient_records.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf

PATIENTS = {"train": 160, "test": 96}
NUMBERS = 9


def example(random):
    """Returns a serialized Example."""
    label = random.randint(2)
    numbers = random.randint(1, 7, size=NUMBERS) + 3 * label
    lists = {"label": [label], "features": numbers}
    features = {
        name: tf.train.Feature(float_list=tf.train.FloatList(value=values))
        for name, values in lists.items()
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def main(folder):
    """Writes the patients for training and for validation."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    for name, count in PATIENTS.items():
        with tf.io.TFRecordWriter(str(folder / f"cancer_{name}.csv.tfrecords")) as writer:
            for _ in range(count):
                writer.write(example(random))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
