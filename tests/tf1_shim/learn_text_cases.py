"""What tf.contrib.learn.preprocessing makes of texts. Python 3.7."""

import numpy as np
import tensorflow as tf
from learn_program_support import case

preprocessing = tf.contrib.learn.preprocessing
TEXTS = [
    "I'm the JSONParser of theParser, e-mail me",
    "the of the parser, of the",
    "",
    "ünder_score",
]


def as_lists(rows):
    return [row.tolist() for row in rows]


@case
def vocabulary_processor(folder):
    found = []
    for frequency in (0, 1):
        processor = preprocessing.VocabularyProcessor(5, min_frequency=frequency)
        rows = as_lists(processor.fit_transform(TEXTS))
        other = as_lists(processor.transform(["the new one"]))
        back = list(processor.reverse(rows))
        found.append([rows, other, back, len(processor.vocabulary_)])
    processor.save(folder + "/vocabulary")
    restored = preprocessing.VocabularyProcessor.restore(folder + "/vocabulary")
    letters = preprocessing.VocabularyProcessor(3, tokenizer_fn=lambda texts: map(list, texts))
    found.append(as_lists(restored.transform(TEXTS)))
    found.append(as_lists(letters.fit_transform(["abca", "b"])))
    return found


@case
def vocabulary(folder):
    words = tf.contrib.learn.preprocessing.CategoricalVocabulary(support_reverse=False)
    for word in ["b", "a", "b", "c", "c", "c", "d", "d", "d", "d"]:
        words.add(word)
    words.trim(1, max_frequency=4)
    try:
        words.reverse(1)
    except ValueError as error:
        return [[words.get(word) for word in "abcde"], len(words), str(error)]


@case
def byte_processor(folder):
    processor = preprocessing.ByteProcessor(4)
    rows = list(processor.fit_transform(["abc", b"abcdef", "äöü", "aäö"]))
    return [as_lists(rows), [row.dtype.name for row in rows], list(processor.reverse(rows))]


@case
def categorical_processor(folder):
    rows = np.array([["a", "b"], ["b", "b"], ["a", "c"]])
    found = []
    for share in (False, True):
        processor = preprocessing.CategoricalProcessor(min_frequency=0, share=share)
        found.append(as_lists(processor.fit_transform(rows)))
    found.append(as_lists(processor.transform(np.array([["c", "z"]]))))
    return found
