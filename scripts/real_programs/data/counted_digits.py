"""Makes train_1.tfrecords and test_1.tfrecords: made-up images with spots, and how many there are.

The folder for them is the one argument.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

SIZES = {"train": 48, "test": 12}  # images
SIDE = 100  # pixels
SPOTS = 6  # fewer than that are in an image


def binary(array):
    """Returns a feature of the bytes of an array."""
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[array.tobytes()]))


def example(generator):
    """Returns a tf.train.Example of one image, its density map and its count."""
    image = np.zeros((SIDE, SIDE), np.uint8)
    density = np.zeros((SIDE, SIDE), np.float32)
    count = generator.randint(0, SPOTS)
    for row, column in generator.randint(10, SIDE - 10, (count, 2)):
        image[row - 8 : row + 8, column - 8 : column + 8] = 255
        density[row, column] = 1.0
    number = tf.train.Feature(int64_list=tf.train.Int64List(value=[int(count)]))
    features = {"image": binary(image), "density": binary(density), "count": number}
    return tf.train.Example(features=tf.train.Features(feature=features))


def main(folder):
    """Writes both files."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.RandomState(10)
    for name, count in sorted(SIZES.items()):
        with tf.io.TFRecordWriter(str(folder / f"{name}_1.tfrecords")) as writer:
            for _ in range(count):
                writer.write(example(generator).SerializeToString())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
