"""Makes train.tfrecords and test.tfrecords: made-up digits, as examples with image_raw and label.

The folder for them is the one argument.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

SIZES = {"train": 96, "test": 48}  # examples


def made_digits(generator, count):
    """Returns images (count, 784) of uint8, brighter the greater the label, and labels (count,)."""
    labels = generator.randint(0, 10, count)
    images = generator.randint(0, 120, (count, 784)) + 10 * labels[:, None]
    return images.astype(np.uint8), labels


def example(image, label):
    """Returns a tf.train.Example of one digit."""
    features = {
        "image_raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[image.tobytes()])),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[int(label)])),
    }
    return tf.train.Example(features=tf.train.Features(feature=features))


def write(folder, seed, example):
    """Writes both files; ``example(image, label)`` returns the tf.train.Example of one digit."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.RandomState(seed)
    for name, count in sorted(SIZES.items()):
        images, labels = made_digits(generator, count)
        with tf.io.TFRecordWriter(str(folder / f"{name}.tfrecords")) as writer:
            for i in range(count):
                writer.write(example(images[i], labels[i]).SerializeToString())


if __name__ == "__main__":
    write(Path(sys.argv[1]), 1, example)
