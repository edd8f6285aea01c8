"""Makes train.tfrecords, test.tfrecords, words.txt and labels.txt: made-up texts with a label.

The folder for them is the one argument. The label is the number of its first word.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

SIZES = {"train": 80, "test": 32}  # texts
WORDS = ["red", "green", "blue", "one", "two", "three", "four", "five"]
LABELS = 3


def strings(values):
    """Returns a feature of strings."""
    values = [value.encode() for value in values]
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def example(generator):
    """Returns a tf.train.Example of one text of three to six words."""
    label = generator.randint(LABELS)
    text = [WORDS[label], *generator.choice(WORDS, generator.randint(2, 6))]
    number = tf.train.Feature(int64_list=tf.train.Int64List(value=[int(label)]))
    features = {"text": strings(text), "label": number}
    return tf.train.Example(features=tf.train.Features(feature=features))


def main(folder):
    """Writes all files."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.RandomState(8)
    for name, count in sorted(SIZES.items()):
        with tf.io.TFRecordWriter(str(folder / f"{name}.tfrecords")) as writer:
            for _ in range(count):
                writer.write(example(generator).SerializeToString())
    (folder / "words.txt").write_text("\n".join(WORDS) + "\n")
    (folder / "labels.txt").write_text("\n".join(WORDS[:LABELS]) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
