"""Makes the records that BERT's pretraining reads, and a configuration of a small BERT.

Usage: python masked_records.py FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf

RECORDS, LENGTH, MASKED = 24, 16, 3
WORDS = 40
CONFIGURATION = {
    "attention_probs_dropout_prob": 0.1,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 16,
    "initializer_range": 0.02,
    "intermediate_size": 32,
    "max_position_embeddings": 32,
    "num_attention_heads": 2,
    "num_hidden_layers": 2,
    "type_vocab_size": 2,
    "vocab_size": WORDS,
}


def example(random):
    """Returns a serialized Example of two sentences with masked words."""
    length = random.randint(10, LENGTH + 1)
    words = np.zeros(LENGTH, int)
    words[:length] = random.randint(5, WORDS, size=length)
    positions = np.sort(random.choice(length, size=MASKED, replace=False))
    masked = words[positions].copy()
    words[positions] = 4
    numbers = {
        "input_ids": words,
        "input_mask": (np.arange(LENGTH) < length).astype(int),
        "segment_ids": ((np.arange(LENGTH) >= 6) & (np.arange(LENGTH) < length)).astype(int),
        "masked_lm_positions": positions,
        "masked_lm_ids": masked,
        "next_sentence_labels": [random.randint(2)],
    }
    feature = {
        name: tf.train.Feature(int64_list=tf.train.Int64List(value=list(values)))
        for name, values in numbers.items()
    }
    weights = tf.train.FloatList(value=[1.0] * MASKED)
    feature["masked_lm_weights"] = tf.train.Feature(float_list=weights)
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


def main(folder):
    """Writes both files."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    with tf.io.TFRecordWriter(str(folder / "train.tfrecords")) as writer:
        for _ in range(RECORDS):
            writer.write(example(random))
    (folder / "config.json").write_text(json.dumps(CONFIGURATION))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
