"""Makes train.tfrecords and test.tfrecords: made-up digits, as examples with floats im and label.

The folder for them is the one argument.
"""

import sys
from pathlib import Path

import tensorflow as tf
from mnist_examples import write


def example(image, label):
    """Returns a tf.train.Example of one digit."""
    features = {
        "im": tf.train.Feature(float_list=tf.train.FloatList(value=(image / 255.0).tolist())),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[int(label)])),
    }
    return tf.train.Example(features=tf.train.Features(feature=features))


if __name__ == "__main__":
    write(Path(sys.argv[1]), 14, example)
