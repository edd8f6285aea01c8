"""Makes train.tfrecords and test.tfrecords: made-up digits, as examples with floats im and label.

The folder for them is the one argument.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
from mnist_examples import SIZES, made_digits


def example(image, label):
    """Returns a tf.train.Example of one digit."""
    features = {
        "im": tf.train.Feature(float_list=tf.train.FloatList(value=(image / 255.0).tolist())),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[int(label)])),
    }
    return tf.train.Example(features=tf.train.Features(feature=features))


def main(folder):
    """Writes both files."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.RandomState(14)
    for name, count in sorted(SIZES.items()):
        images, labels = made_digits(generator, count)
        with tf.io.TFRecordWriter(str(folder / f"{name}.tfrecords")) as writer:
            for i in range(count):
                writer.write(example(images[i], labels[i]).SerializeToString())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
