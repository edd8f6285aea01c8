"""Makes train.tfrecords, validation.tfrecords and eval.tfrecords: made-up images as CIFAR-10's.

The folder for them is the one argument. An example has an image of 3 x 32 x 32 bytes and a label.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

SIZES = {"train": 64, "validation": 16, "eval": 16}  # images


def example(generator):
    """Returns a tf.train.Example of one image, brighter the greater the label."""
    label = generator.randint(0, 10)
    image = (generator.randint(0, 120, 3 * 32 * 32) + 10 * label).astype(np.uint8)
    features = {
        "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image.tobytes()])),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[int(label)])),
    }
    return tf.train.Example(features=tf.train.Features(feature=features))


def main(folder):
    """Writes all files."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.RandomState(5)
    for name, count in sorted(SIZES.items()):
        with tf.io.TFRecordWriter(str(folder / f"{name}.tfrecords")) as writer:
            for _ in range(count):
                writer.write(example(generator).SerializeToString())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
