"""Makes qa1_10k_train.tfrecords, qa1_10k_test.tfrecords and qa1_10k.json: made-up stories.

The folder for them is the one argument. A story is sentences of word numbers; the answer to its
query is a word of the last sentence.
"""

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

SIZES = {"train": 64, "test": 32}  # stories
WORDS = 20
STORY = (5, 4)  # sentences, words in each


def example(generator):
    """Returns a tf.train.Example of one story."""
    story = generator.randint(1, WORDS, STORY)
    values = {"story": story.ravel(), "query": story[-1, :3], "answer": story[-1, 3:]}
    features = {
        name: tf.train.Feature(int64_list=tf.train.Int64List(value=numbers.tolist()))
        for name, numbers in values.items()
    }
    return tf.train.Example(features=tf.train.Features(feature=features))


def main(folder):
    """Writes all files."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.RandomState(3)
    for name, count in sorted(SIZES.items()):
        with tf.io.TFRecordWriter(str(folder / f"qa1_10k_{name}.tfrecords")) as writer:
            for _ in range(count):
                writer.write(example(generator).SerializeToString())
    about = {
        "task_size": SIZES["train"],
        "max_query_length": 3,
        "max_story_length": STORY[0],
        "max_sentence_length": STORY[1],
        "vocab": [str(word) for word in range(WORDS)],
        "vocab_size": WORDS,
    }
    (folder / "qa1_10k.json").write_text(json.dumps(about))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
