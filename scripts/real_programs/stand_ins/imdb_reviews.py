"""Made-up reviews, by the interface of Keras's IMDB data set."""

import numpy as np


def load_data(num_words, index_from):
    """Returns numbered words and labels, to train on and to test with."""
    random = np.random.RandomState(0)

    def made(count):
        labels = random.randint(0, 2, count)
        words = [
            list(random.randint(index_from, num_words // 200, random.randint(5, 12)) + 20 * label)
            for label in labels
        ]
        reviews = np.empty(count, dtype=object)
        reviews[:] = words
        return reviews, labels

    return made(40), made(16)
