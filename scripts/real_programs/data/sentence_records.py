"""Makes TFRecords of sentences, as numbers of words, and the file that lists the words.

Usage: python sentence_records.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf

WORDS = 40
SENTENCES = 48


def example(random):
    """Returns a serialized SequenceExample: a sentence between its begin (0) and its end (1)."""
    words = [0, *random.randint(2, WORDS, size=random.randint(4, 9)).tolist(), 1]
    numbers = [tf.train.Feature(int64_list=tf.train.Int64List(value=[word])) for word in words]
    lists = {"sentence": tf.train.FeatureList(feature=numbers)}
    sequences = tf.train.FeatureLists(feature_list=lists)
    return tf.train.SequenceExample(feature_lists=sequences).SerializeToString()


def main(folder):
    """Writes the sentences and the words."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    with tf.io.TFRecordWriter(str(folder / "sentence.tfrec")) as writer:
        for _ in range(SENTENCES):
            writer.write(example(random))
    words = ["<S>", "</S>", *(f"word{number}" for number in range(2, WORDS))]
    (folder / "word_counts.txt").write_text("".join(f"{word} 1\n" for word in words))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
