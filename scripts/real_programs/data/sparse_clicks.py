"""Makes train/ and test/ with a file of TFRecords each: made-up clicks with sparse features.

The folder for them is the one argument. An example has a label, ids of its features and values.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

SIZES = {"train": 160, "test": 48}  # examples
FEATURES = 40


def example(generator):
    """Returns a tf.train.Example, which is clicked where its ids are low."""
    ids = np.sort(generator.choice(FEATURES, generator.randint(2, 7), replace=False))
    values = generator.uniform(0.1, 1.0, len(ids))
    label = int(ids.mean() < FEATURES / 2)
    features = {
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
        "ids": tf.train.Feature(int64_list=tf.train.Int64List(value=ids.tolist())),
        "vals": tf.train.Feature(float_list=tf.train.FloatList(value=values.tolist())),
    }
    return tf.train.Example(features=tf.train.Features(feature=features))


def main(folder):
    """Writes both files."""
    generator = np.random.RandomState(12)
    for name, count in sorted(SIZES.items()):
        (folder / name).mkdir(parents=True, exist_ok=True)
        with tf.io.TFRecordWriter(str(folder / name / "part-00000")) as writer:
            for _ in range(count):
                writer.write(example(generator).SerializeToString())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
