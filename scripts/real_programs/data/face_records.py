"""Makes celeba.tfrecords of small images, and an empty `scipy.misc`, which newer scipy lacks.

Usage: python face_records.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf

IMAGES, SIDE = 24, 32


def example(random):
    """Returns a serialized Example of an image."""
    pixels = random.randint(0, 256, size=(SIDE, SIDE, 3)).astype(np.uint8)
    side = tf.train.Feature(int64_list=tf.train.Int64List(value=[SIDE]))
    image = tf.train.Feature(bytes_list=tf.train.BytesList(value=[pixels.tobytes()]))
    features = tf.train.Features(feature={"height": side, "width": side, "image": image})
    return tf.train.Example(features=features).SerializeToString()


def main(folder):
    """Writes the records and the module."""
    (folder / "scipy").mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    with tf.io.TFRecordWriter(str(folder / "celeba.tfrecords")) as writer:
        for _ in range(IMAGES):
            writer.write(example(random))
    (folder / "scipy/__init__.py").touch()
    (folder / "scipy/misc.py").touch()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
