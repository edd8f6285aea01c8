"""Makes the records that R-Net reads: numbers of words and characters of passages and questions.

The program's own preparation cuts texts with spaCy, which it imports whatever it does: an empty
model stands for it.

Usage: python question_records.py FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf

PASSAGE, QUESTION, CHARACTERS = 24, 6, 4  # answers may have 15 words more than their first
WORDS, LETTERS = 50, 20
WORD_SIZE, LETTER_SIZE = 8, 4


def example(random, number):
    """Returns a serialized Example, and what its evaluation needs."""
    words = np.zeros(PASSAGE, np.int32)
    length = random.randint(17, PASSAGE + 1)
    words[:length] = random.randint(2, WORDS, size=length)
    asked = np.zeros(QUESTION, np.int32)
    asked[:4] = random.randint(2, WORDS, size=4)
    letters = random.randint(1, LETTERS, size=(PASSAGE, CHARACTERS)) * (words[:, None] > 0)
    asked_letters = random.randint(1, LETTERS, size=(QUESTION, CHARACTERS)) * (asked[:, None] > 0)
    start = random.randint(length - 1)
    begins, ends = np.zeros((2, PASSAGE), np.float32)
    begins[start], ends[start + 1] = 1.0, 1.0
    values = {
        "context_idxs": words,
        "ques_idxs": asked,
        "context_char_idxs": letters.astype(np.int32),
        "ques_char_idxs": asked_letters.astype(np.int32),
        "y1": begins,
        "y2": ends,
    }
    feature = {
        name: tf.train.Feature(bytes_list=tf.train.BytesList(value=[value.tobytes()]))
        for name, value in values.items()
    }
    feature["id"] = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
    record = tf.train.Example(features=tf.train.Features(feature=feature))
    spelled = [f"w{word}" for word in words]
    spans, at = [], 0
    for word in spelled:
        spans.append((at, at + len(word)))
        at += len(word) + 1
    answer = " ".join(spelled[start : start + 2])
    about = {"context": " ".join(spelled), "spans": spans, "answers": [answer], "uuid": str(number)}
    return record.SerializeToString(), about


def main(folder):
    """Writes records for training and development, embeddings, and the module."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    for kind, count in {"train": 24, "dev": 8}.items():
        evaluated = {}
        with tf.io.TFRecordWriter(str(folder / f"{kind}.tfrecords")) as writer:
            for number in range(1, count + 1):
                record, evaluated[str(number)] = example(random, number)
                writer.write(record)
        (folder / f"{kind}_eval.json").write_text(json.dumps(evaluated))
        (folder / f"{kind}_meta.json").write_text(json.dumps({"total": count}))
    for kind, shape in {"word": (WORDS, WORD_SIZE), "char": (LETTERS, LETTER_SIZE)}.items():
        (folder / f"{kind}_emb.json").write_text(json.dumps(random.normal(size=shape).tolist()))
    (folder / "spacy.py").write_text("def blank(language):\n    return None\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
